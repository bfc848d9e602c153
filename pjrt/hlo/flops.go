// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

// Flops returns how many floating-point operations the instruction does by itself, once, as
// XLA counts them: two for each multiplication of a dot or a convolution, one for each
// element of an elementwise operation, and for a reduction what its computation does for each
// element. Operations on integers and comparisons count too, as they do in XLA. Transcendental
// functions such as exp count in [Instruction.Transcendentals] instead.
//
// A convolution counts every position of its window, including those in the padding. Flops is
// 0 for a while, a fusion and the like: the instructions in the computations that they call
// have their own counts. A number that does not fit is math.MaxInt64.
func (i *Instruction) Flops() int64 {
	if i == nil {
		return 0
	}
	size := i.Shape.Size()
	switch i.Opcode {
	case "abs", "add", "and", "atan2", "ceil", "clamp", "clz", "compare", "divide", "floor", "is-finite", "maximum",
		"minimum", "multiply", "negate", "not", "or", "popcnt", "remainder", "round-nearest-afz", "round-nearest-even",
		"select", "shift-left", "shift-right-arithmetic", "shift-right-logical", "sign", "stochastic-convert",
		"subtract", "xor":
		return size
	case "dot":
		if i.Dot == nil || len(i.Operands) == 0 {
			return 0
		}
		n := times(size, 2)
		dims := i.Operands[0].Shape.Dims
		for _, d := range i.Dot.LHSContracting {
			if d < 0 || d >= int64(len(dims)) || dims[d] < 0 {
				return 0
			}
			n = times(n, dims[d])
		}
		return n
	case "convolution":
		if i.Convolution == nil || len(i.Operands) < 2 {
			return 0
		}
		n := times(size, 2)
		for d, length := range i.Operands[1].Shape.Dims {
			if int64(d) != i.Convolution.KernelFeature {
				n = times(n, max(length, 0))
			}
		}
		return n
	case "reduce":
		if len(i.Operands) == 0 {
			return 0
		}
		in := i.Operands[0].Shape.Size()
		out := i.Shape.first()
		return times(max(in-out, 0), i.inner())
	case "reduce-window":
		if i.Window == nil {
			return 0
		}
		n := int64(1)
		for _, d := range i.Window.Dimensions {
			n = times(n, max(d.Size, 0))
		}
		return times(times(i.Shape.first(), max(n-1, 0)), i.inner())
	case "map":
		return times(size, i.inner())
	case "scatter", "select-and-scatter", "all-reduce", "reduce-scatter":
		return times(i.Shape.first(), i.inner())
	}
	return 0
}

// inner returns how many operations the computations that i calls do in one run.
func (i *Instruction) inner() int64 {
	n := int64(0)
	for _, c := range i.Called {
		for _, x := range c.Instructions {
			if len(x.Called) == 0 {
				n = plus(n, x.Flops())
			}
		}
	}
	return n
}

// Transcendentals returns how many values of exp, log, tanh and the like the instruction
// computes by itself, once.
func (i *Instruction) Transcendentals() int64 {
	if i == nil {
		return 0
	}
	switch i.Opcode {
	case "acos", "acosh", "asin", "asinh", "atanh", "cbrt", "cosine", "cosh", "erf", "exponential",
		"exponential-minus-one", "log", "log-plus-one", "logistic", "power", "rsqrt", "sine", "sinh", "sqrt", "tan", "tanh":
		return i.Shape.Size()
	}
	return 0
}
