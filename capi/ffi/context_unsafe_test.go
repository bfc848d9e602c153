// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
)

// offered is what the fake host offers the calls of handlers.
var offered struct {
	options    *ffi.Attrs
	failure    *fakeError
	extensions map[int64]*ffi.Extension
}

var (
	fakeCustomOptions = entryOf(func(a *ffi.CustomOptionsGetArgs) uintptr {
		if offered.failure != nil {
			return uintptr(unsafe.Pointer(offered.failure))
		}
		a.Attrs = offered.options
		return 0
	})
	fakeFindExtension = entryOf(func(a *ffi.InvokeContextFindExtensionArgs) uintptr {
		a.Extension = offered.extensions[a.ExtensionType]
		return 0
	})
)

// newAPIWithContext makes a table whose functions about the context of a call work.
func newAPIWithContext(t *testing.T, minor int32) *ffi.API {
	t.Helper()
	api := newAPI(t, minor)
	api.CustomOptionsGet, api.InvokeContextFindExtension = fakeCustomOptions(), fakeFindExtension()
	t.Cleanup(func() { offered.options, offered.failure, offered.extensions = nil, nil, nil })
	return api
}

func TestHandlersReadTheOptionsOfTheirExecution(t *testing.T) {
	frame := newFrame(newAPIWithContext(t, 5))
	none, err := frame.CustomOptions()
	require.NoError(t, err)
	assert.Zero(t, none.Len(), "null stands for no options")

	value := int64(-7)
	scalar := &ffi.Scalar{Dtype: ffi.DataTypeS64, Value: unsafe.Pointer(&value)}
	text := []byte("level")
	name := &ffi.ByteSpan{Ptr: &text[0], Len: uintptr(len(text))}
	kinds, names, attrs := []ffi.AttrType{ffi.AttrTypeScalar}, []*ffi.ByteSpan{name}, []unsafe.Pointer{unsafe.Pointer(scalar)}
	offered.options = &ffi.Attrs{StructSize: ffi.AttrsSize, Size: 1, Types: &kinds[0], Names: &names[0], Attrs: &attrs[0]}
	options, err := frame.CustomOptions()
	require.NoError(t, err)
	level, err := ffi.Attribute[int64](options, "level")
	require.NoError(t, err)
	assert.EqualValues(t, -7, level)
	runtime.KeepAlive(text)

	offered.failure = &fakeError{code: ffi.ErrorCodeAborted, text: capi.CString("no options today")}
	_, err = frame.CustomOptions()
	assert.Equal(t, &capi.Error{Code: capi.ErrorCodeAborted, Func: "XLA_FFI_CustomOptions_Get", Message: "no options today"}, err)

	older := newAPIWithContext(t, 4)
	older.StructSize = unsafe.Offsetof(older.CustomOptionsGet)
	_, err = newFrame(older).CustomOptions()
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	_, err = newFrame(nil).CustomOptions()
	require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
}

func TestExtensionsOfAHostAreFoundByNumber(t *testing.T) {
	frame := newFrame(newAPIWithContext(t, 5))
	x, err := frame.Extension(1000)
	require.NoError(t, err)
	assert.Nil(t, x)
	_, err = frame.Collectives()
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	require.ErrorContains(t, err, "does not offer the extension collectives")
	_, err = frame.Record()
	require.ErrorContains(t, err, "does not offer the extension record")

	own := entryOf(func(a *ffi.CommunicatorGetArgs) uintptr { return 0 })
	collectives := &ffi.CollectivesExtension{RequestWindow: ffi.WindowRequest(own()), GetCommunicator: ffi.CommunicatorGet(own())}
	collectives.ExtensionBase = ffi.Extension{StructSize: ffi.CollectivesExtensionSize,
		ID: ffi.ExtensionID{ExtensionType: ffi.ExtensionCollectives, MinorVersion: 2}}
	record := &ffi.RecordExtension{RecordFrame: &ffi.RecordFrame{Action: ffi.RecordActionUpdate}}
	record.ExtensionBase = ffi.Extension{StructSize: ffi.RecordExtensionSize, ID: ffi.ExtensionID{ExtensionType: 128, MinorVersion: 2}}
	offered.extensions = map[int64]*ffi.Extension{129: &collectives.ExtensionBase, 128: &record.ExtensionBase}
	c, err := frame.Collectives()
	require.NoError(t, err)
	assert.Same(t, collectives, c, "functions take the node of the host")
	r, err := frame.Record()
	require.NoError(t, err)
	assert.Equal(t, ffi.RecordActionUpdate, r.RecordFrame.Action)

	// A node of version 0.1 ends before the windows.
	collectives.ExtensionBase.StructSize = unsafe.Offsetof(collectives.RequestWindow)
	c, err = frame.Collectives()
	require.NoError(t, err)
	assert.Zero(t, c.RequestWindow)
	assert.Equal(t, collectives.GetCommunicator, c.GetCommunicator)

	record.ExtensionBase.ID.MajorVersion = 1
	_, err = frame.Record()
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	require.ErrorContains(t, err, "offers the extension record in version 1.2, and this binding knows 0.x")

	older := newAPIWithContext(t, 3)
	older.StructSize = unsafe.Offsetof(older.InvokeContextFindExtension)
	_, err = newFrame(older).Record()
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	_, err = newFrame(nil).Record()
	require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
}
