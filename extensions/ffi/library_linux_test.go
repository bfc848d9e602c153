// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestWrongCustomCallsAreAnErrorHere(t *testing.T) {
	plugin := newClient(t).Plugin()
	dir := t.TempDir()
	whole, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	short := filepath.Join(dir, "short.so")
	require.NoError(t, os.WriteFile(short, whole[:len(whole)/2], 0o600))
	type symbols = map[string]string
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no target":       {ffi.RegisterC(plugin, ffi.CustomCall{Platform: "Host", Handler: 1}), "needs a target and a platform"},
		"no platform":     {ffi.RegisterC(plugin, ffi.CustomCall{Target: "x", Handler: 1}), "needs a target and a platform"},
		"zero byte":       {ffi.RegisterC(plugin, ffi.CustomCall{Target: "x\x00", Platform: "Host", Handler: 1}), "zero byte"},
		"null":            {ffi.RegisterC(plugin, ffi.CustomCall{Target: "x", Platform: "Host"}), "the handler of the custom call x is null"},
		"nil plugin":      {ffi.RegisterC(nil, ffi.CustomCall{}), "the plugin is nil"},
		"load into nil":   {ffi.Load(nil, "x.so", "Host", symbols{"x": "y"}), "the plugin is nil"},
		"nothing to load": {ffi.Load(plugin, "x.so", "Host", nil), "no symbols"},
		"no library":      {ffi.Load(plugin, filepath.Join(dir, "none.so"), "Host", symbols{"x": "y"}), "none.so"},
		"a directory":     {ffi.Load(plugin, dir, "Host", symbols{"x": "y"}), "is not a regular file"},
		"cut off":         {ffi.Load(plugin, short, "Host", symbols{"x": "y"}), "truncated"},
		"no symbol":       {ffi.Load(plugin, plugintest.Path(t, "cpu"), "Host", symbols{"x": "no_such_symbol"}), "no_such_symbol"},
	} {
		require.ErrorContains(t, c.err, c.want, name)
	}
}

func TestHandlersOfALibraryAreRegistered(t *testing.T) {
	type registered struct {
		target, platform string
		traits           capi.FFIHandlerTraitsBits
	}
	got := make(map[registered]uintptr)
	plugin := registrar(t, func(a *capi.FFIRegisterHandlerArgs) {
		r := registered{capi.String(a.TargetName, a.TargetNameSize), capi.String(a.PlatformName, a.PlatformNameSize), a.Traits}
		got[r] = a.Handler
	})
	newClient(t)
	library := ""
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.HasPrefix(filepath.Base(line), "libm.so") {
			library = strings.TrimSpace(line[i:])
		}
	}
	require.NotEmpty(t, library, "the CPU plugin needs this library")
	require.NoError(t, ffi.Load(plugin, library, "Host", map[string]string{"a": "cos", "b": "sin"}))
	require.Len(t, got, 2)
	assert.NotZero(t, got[registered{"a", "Host", 0}])
	assert.NotEqual(t, got[registered{"a", "Host", 0}], got[registered{"b", "Host", 0}])
	require.NoError(t, ffi.RegisterC(plugin, ffi.CustomCall{Target: "c", Platform: "CUDA", Handler: 16, Replayable: true}))
	assert.EqualValues(t, 16, got[registered{"c", "CUDA", capi.FFIHandlerTraitsBitsCommandBufferCompatible}])
}
