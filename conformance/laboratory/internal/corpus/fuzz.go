// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// draw says which values are drawn.
type draw struct {
	wild     bool // the whole range of the type, with infinities and NaN
	positive bool // integers are above zero
	tiny     bool // only values that every type has, even if fractions are cut off
}

// drawFor returns what can be drawn for a program without running into what the
// specification leaves open, where plugins may differ.
func drawFor(code string, round int) draw {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(code, w) })
	}
	return draw{
		// An order that NaN spoils may lead anywhere.
		wild:     round%2 == 0 && !has("convert", "power", "sort", "select_and_scatter") && !(has("reduce") && has("compare")),
		positive: has("divide", "remainder", "power"), // avoids a division by zero, and of the least number by -1
		tiny:     has("convert"),                      // avoids what does not fit
	}
}

// fuzz returns the program with random inputs. The same seed, name and round give the same
// inputs. Odd rounds draw small numbers, even ones from the whole range of the type, with
// infinities and NaN among floats. Subnormal numbers and negative zeros are not drawn,
// because devices may treat them as they like.
func fuzz(p *Program, seed uint64, name string, round int) *Program {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d", name, round)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	q := *p
	q.Args = slices.Clone(p.Args)
	d := drawFor(string(p.Code), round)
	for i, a := range p.Args {
		if p.Fuzz(i) {
			q.Args[i] = d.array(r, a)
		}
	}
	return &q
}

// array draws an array of the type and the dimensions of a.
func (d draw) array(r *rand.Rand, a *array.Array) *array.Array {
	b := &array.Array{Type: a.Type, Dims: a.Dims, Data: make([]byte, len(a.Data))}
	t := partOf(a.Type)
	size := t.Size()
	for at := 0; at < len(b.Data); at += size {
		e := b.Data[at : at+size]
		switch {
		case t.IsFloat():
			d.float(r, t, e)
		case t == dtype.Pred:
			e[0] = byte(r.IntN(2))
		default:
			x := r.Uint64()
			switch {
			case d.tiny:
				x %= 2
			case !d.wild:
				x %= 8
				if t.IsSigned() && t.Bits() > 4 && !d.positive {
					x -= 4
				}
			}
			if t.IsSubByte() {
				x &= 1<<t.Bits() - 1
			}
			if d.positive && (t.IsSigned() || x == 0) {
				if x &= 1<<(t.Bits()-1) - 1; x == 0 {
					x = 1
				}
			}
			for j := range e {
				e[j] = byte(x >> (8 * j))
			}
		}
	}
	return b
}

// float draws a float into e.
func (d draw) float(r *rand.Rand, t dtype.Type, e []byte) {
	x := math.Round((r.Float64()*8-4)*64) / 64
	switch {
	case d.tiny:
		x = math.Round(r.Float64()*96) / 64
	case d.wild:
		switch n := r.IntN(40); n {
		case 0:
			x = math.NaN()
		case 1, 2:
			x = math.Inf(1 - 2*r.IntN(2))
		default:
			x = math.Ldexp(r.Float64()*2-1, r.IntN(40)-20)
		}
	}
	if x == 0 {
		x = 0.5
	}
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], math.Float64bits(x))
	if err := dtype.Convert(e, t, wide[:], dtype.F64); err != nil {
		panic(fmt.Sprintf("corpus: %v", err)) // every float type is convertible
	}
	// The type may have made a subnormal number or a negative zero of it.
	one := &array.Array{Type: t, Dims: []int64{}, Data: e}
	if y := parts(one)[0]; math.Abs(y) < leastNormal(t) || y == 0 {
		clear(e)
	}
}
