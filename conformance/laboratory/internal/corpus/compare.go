// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Kind is a way to compare floats. Integers and bools are always compared for
// equality.
type Kind int

// The kinds.
const (
	// Equal is ==: 0 equals -0, and NaN nothing.
	Equal Kind = iota
	// Same is Equal, except that NaN equals NaN, and that the signs of zeros count.
	Same
	// Almost allows an absolute difference of Policy.Atol; NaN equals NaN.
	Almost
	// Close allows a distance from MinULP to MaxULP in units in the last place; NaN equals
	// NaN, and subnormal numbers may be zero. An infinity or NaN is at the largest distance
	// from everything else.
	Close
	// Near allows a difference of Atol and Rtol times the expected value; NaN
	// equals NaN, and subnormal numbers may be zero.
	Near
)

// Policy says how far a result may be from the expected one.
type Policy struct {
	Kind           Kind
	Rtol, Atol     float64
	MinULP, MaxULP uint64
}

// relative returns the relative error that results of a float type may have unless
// something else is specified: a few units in the last place for the wide types, one or two
// for the narrow ones.
func relative(t dtype.Type) float64 {
	switch t {
	case dtype.F64, dtype.C128:
		return 1e-13
	case dtype.F32, dtype.C64:
		return 1e-5
	case dtype.F16:
		return 2e-3
	case dtype.BF16:
		return 1e-2
	case dtype.F8E3M4:
		return 1.0 / 16
	case dtype.F8E4M3, dtype.F8E4M3FN, dtype.F8E4M3FNUZ, dtype.F8E4M3B11FNUZ, dtype.F6E2M3FN:
		return 1.0 / 8
	case dtype.F8E5M2, dtype.F8E5M2FNUZ, dtype.F6E3M2FN:
		return 1.0 / 4
	case dtype.F4E2M1FN:
		return 1.0 / 2
	case dtype.F8E8M0FNU:
		return 1
	}
	return 0
}

// TypePolicy returns the tolerance of a type: the relative error of its arithmetic, and an
// absolute error of the same fraction of the largest expected magnitude, because the terms
// of a sum can cancel. reduced says that the program multiplies at a reduced precision.
func TypePolicy(want *array.Array, reduced bool) Policy {
	r := relative(want.Type)
	if reduced && partOf(want.Type) == dtype.F32 {
		r = relative(dtype.BF16)
	}
	if r == 0 {
		return Policy{Kind: Same}
	}
	largest := 0.0
	for _, x := range parts(want) {
		if x := math.Abs(x); x > largest && !math.IsInf(x, 0) {
			largest = x
		}
	}
	return Policy{Kind: Near, Rtol: r, Atol: r * largest}
}

// parts returns the elements of an array of floats, two for each complex number.
func parts(a *array.Array) []float64 {
	src, t := a.Data, partOf(a.Type)
	wide := make([]byte, len(src)/t.Size()*8)
	if err := dtype.Convert(wide, dtype.F64, src, t); err != nil {
		panic(fmt.Sprintf("corpus: %v", err)) // the lengths are right, and every float type is convertible
	}
	out := make([]float64, len(wide)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(wide[8*i:]))
	}
	return out
}

func partOf(t dtype.Type) dtype.Type {
	switch t {
	case dtype.C64:
		return dtype.F32
	case dtype.C128:
		return dtype.F64
	}
	return t
}

// Compare says how got differs from want by more than the policy allows. It returns nil if
// it does not.
func (p Policy) Compare(want, got *array.Array) error {
	wrong, err := p.differences(want, got)
	if err != nil || len(wrong) == 0 {
		return err
	}
	i := wrong[0]
	what := element(want, i)
	if p.Kind == Equal && strings.Contains(what, "NaN") {
		what += ", which equals nothing in this kind of check"
	}
	return &check.Mismatch{Places: wrong, Of: want.Len(), Text: fmt.Sprintf(
		"%d of %d elements differ; the first is at %v: expected %s, got %s",
		len(wrong), want.Len(), index(want.Dims, i), what, element(got, i))}
}

// differences returns the positions of the elements that differ.
func (p Policy) differences(want, got *array.Array) ([]int, error) {
	if want.Type != got.Type || !slices.Equal(want.Dims, got.Dims) {
		return nil, fmt.Errorf("expected %s, got %s", shape(want), shape(got))
	}
	var wrong []int
	if !want.Type.IsFloat() && !want.Type.IsComplex() {
		size := want.Type.Size()
		mask := byte(0xFF)
		if want.Type.IsSubByte() && want.Type != dtype.Pred {
			mask = 1<<want.Type.Bits() - 1
		}
		for i := range want.Len() {
			for j := i * size; j < (i+1)*size; j++ {
				if want.Data[j]&mask != got.Data[j]&mask {
					wrong = append(wrong, i)
					break
				}
			}
		}
		return wrong, nil
	}
	w, g := parts(want), parts(got)
	t := partOf(want.Type)
	per := 1
	if want.Type.IsComplex() {
		per = 2
	}
	size := t.Size()
	for i := range want.Len() {
		if p.Kind == Close {
			// For a complex number, the part that is further off counts.
			d := uint64(0)
			for j := i * per; j < (i+1)*per; j++ {
				if p.MinULP > 0 || !flushed(t, w[j], g[j]) {
					d = max(d, distance(t, w[j], g[j], want.Data[j*size:], got.Data[j*size:]))
				}
			}
			if d < p.MinULP || d > p.MaxULP {
				wrong = append(wrong, i)
			}
			continue
		}
		for j := i * per; j < (i+1)*per; j++ {
			if !p.equal(t, w[j], g[j]) {
				wrong = append(wrong, i)
				break
			}
		}
	}
	return wrong, nil
}

// equal compares floats for every kind except Close.
func (p Policy) equal(t dtype.Type, want, got float64) bool {
	switch nans := math.IsNaN(want) || math.IsNaN(got); {
	case p.Kind == Equal:
		return want == got
	case nans:
		return math.IsNaN(want) && math.IsNaN(got)
	case p.Kind == Same:
		return want == got && math.Signbit(want) == math.Signbit(got)
	case want == got:
		return true
	case math.IsInf(want, 0) || math.IsInf(got, 0):
		return false
	}
	if math.Abs(want-got) <= p.Atol+p.Rtol*math.Abs(want) {
		return true
	}
	return p.Kind == Near && flushed(t, want, got)
}

// flushed reports whether a device without subnormal numbers makes got from want. The
// specification of StableHLO does not promise such numbers, and XLA's devices lack them.
func flushed(t dtype.Type, want, got float64) bool {
	return got == 0 && math.Abs(want) < leastNormal(t)
}

// leastNormal returns the least positive normal number of the types for which devices flush
// smaller ones to zero.
func leastNormal(t dtype.Type) float64 {
	switch t {
	case dtype.F64:
		return 0x1p-1022
	case dtype.F32, dtype.BF16:
		return 0x1p-126
	case dtype.F16:
		return 0x1p-14
	}
	return 0
}

// distance returns how many floats of the type x and y are apart; a and b are their bits.
// It returns the largest number if only one of them is an infinity or NaN, or if they are
// different infinities.
func distance(t dtype.Type, x, y float64, a, b []byte) uint64 {
	switch {
	case x == y || math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x-y) || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.MaxUint64
	}
	p, q := place(t, a), place(t, b)
	return uint64(max(p, q)) - uint64(min(p, q))
}

// place numbers the floats of a type in their order, from 0 at both zeros.
func place(t dtype.Type, data []byte) int64 {
	var bits uint64
	for i := range t.Size() {
		bits |= uint64(data[i]) << (8 * i)
	}
	if t == dtype.F8E8M0FNU {
		return int64(bits)
	}
	sign := uint64(1) << (t.Bits() - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign & (sign - 1))
	}
	return int64(bits & (sign - 1))
}

// shape returns the type of an array in StableHLO.
func shape(a *array.Array) string { return tensor(a.Type, a.Dims) }

func tensor(t dtype.Type, dims []int64) string {
	s := "tensor<"
	for _, d := range dims {
		s += fmt.Sprintf("%dx", d)
	}
	return s + t.String() + ">"
}

// index turns a flat row-major position into one index per dimension.
func index(dims []int64, at int) []int64 {
	ix := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		ix[d] = int64(at) % dims[d]
		at /= int(dims[d])
	}
	return ix
}

// element formats one element.
func element(a *array.Array, i int) string {
	size := a.Type.Size()
	one := &array.Array{Type: a.Type, Dims: []int64{}, Data: a.Data[i*size : (i+1)*size]}
	switch {
	case a.Type.IsComplex():
		p := parts(one)
		return fmt.Sprintf("(%v, %v)", p[0], p[1])
	case a.Type.IsFloat():
		return fmt.Sprint(parts(one)[0])
	}
	return one.String()
}
