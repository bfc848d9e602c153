// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// made collects the errors that callbacks make through PJRT_CallbackError.
var made []*fakeError

var callbackError = purego.NewCallback(func(code int32, message *byte, size uintptr) uintptr {
	e := &fakeError{code: capi.ErrorCode(code), message: capi.String(message, size)}
	made = append(made, e)
	return uintptr(unsafe.Pointer(e))
})

// newCallbackError returns the address of a PJRT_CallbackError, as callbacks get it.
func newCallbackError() *capi.CallbackError {
	made = nil
	f := capi.CallbackError(callbackError)
	return &f
}

func TestEventCallbackRunsOnceAndOwnsItsError(t *testing.T) {
	live := capi.LiveHandles()
	var got []*capi.ErrorHandle
	f, h := capi.NewEventOnReadyCallback(func(e *capi.ErrorHandle) { got = append(got, e) })
	assert.Equal(t, live+1, capi.LiveHandles())
	e := (&fakeError{}).handle()
	f.Call(e, uintptr(h))
	f.Call(e, uintptr(h)) // a plugin must not call it again, and nothing happens
	assert.Equal(t, []*capi.ErrorHandle{e}, got)
	assert.Equal(t, live, capi.LiveHandles())
}

func TestTwoThousandCallbacksOfAKindUseOneEntryPoint(t *testing.T) {
	f, h := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) {})
	h.Delete()
	for range 5000 {
		g, h := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) {})
		require.Equal(t, f, g)
		h.Delete()
	}
}

func TestSendCallbackPassesItsArgumentsAndItsError(t *testing.T) {
	chunk := &capi.Chunk{Size: 4}
	cases := map[string]struct {
		fn   func(*capi.Chunk, uintptr, bool) error
		want *fakeError
	}{
		"success": {func(c *capi.Chunk, total uintptr, done bool) error {
			assert.Same(t, chunk, c)
			assert.EqualValues(t, 12, total)
			assert.True(t, done)
			return nil
		}, nil},
		"error": {func(*capi.Chunk, uintptr, bool) error { return errors.New("disk full") }, &fakeError{code: capi.ErrorCodeUnknown, message: "disk full"}},
		"code":  {func(*capi.Chunk, uintptr, bool) error { return capi.ErrorCodeNotFound }, &fakeError{code: capi.ErrorCodeNotFound, message: "NOT_FOUND"}},
		"pjrt": {func(*capi.Chunk, uintptr, bool) error {
			return &capi.Error{Code: capi.ErrorCodeAborted, Message: "stop"}
		}, &fakeError{code: capi.ErrorCodeAborted, message: "stop"}},
		"deadline": {func(*capi.Chunk, uintptr, bool) error { return context.DeadlineExceeded }, &fakeError{code: capi.ErrorCodeDeadlineExceeded, message: "context deadline exceeded"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ce := newCallbackError()
			f, h := capi.NewSendCallback(c.fn)
			defer h.Delete()
			r := f.Call(chunk, ce, 12, true, uintptr(h))
			if c.want == nil {
				assert.Nil(t, r)
				assert.Empty(t, made)
				return
			}
			require.Len(t, made, 1)
			assert.Same(t, made[0].handle(), r)
			assert.Equal(t, c.want, made[0])
		})
	}
}

func TestAPanicInACallbackBecomesAnInternalError(t *testing.T) {
	ce := newCallbackError()
	f, h := capi.NewSendCallback(func(*capi.Chunk, uintptr, bool) error { panic("no such tensor") })
	r := f.Call(&capi.Chunk{}, ce, 0, false, uintptr(h))
	require.NotNil(t, r)
	require.Len(t, made, 1)
	assert.Equal(t, capi.ErrorCodeInternal, made[0].code)
	assert.Contains(t, made[0].message, "panic in PJRT_SendCallback: no such tensor")
	h.Delete()
	f.Call(&capi.Chunk{}, ce, 0, false, uintptr(h))
	require.Len(t, made, 2)
	assert.Equal(t, capi.ErrorCodeFailedPrecondition, made[1].code)
}

func TestAPanicInACallbackThatCannotFailIsLogged(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	f, h := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) { panic("late") })
	f.Call(nil, uintptr(h))
	assert.Contains(t, log.String(), "callback=PJRT_Event_OnReadyCallback panic=late")
	assert.Contains(t, log.String(), "TestAPanicInACallbackThatCannotFailIsLogged", "the stack")
}

func TestKeyValueCallbacks(t *testing.T) {
	store := map[string][]byte{"a": []byte("value of a"), "empty": {}}
	get, gh := capi.NewKeyValueGetCallback(func(key string, timeout time.Duration) ([]byte, error) {
		assert.Equal(t, 250*time.Millisecond, timeout)
		if v, ok := store[key]; ok {
			return v, nil
		}
		return nil, capi.ErrorCodeDeadlineExceeded
	})
	defer gh.Delete()
	put, ph := capi.NewKeyValuePutCallback(func(key string, value []byte) error { store[key] = value; return nil })
	defer ph.Delete()
	try, th := capi.NewKeyValueTryGetCallback(func(key string) ([]byte, error) {
		if v, ok := store[key]; ok {
			return v, nil
		}
		return nil, capi.ErrorCodeNotFound
	})
	defer th.Delete()

	ce := newCallbackError()
	p := &capi.KeyValuePutCallbackArgs{StructSize: capi.KeyValuePutCallbackArgsSize, CallbackError: ce, UserArg: uintptr(ph)}
	p.Key, p.KeySize = capi.StringData("b")
	p.Value, p.ValueSize = capi.StringData("b\x00b")
	require.Nil(t, put.Call(p))

	for key, want := range map[string]string{"a": "value of a", "b": "b\x00b", "empty": ""} {
		g := &capi.KeyValueGetCallbackArgs{StructSize: capi.KeyValueGetCallbackArgsSize, TimeoutInMs: 250, CallbackError: ce,
			UserArg: uintptr(gh)}
		g.Key, g.KeySize = capi.StringData(key)
		require.Nil(t, get.Call(g))
		// From now on only the binding keeps the value alive.
		value, size, deleter := uintptr(unsafe.Pointer(g.Value)), g.ValueSize, g.ValueDeleterCallback
		g.Value = nil
		for range 3 {
			runtime.GC()
			_ = bytes.Repeat([]byte{0xee}, 1<<16)
		}
		assert.Equal(t, want, capi.String(*(**byte)(unsafe.Pointer(&value)), size))
		require.NotNil(t, *(**byte)(unsafe.Pointer(&value)), "an empty value is not null")
		deleter.Call(*(**byte)(unsafe.Pointer(&value)))

		tr := &capi.KeyValueTryGetCallbackArgs{StructSize: capi.KeyValueTryGetCallbackArgsSize, CallbackError: ce, UserArg: uintptr(th)}
		tr.Key, tr.KeySize = capi.StringData(key)
		require.Nil(t, try.Call(tr))
		assert.Equal(t, want, capi.String(tr.Value, tr.ValueSize))
		tr.ValueDeleterCallback.Call(tr.Value)
	}
	g := &capi.KeyValueGetCallbackArgs{TimeoutInMs: 250, CallbackError: ce, UserArg: uintptr(gh)}
	g.Key, g.KeySize = capi.StringData("absent")
	require.NotNil(t, get.Call(g))
	assert.Equal(t, capi.ErrorCodeDeadlineExceeded, made[0].code)
}

func TestHLOOutputCallbackGetsAllOfItsEightArguments(t *testing.T) {
	var got capi.HLOOutput
	f, h := capi.NewHLOOutputCallback(func(o capi.HLOOutput) { got = o })
	defer h.Delete()
	data := [2]float32{1, 2}
	dims := []int64{1, 2}
	f.Call(3, 4, unsafe.Pointer(&data), &dims[0], 2, capi.BufferTypeF32, 5, uintptr(h))
	assert.Equal(t, capi.HLOOutput{ReplicaID: 3, PartitionID: 4, Data: unsafe.Pointer(&data), Dims: dims, Type: capi.BufferTypeF32,
		OperandIndex: 5}, got)
}

func TestDeletersRunOnce(t *testing.T) {
	n := 0
	d, h := capi.NewOnDeleteCallback(func() { n++ })
	d.Call(0, uintptr(h))
	d.Call(0, uintptr(h))
	c, h := capi.NewChunkDeleter(func() { n += 10 })
	c.Call(nil, uintptr(h))
	c.Call(nil, uintptr(h))
	assert.Equal(t, 11, n)
}

func TestNamedValuesThereAndBack(t *testing.T) {
	list := []capi.Attribute{
		{Name: "s", Value: "text"}, {Name: "empty", Value: ""}, {Name: "i", Value: int64(-5)},
		{Name: "list", Value: []int64{1, 2, 3}}, {Name: "none", Value: []int64{}},
		{Name: "f", Value: float32(1.5)}, {Name: "t", Value: true}, {Name: "n", Value: false},
	}
	v, err := capi.NewNamedValues(list)
	require.NoError(t, err)
	for range 3 {
		runtime.GC()
		_ = strings.Repeat("x", 1<<16)
	}
	p, n := v.Data()
	assert.Equal(t, list, capi.Attributes(p, n))
	for _, e := range unsafe.Slice(p, n) {
		assert.EqualValues(t, capi.NamedValueSize, e.StructSize)
	}
	runtime.KeepAlive(v)

	_, err = capi.NewNamedValues([]capi.Attribute{{Name: "x", Value: 1.5}})
	assert.EqualError(t, err, `named value "x": a float64 has no C form: use a string, int64, []int64, float32 or bool`)
	_, err = capi.NewNamedValues([]capi.Attribute{{Value: true}})
	assert.EqualError(t, err, "named value 0 has no name")
}
