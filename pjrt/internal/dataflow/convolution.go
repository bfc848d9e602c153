// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
)

// spatial is one dimension of a convolution.
type spatial struct {
	input, kernel       int64 // how many elements they have
	stride, low, high   int64
	base, dilation      int64 // of the input and of the kernel
	inputDim, kernelDim int   // in the arrays
	reversed            bool
}

// spatialsOf returns the dimensions of a convolution, or nil if one is not known.
func spatialsOf(o *Op) []spatial {
	places := o.Attributes["dimension_numbers"].Numbers // those of the input, then those of the kernel
	if places == nil {
		// In portable artifacts each list is an attribute of its own.
		input, kernel := o.Attributes["input_spatial_dimensions"].Numbers, o.Attributes["kernel_spatial_dimensions"].Numbers
		places = append(append(places, input...), kernel...)
	}
	rank := len(places) / 2
	stride, padding := o.numbers("window_strides", rank, 1), o.numbers("padding", 2*rank, 0)
	base, dilation := o.numbers("lhs_dilation", rank, 1), o.numbers("rhs_dilation", rank, 1)
	reversal := o.numbers("window_reversal", rank, 0)
	input, kernel := &o.Operands[0].Type, &o.Operands[1].Type
	list := make([]spatial, rank)
	for i := range list {
		in, of := int(places[i]), int(places[rank+i])
		list[i] = spatial{
			input: input.extent(in), kernel: kernel.extent(of), inputDim: in, kernelDim: of,
			stride: stride[i], low: padding[2*i], high: padding[2*i+1], base: base[i], dilation: dilation[i], reversed: reversal[i] != 0,
		}
		if list[i].input == 0 || list[i].kernel == 0 || input.isBounded(in) || kernel.isBounded(of) {
			return nil // of unknown size, which is an error of the compiler
		}
	}
	return list
}

// checkConvolution refuses a convolution that the compiler tries to compute the other way round,
// with the input as the kernel, because the kernel is larger. A dimension that is dilated by the
// size of the kernel, with strides of one less, counts as one of groups, which stays as it is. If
// the input does not have the size of the kernel there, what comes out is no convolution.
func checkConvolution(o *Op) error {
	if len(o.Operands) != 2 || len(o.Results) != 1 || o.number("feature_group_count", 1) != 1 {
		return nil
	}
	for _, v := range []*Value{o.Operands[0], o.Operands[1], o.Results[0]} {
		if v.Type.elements() == 0 {
			return nil
		}
	}
	list := spatialsOf(o)
	list = padInput(list, o.Operands[0])
	list = padKernel(list, o.Operands[1])
	kernel, input := 1.0, 1.0
	odd := -1
	for i, s := range list {
		plain := !s.reversed && s.low == 0 && s.high == 0 && s.dilation == 1
		isGroup := plain && s.base == s.kernel && s.stride == s.kernel-1
		isContracted := plain && s.kernel == s.input && s.base == 1 && s.stride == 1
		whole := s.low == s.kernel-1 && s.high == s.kernel-1 && s.stride == 1 && s.dilation == 1
		switch {
		case isGroup && s.input != s.kernel:
			odd = i
		case isGroup, isContracted:
		case s.input == 1 && whole:
			kernel *= float64(s.kernel)
			input *= float64(s.kernel)
		default:
			kernel *= float64(s.kernel)
			input *= float64(s.input)
		}
	}
	if odd < 0 || kernel <= input {
		return nil
	}
	return fmt.Errorf("a convolution in the program has dimension %d dilated by %d, the size of the kernel, with strides of %d and without padding, "+
		"and a kernel that is larger than the input elsewhere, and the compiler would end the process: "+
		"dilate the input with pad, and put an optimization_barrier after it", odd, list[odd].base, list[odd].stride)
}

// padInput returns the dimensions that the compiler makes of a convolution of a pad: those of the
// array before the pad, if the convolution can have the padding instead.
func padInput(list []spatial, v *Value) []spatial {
	before, low, high, interior := padOf(v)
	if before == nil {
		return list
	}
	padded := make([]spatial, len(list))
	for i, s := range list {
		l, h, in := low[s.inputDim], high[s.inputDim], interior[s.inputDim]
		if in != 0 && (s.low != 0 || s.high != 0 || s.base != 1) || s.base != 1 && (l != 0 || h != 0) {
			return list
		}
		s.input, s.low, s.high = before.extent(s.inputDim), s.low+l, s.high+h
		if in != 0 {
			s.base = in + 1
		}
		padded[i] = s
		low[s.inputDim], high[s.inputDim], interior[s.inputDim] = 0, 0, 0
	}
	if padsAnything(low, high, interior) {
		return list
	}
	return padded
}

// padsAnything reports whether a list of a pad has another number than 0.
func padsAnything(lists ...[]int64) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(n int64) bool { return n != 0 })
}

// padKernel is padInput for the kernel, which can only be dilated.
func padKernel(list []spatial, v *Value) []spatial {
	before, low, high, interior := padOf(v)
	if before == nil {
		return list
	}
	padded := make([]spatial, len(list))
	for i, s := range list {
		if in := interior[s.kernelDim]; in != 0 {
			if s.dilation != 1 {
				return list
			}
			s.kernel, s.dilation = before.extent(s.kernelDim), in+1
		}
		padded[i] = s
		interior[s.kernelDim] = 0
	}
	if padsAnything(low, high, interior) {
		return list
	}
	return padded
}

// padOf returns the type of what a pad pads with zeros, and with how many of them. It returns nil
// if the value is something else, or if the pad also crops.
func padOf(v *Value) (before *Type, low, high, interior []int64) {
	o := v.Op
	if o == nil || o.Name != "pad" || len(o.Operands) != 2 || !isZero(o.Operands[1]) {
		return nil, nil, nil, nil
	}
	before = &o.Operands[0].Type
	rank := len(before.Dims)
	if rank != len(v.Type.Dims) {
		return nil, nil, nil, nil
	}
	copyOf := func(name string) []int64 { return append([]int64(nil), o.numbers(name, rank, 0)...) }
	low, high, interior = copyOf("edge_padding_low"), copyOf("edge_padding_high"), copyOf("interior_padding")
	for d := range rank {
		if low[d] < 0 || high[d] < 0 || before.extent(d) == 0 {
			return nil, nil, nil, nil
		}
		if before.extent(d) == 1 {
			interior[d] = 0 // there is nothing between
		}
	}
	return before, low, high, interior
}

// isZero reports whether a value is a constant of zeros.
func isZero(v *Value) bool {
	for range maxCalls {
		switch {
		case v.Op == nil:
			return false
		case v.Op.Name == "constant":
			return v.Op.Attributes["value"].Zero
		case len(v.Op.Operands) != 1 || !isArrangement(v.Op.Name) && v.Op.Name != "convert":
			return false
		}
		v = v.Op.Operands[0]
	}
	return false
}
