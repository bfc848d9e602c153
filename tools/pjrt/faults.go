// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"strconv"
	"strings"
)

// fault is what some of XLA's plugins for CPUs are known to compute wrongly, to end the process
// over, or to wait for.
type fault struct {
	what  string
	ages  []string // the API versions of the plugins on which it was seen
	avoid string
	// refused says that package pjrt returns an error instead.
	refused bool
}

// The API versions of the plugins that were tried.
var (
	allAges   = []string{"0.81", "0.106", "0.115"}
	olderAges = allAges[:2]
)

// knownFaults are in the table of pjrt/docs/known-faults.md, too.
var knownFaults = []fault{
	{"`scatter` with one index of 8 or 16 bits, into a dimension of more elements than it can count, may write nothing.", allAges, "Convert the indices to `i32`.", false},
	{"`reduce_window` of a `pad` with negative padding, and with interior padding of one element, adds the elements left out, too.", allAges, "Use `slice` instead of negative padding.", false},
	{"`abs` of a product of an integer with itself is left out, though the product may overflow.", olderAges, "Compute in a wider type.", false},
	{"`divide` of an infinity by the greatest number of `bf16` gives NaN, as on JAX 0.12.", allAges[2:], "Compute in `f32`.", false},
	{"A result of a size beyond its bound, from `set_dimension_size` or `dynamic_reshape`, ends the process.", allAges,
		"`clamp` the size between 0 and the bound, or it is refused.", true},
	{"`reduce_window` over a dimension of unknown size leaves out padding, and ends the process where no window fits.", olderAges,
		"Use known sizes, with the initial value in the rest.", true},
	{"A `sort` that is not stable ends the process if its comparator is no strict order.", allAges, "Compare with `LT` or `GT`, or set `is_stable`.", true},
	{"`reduce_window` with windows of one element and only negative padding ends the process.", allAges, "Use `slice`.", true},
	{"`convolution` with a kernel larger than its input, and one dimension dilated by the kernel's size with strides of one less and no padding, ends the process.",
		allAges, "Dilate the dimension with `pad` and an `optimization_barrier`.", true},
	{"`concatenate` in MLIR of an array of known size before one of unknown size ends the process.", allAges[:1], "Put the array of unknown size first.", true},
	{"A tuple as a parameter in MLIR ends the process when executed; later plugins only die of an empty one.", allAges,
		"Make each element a parameter, and set `TupledArguments`.", true},
	{"A tuple beside other parameters of a program in HLO, or in a tuple, ends the process when it is compiled.", allAges, "Put all arrays in one tuple.", true},
	{"`f6E2M3FN` and `f6E3M2FN` end the process in constants and empty arrays that stay, loops changing them, comparators, lone `concatenate`.",
		allAges[2:], "Use arguments, or other types.", true},
	{"`f6E2M3FN` and `f6E3M2FN`, which came later, may end the process anywhere in MLIR.", olderAges, "Use other types.", true},
	{"`concatenate` of `i2` or `ui2` ends the process if nothing else is done with them.", allAges, "Use `i8`.", true},
	{"`remainder` of complex numbers ends the process.", allAges, "Use their parts.", true},
	{"`rng` ends the process for integers below 32 bits and floats below 16.", allAges, "Convert from `f32` or `i32`.", true},
	{"`bitcast_convert` in MLIR between `i1` and other types ends the process.", allAges[:1], "Use shifts.", true},
	{"A result of 512 GiB or more ends the process if it is computed element by element from parameters, or is an `iota`.", allAges[2:], "Use several arrays.", true},
	{"Custom calls of compilers' own, such as `TopK` and `LayoutConstraint`, end the process unless operands and results fit.", allAges, "Give them what they expect.", true},
	{"Sorts, loops, convolutions, factorizations, scatters, collectives and custom calls end the process in bodies of reductions and comparators.",
		allAges, "Compute whole arrays.", true},
	{"`dot_general` in bodies of reductions ends the process.", allAges, "Compute whole arrays.", false},
	{"`infeed` and `outfeed` wait for ever.", allAges, "Use arguments and results.", true},
}

// faultsOf returns the faults of a plugin with this minor version of the API: those of the plugins
// that were tried with the versions next to it.
func faultsOf(minor int) (list []fault) {
	next := make(map[string]bool)
	before, after := -1, -1
	for i, age := range allAges {
		switch m := minorOf(age); {
		case m <= minor:
			before = i
		case after < 0:
			after = i
		}
	}
	for _, i := range []int{before, after} {
		if i >= 0 && (i == before || before < 0 || minorOf(allAges[before]) < minor) {
			next[allAges[i]] = true
		}
	}
	for _, f := range knownFaults {
		for _, age := range f.ages {
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
