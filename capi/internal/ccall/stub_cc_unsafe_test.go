// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && (linux || darwin)

package ccall_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// stubArgs is struct args of testdata/stub.c.
type stubArgs struct {
	StructSize uintptr
	In         *uint64
	NumIn      uintptr
	Callback   uintptr
	UserArg    uintptr
	Out        uint64
	Result     uint64
}

type stubCall struct {
	ccall.Frame
	Args stubArgs
}

// stub compiles and loads testdata/stub.c and returns its functions.
// CCALL_STUB names a library that was compiled for this platform elsewhere.
func stub(t *testing.T) func(name string) uintptr {
	t.Helper()
	lib := os.Getenv("CCALL_STUB")
	if lib == "" {
		lib = filepath.Join(t.TempDir(), "stub.so")
		cc := exec.Command("cc", "-O1", "-shared", "-fPIC", "-o", lib, filepath.Join("testdata", "stub.c"), "-lpthread")
		out, err := cc.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	h, err := purego.Dlopen(lib, purego.RTLD_NOW|purego.RTLD_LOCAL)
	require.NoError(t, err)
	return func(name string) uintptr {
		p, err := purego.Dlsym(h, name)
		require.NoError(t, err)
		return p
	}
}

var stubCallback = purego.NewCallback(func(userArg uintptr, value uint64) {
	sink.Add(uint64(grow(256)))
	calledBack <- [2]uint64{uint64(userArg), value}
})

var calledBack = make(chan [2]uint64, 1)

func TestCompiledCReceivesItsArgumentsAndReturns64Bits(t *testing.T) {
	fn := stub(t)
	for _, invoke := range []func(unsafe.Pointer){ccall.Invoke, ccall.InvokePure} {
		c := new(stubCall)
		in := []uint64{1, 2, 1 << 40}
		c.Code = fn("stub_sum")
		c.Args = stubArgs{In: &in[0], NumIn: 3, Result: 0xfedcba9876543210}
		invoke(unsafe.Pointer(&c.Frame))
		assert.EqualValues(t, 1<<40+3, c.Args.Out)
		assert.EqualValues(t, uint64(0xfedcba9876543210), c.Ret)

		c.Code = fn("stub_void")
		invoke(unsafe.Pointer(&c.Frame))
		assert.EqualValues(t, 42, c.Args.Out)

		c.Code = fn("stub_alignment")
		invoke(unsafe.Pointer(&c.Frame))
		assert.Zero(t, c.Args.Out, "the stack is not aligned to 16 bytes")
	}
}

func TestCompiledCCallsBackFromBothKindsOfThread(t *testing.T) {
	fn := stub(t)
	for name, value := range map[string]uint64{"stub_call_back": 7, "stub_call_back_elsewhere": 8} {
		done := make(chan stubArgs)
		go func() { // a fresh, small stack, which the callback makes grow
			var c stubCall
			in := [2]uint64{40, 2}
			c.Code = fn(name)
			c.Args = stubArgs{In: &in[0], NumIn: 2, Callback: stubCallback, UserArg: 5, Result: 9}
			ccall.Invoke(unsafe.Pointer(&c.Frame))
			c.Args.Result = uint64(c.Ret)
			done <- c.Args
		}()
		got := <-done
		assert.Equal(t, [2]uint64{5, value}, <-calledBack)
		assert.EqualValues(t, 42, got.Out)
		assert.EqualValues(t, 9, got.Result)
	}
}
