// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// wide lists the types in which linear algebra and transforms are tried.
var wide = []dtype.Type{dtype.F32, dtype.F64, dtype.C64, dtype.C128}

// linears passes put programs of linear algebra, transforms and normalisation of a type, by
// name.
func linears(t dtype.Type, put func(name string, p program)) {
	complexType := t.IsComplex()
	entry := func(re, im float64) value {
		if complexType {
			return finish(t, value{c: complex(re, im)})
		}
		return round(t, re)
	}
	// A lower triangle with a strong diagonal, and the matrix of which it is the factor.
	// All products are exact.
	low := [][]complex128{{2, 0, 0}, {1 + 1i, 3, 0}, {-1, 2 - 1i, 4}}
	if !complexType {
		low = [][]complex128{{2, 0, 0}, {1, 3, 0}, {-1, 2, 4}}
	}
	l := build(t, []int64{3, 3}, func(ix []int64) value {
		c := low[ix[0]][ix[1]]
		return entry(real(c), imag(c))
	})
	full := build(t, []int64{3, 3}, func(ix []int64) value {
		var sum complex128
		for k := range 3 {
			sum += low[ix[0]][k] * cmplx.Conj(low[ix[1]][k])
		}
		return entry(real(sum), imag(sum))
	})
	// The result above the diagonal is left open.
	bound, open := make([]float64, 9), make([]bool, 9)
	for i := range bound {
		bound[i] = 64 * unit(realOf(t), 8)
		open[i] = i%3 > i/3
	}
	cholesky := op("cholesky", "lower = true", "", []array{l}, full)
	cholesky.policies = []policy{{bound: bound, open: open}}
	put("cholesky", cholesky)

	x := build(t, []int64{3, 2}, func(ix []int64) value { return entry(float64(ix[0]-ix[1]), float64(ix[1])) })
	solve := func(name, transpose string, left func(i, k int) complex128) {
		b := build(t, x.dims, func(ix []int64) value {
			var sum complex128
			for k := range 3 {
				v := x.at(int64(k), ix[1])
				if !complexType {
					v.c = complex(v.f, 0)
				}
				sum += left(int(ix[0]), k) * v.c
			}
			return entry(real(sum), imag(sum))
		})
		p := op("triangular_solve", "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose "+transpose+
			">", "", []array{x}, l, b)
		p.policies = []policy{{bound: []float64{bound[0], bound[0], bound[0], bound[0], bound[0], bound[0]}}}
		put(name, p)
	}
	solve("triangular_solve", "NO_TRANSPOSE", func(i, k int) complex128 { return low[i][k] })
	solve("triangular_solve_transpose", "TRANSPOSE", func(i, k int) complex128 { return low[k][i] })
	solve("triangular_solve_adjoint", "ADJOINT", func(i, k int) complex128 { return cmplx.Conj(low[k][i]) })
	if complexType {
		transforms(t, put)
	} else {
		normalisations(t, put)
	}
}

// fourier returns the discrete Fourier transform by its definition. sign is -1 for the
// forward transform and 1 for the backward one, which also divides by the length.
func fourier(in []complex128, sign float64) []complex128 {
	n := len(in)
	out, roots := make([]complex128, n), make([]complex128, n)
	for k := range roots {
		roots[k] = cmplx.Rect(1, sign*2*math.Pi*float64(k)/float64(n))
	}
	for k := range out {
		for j, x := range in {
			out[k] += x * roots[j*k%n]
		}
		if sign > 0 {
			out[k] /= complex(float64(n), 0)
		}
	}
	return out
}

// transforms passes put fft in its four kinds, with prime and composite lengths.
func transforms(t dtype.Type, put func(name string, p program)) {
	re := realOf(t)
	for _, n := range []int64{1, 2, 3, 8, 17, 60} {
		in := make([]complex128, n)
		for i := range in {
			in[i] = complex(float64(i%5-2), float64(i%3-1))
		}
		line := func(cs []complex128) array {
			a := array{t, []int64{int64(len(cs))}, nil}
			for _, c := range cs {
				a.v = append(a.v, finish(t, value{c: c}))
			}
			return a
		}
		half := func(cs []complex128) []complex128 { return cs[:n/2+1] }
		reals := make([]complex128, n)
		floats := array{re, []int64{n}, nil}
		for i := range in {
			reals[i] = complex(real(in[i]), 0)
			floats.v = append(floats.v, value{f: real(in[i])})
		}
		transform := func(kind string, want, from array) {
			p := op("fft", fmt.Sprintf("fft_type = #stablehlo<fft_type %s>, fft_length = array<i64: %d>", kind, n), "", []array{want}, from)
			limit := make([]float64, len(want.v))
			for i := range limit {
				limit[i] = 16 * float64(n) * unit(re, 3)
			}
			p.policies = []policy{{bound: limit}}
			put(fmt.Sprintf("fft/%s/%d", kind, n), p)
		}
		transform("FFT", line(fourier(in, -1)), line(in))
		transform("IFFT", line(fourier(in, 1)), line(in))
		spectrum := fourier(reals, -1)
		transform("RFFT", line(half(spectrum)), floats)
		transform("IRFFT", floats, line(half(spectrum)))
	}
}

// normalisations passes put the three batch_norm operations.
func normalisations(t dtype.Type, put func(name string, p program)) {
	x := build(t, []int64{4, 2}, func(ix []int64) value { return value{f: float64((ix[0]*3+ix[1]*2)%5) - 1} })
	scale, offset := ints(t, []int64{2}, 2, -1), ints(t, []int64{2}, 1, 3)
	const epsilon = 0.25
	mean, variance := array{t, []int64{2}, make([]value, 2)}, array{t, []int64{2}, make([]value, 2)}
	for f := range int64(2) {
		var sum, squares float64
		for r := range int64(4) {
			sum += x.at(r, f).f
			squares += x.at(r, f).f * x.at(r, f).f
		}
		mean.v[f] = round(t, sum/4)
		variance.v[f] = round(t, squares/4-sum*sum/16)
	}
	normal := func(ix []int64) float64 {
		return (x.at(ix...).f - mean.v[ix[1]].f) / math.Sqrt(variance.v[ix[1]].f+epsilon)
	}
	y := build(t, x.dims, func(ix []int64) value {
		return round(t, normal(ix)*scale.v[ix[1]].f+offset.v[ix[1]].f)
	})
	limit := func(n int) policy {
		b := make([]float64, n)
		for i := range b {
			b[i] = 64 * unit(t, 4)
		}
		return policy{bound: b}
	}
	attributes := "epsilon = 0.25 : f32, feature_index = 1 : i64"
	inference := op("batch_norm_inference", attributes, "", []array{y}, x, scale, offset, mean, variance)
	inference.policies = []policy{limit(8)}
	put("batch_norm_inference", inference)
	training := op("batch_norm_training", attributes, "", []array{y, mean, variance}, x, scale, offset)
	training.policies = []policy{limit(8), limit(2), limit(2)}
	put("batch_norm_training", training)

	// The gradient, from the derivative of the definition above.
	dy := build(t, x.dims, func(ix []int64) value { return value{f: float64((ix[0]+2*ix[1])%3) - 1} })
	dscale, doffset := array{t, []int64{2}, make([]value, 2)}, array{t, []int64{2}, make([]value, 2)}
	for f := range int64(2) {
		var along, total float64
		for r := range int64(4) {
			along += dy.at(r, f).f * normal([]int64{r, f})
			total += dy.at(r, f).f
		}
		dscale.v[f], doffset.v[f] = round(t, along), round(t, total)
	}
	dx := build(t, x.dims, func(ix []int64) value {
		f := ix[1]
		deviation := math.Sqrt(variance.v[f].f + epsilon)
		return round(t, scale.v[f].f/deviation*(dy.at(ix...).f-doffset.v[f].f/4-normal(ix)*dscale.v[f].f/4))
	})
	grad := op("batch_norm_grad", attributes, "", []array{dx, dscale, doffset}, x, scale, mean, variance, dy)
	grad.policies = []policy{limit(8), limit(2), limit(2)}
	put("batch_norm_grad", grad)
}
