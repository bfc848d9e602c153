// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Operations on types that compilers do not know, or know in some of their parts only.

func isSixBits(element string) bool { return strings.HasPrefix(element, sixBits) }

// checkSixBits refuses values of six bits where the compiler does not know them.
func checkSixBits(o *Op, c Compiler) error {
	if c.Minor < before115 {
		return checkUnknown(o, c)
	}
	if err := checkSixBitConstants(o, c); err != nil {
		return err
	}
	switch o.Name {
	case "sort":
		return checkSixBitSort(o)
	case "while":
		return checkSixBitLoop(o)
	case "convolution", "custom_call", "dot", "dot_general", "reduce_window", "scatter":
		return checkEmptySixBits(o)
	}
	return nil
}

// checkEmptySixBits refuses arrays without elements, of which the compiler makes constants, where
// it does not remove these.
func checkEmptySixBits(o *Op) error {
	if !o.stays {
		return nil
	}
	for i, v := range o.Operands {
		if isEmptySixBits(v) {
			return emptySixBits(fmt.Sprintf("operand %d of %s in the program", i, o.Name), v)
		}
	}
	return nil
}

func isEmptySixBits(v *Value) bool { return isSixBits(v.Type.Element) && v.Type.isEmpty() }

func emptySixBits(what string, v *Value) error {
	return fmt.Errorf("%s is an array of type %s without elements, and the compiler would end the process: leave it out, or convert it to another type",
		what, v.Type.Element)
}

// checkUnknown refuses values of types that came after the plugin, unless the compiler computes
// them before it makes HLO of the program.
func checkUnknown(o *Op, c Compiler) error {
	if !c.MLIR {
		return nil
	}
	for _, v := range slices.Concat(o.Operands, o.Results) {
		if isSixBits(v.Type.Element) && (v.Op == nil || !v.Op.isFolded(0)) {
			return fmt.Errorf("the program has a value of type %s at %s, and the compiler does not know the type and may end the process: "+
				"convert it to another type where the program gets it", v.Type.Element, o.Name)
		}
	}
	return nil
}

// checkSixBitConstants refuses constants of six bits that stay in the program, which cannot become
// HLO. One that everything converts is computed before.
func checkSixBitConstants(o *Op, c Compiler) error {
	if !c.MLIR || o.isFolded(0) {
		return nil
	}
	if o.Name == "while" && !slices.ContainsFunc(o.Operands, func(v *Value) bool { return v.Op == nil || !v.Op.isFolded(0) }) {
		return nil // the compiler may compute the loop, too
	}
	for i, v := range o.Operands {
		if isSixBits(v.Type.Element) && v.Op != nil && v.Op.isFolded(0) {
			return fmt.Errorf("operand %d of %s in the program is a constant of type %s, and the compiler would end the process: "+
				"make it an argument of the program, or convert it to another type", i, o.Name, v.Type.Element)
		}
	}
	return nil
}

// checkSixBitSort refuses comparators that look at values of six bits.
func checkSixBitSort(o *Op) error {
	if len(o.Operands) == 0 || len(o.Regions) != 1 {
		return nil
	}
	t := &o.Operands[0].Type
	d := o.dimension()
	if d < 0 {
		d += len(t.Dims)
	}
	if t.extent(d) <= 1 || t.elements() == 0 {
		return nil
	}
	return o.Regions[0].each(false, func(inner *Op) error {
		for _, v := range inner.Operands {
			if isSixBits(v.Type.Element) {
				return fmt.Errorf("the comparator of a sort in the program looks at values of type %s, and the compiler would end the process: "+
					"convert them to another type before the sort", v.Type.Element)
			}
		}
		return nil
	})
}

// checkSixBitLoop refuses values of six bits that a loop changes.
func checkSixBitLoop(o *Op) error {
	if len(o.Regions) != 2 {
		return nil
	}
	body := o.Regions[1]
	if body.Closed {
		body = o.Regions[0] // HLO has the condition last, and the values in one tuple
	}
	for i, v := range body.results() {
		stays := v.Op != nil && v.Op.Name == "get_tuple_element" || i < len(body.Params) && v == body.Params[i]
		if !stays && isSixBits(v.Type.Element) && v.Type.elements() > 0 {
			return fmt.Errorf("a loop in the program changes value %d, which is of type %s, and the compiler would end the process: "+
				"convert it to another type before the loop", i, v.Type.Element)
		}
	}
	return nil
}

// checkJoined refuses values that concatenate alone makes of elements of two or six bits, for which
// its code is wrong. Together with other operations it is compiled in another way.
func (m *Module) checkJoined(values []*Value, c Compiler) error {
	for _, v := range values {
		o := v.Op
		if o == nil || o.Name != "concatenate" || v.Type.elements() == 0 {
			continue
		}
		if e := v.Type.Element; e != "i2" && e != "ui2" && (!isSixBits(e) || c.Minor < before115) {
			continue
		}
		parts, alone := 0, true
		for _, part := range o.Operands {
			if part.Type.elements() > 0 {
				parts++
			}
			alone = alone && (slices.Contains(m.Main.Params, part) || part.Op != nil && part.Op.Name == "optimization_barrier")
		}
		if parts > 1 && alone {
			return fmt.Errorf("the program concatenates arrays of type %s and does nothing else with them, and the compiler would end the process: "+
				"concatenate them in a wider type, and convert the result", v.Type.Element)
		}
	}
	return nil
}

// checkRemainder refuses remainders of complex numbers, for which the compiler has no code.
func checkRemainder(o *Op) error {
	if len(o.Results) != 1 {
		return nil
	}
	if t := &o.Results[0].Type; strings.HasPrefix(t.Element, "complex<") && t.elements() > 0 {
		return errors.New("the program has a remainder of complex numbers, and the compiler would end the process: compute with the real and imaginary parts")
	}
	return nil
}

// checkRandom refuses random numbers of types for which the compiler has no code.
func checkRandom(o *Op) error {
	if len(o.Results) != 1 || o.Results[0].Type.elements() == 0 {
		return nil
	}
	switch e := o.Results[0].Type.Element; e {
	case "f16", "bf16", "f32", "f64", "i32", "i64", "ui32", "ui64", "complex<f32>", "complex<f64>":
		return nil
	default:
		return fmt.Errorf("the program has an rng of type %s, and the compiler would end the process: use f32 or i32, and convert the result", e)
	}
}

// checkBits refuses conversions in MLIR between bits and numbers of several bits.
func checkBits(o *Op, c Compiler) error {
	if !c.MLIR || c.Minor >= before106 || len(o.Operands) != 1 || len(o.Results) != 1 || o.Results[0].Type.elements() == 0 {
		return nil
	}
	from, to := o.Operands[0].Type.Element, o.Results[0].Type.Element
	if from == to || from != "i1" && to != "i1" {
		return nil
	}
	return fmt.Errorf("the program has a bitcast_convert of %s to %s, and the compiler would end the process: "+
		"use shifts, and convert to or from i1", from, to)
}
