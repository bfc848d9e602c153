// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestStreamsWaitForBuffersThatAreNotDeleted(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Devices: 2, Processes: 2, Extensions: []capi.ExtensionType{capi.ExtensionTypeStream}})
	first, err := gpu.StreamOf(w.c.AddressableDevices()[0])
	require.NoError(t, err)
	second, err := gpu.StreamOf(w.c.AddressableDevices()[1])
	require.NoError(t, err)
	assert.NotZero(t, first)
	assert.NotEqual(t, first, second)
	again, err := gpu.StreamOf(w.c.AddressableDevices()[0])
	require.NoError(t, err)
	assert.Equal(t, first, again)
	_, err = gpu.StreamOf(w.c.Devices()[3])
	require.ErrorContains(t, err, "belongs to process 1")

	b := w.buffer(t, nil, 1, 2)
	require.NoError(t, first.Wait(b))
	assert.Equal(t, []float32{1, 2}, w.values(t, b))
	w.p.Hold()
	exe := w.compile(t, "double", "(%a: tensor<2xf32>) -> tensor<2xf32>", nil)
	outs, done, err := exe.Start(w.ctx, []*pjrt.Buffer{b}, nil)
	require.NoError(t, err)
	require.NoError(t, first.Wait(outs[0]), "the call itself does not wait for the contents")
	w.p.Resume()
	require.NoError(t, done.Wait(w.ctx))
	require.NoError(t, b.Delete())
	err = first.Wait(b)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "was deleted")
	closeAll(t, b, outs[0])
	require.NoError(t, done.Close())
	require.NoError(t, exe.Close())
	settled(t, w.p)
}

func TestCustomCallsAreRegisteredOnce(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Extensions: []capi.ExtensionType{capi.ExtensionTypeGPUCustomCall}})
	asked := 0
	handler := func(asking func()) ffi.Handler {
		h, err := ffi.NewHandler(func(*ffi.CallFrame) error { return nil }, &ffi.HandlerOptions{Asked: func(*ffi.API) { asking() }})
		require.NoError(t, err)
		t.Cleanup(func() { h.Release() })
		return h
	}
	one, two := handler(func() { asked++ }), handler(func() {})
	require.NoError(t, gpu.Register(w.p.Plugin(), gpu.CustomCall{Target: "scale", Execute: one}))
	assert.Equal(t, 1, asked, "the handler was asked for its metadata")
	require.NoError(t, gpu.Register(w.p.Plugin(), gpu.CustomCall{Target: "untyped", Untyped: uintptr(one)}))
	assert.Equal(t, 1, asked)

	// What package gpu would refuse itself.
	for _, c := range []struct {
		name    string
		version int32
		execute ffi.Handler
		code    capi.ErrorCode
		text    string
	}{
		{"scale", 1, one, capi.ErrorCodeOK, ""},
		{"scale", 1, two, capi.ErrorCodeAlreadyExists, `another custom call "scale"`},
		{"scale", 0, one, capi.ErrorCodeAlreadyExists, `another custom call "scale"`},
		{"new", 7, one, capi.ErrorCodeInvalidArgument, "api_version 7"},
		{"new", 1, 0, capi.ErrorCodeInvalidArgument, "no function"},
		{"", 1, one, capi.ErrorCodeInvalidArgument, "name of the custom call is empty"},
	} {
		var call capi.Call[capi.GPURegisterCustomCallArgs]
		call.Args.FunctionName, call.Args.FunctionNameSize = capi.StringData(c.name)
		call.Args.APIVersion, call.Args.HandlerExecute = c.version, uintptr(c.execute)
		err := call.Do(w.p.Table())
		if c.code == capi.ErrorCodeOK {
			require.NoError(t, err, "the same again")
			continue
		}
		require.ErrorIs(t, err, c.code, c.text)
		require.ErrorContains(t, err, c.text)
	}
}

func TestTritonModulesBecomeCode(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Extensions: []capi.ExtensionType{capi.ExtensionTypeTriton}})
	compile := func(module, arch string, warps int32) (string, error) {
		c := &capi.Call[capi.TritonCompileArgs]{Args: capi.TritonCompileArgs{NumWarps: warps, NumCtas: 1, NumStages: 2}}
		c.Args.Module, c.Args.ModuleSize = capi.StringData(module)
		c.Args.ArchName, c.Args.ArchNameSize = capi.StringData(arch)
		err := c.Do(w.p.Table())
		return capi.String(c.Args.OutAsm, c.Args.OutAsmSize), err
	}
	const module = "module { tt.func @add() { tt.return } }"
	code, err := compile(module, "9.0", 4)
	require.NoError(t, err)
	assert.Equal(t, "// 9.0: 4 warps, 1 blocks, 2 stages\n"+module, code)
	for text, c := range map[string]struct {
		module, arch string
		warps        int32
	}{
		"not MLIR text with a tt.func":  {"no module\xff", "9.0", 4},
		"the module of 0 bytes":         {"", "9.0", 4},
		"the architecture is empty":     {module, "", 4},
		"each must be at least 1":       {module, "9.0", 0},
		"module of 22 bytes is not MLI": {"module @nothing { xxx }", "9.0", 4},
	} {
		_, err := compile(c.module, c.arch, c.warps)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, text)
	}
}
