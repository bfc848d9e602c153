// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// freed receives the second argument of each call of freeHost.
var freed = make(chan uintptr, 8)

// freeHost is a C function that stands for freeing host memory.
var freeHost = purego.NewCallback(func(_ unsafe.Pointer, arg uintptr) uintptr {
	freed <- arg
	return 0
})

func TestHostMemory(t *testing.T) {
	memory := make([]byte, 16)
	var asked *capi.HostMemoryAllocatorAllocateArgs
	p := withExtensions(t, &serve.Plugin{HostMemoryAllocator: &serve.HostMemoryAllocatorExtension{
		Allocate: func(a *capi.HostMemoryAllocatorAllocateArgs) error {
			copied := *a
			asked = &copied
			if a.Size == 9 {
				return nil // no memory
			}
			a.Ptr, a.Deleter, a.DeleterArg = unsafe.SliceData(memory), capi.HostMemoryAllocatorAllocateArgsDeleter(freeHost), 77
			return nil
		},
	}}, pjrttest.Options{Extensions: []capi.ExtensionType{}})
	m, err := memories.Allocate(p.Client(), len(memory), &memories.AllocateOptions{Node: 3})
	require.NoError(t, err)
	assert.EqualValues(t, 16, asked.Size)
	assert.EqualValues(t, 3, asked.NumaNode)
	assert.Equal(t, 16, m.Size())
	failure := errors.New("full")
	require.ErrorIs(t, m.Use(func(b []byte) error {
		require.Len(t, b, 16)
		b[15] = 42
		require.NoError(t, m.Close())
		assert.Empty(t, freed, "memory in use stays")
		return failure
	}), failure)
	assert.EqualValues(t, 42, memory[15])
	select {
	case arg := <-freed:
		assert.EqualValues(t, 77, arg)
	case <-time.After(time.Minute):
		require.Fail(t, "the memory was not freed")
	}
	require.NoError(t, m.Close())
	require.ErrorIs(t, m.Use(func([]byte) error { return nil }), pjrt.ErrClosed)

	for _, size := range []int{0, -1, 1 << 60} {
		_, err = memories.Allocate(p.Client(), size, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	for _, node := range []int{-1, 1 << 40} {
		_, err = memories.Allocate(p.Client(), 8, &memories.AllocateOptions{Node: node})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	_, err = memories.Allocate(p.Client(), 9, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	_, err = memories.Allocate(nil, 8, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	for _, none := range []*memories.Allocation{nil, {}} {
		require.ErrorIs(t, none.Use(func([]byte) error { return nil }), pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
		assert.Zero(t, none.Size())
	}
}

func TestFailuresOfDevicesAreReportedToGo(t *testing.T) {
	type registered struct {
		of capi.CallbackType
		fn capi.CallbackFunction
		to uintptr
	}
	var list []registered
	p := withExtensions(t, &serve.Plugin{Callback: &serve.CallbackExtension{
		RegisterCallback: func(a *capi.CallbackRegisterCallbackArgs) error {
			if len(list) == 3 {
				return pjrt.ErrResourceExhausted.Errorf("enough")
			}
			list = append(list, registered{a.Type, a.Callback, a.UserArg})
			return nil
		},
		InvokeCallback: func(a *capi.CallbackInvokeCallbackArgs) error {
			for _, r := range list {
				if r.of == a.Type {
					r.fn.Call(a.Args, r.to)
				}
			}
			return nil
		},
	}}, pjrttest.Options{})
	c := p.Client()
	var reasons []tpu.SliceFailure
	var fatal []error
	require.NoError(t, tpu.OnSliceFailure(c, func(why tpu.SliceFailure) { reasons = append(reasons, why) }))
	require.NoError(t, tpu.OnFatal(c, func(err error) { fatal = append(fatal, err) }))
	require.NoError(t, tpu.OnFatal(c, func(error) { panic("contained") }))
	require.NoError(t, tpu.InvokeSliceFailure(c, capi.CallbackTPUSliceFailureTypeFlappingTaskError))
	require.NoError(t, tpu.InvokeFatal(c, pjrt.ErrDataLoss.Errorf("a bit fell over")))
	assert.Equal(t, []tpu.SliceFailure{capi.CallbackTPUSliceFailureTypeFlappingTaskError}, reasons)
	require.Len(t, fatal, 1)
	require.ErrorIs(t, fatal[0], pjrt.ErrDataLoss)
	require.ErrorContains(t, fatal[0], "a bit fell over")

	live := capi.LiveHandles()
	require.ErrorIs(t, tpu.OnFatal(c, func(error) {}), pjrt.ErrResourceExhausted)
	assert.Equal(t, live, capi.LiveHandles(), "a refused function is forgotten")
	require.ErrorIs(t, tpu.OnFatal(c, nil), pjrt.ErrInvalidArgument)
	require.ErrorIs(t, tpu.OnSliceFailure(c, nil), pjrt.ErrInvalidArgument)
	require.ErrorIs(t, tpu.InvokeFatal(c, nil), pjrt.ErrInvalidArgument)
	require.ErrorIs(t, tpu.OnFatal(nil, func(error) {}), pjrt.ErrInvalidArgument)
	require.ErrorIs(t, tpu.InvokeSliceFailure(nil, 1), pjrt.ErrInvalidArgument)
}

func TestVersionsOfTheBinaryInterfaceAreCompared(t *testing.T) {
	runtimes := map[*capi.RuntimeABIVersion]string{}
	programs := map[*capi.ExecutableABIVersion]string{}
	p := withExtensions(t, &serve.Plugin{ABIVersion: &serve.ABIVersionExtension{
		RuntimeABIVersionFromProto: func(a *capi.RuntimeABIVersionFromProtoArgs) error {
			text := capi.String(a.SerializedProto, a.SerializedProtoSize)
			if text == "garbage" {
				return pjrt.ErrInvalidArgument.Errorf("no version")
			}
			a.ABIVersion = handle[capi.RuntimeABIVersion]()
			runtimes[a.ABIVersion] = text
			return nil
		},
		ExecutableABIVersionFromProto: func(a *capi.ExecutableABIVersionFromProtoArgs) error {
			text := capi.String(a.SerializedProto, a.SerializedProtoSize)
			if text == "garbage" {
				return pjrt.ErrInvalidArgument.Errorf("no version")
			}
			a.ABIVersion = handle[capi.ExecutableABIVersion]()
			programs[a.ABIVersion] = text
			return nil
		},
		RuntimeABIVersionIsCompatibleWithExecutable: func(a *capi.RuntimeABIVersionIsCompatibleWithExecutableArgs) error {
			if runtimes[a.ABIVersion] != programs[a.ExecutableABIVersion] {
				return pjrt.ErrFailedPrecondition.Errorf("%s does not run %s", runtimes[a.ABIVersion], programs[a.ExecutableABIVersion])
			}
			return nil
		},
		RuntimeABIVersionIsCompatibleWithRuntime: func(a *capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs) error {
			if runtimes[a.ABIVersion] != runtimes[a.OtherABIVersion] {
				return pjrt.ErrFailedPrecondition.Errorf("%s is not %s", runtimes[a.ABIVersion], runtimes[a.OtherABIVersion])
			}
			return nil
		},
		RuntimeABIVersionDestroy: func(a *capi.RuntimeABIVersionDestroyArgs) error {
			assert.Contains(t, runtimes, a.ABIVersion)
			delete(runtimes, a.ABIVersion)
			return nil
		},
		ExecutableABIVersionDestroy: func(a *capi.ExecutableABIVersionDestroyArgs) error {
			assert.Contains(t, programs, a.ABIVersion)
			delete(programs, a.ABIVersion)
			return nil
		},
	}}, pjrttest.Options{}).Plugin()
	of := func(text string) executables.ABIVersion { return executables.ABIVersion{Proto: []byte(text)} }
	require.NoError(t, executables.RuntimeRuns(p, of("1"), of("1")))
	require.ErrorContains(t, executables.RuntimeRuns(p, of("1"), of("2")), "1 does not run 2")
	require.NoError(t, executables.RuntimeReplaces(p, of("1"), of("1")))
	require.ErrorContains(t, executables.RuntimeReplaces(p, of("1"), of("2")), "1 is not 2")
	for _, err := range []error{
		executables.RuntimeRuns(p, of("garbage"), of("1")), executables.RuntimeRuns(p, of("1"), of("garbage")),
		executables.RuntimeRuns(nil, of("1"), of("1")),
		executables.RuntimeReplaces(p, of("garbage"), of("1")), executables.RuntimeReplaces(p, of("1"), of("garbage")),
	} {
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	assert.Empty(t, runtimes)
	assert.Empty(t, programs)
}
