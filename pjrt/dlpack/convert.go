// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dlpack

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// maxRank is more than the number of dimensions of any array.
const maxRank = 64

// element is a DLDataType without its lanes.
type element struct{ code, bits uint8 }

// The codes of DLDataType.
const (
	codeInt     = 0
	codeUint    = 1
	codeFloat   = 2
	codeBFloat  = 4
	codeComplex = 5
	codeBool    = 6

	codeFloat8E3M4     = 7
	codeFloat8E4M3     = 8
	codeFloat8E4M3B11  = 9
	codeFloat8E4M3FN   = 10
	codeFloat8E4M3FNUZ = 11
	codeFloat8E5M2     = 12
	codeFloat8E5M2FNUZ = 13
	codeFloat8E8M0FNU  = 14
	deviceCPU          = 1
	deviceCUDA         = 2
	deviceCUDAHost     = 3
	deviceROCm         = 10
	deviceROCmHost     = 11
	deviceOneAPI       = 14
)

// toDLPack has the types with the same form on both sides. Types narrower than a byte are left out,
// because they are packed differently.
var toDLPack = map[dtype.Type]element{
	dtype.Pred: {codeBool, 8},
	dtype.S8:   {codeInt, 8}, dtype.S16: {codeInt, 16}, dtype.S32: {codeInt, 32}, dtype.S64: {codeInt, 64},
	dtype.U8: {codeUint, 8}, dtype.U16: {codeUint, 16}, dtype.U32: {codeUint, 32}, dtype.U64: {codeUint, 64},
	dtype.F16: {codeFloat, 16}, dtype.F32: {codeFloat, 32}, dtype.F64: {codeFloat, 64}, dtype.BF16: {codeBFloat, 16},
	dtype.C64: {codeComplex, 64}, dtype.C128: {codeComplex, 128},
	dtype.F8E3M4: {codeFloat8E3M4, 8}, dtype.F8E4M3: {codeFloat8E4M3, 8}, dtype.F8E4M3B11FNUZ: {codeFloat8E4M3B11, 8},
	dtype.F8E4M3FN: {codeFloat8E4M3FN, 8}, dtype.F8E4M3FNUZ: {codeFloat8E4M3FNUZ, 8}, dtype.F8E5M2: {codeFloat8E5M2, 8},
	dtype.F8E5M2FNUZ: {codeFloat8E5M2FNUZ, 8}, dtype.F8E8M0FNU: {codeFloat8E8M0FNU, 8},
}

var fromDLPack = func() map[element]dtype.Type {
	m := map[element]dtype.Type{{codeInt, 4}: dtype.S4, {codeUint, 4}: dtype.U4}
	for t, e := range toDLPack {
		m[e] = t
	}
	return m
}()

// kinds has DLPack's device types for each kind of plugin: for device memory, and for host memory
// that the devices can access.
var kinds = map[string]struct{ device, host int32 }{
	"cpu":    {deviceCPU, deviceCPU},
	"cuda":   {deviceCUDA, deviceCUDAHost},
	"rocm":   {deviceROCm, deviceROCmHost},
	"oneapi": {deviceOneAPI, deviceCPU},
}

// deviceOf returns the DLDevice of a buffer.
func deviceOf(b *pjrt.Buffer, d *pjrt.Device) (kind, id int32, err error) {
	k, ok := kinds[b.Client().Plugin().Kind()]
	if !ok {
		return 0, 0, fmt.Errorf("dlpack: DLPack cannot describe the memory of %v", d)
	}
	onHost, err := b.IsOnCPU()
	switch {
	case err != nil:
		return 0, 0, err
	case k.device == deviceCPU:
		return deviceCPU, 0, nil
	case onHost:
		return k.host, 0, nil
	}
	return k.device, int32(max(d.LocalHardwareID(), 0)), nil
}

// findDevice returns the client's device for a DLDevice.
func findDevice(c *pjrt.Client, kind, id int32) (*pjrt.Device, error) {
	k, ok := kinds[c.Plugin().Kind()]
	if !ok || k.device != kind {
		return nil, fmt.Errorf("dlpack: the tensor is on a device of type %d, and the client (%s) has no such device", kind,
			c.PlatformName())
	}
	devices := c.AddressableDevices()
	if kind == deviceCPU && len(devices) > 0 {
		return devices[0], nil // all devices share the memory of the host
	}
	for _, d := range devices {
		if d.LocalHardwareID() == int(id) {
			return d, nil
		}
	}
	return nil, fmt.Errorf("dlpack: the client has no device number %d", id)
}

// stridesOf returns the distances between elements, in elements.
func stridesOf(s pjrt.Shape, l *pjrt.Layout) ([]int64, error) {
	if len(l.Tiles) > 0 || l.Strides != nil || len(l.MinorToMajor) != len(s.Dims) {
		return nil, fmt.Errorf("dlpack: DLPack cannot describe the layout %v", l)
	}
	strides := make([]int64, len(s.Dims), len(s.Dims)+1) // never nil
	step := int64(1)
	for _, d := range l.MinorToMajor {
		strides[d] = step
		step *= max(s.Dims[d], 1)
	}
	return strides, nil
}

// layoutOf returns the layout of a dense array with the given strides, or nil if it is row-major.
func layoutOf(s pjrt.Shape, strides []int64) (*pjrt.Layout, error) {
	if strides == nil {
		return nil, nil
	}
	if slices.Contains(s.Dims, 0) {
		return nil, nil
	}
	// A dimension of one element may have any stride and any place in the order.
	var order, ones []int
	for _, d := range pjrt.RowMajor(len(s.Dims)).MinorToMajor {
		if s.Dims[d] == 1 {
			ones = append(ones, d)
		} else {
			order = append(order, d)
		}
	}
	rowMajor := slices.Clone(order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strides[a], strides[b]) })
	step := int64(1)
	for _, d := range order {
		if strides[d] != step {
			return nil, fmt.Errorf("dlpack: with the strides %v, an array of shape %v has gaps or goes backwards: use Copy", strides, s)
		}
		step *= s.Dims[d]
	}
	if slices.Equal(order, rowMajor) {
		return nil, nil
	}
	return &pjrt.Layout{MinorToMajor: append(order, ones...)}, nil
}
