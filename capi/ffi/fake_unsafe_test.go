// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
)

// fakeError is the target of the fake host's error handles.
type fakeError struct {
	code      ffi.ErrorCode
	message   string
	text      *byte
	destroyed int
}

func fakeErrorOf(e *ffi.ErrorHandle) *fakeError { return (*fakeError)(unsafe.Pointer(e)) }

// fakeHost records the arguments of calls of the fake table.
var fakeHost struct {
	made     []*fakeError
	state    ffi.StateSetArgs
	typ      ffi.TypeRegisterArgs
	info     ffi.TypeInfo
	name     string
	handlers ffi.HandlerRegisterArgs
}

func entryOf[A any](fn func(args *A) uintptr) func() uintptr {
	return sync.OnceValue(func() uintptr { return purego.NewCallback(fn) })
}

var (
	fakeErrorCreate = entryOf(func(a *ffi.ErrorCreateArgs) uintptr {
		e := &fakeError{code: a.Errc, message: capi.GoString(a.Message)}
		e.text = capi.CString(e.message)
		fakeHost.made = append(fakeHost.made, e)
		return uintptr(unsafe.Pointer(e))
	})
	fakeErrorGetDetails = entryOf(func(a *ffi.ErrorGetDetailsArgs) uintptr {
		a.Message, a.Errc = fakeErrorOf(a.Error).text, fakeErrorOf(a.Error).code
		return 0xdeadbeef
	})
	// The function that had the slot in older versions, which does not return the code.
	fakeErrorGetMessage = entryOf(func(a *ffi.ErrorGetDetailsArgs) uintptr {
		a.Message = fakeErrorOf(a.Error).text
		return 0xdeadbeef
	})
	fakeErrorDestroy = entryOf(func(a *ffi.ErrorDestroyArgs) uintptr {
		fakeErrorOf(a.Error).destroyed++
		return 0xdeadbeef
	})
	fakeStateSet     = entryOf(func(a *ffi.StateSetArgs) uintptr { fakeHost.state = *a; return 0 })
	fakeTypeRegister = entryOf(func(a *ffi.TypeRegisterArgs) uintptr {
		fakeHost.typ, fakeHost.info, fakeHost.name = *a, *a.TypeInfo, a.Name.String()
		a.TypeID.TypeID = 42
		return 0
	})
	fakeHandlerRegister = entryOf(func(a *ffi.HandlerRegisterArgs) uintptr { fakeHost.handlers = *a; return 0 })
	fakeStateGet        = entryOf(func(*ffi.StateGetArgs) uintptr {
		e := &fakeError{code: ffi.ErrorCodeNotFound, text: capi.CString("no state")}
		fakeHost.made = append(fakeHost.made, e) // keeps it alive
		return uintptr(unsafe.Pointer(e))
	})
)

// newAPI makes a table of the given minor.
func newAPI(t testing.TB, minor int32) *ffi.API {
	api := &ffi.API{StructSize: ffi.APISize, APIVersion: ffi.APIVersion{StructSize: ffi.APIVersionSize, MinorVersion: minor}}
	api.ErrorCreate, api.ErrorDestroy = fakeErrorCreate(), fakeErrorDestroy()
	api.ErrorGetDetails, api.StateSet, api.StateGet = fakeErrorGetDetails(), fakeStateSet(), fakeStateGet()
	api.TypeRegister, api.HandlerRegister = fakeTypeRegister(), fakeHandlerRegister()
	if minor < 4 {
		api.ErrorGetDetails = fakeErrorGetMessage()
	}
	// The binding remembers tables by address, so an address must not be used again.
	var pins runtime.Pinner
	pins.Pin(api)
	kept = append(kept, api)
	t.Cleanup(pins.Unpin)
	fakeHost.made = nil
	return api
}

var kept []*ffi.API

// newHandler makes a handler in which a test may fail. The function runs on a goroutine of its own,
// which require may end: if it ended one that C has called, the program would wait forever.
func newHandler(t testing.TB, fn ffi.HandlerFunc, options *ffi.HandlerOptions) ffi.Handler {
	t.Helper()
	h, err := ffi.NewHandler(func(frame *ffi.CallFrame) error {
		err := error(capi.ErrorCodeAborted.Errorf("the handler ended its goroutine"))
		var thrown any
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { thrown = recover() }()
			err = fn(frame)
		}()
		<-done
		if thrown != nil {
			panic(thrown)
		}
		return err
	}, options)
	require.NoError(t, err)
	t.Cleanup(func() { h.Release() })
	return h
}

func newFrame(api *ffi.API) *ffi.CallFrame {
	return &ffi.CallFrame{
		StructSize: ffi.CallFrameSize, API: api, Stage: ffi.ExecutionStageExecute,
		Args: ffi.Args{StructSize: ffi.ArgsSize}, Rets: ffi.Rets{StructSize: ffi.RetsSize}, Attrs: ffi.Attrs{StructSize: ffi.AttrsSize},
	}
}

func TestErrorsKeepTheirCodeFromVersion04On(t *testing.T) {
	for minor, want := range map[int32]capi.ErrorCode{2: capi.ErrorCodeUnknown, 3: capi.ErrorCodeUnknown, 4: capi.ErrorCodeAborted,
		9: capi.ErrorCodeAborted} {
		api := newAPI(t, minor)
		h := newHandler(t, func(*ffi.CallFrame) error { return &capi.Error{Code: capi.ErrorCodeAborted, Message: "enough"} }, nil)
		e := h.Call(newFrame(api))
		require.Len(t, fakeHost.made, 1)
		assert.Same(t, fakeHost.made[0], fakeErrorOf(e))
		assert.Equal(t, ffi.ErrorCodeAborted, fakeHost.made[0].code)
		assert.Equal(t, &capi.Error{Code: want, Message: "enough"}, ffi.TakeError(api, e))
		assert.Equal(t, 1, fakeHost.made[0].destroyed)
	}
}

func TestFunctionsThatChangedAreCalledInTheFormOfTheHost(t *testing.T) {
	id := ffi.TypeID{TypeID: 7}
	api := newAPI(t, 4)
	frame := newFrame(api)
	frame.Stage = ffi.ExecutionStagePrepare
	require.NoError(t, frame.SetState(id, 99, 0))
	assert.EqualValues(t, ffi.StateSetArgsSize, fakeHost.state.StructSize)
	assert.Equal(t, ffi.ExecutionStagePrepare, fakeHost.state.Stage)
	assert.Equal(t, id, *fakeHost.state.TypeID)
	assert.EqualValues(t, 99, fakeHost.state.State)
	_, err := frame.State(id, ffi.ExecutionStagePrepare)
	assert.Equal(t, &capi.Error{Code: capi.ErrorCodeNotFound, Func: "XLA_FFI_State_Get", Message: "no state"}, err)
	got, err := ffi.RegisterType(api, "type", ffi.Deleter())
	require.NoError(t, err)
	assert.Equal(t, ffi.TypeID{TypeID: 42}, got)
	assert.Equal(t, "type", fakeHost.name)
	assert.Equal(t, ffi.TypeInfo{StructSize: ffi.TypeInfoSize, Deleter: ffi.Deleter()}, fakeHost.info)
	require.NoError(t, ffi.Register(api, "n", "Host", ffi.HandlerBundle{Record: 5}, 1))
	assert.Equal(t, ffi.Handler(5), fakeHost.handlers.Bundle.Record)
	assert.Equal(t, ffi.HandlerTraits(1), fakeHost.handlers.Traits)

	// The structs of version 0.1 are unknown, and those of a host of version 0.3 that does not
	// name the size of its states, so nothing must be called.
	for _, minor := range []int32{1, 3} {
		api := newAPI(t, minor)
		frame := newFrame(api)
		_, stateErr := frame.State(id, ffi.ExecutionStageInstantiate)
		_, typeErr := ffi.RegisterType(api, "type", 0)
		for _, err := range []error{frame.SetState(id, 0, 0), stateErr, typeErr, ffi.Register(api, "n", "Host", ffi.HandlerBundle{}, 0)} {
			require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
			require.ErrorContains(t, err, "has this function in an unknown form: use a host of version 0.2, 0.4 or later")
		}
	}
}

// refuseSize is the error of a function about a struct of no size.
func refuseSize(function string, want int) uintptr {
	text := fmt.Sprintf("Unexpected %s size: expected %d, got 0. Check installed software versions.", function, want)
	e := &fakeError{code: ffi.ErrorCodeInvalidArgument, text: capi.CString(text)}
	fakeHost.made = append(fakeHost.made, e)
	return uintptr(unsafe.Pointer(e))
}

var (
	fakeStagedStateGet = entryOf(func(a *ffi.StateGetArgs) uintptr {
		if a.StructSize == 0 {
			return refuseSize("XLA_FFI_State_Get_Args", ffi.StateGetArgsSize)
		}
		a.State = uintptr(a.Stage) + 100
		return 0
	})
	// fakeRegisterFour registers handlers of four stages. The traits follow the fourth.
	fakeRegisterFour = entryOf(func(a *ffi.HandlerRegisterArgs) uintptr {
		if a.StructSize == 0 {
			return refuseSize("XLA_FFI_Handler_Register", 84)
		}
		fakeHost.handlers = *a
		return 0
	})
)

func TestTheHostNamesTheFormOfItsFunctions(t *testing.T) {
	three := newAPI(t, 3)
	three.StateGet = fakeStagedStateGet()
	got, err := newFrame(three).State(ffi.TypeID{TypeID: 7}, ffi.ExecutionStagePrepare)
	require.NoError(t, err)
	assert.EqualValues(t, 100+ffi.ExecutionStagePrepare, got)

	four := newAPI(t, 4)
	four.HandlerRegister = fakeRegisterFour()
	require.NoError(t, ffi.Register(four, "n", "Host", ffi.HandlerBundle{Execute: 5}, 1))
	assert.EqualValues(t, 84, fakeHost.handlers.StructSize)
	assert.Equal(t, ffi.HandlerBundle{Execute: 5, Record: 1}, fakeHost.handlers.Bundle, "the traits are where others have a handler")
	err = ffi.Register(four, "n", "Host", ffi.HandlerBundle{Record: 5}, 0)
	require.ErrorContains(t, err, "XLA FFI API 0.4 has no stage in which operations are recorded")
}

func TestUselessTablesAreErrors(t *testing.T) {
	short, other, cut := newAPI(t, 4), newAPI(t, 4), newAPI(t, 4)
	short.StructSize = 39
	other.APIVersion.MajorVersion = 1
	cut.StructSize = unsafe.Offsetof(cut.ErrorDestroy)
	for name, api := range map[string]*ffi.API{"null": nil, "short": short} {
		_, err := ffi.Table(api)
		require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, name)
		require.ErrorContains(t, err, "the table of XLA_FFI_Api ", name)
		assert.Nil(t, ffi.NewError(api, errors.New("x")), name)
		require.Error(t, ffi.TakeError(api, (*ffi.ErrorHandle)(unsafe.Pointer(&fakeError{}))), name)
		major, minor := api.Version()
		assert.Zero(t, major+minor, name)
		_, err = ffi.RegisterType(api, "t", 0)
		require.Error(t, err, name)
	}
	// A table of another major version must not be called.
	table, err := ffi.Table(other)
	require.NoError(t, err)
	assert.False(t, table.Has(new(capi.Call[ffi.ErrorCreateArgs]).Function()))
	_, err = ffi.RegisterType(other, "t", 0)
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	// Memory beyond the end of a table must not be read.
	table, err = ffi.Table(cut)
	require.NoError(t, err)
	assert.True(t, table.Has(new(capi.Call[ffi.ErrorGetDetailsArgs]).Function()))
	assert.False(t, table.Has(new(capi.Call[ffi.ErrorDestroyArgs]).Function()))
	e := ffi.NewError(cut, errors.New("leaks, and is read nevertheless"))
	require.EqualError(t, ffi.TakeError(cut, e), "UNKNOWN: leaks, and is read nevertheless")
	require.ErrorContains(t, newFrame(newAPICut(t)).SetFuture(nil), "XLA FFI API 0.4 has no futures")
}

func newAPICut(t testing.TB) *ffi.API {
	api := newAPI(t, 4)
	api.StructSize = unsafe.Offsetof(api.FutureCreate)
	return api
}

func TestXLAsQueryIsAnsweredWithoutCallingTheHandler(t *testing.T) {
	for minor, wantMinor := range map[int32]int32{2: 2, 4: 4, 7: 7} {
		api := newAPI(t, minor)
		var asked []*ffi.API
		h := newHandler(t, func(*ffi.CallFrame) error { t.Error("called"); return nil },
			&ffi.HandlerOptions{Traits: 1, StateType: ffi.TypeID{TypeID: 12}, Asked: func(a *ffi.API) { asked = append(asked, a) }})
		m := &ffi.Metadata{StructSize: ffi.MetadataSize,
			APIVersion: ffi.APIVersion{StructSize: ffi.APIVersionSize, MajorVersion: -1, MinorVersion: -1}}
		x := &ffi.MetadataExtension{Metadata: m, ExtensionBase: ffi.InternalExtension{StructSize: ffi.MetadataExtensionSize,
			Type: ffi.InternalExtensionTypeMetadata}}
		// An unknown node comes first. The frame has only the fields that XLA's query needs.
		frame := &ffi.CallFrame{StructSize: unsafe.Offsetof(ffi.CallFrame{}.Ctx), API: api,
			ExtensionStart: &ffi.InternalExtension{StructSize: 24, Type: 9, Next: &x.ExtensionBase}}
		require.Nil(t, h.Call(frame))
		assert.EqualValues(t, 0, m.APIVersion.MajorVersion)
		assert.Equal(t, wantMinor, m.APIVersion.MinorVersion)
		assert.Equal(t, ffi.HandlerTraits(1), m.Traits)
		assert.Equal(t, ffi.TypeID{TypeID: 12}, m.StateTypeID)
		assert.Equal(t, []*ffi.API{api}, asked)

		x.Metadata = nil
		require.NotNil(t, h.Call(frame))
		assert.Contains(t, fakeHost.made[0].message, "null or too short")
		x.Metadata = &ffi.Metadata{StructSize: ffi.MetadataSize - 1}
		require.NotNil(t, h.Call(frame))
	}
	// An old host cannot be told about a state.
	h := newHandler(t, func(*ffi.CallFrame) error { return nil }, &ffi.HandlerOptions{StateType: ffi.TypeID{TypeID: 12}})
	x := &ffi.MetadataExtension{Metadata: &ffi.Metadata{StructSize: ffi.MetadataSize},
		ExtensionBase: ffi.InternalExtension{StructSize: ffi.MetadataExtensionSize, Type: ffi.InternalExtensionTypeMetadata}}
	frame := newFrame(newAPI(t, 1))
	frame.ExtensionStart = &x.ExtensionBase
	require.NotNil(t, h.Call(frame))
	assert.Zero(t, x.Metadata.StateTypeID)
}

func TestAChainInACircleEnds(t *testing.T) {
	called := false
	h := newHandler(t, func(*ffi.CallFrame) error { called = true; return nil }, nil)
	frame := newFrame(newAPI(t, 4))
	node := &ffi.InternalExtension{StructSize: 24, Type: 9}
	node.Next = node
	frame.ExtensionStart = node
	require.Nil(t, h.Call(frame))
	assert.True(t, called)
}

func TestFramesThatAreTooShortNeverReachTheHandler(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	h := newHandler(t, func(*ffi.CallFrame) error { t.Error("called"); return nil }, nil)
	frame := newFrame(newAPI(t, 4))
	frame.StructSize = ffi.CallFrameSize - 1
	require.NotNil(t, h.Call(frame))
	assert.Equal(t, "the call frame has 167 bytes instead of 168", fakeHost.made[0].message)
	assert.Equal(t, ffi.ErrorCodeInvalidArgument, fakeHost.made[0].code)
	assert.Empty(t, log.String())
	// Without a table no error can be made.
	frame.StructSize = unsafe.Offsetof(frame.API)
	require.Nil(t, h.Call(frame))
	require.Nil(t, h.Call(nil))
	assert.Equal(t, 2, strings.Count(log.String(), "the call frame has no table"))
}

func TestHandlersHaveALimitAndAreUsedAgain(t *testing.T) {
	called := map[int]int{}
	var list []ffi.Handler
	var err error
	for {
		var h ffi.Handler
		i := len(list)
		if h, err = ffi.NewHandler(func(*ffi.CallFrame) error { called[i]++; return nil }, nil); err != nil {
			break
		}
		list = append(list, h)
		require.LessOrEqual(t, len(list), ffi.MaxHandlers)
	}
	defer func() {
		for _, h := range list {
			h.Release()
		}
	}()
	require.ErrorIs(t, err, capi.ErrorCodeResourceExhausted)
	require.EqualError(t, err, "RESOURCE_EXHAUSTED: the process has 1024 FFI handlers, the maximum: release those that no program calls")

	frame := newFrame(newAPI(t, 4))
	first, second := list[1], list[0]
	require.True(t, first.Release())
	require.True(t, second.Release())
	require.NotNil(t, first.Call(frame))
	assert.Equal(t, ffi.ErrorCodeFailedPrecondition, fakeHost.made[0].code)
	h, err := ffi.NewHandler(func(*ffi.CallFrame) error { called[-1]++; return nil }, nil)
	require.NoError(t, err)
	assert.Equal(t, first, h, "the one released first is used first")
	require.Nil(t, h.Call(frame))
	require.Nil(t, list[2].Call(frame))
	assert.Equal(t, map[int]int{-1: 1, 2: 1}, called)
	assert.False(t, ffi.Handler(0).Release())
	assert.False(t, ffi.Handler(12345).Release())
	_, err = ffi.NewHandler(nil, nil)
	require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
}

func TestAProcessWithoutRoomForCallbacksGetsAnError(t *testing.T) {
	const variable = "PUREPJRT_TEST_NO_CALLBACKS"
	if os.Getenv(variable) == "" {
		// Entry points are never freed, so the test uses another process.
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), variable+"=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "--- PASS: "+t.Name())
		return
	}
	func() {
		defer func() { assert.NotNil(t, recover()) }()
		for {
			purego.NewCallback(func() uintptr { return 0 })
		}
	}()
	_, err := ffi.NewHandler(func(*ffi.CallFrame) error { return nil }, nil)
	require.ErrorIs(t, err, capi.ErrorCodeResourceExhausted)
	require.ErrorContains(t, err, "no C entry point for another FFI handler")
}

func TestATaskRunsOnceAndItsPanicIsLogged(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	live := capi.LiveHandles()
	n := 0
	task, h := ffi.NewTask(func() { n++; panic("late") })
	for range 3 {
		runtime.GC()
	}
	task.Call(uintptr(h))
	task.Call(uintptr(h))
	assert.Equal(t, 1, n)
	assert.Equal(t, live, capi.LiveHandles())
	assert.Contains(t, log.String(), "callback=XLA_FFI_Task panic=late")
}
