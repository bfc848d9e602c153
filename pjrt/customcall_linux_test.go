// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// doubles is a program that calls a handler of the name target.
func doubles(target string) string {
	return `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @` + target + `(%a) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
}

func TestAProgramCallsAGoFunction(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	handler, err := ffi.NewHandler(func(frame *ffi.CallFrame) error {
		in, err := frame.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := frame.Rets.Buffer(0)
		if err != nil {
			return err
		}
		from, err := ffi.Elements[float32](in)
		if err != nil {
			return err
		}
		to, err := ffi.Elements[float32](out)
		for i := range to {
			to[i] = 2 * from[i]
		}
		return err
	}, nil)
	require.NoError(t, err)
	require.NoError(t, client.Plugin().RegisterCustomCall(pjrt.CustomCall{Target: "double_of_go", Platform: "Host", Handler: uintptr(handler)}))
	exe := compile(t, client, doubles("double_of_go"))
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4))}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
}

func TestWrongCustomCallsAreAnErrorHere(t *testing.T) {
	plugin := newClient(t).Plugin()
	dir := t.TempDir()
	whole, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	short := filepath.Join(dir, "short.so")
	require.NoError(t, os.WriteFile(short, whole[:len(whole)/2], 0o600))
	type calls = map[string]string
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no target":       {plugin.RegisterCustomCall(pjrt.CustomCall{Platform: "Host", Handler: 1}), "needs a target and a platform"},
		"no platform":     {plugin.RegisterCustomCall(pjrt.CustomCall{Target: "x", Handler: 1}), "needs a target and a platform"},
		"zero byte":       {plugin.RegisterCustomCall(pjrt.CustomCall{Target: "x\x00", Platform: "Host", Handler: 1}), "zero byte"},
		"null":            {plugin.RegisterCustomCall(pjrt.CustomCall{Target: "x", Platform: "Host"}), "the handler of the custom call x is null"},
		"nil plugin":      {(*pjrt.Plugin)(nil).RegisterCustomCall(pjrt.CustomCall{}), "the plugin is nil"},
		"nothing to load": {plugin.LoadCustomCalls("x.so", "Host", nil), "no symbols"},
		"no library":      {plugin.LoadCustomCalls(filepath.Join(dir, "none.so"), "Host", calls{"x": "y"}), "none.so"},
		"a directory":     {plugin.LoadCustomCalls(dir, "Host", calls{"x": "y"}), "is no regular file"},
		"cut off":         {plugin.LoadCustomCalls(short, "Host", calls{"x": "y"}), "cut off"},
		"no symbol":       {plugin.LoadCustomCalls(plugintest.Path(t, "cpu"), "Host", calls{"x": "no_such_symbol"}), "no_such_symbol"},
	} {
		require.ErrorContains(t, c.err, c.want, name)
	}
}

func TestHandlersOfALibraryAreRegistered(t *testing.T) {
	v := newVariant(t)
	type registered struct {
		target, platform string
		traits           capi.FFIHandlerTraitsBits
	}
	got := make(map[registered]uintptr)
	x := &capi.FFIExtension{
		Base: capi.ExtensionBase{StructSize: capi.FFIExtensionSize, Type: capi.ExtensionTypeFFI},
		RegisterHandler: purego.NewCallback(func(a *capi.FFIRegisterHandlerArgs) uintptr {
			got[registered{capi.String(a.TargetName, a.TargetNameSize), capi.String(a.PlatformName, a.PlatformNameSize), a.Traits}] = a.Handler
			return 0
		}),
	}
	v.extend(&x.Base)
	plugin := v.client(t).Plugin()
	library := ""
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.HasPrefix(filepath.Base(line), "libm.so") {
			library = strings.TrimSpace(line[i:])
		}
	}
	require.NotEmpty(t, library, "the plugin needs it")
	require.NoError(t, plugin.LoadCustomCalls(library, "Host", map[string]string{"a": "cos", "b": "sin"}))
	require.Len(t, got, 2)
	assert.NotZero(t, got[registered{"a", "Host", 0}])
	assert.NotEqual(t, got[registered{"a", "Host", 0}], got[registered{"b", "Host", 0}])
	require.NoError(t, plugin.RegisterCustomCall(pjrt.CustomCall{Target: "c", Platform: "CUDA", Handler: 16, Replayable: true}))
	assert.EqualValues(t, 16, got[registered{"c", "CUDA", capi.FFIHandlerTraitsBitsCommandBufferCompatible}])
}
