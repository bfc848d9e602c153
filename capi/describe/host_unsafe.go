// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// HostData returns the caller's memory that a call passes to the plugin as an array, or as part of
// one, without copying. It returns nil for functions without such memory, for arrays whose strides
// leave gaps or go backwards, and for types of unknown size.
func (v View) HostData() []byte {
	var n int
	switch v.Struct.Name {
	case "PJRT_Client_BufferFromHostBuffer_Args":
		n = v.dense("type", "dims", "byte_strides")
	case "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args":
		if v.WordOf("shape_layout") != 0 {
			return nil
		}
		n = v.dense("shape_element_type", "shape_dims", "")
	case "PJRT_AsyncHostToDeviceTransferManager_TransferData_Args":
		n = int(v.WordOf("transfer_size"))
	default:
		return nil
	}
	p := v.pointer(v.Struct.Field("data"))
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// HostArray returns a copy of the array that PJRT_Client_BufferFromHostBuffer passes to the plugin,
// in row-major order whatever its strides are. For other functions it returns what HostData
// returns. It returns nil if there is no array, or if its size is unknown.
func (v View) HostArray() []byte {
	if v.Struct.Name != "PJRT_Client_BufferFromHostBuffer_Args" || v.WordOf("byte_strides") == 0 {
		return v.HostData()
	}
	size := (BitsOf(capi.BufferType(v.WordOf("type"))) + 7) / 8
	dims, strides := v.ints("dims"), v.ints("byte_strides")
	p := v.pointer(v.Struct.Field("data"))
	if p == nil || size == 0 || len(strides) != len(dims) {
		return nil
	}
	n := 1
	for _, d := range dims {
		if d <= 0 || n > 1<<40/int(d) {
			return nil
		}
		n *= int(d)
	}
	out := make([]byte, 0, n*size)
	index := make([]int64, len(dims))
	at := int64(0)
	for range n {
		out = append(out, unsafe.Slice((*byte)(unsafe.Add(p, at)), size)...)
		for i := len(dims) - 1; i >= 0; i-- {
			at += strides[i]
			if index[i]++; index[i] < dims[i] {
				break
			}
			at -= strides[i] * dims[i]
			index[i] = 0
		}
	}
	return out
}

// dense returns the size of an array whose elements fill its memory, in any order. It returns 0 for
// other arrays.
func (v View) dense(typ, dims, strides string) int {
	bits := BitsOf(capi.BufferType(v.WordOf(typ)))
	shape := v.ints(dims)
	if bits == 0 {
		return 0
	}
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > 1<<40/int(d) {
			return 0
		}
		n *= int(d)
	}
	size := (n*bits + 7) / 8
	if bits < 8 {
		size = n // a byte for each element in host memory
	}
	if strides == "" || v.WordOf(strides) == 0 {
		return size
	}
	// The last element in memory shows whether there are gaps.
	end := (bits + 7) / 8
	for i, s := range v.ints(strides) {
		if s < 0 || i >= len(shape) {
			return 0
		}
		if shape[i] > 0 {
			end += int(s) * int(shape[i]-1)
		}
	}
	if end != size {
		return 0
	}
	return size
}

// ints returns the values of a list of int64_t.
func (v View) ints(name string) []int64 {
	data := v.Elems(v.Struct.Field(name))
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(&data[0])), len(data)/8)
}

// BitsOf returns the size of an element in bits. It returns 0 for unknown types and types without a
// size.
func BitsOf(t capi.BufferType) int {
	switch t {
	case capi.BufferTypePred, capi.BufferTypeS8, capi.BufferTypeU8,
		capi.BufferTypeF8E5M2, capi.BufferTypeF8E4M3FN, capi.BufferTypeF8E4M3B11FNUZ, capi.BufferTypeF8E5M2FNUZ,
		capi.BufferTypeF8E4M3FNUZ, capi.BufferTypeF8E4M3, capi.BufferTypeF8E3M4, capi.BufferTypeF8E8M0FNU:
		return 8
	case capi.BufferTypeS16, capi.BufferTypeU16, capi.BufferTypeF16, capi.BufferTypeBF16:
		return 16
	case capi.BufferTypeS32, capi.BufferTypeU32, capi.BufferTypeF32:
		return 32
	case capi.BufferTypeS64, capi.BufferTypeU64, capi.BufferTypeF64, capi.BufferTypeC64:
		return 64
	case capi.BufferTypeC128:
		return 128
	case capi.BufferTypeS4, capi.BufferTypeU4, capi.BufferTypeF4E2M1FN:
		return 4
	case capi.BufferTypeS2, capi.BufferTypeU2:
		return 2
	}
	return 0
}
