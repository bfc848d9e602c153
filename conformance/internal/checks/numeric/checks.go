// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// profileOf returns the first profile that has programs of a type.
func profileOf(t dtype.Type) check.Profile {
	switch t {
	case dtype.F32, dtype.S32, dtype.Pred:
		return check.Quick
	}
	return check.Core
}

// smoke lists programs that any device that computes at all gets right.
var smoke = []string{"add/f32", "add/i32", "multiply/f32", "exponential/f32", "compare/i32", "select/f32", "transpose/f32",
	"reduce_add/f32", "dot_general/f32", "while/7", "iota/i32"}

// programChecks returns a check for each entry.
func programChecks() []check.Check {
	var list []check.Check
	for _, e := range entries() {
		list = append(list, e.check())
	}
	return list
}

// entries returns the checks that are made of programs with known results.
func entries() []entry {
	var es []entry
	eachProgram(func(variant string, profile check.Profile, p program) {
		if slices.Contains(smoke, variant) {
			profile = check.Smoke
		}
		es = append(es, one("RUN-02", variant, profile, p))
	})
	for _, family := range []func() []entry{edges, ties, divisions, products, algorithmic, kernels, slidings, cropped, indexings,
		dynamics, orders, exhaustives, zeros, bigs, quantizations, clientDialect, realistics, algebra, simplifications} {
		es = append(es, family()...)
	}
	return es
}

// eachProgram calls put with every program that consists only of its inputs and results.
func eachProgram(put func(variant string, profile check.Profile, p program)) {
	for _, u := range unaries {
		for _, t := range u.in.of() {
			if p, ok := u.programOf(t); ok {
				put(u.name+"/"+t.String(), profileOf(t), p)
			}
		}
	}
	for _, b := range binaries {
		for _, t := range b.in.of() {
			if p, ok := b.programOf(t); ok {
				put(b.name+"/"+t.String(), profileOf(t), p)
			}
		}
	}
	for _, t := range elementTypes {
		put("compare/"+t.String(), profileOf(t), comparison(t))
		put("select/"+t.String(), profileOf(t), selection(t))
		if !t.IsComplex() {
			put("clamp/"+t.String(), profileOf(t), clamping(t))
		}
		movements(t, func(name string, p program) { put(name+"/"+t.String(), profileOf(t), p) })
		if p, ok := counting(t); ok {
			put("iota/"+t.String(), profileOf(t), p)
		}
		for _, f := range folds {
			if f.in&kindOf(t) == 0 {
				continue
			}
			if p, ok := f.reduction(t); ok {
				put("reduce_"+f.name+"/"+t.String(), profileOf(t), p)
			}
			if p, ok := f.window(t); ok {
				put("reduce_window_"+f.name+"/"+t.String(), max(profileOf(t), check.Core), p)
			}
		}
		if !t.IsComplex() {
			put("argmax/"+t.String(), profileOf(t), argmax(t))
			put("sort/"+t.String(), profileOf(t), sorting(t))
			if p, ok := selectAndScatter(t); ok && t != dtype.Pred {
				put("select_and_scatter/"+t.String(), profileOf(t), p)
			}
		}
		dots(t, func(name string, p program) { put(name+"/"+t.String(), profileOf(t), p) })
		if p, ok := convolution(t); ok {
			put("convolution/"+t.String(), profileOf(t), p)
		}
		conversions(t, func(name string, p program) { put("convert/"+name, check.Core, p) })
		for _, to := range elementTypes {
			if p, ok := bitcast(t, to); ok {
				put(fmt.Sprintf("bitcast_convert/%v-%v", t, to), check.Core, p)
			}
		}
	}
	for _, t := range wide {
		linears(t, func(name string, p program) { put(name+"/"+t.String(), profileOf(t), p) })
	}
	controls(func(name string, p program) { put(name, check.Quick, p) })
}
