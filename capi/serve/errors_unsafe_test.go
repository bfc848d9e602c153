// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// failing serves a plugin whose PJRT_Plugin_Initialize fails with *err.
func failing(t testing.TB, err *error) *capi.Table {
	return table(t, &serve.Plugin{PluginInitialize: func(*capi.PluginInitializeArgs) error { return *err }})
}

func initialize(tab *capi.Table) error { return new(capi.Call[capi.PluginInitializeArgs]).Do(tab) }

func TestErrorsOfFuncsReachTheCaller(t *testing.T) {
	var err error
	tab := failing(t, &err)
	payloads := []capi.Payload{{Key: "type.example/one", Value: []byte{0, 1, 0}}, {Key: "two"}}
	for _, c := range []struct {
		give     error
		code     capi.ErrorCode
		message  string
		payloads []capi.Payload
	}{
		{errors.New("it broke"), capi.ErrorCodeUnknown, "it broke", nil},
		{capi.ErrorCodeNotFound, capi.ErrorCodeNotFound, "NOT_FOUND", nil},
		{fmt.Errorf("device 3: %w", capi.ErrorCodeOutOfRange), capi.ErrorCodeOutOfRange, "device 3: OUT_OF_RANGE", nil},
		{&capi.Error{Code: capi.ErrorCodeDataLoss, Message: "gone", Func: "PJRT_Other", Payloads: payloads}, capi.ErrorCodeDataLoss, "gone", payloads},
		{fmt.Errorf("while saving: %w", &capi.Error{Code: capi.ErrorCodeDataLoss, Message: "gone"}), capi.ErrorCodeDataLoss, "while saving: DATA_LOSS: gone", nil},
		{context.DeadlineExceeded, capi.ErrorCodeDeadlineExceeded, "context deadline exceeded", nil},
		{&capi.Error{}, capi.ErrorCodeUnknown, "OK", nil},
		{&capi.Error{Code: 99, Message: "odd"}, capi.ErrorCodeUnknown, "odd", nil},
		{errors.New(""), capi.ErrorCodeUnknown, "UNKNOWN", nil},
	} {
		err = c.give
		var got *capi.Error
		require.ErrorAs(t, initialize(tab), &got)
		assert.Equal(t, c.code, got.Code, "%v", c.give)
		assert.Equal(t, c.message, got.Message)
		assert.Equal(t, "PJRT_Plugin_Initialize", got.Func)
		require.Len(t, got.Payloads, len(c.payloads))
		for i, p := range c.payloads {
			assert.Equal(t, p.Key, got.Payloads[i].Key)
			assert.Equal(t, string(p.Value), string(got.Payloads[i].Value))
		}
	}
	err = nil
	assert.NoError(t, initialize(tab))
	assert.Zero(t, serve.LiveErrors(), "all were destroyed")
}

func TestErrorsAreIndependentAndOutliveTheirTable(t *testing.T) {
	s, err := (&serve.Plugin{}).Serve()
	require.NoError(t, err)
	tab := s.Capi()
	take := func() *capi.ErrorHandle {
		var c capi.Call[capi.PluginInitializeArgs]
		c.Args.StructSize = capi.PluginInitializeArgsSize
		h, err := c.Raw(tab)
		require.NoError(t, err)
		require.NotNil(t, h)
		return h
	}
	first, second := take(), take()
	assert.NotSame(t, first, second)
	assert.ErrorIs(t, tab.TakeError(first), capi.ErrorCodeUnimplemented)
	require.NoError(t, s.Close())
	assert.ErrorIs(t, tab.TakeError(second), capi.ErrorCodeUnimplemented, "read through the table that was closed")
	assert.Zero(t, serve.LiveErrors())
}

func TestAnErrorsOwnTableWorksLikeTheFunctions(t *testing.T) {
	visited := make(map[string]string)
	visitor, handle := capi.NewErrorPayloadVisitor(func(key string, value []byte) { visited[key] = string(value) })
	defer handle.Delete()
	h := serve.NewError(&capi.Error{Code: capi.ErrorCodeAborted, Message: "stop", Payloads: []capi.Payload{{Key: "k", Value: []byte("v\x00")}}})
	require.NotNil(t, h)
	v := h.Vtable
	assert.EqualValues(t, capi.ErrorFunctionTableSize, v.StructSize)
	assert.EqualValues(t, capi.ErrorHandleSize, v.InstanceSize)
	out := new(struct {
		message *byte
		size    uintptr
	})
	v.Message.Call(h, &out.message, &out.size)
	assert.Equal(t, "stop", capi.String(out.message, out.size))
	assert.Zero(t, *(*byte)(unsafe.Add(unsafe.Pointer(out.message), out.size)), "a zero byte ends the text")
	assert.Equal(t, capi.ErrorCodeAborted, v.GetCode.Call(h))
	v.ForEachPayload.Call(h, visitor, uintptr(handle))
	assert.Equal(t, map[string]string{"k": "v\x00"}, visited)
	v.Destroy.Call(h)
	assert.Nil(t, serve.ReadError(h))
	assert.False(t, serve.DestroyError(h))
	v.Destroy.Call(h) // the second call is ignored
}

func TestErrorFunctionsRefuseOtherPointers(t *testing.T) {
	tab := table(t, &serve.Plugin{Profiler: new(serve.ProfilerAPI)})
	stranger := new(capi.ErrorHandle)
	code := &capi.ErrorGetCodeArgs{StructSize: capi.ErrorGetCodeArgsSize, Error: stranger}
	e := refused(t, rawCall(t, tab, code.Function(), unsafe.Pointer(code)))
	assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code)
	assert.Contains(t, e.Message, "not an error of this plugin")
	each := &capi.ErrorForEachPayloadArgs{StructSize: capi.ErrorForEachPayloadArgsSize, Error: serve.NewError(capi.ErrorCodeAborted)}
	e = refused(t, rawCall(t, tab, each.Function(), unsafe.Pointer(each)))
	assert.Contains(t, e.Message, "the visitor of PJRT_Error_ForEachPayload is null")
	require.True(t, serve.DestroyError(each.Error))
	// These are void functions, and must do nothing.
	for _, f := range []capi.Arguments{
		&capi.ErrorMessageArgs{StructSize: capi.ErrorMessageArgsSize, Error: stranger},
		&capi.ErrorDestroyArgs{StructSize: capi.ErrorDestroyArgsSize, Error: stranger},
		&capi.ErrorDestroyArgs{StructSize: capi.ErrorDestroyArgsSize},
		&capi.ProfilerErrorDestroyArgs{StructSize: capi.ProfilerErrorDestroyArgsSize},
	} {
		rawCall(t, tab, f.Function(), pointer(f))
	}
	profiler := &capi.ProfilerErrorGetCodeArgs{StructSize: capi.ProfilerErrorGetCodeArgsSize}
	e = refused(t, rawCall(t, tab, profiler.Function(), unsafe.Pointer(profiler)))
	assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code)
}

// pointer returns the pointer in an interface.
func pointer(a capi.Arguments) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&a))[1] }

func TestErrorFuncsReplaceTheBuiltInOnes(t *testing.T) {
	tab := table(t, &serve.Plugin{
		ErrorGetCode: func(a *capi.ErrorGetCodeArgs) error {
			a.Code = capi.ErrorCodeInternal
			return nil
		},
		ErrorMessage: func(a *capi.ErrorMessageArgs) {
			a.Message, a.MessageSize = capi.StringData("another text")
		},
	})
	assert.EqualError(t, initialize(tab), "PJRT_Plugin_Initialize: INTERNAL: another text")
	assert.Zero(t, serve.LiveErrors())
}

func TestAPanicInAFuncIsAnInternalError(t *testing.T) {
	tab := table(t, &serve.Plugin{
		PluginInitialize: func(*capi.PluginInitializeArgs) error { panic("too much") },
		ClientDevices: func(a *capi.ClientDevicesArgs) error {
			a.NumDevices = *(*uintptr)(nil)
			return nil
		},
		ErrorForEachPayload: func(*capi.ErrorForEachPayloadArgs) error { return nil },
		PhaseCompile: &serve.PhaseCompileExtension{
			PhaseCompileDestroyCompiler: func(*capi.PhaseCompileDestroyCompilerArgs) { panic("a panic that is only logged") },
		},
	})
	var e *capi.Error
	require.ErrorAs(t, initialize(tab), &e)
	assert.Equal(t, capi.ErrorCodeInternal, e.Code)
	assert.Contains(t, e.Message, "panic in PJRT_Plugin_Initialize: too much\n")
	assert.Contains(t, e.Message, "errors_unsafe_test.go", "the stack")
	err := new(capi.Call[capi.ClientDevicesArgs]).Do(tab)
	assert.ErrorIs(t, err, capi.ErrorCodeInternal)
	assert.ErrorContains(t, err, "nil pointer dereference")
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	assert.NoError(t, new(capi.Call[capi.PhaseCompileDestroyCompilerArgs]).Do(tab))
	slog.SetDefault(before)
	assert.Contains(t, log.String(), "a panic that is only logged")
	assert.Contains(t, log.String(), "PJRT_PhaseCompile_Destroy_Compiler")
	assert.ErrorIs(t, initialize(tab), capi.ErrorCodeInternal, "the table still works after a panic")
}

func TestAFuncThatPanicsKeepsWhatItWroteForAnOlderCaller(t *testing.T) {
	tab := table(t, &serve.Plugin{Minor: 112, DeviceMemoryStats: func(a *capi.DeviceMemoryStatsArgs) error {
		a.BytesInUse = 5
		panic("then it broke")
	}})
	w := new(words)
	w[0] = 185
	e := refused(t, rawCall(t, tab, (*capi.DeviceMemoryStatsArgs)(nil).Function(), w.args()))
	assert.Equal(t, capi.ErrorCodeInternal, e.Code)
	assert.EqualValues(t, 5, (*capi.DeviceMemoryStatsArgs)(w.args()).BytesInUse)
}

// TestTheProfilersErrorsAreItsOwn reads an error through the profiler's table.
func TestTheProfilersErrorsAreItsOwn(t *testing.T) {
	tab := table(t, &serve.Plugin{Profiler: new(serve.ProfilerAPI)})
	err := new(capi.Call[capi.ProfilerStartArgs]).Do(tab)
	assert.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	assert.Zero(t, serve.LiveErrors())
}

func TestEntriesReturnAWholeWord(t *testing.T) {
	tab := table(t, new(serve.Plugin))
	frame := &ccall.ArgFrame{Frame: ccall.Frame{Code: slotOf(t, tab, (*capi.ErrorDestroyArgs)(nil).Function()), Ret: ^uintptr(0)},
		Arg: unsafe.Pointer(&capi.ErrorDestroyArgs{StructSize: capi.ErrorDestroyArgsSize})}
	ccall.InvokeArg(frame)
	assert.Zero(t, frame.Ret)
}
