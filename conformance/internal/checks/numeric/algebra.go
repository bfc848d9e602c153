// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// solving holds the attributes of a triangular_solve.
type solving struct {
	left, lower, unit bool
	transpose         string
}

func (s solving) attribute() string {
	return fmt.Sprintf("left_side = %v, lower = %v, unit_diagonal = %v, transpose_a = #stablehlo<transpose %s>", s.left,
		s.lower, s.unit, s.transpose)
}

// algebra returns the checks of linear algebra and transforms.
func algebra() []entry {
	var es []entry
	for _, t := range wide {
		profile := max(profileOf(t), check.Core)
		es = append(es,
			solvings(t, true, profile), solvings(t, false, profile),
			entry{rule: "RUN-02", variant: "cholesky/forms/" + t.String(), profile: profile,
				programs: func() []program { return factorings(t) }},
			entry{rule: "RUN-32", variant: "singular/" + t.String(), profile: profile, programs: func() []program { return singular(t) }})
		if t.IsComplex() {
			es = append(es, entry{rule: "RUN-02", variant: "fft/dimensions/" + t.String(), profile: profile,
				programs: func() []program { return planes(t) }})
		}
	}
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		es = append(es, entry{rule: "RUN-02", variant: "batch_norm/forms/" + t.String(), profile: max(profileOf(t), check.Core),
			programs: func() []program { return norms(t) }})
	}
	return es
}

// element returns a complex number as an element of a type.
func element(t dtype.Type, c complex128) value {
	if t.IsComplex() {
		return finish(t, value{c: c})
	}
	return round(t, real(c))
}

// complexAt returns an element as a complex number.
func (a array) complexAt(ix ...int64) complex128 {
	v := a.at(ix...)
	if a.t.IsComplex() {
		return v.c
	}
	return complex(v.f, 0)
}

// triangle returns two matrices of 3 x 3, only one half of which may be read: the elements
// of the other half would spoil every result.
func triangle(t dtype.Type, lower bool) array {
	return build(t, []int64{2, 3, 3}, func(ix []int64) value {
		b, i, j := ix[0], ix[1], ix[2]
		switch {
		case i == j:
			return element(t, complex(float64(2+i+b), 0))
		case (i > j) == lower:
			return element(t, complex(float64((i*2+j+b)%3-1), float64((i+j+b)%2)))
		}
		return element(t, 1000)
	})
}

// solvings returns every form of triangular_solve on one side. They are slow to compile.
func solvings(t dtype.Type, left bool, profile check.Profile) entry {
	side := map[bool]string{true: "left", false: "right"}[left]
	return entry{rule: "RUN-02", variant: "triangular_solve/" + side + "/" + t.String(), profile: profile,
		timeout: 8 * check.DefaultTimeout, forms: []form{parameters}, programs: func() []program {
			var ps []program
			for _, lower := range []bool{true, false} {
				for _, unit := range []bool{false, true} {
					for _, transpose := range []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"} {
						ps = append(ps, solving{left, lower, unit, transpose}.program(t))
					}
				}
			}
			return ps
		}}
}

func (s solving) program(t dtype.Type) program {
	a := triangle(t, s.lower)
	// at returns an element of the matrix that the attributes select.
	at := func(b, i, j int64) complex128 {
		if s.transpose != "NO_TRANSPOSE" {
			i, j = j, i
		}
		c := a.complexAt(b, i, j)
		switch {
		case i == j && s.unit:
			c = 1
		case i != j && (i > j) != s.lower:
			c = 0
		}
		if s.transpose == "ADJOINT" {
			c = cmplx.Conj(c)
		}
		return c
	}
	dims := []int64{2, 3, 2}
	if !s.left {
		dims = []int64{2, 2, 3}
	}
	x := build(t, dims, func(ix []int64) value {
		return element(t, complex(float64(ix[0]+ix[1]-ix[2]), float64(ix[1]*ix[2]%2)))
	})
	b := build(t, dims, func(ix []int64) value {
		var sum complex128
		for k := range int64(3) {
			if s.left {
				sum += at(ix[0], ix[1], k) * x.complexAt(ix[0], k, ix[2])
			} else {
				sum += x.complexAt(ix[0], ix[1], k) * at(ix[0], k, ix[2])
			}
		}
		return element(t, sum)
	})
	p := op("triangular_solve", s.attribute(), "", []array{x}, a, b)
	p.policies = []policy{{bound: evenly(len(x.v), 256*unit(realOf(t), 8))}}
	p.twists = []twist{
		{"reads the other half", s.attribute(), solving{s.left, !s.lower, s.unit, s.transpose}.attribute()},
		{"confuses what the diagonal is", s.attribute(), solving{s.left, s.lower, !s.unit, s.transpose}.attribute()},
	}
	if s.transpose == "ADJOINT" && t.IsComplex() {
		p.twists = append(p.twists, twist{"does not conjugate", "transpose ADJOINT", "transpose TRANSPOSE"})
	}
	return p
}

func evenly(n int, x float64) []float64 {
	b := make([]float64, n)
	for i := range b {
		b[i] = x
	}
	return b
}

// factorings returns Cholesky factorizations of two matrices, lower and upper.
func factorings(t dtype.Type) []program {
	low := triangle(t, true)
	clean := func(b, i, j int64) complex128 {
		if j > i {
			return 0
		}
		return low.complexAt(b, i, j)
	}
	dims := []int64{2, 3, 3}
	full := build(t, dims, func(ix []int64) value {
		var sum complex128
		for k := range int64(3) {
			sum += clean(ix[0], ix[1], k) * cmplx.Conj(clean(ix[0], ix[2], k))
		}
		return element(t, sum)
	})
	var ps []program
	for _, lower := range []bool{true, false} {
		open := make([]bool, 18)
		in := build(t, dims, func(ix []int64) value { return full.at(ix...) })
		out := build(t, dims, func(ix []int64) value {
			if lower {
				return element(t, clean(ix[0], ix[1], ix[2]))
			}
			return element(t, cmplx.Conj(clean(ix[0], ix[2], ix[1])))
		})
		for i := range open {
			ix := index(dims, i)
			open[i] = ix[1] != ix[2] && (ix[1] > ix[2]) != lower
			if open[i] {
				in.v[i] = element(t, 1000) // the half that may not be read
			}
		}
		p := op("cholesky", fmt.Sprintf("lower = %v", lower), "", []array{out}, in)
		p.policies = []policy{{bound: evenly(18, 256*unit(realOf(t), 8)), open: open}}
		p.twists = []twist{{"reads the other half", fmt.Sprintf("lower = %v", lower), fmt.Sprintf("lower = %v", !lower)}}
		ps = append(ps, p)
	}
	return ps
}

// singular returns programs on matrices without an inverse or without a factor: any result
// will do, but the process must survive.
func singular(t dtype.Type) []program {
	zero := array{t, []int64{2, 2}, make([]value, 4)}
	one := build(t, []int64{2, 2}, func([]int64) value { return number(t, 1) })
	negative := build(t, []int64{2, 2}, func(ix []int64) value { return number(t, boolToInt(ix[0] == ix[1])*-1) })
	all := []bool{true, true, true, true}
	solve := op("triangular_solve", solving{left: true, lower: true, transpose: "NO_TRANSPOSE"}.attribute(), "", []array{one}, zero, one)
	factor := op("cholesky", "lower = true", "", []array{one}, negative)
	solve.policies, factor.policies = []policy{{open: all}}, []policy{{open: all}}
	solve.notes, factor.notes = answers(all, zero, one), answers(all, negative)
	return []program{solve, factor}
}

func boolToInt(b bool) int64 { return int64(boolInt(b)) }

// transformAlong returns the Fourier transform along one dimension.
func transformAlong(in []complex128, dims []int64, d int, sign float64) []complex128 {
	out := make([]complex128, len(in))
	step := count(dims[d+1:])
	n := int(dims[d])
	for at := range in {
		if at/step%n != 0 {
			continue
		}
		line := make([]complex128, n)
		for k := range line {
			line[k] = in[at+k*step]
		}
		for k, c := range fourier(line, sign) {
			out[at+k*step] = c
		}
	}
	return out
}

// planes returns transforms of two and three dimensions, after a batch dimension, and a
// long one.
func planes(t dtype.Type) []program {
	re := realOf(t)
	var ps []program
	for _, sizes := range [][]int64{{4, 6}, {2, 3, 4}, {1024}} {
		dims := append([]int64{2}, sizes...)
		n := count(dims)
		in, reals := make([]complex128, n), make([]complex128, n)
		for i := range in {
			in[i] = complex(float64(i*i%7-3), float64(i*3%5-2))
			reals[i] = complex(real(in[i]), 0)
		}
		forward := func(x []complex128, sign float64) []complex128 {
			for d := range sizes {
				x = transformAlong(x, dims, d+1, sign)
			}
			return x
		}
		whole := func(cs []complex128) array {
			return build(t, dims, func(ix []int64) value { return finish(t, value{c: cs[flat(dims, ix)]}) })
		}
		last := len(dims) - 1
		halfDims := append([]int64{}, dims...)
		halfDims[last] = dims[last]/2 + 1
		spectrum := forward(reals, -1)
		half := build(t, halfDims, func(ix []int64) value { return finish(t, value{c: spectrum[flat(dims, ix)]}) })
		floats := build(re, dims, func(ix []int64) value { return value{f: real(reals[flat(dims, ix)])} })
		put := func(kind, like string, want, from array) {
			p := op("fft", fmt.Sprintf("fft_type = #stablehlo<fft_type %s>, fft_length = %s", kind, i64s(sizes...)), "",
				[]array{want}, from)
			p.policies = []policy{{bound: evenly(len(want.v), 64*math.Sqrt(float64(n))*unit(re, 64))}}
			if like != "" {
				p.twists = []twist{{"compiles " + kind + " as " + like, "fft_type " + kind + ">", "fft_type " + like + ">"}}
			}
			ps = append(ps, p)
		}
		put("FFT", "IFFT", whole(forward(in, -1)), whole(in))
		put("IFFT", "FFT", whole(forward(in, 1)), whole(in))
		put("RFFT", "", half, floats)
		put("IRFFT", "", floats, half)
	}
	return ps
}

// norms returns batch_norm_inference with the feature at each dimension, and without an
// epsilon.
func norms(t dtype.Type) []program {
	var ps []program
	dims := []int64{2, 3, 4}
	for feature := range dims {
		for _, epsilon := range []float64{0, 0.5} {
			n := dims[feature]
			x := wholes(t, int64(feature), dims...)
			vector := func(seed int64, positive bool) array {
				a := wholes(t, seed, n)
				for i := range a.v {
					if positive {
						a.v[i].f = math.Abs(a.v[i].f) + 0.25 + float64(i)
					}
				}
				return a
			}
			scale, offset, mean, variance := vector(1, true), vector(2, false), vector(3, false), vector(4, true)
			limit := make([]float64, 0, len(x.v))
			y := build(t, dims, func(ix []int64) value {
				f := ix[feature]
				normal := (x.at(ix...).f - mean.v[f].f) / math.Sqrt(variance.v[f].f+epsilon)
				limit = append(limit, 8*unit(t, math.Abs(normal*scale.v[f].f)+math.Abs(offset.v[f].f)+1))
				return round(t, normal*scale.v[f].f+offset.v[f].f)
			})
			attributes := fmt.Sprintf("epsilon = %.1f : f32, feature_index = %d : i64", epsilon, feature)
			p := op("batch_norm_inference", attributes, "", []array{y}, x, scale, offset, mean, variance)
			p.policies = []policy{{bound: limit}}
			p.twists = []twist{{"takes another epsilon", fmt.Sprintf("epsilon = %.1f", epsilon), fmt.Sprintf("epsilon = %.1f", epsilon+1)}}
			ps = append(ps, p)
		}
	}
	return ps
}
