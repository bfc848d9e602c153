// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

// Flops returns how many floating-point operations the instruction does by itself, once, as
// XLA counts them: two for each multiplication of a dot or a convolution, one for each
// element of an elementwise operation, and for a reduction what its computation does for each
// element. Operations on integers, comparisons and conversions count too, as they do in XLA.
// Transcendental functions such as exp count in [Instruction.Transcendentals] instead.
//
// A convolution does not count where its window is over padding, or between elements that are
// dilated. Flops is 0 for a while, a fusion and the like: the instructions in the computations
// that they call have their own counts, and [Module.Cost] counts all of them. A number that does
// not fit is math.MaxInt64. Flops looks at all that the computation of a reduction has; Cost looks
// at each computation once, however many instructions call it.
func (i *Instruction) Flops() int64 {
	if i == nil {
		return 0
	}
	size := i.Shape.Size()
	switch i.Opcode {
	case "abs", "add", "and", "bitcast-convert", "ceil", "clamp", "compare", "complex", "convert", "count-leading-zeros", "divide",
		"floor", "imag", "is-finite", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "real", "reduce-precision",
		"remainder", "round-nearest-afz", "round-nearest-even", "select", "shift-left", "shift-right-arithmetic",
		"shift-right-logical", "sign", "stochastic-convert", "subtract", "xor":
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
		return i.convolutionFlops()
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

// convolutionFlops returns the operations of a convolution. Where the window covers only padding or
// what is between dilated elements, there are none.
func (i *Instruction) convolutionFlops() int64 {
	numbers := i.Convolution
	input, kernel := i.Operands[0].Shape.Dims, i.Operands[1].Shape.Dims
	extent := func(dims []int64, at int64) int64 {
		if at < 0 || at >= int64(len(dims)) {
			return 0
		}
		return max(dims[at], 0)
	}
	n := times(2, extent(kernel, numbers.KernelInputFeature))
	n = times(n, times(extent(i.Shape.Dims, numbers.OutputBatch), extent(i.Shape.Dims, numbers.OutputFeature)))
	for d, at := range numbers.OutputSpatial {
		if d >= len(numbers.InputSpatial) || d >= len(numbers.KernelSpatial) || i.Window == nil || d >= len(i.Window.Dimensions) {
			return 0
		}
		w := &i.Window.Dimensions[d]
		n = times(n, w.products(extent(input, numbers.InputSpatial[d]), extent(kernel, numbers.KernelSpatial[d]), extent(i.Shape.Dims, at)))
	}
	return n
}

// products returns how many pairs of an element of the input and one of the kernel meet in one
// dimension, over all places of the window.
func (w *WindowDimension) products(input, kernel, places int64) int64 {
	const most, far = 1 << 12, 1 << 30 // beyond them every pair counts
	count, step, other, by := kernel, w.WindowDilation, places, w.Stride
	if places < kernel {
		count, step, other, by = places, w.Stride, kernel, w.WindowDilation
	}
	for _, n := range []int64{input, count, other, step, by, w.BaseDilation, max(w.PaddingLow, -w.PaddingLow)} {
		if n > far || n < 0 {
			return times(kernel, places)
		}
	}
	if count > most || step == 0 || by == 0 || w.BaseDilation == 0 {
		return times(kernel, places)
	}
	n := int64(0)
	g, inverse := inverse(by, w.BaseDilation)
	for i := range count {
		n += multiples(other, by, i*step-w.PaddingLow, w.BaseDilation, input, g, inverse)
	}
	return n
}

// multiples returns for how many i below n the number i*by+from is one of the first multiples of
// base: 0, base, up to base*(input-1). g and inverse are those of by and base.
func multiples(n, by, from, base, input, g, inverse int64) int64 {
	if from%g != 0 {
		return 0
	}
	first := max(0, -(from / by)) // rounded up
	if first*by+from < 0 {
		first++
	}
	last := base*(input-1) - from
	if last < 0 {
		return 0
	}
	last = min(last/by, n-1)
	// i is one of the solutions, which are period apart.
	period := base / g
	solution := (-(from / g) % period) * inverse % period
	first += ((solution-first)%period + period) % period
	if first > last {
		return 0
	}
	return (last-first)/period + 1
}

// inverse returns the greatest common divisor of a and b, and the number of which the product with
// a leaves it as a remainder of the division by b.
func inverse(a, b int64) (g, x int64) {
	x, y := int64(1), int64(0)
	for b != 0 {
		q := a / b
		a, b = b, a-q*b
		x, y = y, x-q*y
	}
	return a, x
}

// inner returns how many operations the computations that i calls do in one run.
func (i *Instruction) inner() int64 {
	n := int64(0)
	for _, c := range i.Called {
		n = plus(n, flopsInside(c))
	}
	return n
}

// flopsInside returns how many operations the instructions of a computation do that call no other.
func flopsInside(c *Computation) int64 {
	if c == nil {
		return 0
	}
	n := int64(0)
	for _, x := range c.Instructions {
		if x != nil && len(x.Called) == 0 {
			n = plus(n, x.Flops())
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
	case "acos", "acosh", "asin", "asinh", "atan2", "atanh", "cbrt", "cosine", "cosh", "erf", "exponential",
		"exponential-minus-one", "log", "log-plus-one", "logistic", "power", "rsqrt", "sine", "sinh", "sqrt", "tan", "tanh":
		return i.Shape.Size()
	}
	return 0
}
