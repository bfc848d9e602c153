// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// GoMLX stores several elements of the narrow integers in a byte, the first one in the lowest
// bits, as devices do. Package pjrt stores one in a byte.

// isPacked reports whether t is a type of narrow integers.
func isPacked(t dtypes.DType) bool {
	switch t {
	case dtypes.Int1, dtypes.Int2, dtypes.Int4, dtypes.Uint1, dtypes.Uint2, dtypes.Uint4:
		return true
	}
	return false
}

// unpack returns n elements with a byte for each.
func unpack(t dtypes.DType, packed []byte, n int) []byte {
	bits := t.Bits()
	list := make([]byte, n)
	for i := range list {
		x := packed[i*bits/8] >> (i * bits % 8) << (8 - bits)
		if t.IsUnsigned() {
			list[i] = x >> (8 - bits)
		} else {
			list[i] = byte(int8(x) >> (8 - bits))
		}
	}
	return list
}

// pack stores elements, with a byte for each, in packed.
func pack(t dtypes.DType, packed, list []byte) {
	bits := t.Bits()
	clear(packed)
	for i, x := range list {
		packed[i*bits/8] |= x << (8 - bits) >> (8 - bits) << (i * bits % 8)
	}
}

// newPackedBuffer makes a shared buffer of narrow integers. Plugins take no views of these, so
// the memory is the plugin's, and flat is valid until the buffer is finalized.
func (b *Backend) newPackedBuffer(device *pjrt.Device, num compute.DeviceNum, shape shapes.Shape) (*Buffer, any, error) {
	s := pjrtShape(shape)
	array, err := b.client.BufferFromHost(context.Background(),
		pjrt.HostArray{Type: s.Type, Dims: s.Dims, Data: make([]byte, shape.Size())}, &pjrt.BufferOptions{Device: device})
	if err != nil {
		return nil, nil, b.failed(err, "making a shared buffer %s on device %d", shape, num)
	}
	buffer, err := b.newBuffer(array, shape, num)
	if err != nil {
		return nil, nil, err
	}
	buffer.view = true
	flat, err := buffer.inPlace(array)
	if err != nil {
		buffer.finalize()
		return nil, nil, b.failed(err, "making a shared buffer %s on device %d", shape, num)
	}
	return buffer, flat, nil
}
