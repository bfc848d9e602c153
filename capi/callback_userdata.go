// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

// Releaser is implemented by values that need to know when C releases them; see HandleDeleter.
type Releaser interface {
	// Release is called once, in any goroutine.
	Release()
}

var handleDeleterEntry = entry(func(h uintptr) uintptr {
	if v, ok := Handle(h).take(); ok {
		if r, ok := v.(Releaser); ok {
			tell("deleter of a handle", r.Release)
		}
	}
	return 0
})

// HandleDeleter returns the address of a C function void(void*) whose argument is a Handle. It
// deletes the Handle, and then calls Release of the value if it is a Releaser. Use it for any
// deleter, destructor or cleanup function of this type whose argument the program chooses.
func HandleDeleter() uintptr { return handleDeleterEntry() }

// NewFFITypeInfo makes the type_info of FFITypeRegisterArgs for types whose
// values are handles; see HandleDeleter.
func NewFFITypeInfo() *FFITypeInfo { return &FFITypeInfo{Deleter: FFITypeInfoDeleter(HandleDeleter())} }

// NewFFIUserData makes the user_data of FFIUserDataAddArgs from a Go value. A handler gets it as a
// Handle. Not every plugin calls the deleter of the type when the execute context is destroyed, so
// delete the handle after that. It does no harm if the plugin has deleted it already.
func NewFFIUserData(typeID int64, value any) (FFIUserData, Handle) {
	h := NewHandle(value)
	return FFIUserData{TypeID: typeID, Data: uintptr(h)}, h
}

// NewMemoryUserData makes the data and the destructor of a memory's set_user_data from a Go value.
// The plugin deletes the handle when it drops the data, at the latest when the client is destroyed.
func NewMemoryUserData(value any) (MemoryFunctionTableSetUserDataDtor, Handle) {
	return MemoryFunctionTableSetUserDataDtor(HandleDeleter()), NewHandle(value)
}
