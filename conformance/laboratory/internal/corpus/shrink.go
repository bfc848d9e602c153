// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
)

// shrinkTries limits how often the search for the smallest inputs runs a program.
const shrinkTries = 150

// shrink looks for the smallest inputs on which the plugins still differ: first fewer
// elements, which makes another program, then more zeros. The program that it returns was
// run and differs.
func (d *comparison) shrink(p *Program, diff *difference) (*Program, *difference) {
	for changed := true; changed; {
		changed = false
		for _, candidate := range smaller(p, diff) {
			if found := d.still(candidate); found != nil {
				p, diff, changed = candidate, found, true
				break
			}
		}
	}
	for i := range p.Args {
		p, diff = d.clear(p, diff, i)
	}
	return p, diff
}

// still runs a candidate. It returns nil if the plugins agree on it, if one of them does
// not run it, or if there were enough tries.
func (d *comparison) still(p *Program) *difference {
	if d.tries--; d.tries < 0 || d.ctx.Err() != nil {
		return nil
	}
	diff, err := d.try([]*Program{p}, nil)
	if err != nil || diff == nil || diff.ours != nil {
		return nil
	}
	return diff
}

// smaller returns programs with smaller arguments, the smallest first. It cuts an extent
// wherever the type of the argument occurs in the text. A program of elementwise operations
// stays valid; others become nonsense, which does not compile.
func smaller(p *Program, diff *difference) []*Program {
	code := string(p.Code)
	if !isText(code) || strings.Contains(code, "dense_resource") {
		return nil
	}
	var list []*Program
	seen := map[string]bool{}
	for _, a := range p.Args {
		prefix := extents(a.Dims)
		if len(a.Dims) == 0 || seen[prefix] || a.Len() <= 1 {
			continue
		}
		seen[prefix] = true
		at := make([]int64, len(a.Dims)) // of an element that differs
		if len(diff.positions) > 0 && slices.Equal(diff.dims, a.Dims) {
			at = index(a.Dims, diff.positions[0])
		}
		ones := slices.Repeat([]int64{1}, len(a.Dims))
		list = append(list, p.cut(a.Dims, at, ones))
		for k, n := range a.Dims {
			if n <= 1 {
				continue
			}
			for _, to := range []int64{1, n / 2} {
				from, extent := slices.Repeat([]int64{0}, len(a.Dims)), slices.Clone(a.Dims)
				from[k], extent[k] = min(at[k], n-to), to
				list = append(list, p.cut(a.Dims, from, extent))
				if from[k] != 0 && to > 1 {
					list = append(list, p.cut(a.Dims, make([]int64, len(a.Dims)), extent))
				}
			}
		}
	}
	return list
}

// extents returns dimensions as a type begins with them: 2x3x.
func extents(dims []int64) string {
	var b strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String()
}

// cut replaces arrays of some dimensions by the part of them that begins at from
// and has the given extent.
func (p *Program) cut(dims, from, extent []int64) *Program {
	q := *p
	q.Code = bytes.ReplaceAll(p.Code, []byte("tensor<"+extents(dims)), []byte("tensor<"+extents(extent)))
	q.Args = slices.Clone(p.Args)
	for i, a := range p.Args {
		if slices.Equal(a.Dims, dims) {
			q.Args[i] = part(a, from, extent)
		}
	}
	return &q
}

func part(a *array.Array, from, extent []int64) *array.Array {
	b := &array.Array{Type: a.Type, Dims: extent}
	n := 1
	for _, d := range extent {
		n *= int(d)
	}
	size := a.Type.Size()
	for i := range n {
		at := 0
		for k, x := range index(extent, i) {
			at = at*int(a.Dims[k]) + int(from[k]+x)
		}
		b.Data = append(b.Data, a.Data[at*size:(at+1)*size]...)
	}
	return b
}

// clear sets as many elements of an argument to zero as possible.
func (d *comparison) clear(p *Program, diff *difference, i int) (*Program, *difference) {
	n, size := p.Args[i].Len(), p.Args[i].Type.Size()
	for chunk := n; chunk > 0; chunk /= 2 {
		for at := 0; at < n; at += chunk {
			part := p.Args[i].Data[at*size : min(at+chunk, n)*size]
			if len(bytes.TrimLeft(part, "\x00")) == 0 {
				continue
			}
			q := *p
			q.Args = slices.Clone(p.Args)
			a := *p.Args[i]
			a.Data = slices.Clone(a.Data)
			clear(a.Data[at*size : min(at+chunk, n)*size])
			q.Args[i] = &a
			if found := d.still(&q); found != nil {
				p, diff = &q, found
			}
		}
	}
	return p, diff
}

// size says how large the arguments of a program are.
func size(p *Program) string {
	elements, set := 0, 0
	for _, a := range p.Args {
		n := a.Type.Size()
		for i := range a.Len() {
			elements++
			if len(bytes.TrimLeft(a.Data[i*n:(i+1)*n], "\x00")) > 0 {
				set++
			}
		}
	}
	return fmt.Sprintf("%d of %d elements not zero", set, elements)
}
