// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"reflect"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// dtypeOf returns the dtype of the elements of a slice, or InvalidDType.
func dtypeOf(slice reflect.Type) dtypes.DType {
	if slice == nil || slice.Kind() != reflect.Slice {
		return dtypes.InvalidDType
	}
	elem := slice.Elem()
	switch elem.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return dtypes.FromGoType(elem)
	}
	return dtypes.InvalidDType
}

// bytesOf returns the memory of flat, which must be a slice with the Go type and the size
// of shape: bytes, for the narrow integers.
func bytesOf(flat any, shape shapes.Shape) ([]byte, error) {
	v := reflect.ValueOf(flat)
	var t reflect.Type
	if v.IsValid() {
		t = v.Type()
	}
	want, size := shape.DType, shape.Size()
	if isPacked(want) {
		want, size = dtypes.Uint8, int(shape.ByteSize())
	}
	if dtypeOf(t) != want || !isKnown(want) {
		return nil, errorf("a %T cannot hold the elements of %s", flat, shape)
	}
	if v.Len() != size {
		return nil, errorf("the slice has %d elements, and %s has %d", v.Len(), shape, size)
	}
	// The result keeps the slice alive.
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(t.Elem().Size())), nil
}

func view[T any](memory []byte) any {
	if len(memory) == 0 {
		return []T{} // GoMLX tells it from nil
	}
	var elem T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(elem)))
}

var views = map[dtypes.DType]func([]byte) any{
	dtypes.Bool:       view[bool],
	dtypes.Int8:       view[int8],
	dtypes.Int16:      view[int16],
	dtypes.Int32:      view[int32],
	dtypes.Int64:      view[int64],
	dtypes.Uint8:      view[uint8],
	dtypes.Uint16:     view[uint16],
	dtypes.Uint32:     view[uint32],
	dtypes.Uint64:     view[uint64],
	dtypes.Float16:    view[float16.Float16],
	dtypes.Float32:    view[float32],
	dtypes.Float64:    view[float64],
	dtypes.BFloat16:   view[bfloat16.BFloat16],
	dtypes.Complex64:  view[complex64],
	dtypes.Complex128: view[complex128],
}

// flatOf returns memory as a slice of the Go type of the shape, whose dtype is a known
// one. Memory for a device is aligned more strictly than Go requires.
func flatOf(memory []byte, shape shapes.Shape) any {
	if isPacked(shape.DType) {
		return view[byte](memory)
	}
	return views[shape.DType](memory)
}

// memoryOf returns the memory of size bytes that a reference keeps.
func memoryOf(r *pjrt.Reference, size int) ([]byte, error) {
	address, err := r.Address()
	if err != nil {
		return nil, err
	}
	// The address is that of the plugin's memory, which Go does not move or free.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), size), nil
}
