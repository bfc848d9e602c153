// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
	"strings"
)

// Custom calls of targets that compilers know themselves. They do not check what such a call is
// given, unlike the operands of an operation.

// operandsOf has how many operands the compiler expects of the calls of a target: so many, or so
// many at least.
var operandsOf = map[string]struct {
	n       int
	atLeast bool
}{
	"Eigh":                       {1, true},
	"LayoutConstraint":           {1, true},
	"Qr":                         {1, true},
	"SPMDFullToShardShape":       {1, false},
	"SPMDShardToFullShape":       {1, false},
	"SetBound":                   {1, true},
	"ShardBarrierFrom":           {1, false},
	"ShardBarrierTo":             {1, false},
	"Sharding":                   {1, false},
	"TopK":                       {1, true},
	controlDep:                   {2, false},
	householder:                  {2, true},
	resultSharding:               {1, false},
	"xla.sdy.PropagationBarrier": {1, false},
	"xla.sdy.ShardingGroup":      {1, false},
}

const (
	controlDep     = "control_dep"
	householder    = "ProductOfElementaryHouseholderReflectors"
	resultSharding = "xla.sdy.FuncResultSharding"
)

// isInternal reports whether only the compiler puts calls of a target into programs.
func (c Compiler) isInternal(target string) bool {
	return target == "SliceToDynamic" || strings.HasPrefix(target, "__onednn$") ||
		c.Minor >= after106 && strings.HasPrefix(target, "__xla_internal_call_marker_")
}

// checkCustomCall refuses calls that the compiler does not expect, and those of which it believes
// that it made them.
func checkCustomCall(o *Op, c Compiler) error {
	target := o.Attributes["call_target_name"].Text
	if o.Attributes["backend_config"].Index {
		return fmt.Errorf("the backend_config of a custom call of %s in the program has a number of type index, "+
			"and the compiler would end the process: give it the type i64", target)
	}
	if expected, ok := operandsOf[target]; ok && (target != controlDep || c.Minor >= after106) {
		if n := len(o.Operands); n < expected.n || n > expected.n && !expected.atLeast {
			what := fmt.Sprint(expected.n)
			if expected.atLeast {
				what = "at least " + what
			}
			return fmt.Errorf("a custom call of %s in the program has %d operands, not %s, and the compiler would end the process: "+
				"give it what %[1]s expects", target, n, what)
		}
	}
	switch {
	case c.isInternal(target):
		return fmt.Errorf("the program has a custom call of %s, which only compilers put into programs, and the process may end: "+
			"compile the program as it was before a compiler changed it", target)
	case target == "ragged_all_to_all" && c.MLIR:
		return fmt.Errorf("the program has a custom call of %s, which no plugin for CPUs executes, and the compiler may end the process: "+
			"use all_to_all", target)
	case target == "LayoutConstraint":
		if len(o.Results) != 1 || o.Results[0].Type.Tuple {
			return fmt.Errorf("a custom call of %s in the program does not have one array as its result, and the compiler would end the process: "+
				"constrain each array in a call of its own", target)
		}
	case target == householder:
		if a, taus := &o.Operands[0].Type, &o.Operands[1].Type; len(a.Dims) > 1 && taus.Element != "" && len(taus.Dims) == 0 {
			return fmt.Errorf("operand 1 of a custom call of %s in the program is a scalar, and the compiler would end the process: "+
				"give it the factors of the reflectors, an array", target)
		}
	case target == resultSharding && c.MLIR && c.Minor >= before106:
		if _, ok := o.Attributes["mhlo.frontend_attributes"]; !ok {
			return fmt.Errorf("a custom call of %s in the program does not say in its mhlo.frontend_attributes how the result is divided, "+
				"and the compiler would end the process: leave the call out", target)
		}
	case target == "TopK":
		return checkTopK(o)
	}
	return nil
}

// arrays returns the types of the results of a custom call, or of those in the tuple that is its
// result.
func (o *Op) arrays() []Type {
	if len(o.Results) == 1 && o.Results[0].Type.Tuple {
		return o.Results[0].Type.Parts
	}
	list := make([]Type, len(o.Results))
	for i, v := range o.Results {
		list[i] = v.Type
	}
	return list
}

// checkTopK refuses a TopK that reads or writes beyond its arrays. One of another type than f32 the
// compiler itself refuses.
func checkTopK(o *Op) error {
	input := &o.Operands[0].Type
	if input.Element != "f32" {
		return nil
	}
	results := o.arrays()
	fail := func(what string) error {
		return fmt.Errorf("a custom call of TopK in the program %s, and the process would end, or other memory would change: "+
			"let it return an f32 and an i32 array of the dimensions of the first operand, which are one or two, but for the last dimension, "+
			"which may be smaller", what)
	}
	switch {
	case len(results) != 2:
		return fail(fmt.Sprintf("has %d results, not 2", len(results)))
	case slices.ContainsFunc(results, func(t Type) bool { return t.Element == "" }):
		return nil // not understood
	case results[0].Element != "f32" || results[1].Element != "i32":
		return fail(fmt.Sprintf("has results of types %s and %s", results[0].Element, results[1].Element))
	case len(input.Dims) != 1 && len(input.Dims) != 2:
		return fail(fmt.Sprintf("has an operand of %d dimensions", len(input.Dims)))
	}
	for i := range results {
		if !results[i].isTopOf(input) {
			return fail(fmt.Sprintf("has an operand of the dimensions %v and a result of %v", input.Dims, results[i].Dims))
		}
	}
	if !slices.Equal(results[0].Dims, results[1].Dims) {
		return fail(fmt.Sprintf("has results of the dimensions %v and %v", results[0].Dims, results[1].Dims))
	}
	return nil
}

// isTopOf reports whether an array has the dimensions of another, but for the last one, which may
// be smaller.
func (t *Type) isTopOf(input *Type) bool {
	last := len(input.Dims) - 1
	if len(t.Dims) != last+1 {
		return false
	}
	for i := range last {
		if t.extent(i) != input.extent(i) {
			return false
		}
	}
	return t.extent(last) <= input.extent(last)
}

// checkFeed refuses operations that wait for data which no function of PJRT sends or receives.
func checkFeed(o *Op) error {
	advice := "sends data to it: make the data an argument of the program"
	if o.Name == "outfeed" {
		advice = "takes data from it: return the data as a result"
	}
	return fmt.Errorf("the program has an %s, and an execution would wait for ever, since no function of PJRT %s", o.Name, advice)
}
