// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package faults lists what XLA's plugins for CPUs are known to compute wrongly, or to end the
// process over, in valid programs.
package faults

import (
	"fmt"
	"strconv"
	"strings"
)

// Fault is one fault of some plugins.
type Fault struct {
	What  string
	Ages  []string // the API versions of the plugins on which it was seen, of Tried
	Avoid string
	// Refused says that package pjrt returns an error instead.
	Refused bool
}

// Tried has the API versions of the plugins that were tried.
var Tried = []string{"0.81", "0.106", "0.115"}

var (
	all   = Tried
	older = Tried[:2]
)

// List has the faults.
var List = []Fault{
	{"`scatter` with one index of 8 or 16 bits, into a dimension of more elements than it can count, may write nothing.", all, "Convert the indices to `i32`.", false},
	{"`reduce_window` of a `pad` with negative padding, and with interior padding of one element, adds the elements left out, too.", all, "Use `slice` instead of negative padding.", false},
	{"`abs` of a product of an integer with itself is left out, though the product may overflow.", older, "Compute in a wider type.", false},
	{"`divide` of an infinity by the greatest number of `bf16` gives NaN, as on JAX 0.12.", Tried[2:], "Compute in `f32`.", false},
	{"A result of a size beyond its bound, from `set_dimension_size` or `dynamic_reshape`, ends the process.", all,
		"`clamp` the size between 0 and the bound, or it is refused.", true},
	{"`reduce_window` over a dimension of unknown size leaves out padding, and ends the process where no window fits.", older,
		"Use known sizes, with the initial value in the rest.", true},
	{"A `sort` that is not stable ends the process if its comparator is no strict order.", all, "Compare with `LT` or `GT`, or set `is_stable`.", true},
	{"`reduce_window` with windows of one element and only negative padding ends the process.", all, "Use `slice`.", true},
	{"`convolution` with a kernel larger than its input, and one dimension dilated by the kernel's size with strides of one less and no padding, ends the process.",
		all, "Dilate the dimension with `pad` and an `optimization_barrier`.", true},
	{"`concatenate` in MLIR of an array of known size before one of unknown size ends the process.", Tried[:1], "Put the array of unknown size first.", true},
	{"A tuple as a parameter in MLIR ends the process when executed.", Tried[:1], "Make each element a parameter, and set `TupledArguments`.", true},
	{"An empty tuple as a parameter in MLIR ends the process when executed.", all, "Leave it out.", true},
	{"A tuple beside other parameters of a program in HLO, or in a tuple, ends the process when it is compiled.", all, "Put all arrays in one tuple.", true},
	{"`f6E2M3FN` and `f6E3M2FN` end the process in constants and empty arrays that stay, loops changing them, comparators, lone `concatenate`.",
		Tried[2:], "Use arguments, or other types.", true},
	{"`f6E2M3FN` and `f6E3M2FN`, which came later, may end the process anywhere in MLIR.", older, "Use other types.", true},
	{"`concatenate` of `i2` or `ui2` ends the process if nothing else is done with them.", all, "Use `i8`.", true},
	{"`remainder` of complex numbers ends the process.", all, "Use their parts.", true},
	{"`rng` ends the process for integers below 32 bits and floats below 16.", all, "Convert from `f32` or `i32`.", true},
	{"`bitcast_convert` in MLIR between `i1` and other types ends the process.", Tried[:1], "Use shifts.", true},
	{"A result of 512 GiB or more ends the process if it is computed element by element from parameters, or is an `iota`.", Tried[2:], "Use several arrays.", true},
}

// Of returns the faults of a plugin with this minor version of the API: those of the plugins that
// were tried with the versions next to it.
func Of(minor int) (list []Fault) {
	next := make(map[string]bool)
	before, after := -1, -1
	for i, age := range Tried {
		switch m := minorOf(age); {
		case m <= minor:
			before = i
		case after < 0:
			after = i
		}
	}
	for _, i := range []int{before, after} {
		if i >= 0 && (i == before || before < 0 || minorOf(Tried[before]) < minor) {
			next[Tried[i]] = true
		}
	}
	for _, f := range List {
		for _, age := range f.Ages {
			if next[age] {
				list = append(list, f)
				break
			}
		}
	}
	return list
}

func minorOf(age string) int {
	minor, _ := strconv.Atoi(strings.TrimPrefix(age, "0."))
	return minor
}

// Markdown returns the list as a table.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| what happens | API of the plugins | what to do | refused |\n|---|---|---|---|\n")
	for _, f := range List {
		refused := "no"
		if f.Refused {
			refused = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.What, strings.Join(f.Ages, ", "), f.Avoid, refused)
	}
	return b.String()
}
