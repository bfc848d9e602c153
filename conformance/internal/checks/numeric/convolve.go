// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// convolving holds the attributes of a convolution. The layouts name dimensions in order: b
// and f are batch and feature, i and o those of the kernel, digits the spatial ones.
type convolving struct {
	x, w                   []int64
	layoutX, layoutW, outX string
	strides, low, high     []int64
	dilateX, dilateW       []int64
	reversed               []bool
	groups, batchGroups    int64
}

// plain fills in the attributes that a convolution leaves out.
func (c convolving) plain() convolving {
	n := len(c.x) - 2
	ones, zeros := make([]int64, n), make([]int64, n)
	for i := range ones {
		ones[i] = 1
	}
	or := func(v, otherwise []int64) []int64 {
		if v == nil {
			return otherwise
		}
		return v
	}
	c.strides, c.dilateX, c.dilateW = or(c.strides, ones), or(c.dilateX, ones), or(c.dilateW, ones)
	c.low, c.high = or(c.low, zeros), or(c.high, zeros)
	if c.reversed == nil {
		c.reversed = make([]bool, n)
	}
	c.groups, c.batchGroups = max(c.groups, 1), max(c.batchGroups, 1)
	digits := "012"[:n]
	for _, l := range []*string{&c.layoutX, &c.outX} {
		if *l == "" {
			*l = "b" + digits + "f"
		}
	}
	if c.layoutW == "" {
		c.layoutW = digits + "io"
	}
	return c
}

// letters prints a layout as the attribute does.
func letters(layout string) string { return "[" + strings.Join(strings.Split(layout, ""), ", ") + "]" }

func (c convolving) attribute() string {
	c = c.plain()
	n := len(c.strides)
	padding := "dense<> : tensor<0x2xi64>"
	if n > 0 {
		var pairs []string
		for i := range n {
			pairs = append(pairs, fmt.Sprintf("[%d, %d]", c.low[i], c.high[i]))
		}
		padding = fmt.Sprintf("dense<[%s]> : tensor<%dx2xi64>", strings.Join(pairs, ", "), n)
	}
	reversal := "array<i1>"
	if n > 0 {
		reversal = "array<i1: " + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.reversed), " ", ", "), "[]") + ">"
	}
	return fmt.Sprintf("dimension_numbers = #stablehlo.conv<%sx%s->%s>, window_strides = %s, padding = %s, lhs_dilation = %s, rhs_dilation = %s, window_reversal = %s, feature_group_count = %d : i64, batch_group_count = %d : i64, %s",
		letters(c.layoutX), letters(c.layoutW), letters(c.outX), i64s(c.strides...), padding, i64s(c.dilateX...), i64s(c.dilateW...),
		reversal, c.groups, c.batchGroups, highest)
}

// span returns how far n elements reach that are d apart.
func span(n, d int64) int64 {
	if n == 0 {
		return 0
	}
	return (n-1)*d + 1
}

// places returns how many windows fit.
func places(padded, window, stride int64) int64 {
	if padded < window || padded == 0 {
		return 0
	}
	return (padded-window)/stride + 1
}

// result returns the dimensions of the result.
func (c convolving) result() []int64 {
	c = c.plain()
	dims := make([]int64, len(c.x))
	for d, l := range c.outX {
		switch l {
		case 'b':
			dims[d] = c.x[strings.IndexRune(c.layoutX, 'b')] / c.batchGroups
		case 'f':
			dims[d] = c.w[strings.IndexRune(c.layoutW, 'o')]
		default:
			s := int(l - '0')
			padded := span(c.x[strings.IndexRune(c.layoutX, l)], c.dilateX[s]) + c.low[s] + c.high[s]
			dims[d] = places(padded, span(c.w[strings.IndexRune(c.layoutW, l)], c.dilateW[s]), c.strides[s])
		}
	}
	return dims
}

// eval computes the convolution by its definition.
func (c convolving) eval(x, w array, to dtype.Type) (array, sums) {
	c = c.plain()
	n := len(c.strides)
	at := func(layout string, l rune) int { return strings.IndexRune(layout, l) }
	digit := func(s int) rune { return rune('0' + s) }
	batches, features := c.x[at(c.layoutX, 'b')], c.w[at(c.layoutW, 'o')]
	inner := c.w[at(c.layoutW, 'i')]
	kernel := make([]int64, n)
	for s := range kernel {
		kernel[s] = c.w[at(c.layoutW, digit(s))]
	}
	var s sums
	ixX, ixW := make([]int64, len(c.x)), make([]int64, len(c.w))
	out := build(to, c.result(), func(ix []int64) value {
		var as, bs []value
		b, f := ix[at(c.outX, 'b')], ix[at(c.outX, 'f')]
		group := f / (features / c.groups)
		ixX[at(c.layoutX, 'b')] = f/(features/c.batchGroups)*(batches/c.batchGroups) + b
		ixW[at(c.layoutW, 'o')] = f
	taps:
		for k := range count(kernel) {
			for d, tap := range index(kernel, k) {
				ixW[at(c.layoutW, digit(d))] = tap
				if c.reversed[d] {
					tap = kernel[d] - 1 - tap
				}
				place := ix[at(c.outX, digit(d))]*c.strides[d] + tap*c.dilateW[d] - c.low[d]
				if place < 0 || place%c.dilateX[d] != 0 || place/c.dilateX[d] >= c.x[at(c.layoutX, digit(d))] {
					continue taps
				}
				ixX[at(c.layoutX, digit(d))] = place / c.dilateX[d]
			}
			for i := range inner {
				ixX[at(c.layoutX, 'f')], ixW[at(c.layoutW, 'i')] = group*inner+i, i
				as, bs = append(as, x.at(ixX...)), append(bs, w.at(ixW...))
			}
		}
		return s.dot(to, as, bs)
	})
	return out, s
}

// program returns the convolution of two arrays.
func (c convolving) program(x, w array, to dtype.Type) program {
	want, s := c.eval(x, w, to)
	p := op("convolution", c.attribute(), "", []array{want}, x, w)
	p.optional = rarelyConvolved(x.t)
	p.policies = s.policies(to)
	p.twists = c.twists()
	return p
}

// twists returns the faults of a convolution that leave the dimensions as they are.
func (c convolving) twists() []twist {
	var ts []twist
	c = c.plain()
	from, dims := c.attribute(), c.result()
	try := func(fault string, change func(*convolving)) {
		x := c
		x.low, x.high, x.reversed = slices.Clone(c.low), slices.Clone(c.high), slices.Clone(c.reversed)
		x.dilateX, x.dilateW, x.strides = slices.Clone(c.dilateX), slices.Clone(c.dilateW), slices.Clone(c.strides)
		change(&x)
		if to := x.attribute(); to != from && slices.Equal(x.result(), dims) {
			ts = append(ts, twist{fault, from, to})
		}
	}
	if len(c.strides) == 0 {
		return nil
	}
	if !slices.Equal(c.low, c.high) {
		try("pads the other sides", func(x *convolving) { x.low, x.high = x.high, x.low })
	}
	if c.w[strings.IndexRune(c.layoutW, '0')] > 1 {
		try("turns the kernel around", func(x *convolving) { x.reversed[0] = !x.reversed[0] })
	}
	try("shifts the windows by one", func(x *convolving) { x.low[0]++; x.high[0]-- })
	if len(c.strides) > 1 && c.x[strings.IndexRune(c.layoutX, '0')] == c.x[strings.IndexRune(c.layoutX, '1')] {
		try("confuses the spatial dimensions", func(x *convolving) {
			x.layoutX = strings.NewReplacer("0", "1", "1", "0").Replace(x.layoutX)
		})
	}
	if slices.Max(c.dilateW) > 1 {
		try("does not dilate the kernel", func(x *convolving) {
			for s := range x.dilateW {
				x.high[s] -= span(c.w[strings.IndexRune(c.layoutW, rune('0'+s))],
					x.dilateW[s]) - c.w[strings.IndexRune(c.layoutW, rune('0'+s))]
				x.dilateW[s] = 1
			}
		})
	}
	return ts
}

// convolutions lists the forms of convolution in which types are tried.
var convolutions = []struct {
	name string
	c    convolving
}{
	{"1d", convolving{x: []int64{2, 6, 2}, w: []int64{3, 2, 3}}},
	{"2d", convolving{x: []int64{1, 4, 4, 2}, w: []int64{2, 3, 2, 2}}},
	{"3d", convolving{x: []int64{1, 3, 3, 3, 2}, w: []int64{2, 2, 2, 2, 2}}},
	{"no space", convolving{x: []int64{3, 4}, w: []int64{4, 2}}},
	{"stride", convolving{x: []int64{1, 7, 6, 1}, w: []int64{3, 2, 1, 2}, strides: []int64{2, 3}}},
	{"asymmetric padding", convolving{x: []int64{1, 4, 4, 2}, w: []int64{3, 3, 2, 2}, low: []int64{2, 0}, high: []int64{0, 1}}},
	{"negative padding", convolving{x: []int64{1, 6, 2}, w: []int64{2, 2, 2}, low: []int64{-1}, high: []int64{-2}}},
	{"negative and positive padding", convolving{x: []int64{1, 6, 1}, w: []int64{3, 1, 1}, low: []int64{-2}, high: []int64{3}}},
	{"dilated input", convolving{x: []int64{1, 4, 2}, w: []int64{3, 2, 2}, dilateX: []int64{3}, low: []int64{1}, high: []int64{0}}},
	{"dilated kernel", convolving{x: []int64{1, 8, 2}, w: []int64{3, 2, 2}, dilateW: []int64{3}}},
	{"both dilated", convolving{x: []int64{1, 4, 3, 1}, w: []int64{2, 2, 1, 2}, dilateX: []int64{2, 3}, dilateW: []int64{3, 2}, low: []int64{0, 2}, high: []int64{1, 1}}},
	{"reversed", convolving{x: []int64{1, 4, 4, 1}, w: []int64{3, 2, 1, 2}, reversed: []bool{true, false}, low: []int64{1, 0}, high: []int64{1, 1}}},
	{"feature groups", convolving{x: []int64{2, 4, 4}, w: []int64{2, 2, 6}, groups: 2}},
	{"depthwise", convolving{x: []int64{1, 3, 3, 3}, w: []int64{2, 2, 1, 6}, groups: 3}},
	{"batch groups", convolving{x: []int64{4, 4, 2}, w: []int64{2, 2, 4}, batchGroups: 2}},
	{"channels first", convolving{x: []int64{1, 2, 4, 4}, w: []int64{3, 2, 2, 2}, layoutX: "bf01", layoutW: "oi01", outX: "bf01"}},
	{"odd layouts", convolving{x: []int64{4, 2, 5, 1}, w: []int64{3, 2, 2, 2}, layoutX: "1f0b", layoutW: "o10i", outX: "f0b1"}},
	{"wider than the input", convolving{x: []int64{1, 2, 1}, w: []int64{5, 1, 2}, low: []int64{2}, high: []int64{3}}},
	{"no windows", convolving{x: []int64{1, 2, 1}, w: []int64{5, 1, 2}}},
	{"all padding", convolving{x: []int64{1, 2, 1}, w: []int64{1, 1, 1}, low: []int64{3}, high: []int64{3}, strides: []int64{2}}},
}

// kernels returns the checks of convolution in its forms.
func kernels() []entry {
	var es []entry
	for _, t := range elementTypes {
		if t == dtype.F8E8M0FNU {
			continue
		}
		es = append(es, formsOf("convolution", t, func() []program {
			var ps []program
			for i, f := range convolutions {
				p := f.c.program(wholes(t, int64(i), f.c.x...), wholes(t, int64(i)+50, f.c.w...), t)
				ps = append(ps, p)
			}
			return ps
		}))
	}
	for _, w := range widened {
		// StableHLO's interpreter widens the operands of dot_general, but sums a
		// convolution in their type. No binding rule may rest on it.
		es = append(es, entry{rule: "DIFF-01", variant: fmt.Sprintf("convolution/widened/%v-%v", w.from, w.to), profile: check.Core,
			programs: func() []program {
				c := convolving{x: []int64{1, 12, 8}, w: []int64{10, 8, 2}}
				x, k := wholes(w.from, 1, c.x...), wholes(w.from, 2, c.w...)
				extreme(x, k, w.to)
				p := c.program(x, k, w.to)
				p.optional = true
				p.twists = append(p.twists, narrowed(p, w.from, w.to))
				return []program{p}
			}})
	}
	return es
}
