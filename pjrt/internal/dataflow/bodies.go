// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
	"strings"
)

// checkBody refuses what plugins for CPUs cannot compute for one element at a time, in the body of
// an operation that does so for many. It leaves bodies to the compiler that it may remove or make
// something simpler of.
func (m *Module) checkBody(o *Op) error {
	body := o.bodyPerElement()
	if body == nil {
		return nil
	}
	u := unknowns{}
	if !u.any(o.Operands) {
		return nil // the compiler may compute it
	}
	if found := m.notPerElement(body, u, 0); found != "" {
		return fmt.Errorf("the body of a %s in the program contains the operation %s, and the compiler would end the process: "+
			"compute it for whole arrays, before or after the %[1]s", o.Name, found)
	}
	return nil
}

// bodyPerElement returns the body that an operation applies to one element after the other, or nil
// if there is none or there are too few elements.
func (o *Op) bodyPerElement() *Block {
	if len(o.Results) == 0 || o.Results[0].Type.elements() == 0 || len(o.Operands) == 0 || len(o.Regions) == 0 {
		return nil
	}
	from := o.Operands[0].Type.elements()
	few := false
	body := o.Regions[0]
	switch o.Name {
	case "reduce":
		few = from < 2*o.Results[0].Type.elements()
	case "reduce_window":
		few = from == 0
	case "scatter":
		few = o.Operands[len(o.Operands)-1].Type.elements() == 0
	case "map":
		few = from == 0 || body.isOne()
	case "select_and_scatter":
		if len(o.Regions) != 2 || len(o.Operands) < 2 {
			return nil
		}
		few, body = o.Operands[1].Type.elements() == 0, o.Regions[1]
	default:
		return nil
	}
	if few {
		return nil
	}
	return body
}

// isOne reports whether the result of a block is a parameter, or that of one operation on
// parameters, which compilers apply to whole arrays.
func (b *Block) isOne() bool {
	results := b.results()
	return len(results) != 1 || results[0].Op == nil ||
		!slices.ContainsFunc(results[0].Op.Operands, func(v *Value) bool { return v.Op != nil })
}

// notPerElement returns the name of an operation in a body, whose result is used, for which the
// compiler has no code there.
func (m *Module) notPerElement(body *Block, u unknowns, calls int) string {
	for _, o := range body.Ops {
		if !slices.ContainsFunc(o.Results, func(r *Value) bool { return r.used }) {
			continue
		}
		switch o.Name {
		case "all_reduce", "collective_permute", "partition_id", "replica_id", "rng":
			return o.Name
		case "custom_call":
			if target := o.Attributes["call_target_name"].Text; !isCompilers(target) {
				return "custom_call of " + target
			}
		case "fft":
			if u.any(o.Operands) && o.Operands[0].Type.lastExtent() > 1 {
				return o.Name
			}
		case "case":
			if len(o.Regions) > 2 && len(o.Operands) > 0 && u.is(o.Operands[0]) && !sameResults(o.Regions) {
				return o.Name
			}
		case "while":
			if u.ends(o) {
				return o.Name
			}
		case "call":
			if f := m.Functions[o.Attributes["callee"].Text]; f != nil && calls < maxCalls && u.any(o.Operands) {
				if found := m.notPerElement(f, u, calls+1); found != "" {
					return found
				}
			}
		}
	}
	return ""
}

// lastExtent returns the extent of the last dimension, or 0 if there is none or it is not known.
func (t *Type) lastExtent() int64 {
	if len(t.Dims) == 0 {
		return 0
	}
	return t.extent(len(t.Dims) - 1)
}

// isCompilers reports whether compilers may know the target of a custom call, and make something
// else of it.
func isCompilers(target string) bool {
	if _, ok := operandsOf[target]; ok || strings.ContainsAny(target, ".$") || strings.HasPrefix(target, "_") {
		return true
	}
	switch target {
	case "", "AllocateBuffer", "MoveToDevice", "MoveToHost", "PadToStatic", "SliceToDynamic", "annotate_device_placement":
		return true
	}
	return false
}

// sameResults reports whether all blocks return the same values.
func sameResults(blocks []*Block) bool {
	first := blocks[0].results()
	for _, b := range blocks[1:] {
		others := b.results()
		if len(others) != len(first) {
			return false
		}
		for i := range others {
			if others[i] != first[i] {
				return false
			}
		}
	}
	return true
}

// unknowns has which values depend on a parameter of any block, so that compilers cannot compute
// them.
type unknowns map[*Value]bool

// maxUnknowns is how many values unknowns looks at. The others count as known.
const maxUnknowns = 1 << 12

func (u unknowns) any(values []*Value) bool {
	for _, v := range values {
		if u.is(v) {
			return true
		}
	}
	return false
}

func (u unknowns) is(v *Value) bool {
	if known, ok := u[v]; ok || len(u) >= maxUnknowns {
		return known
	}
	u[v] = false // until it is known
	u[v] = v.Op == nil && v.Type.Element != "" || v.Op != nil && u.any(v.Op.Operands)
	return u[v]
}

// ends reports whether something unknown before a loop decides when it ends.
func (u unknowns) ends(loop *Op) bool {
	if len(loop.Regions) != 2 || len(loop.Regions[0].Params) != len(loop.Operands) {
		return false
	}
	condition := loop.Regions[0]
	decides := unknowns{}
	for i, p := range condition.Params {
		tuple := loop.Operands[i].Op
		if !loop.Operands[i].Type.Tuple {
			decides[p] = u.is(loop.Operands[i])
			continue
		}
		// HLO has all values of a loop in one tuple.
		decides[p] = false
		for _, o := range condition.Ops {
			if index := o.number("index", 0); o.Name == "get_tuple_element" && slices.Contains(o.Operands, p) && tuple != nil &&
				tuple.Name == "tuple" && 0 <= index && index < int64(len(tuple.Operands)) {
				decides[o.Results[0]] = u.is(tuple.Operands[index])
			}
		}
	}
	return decides.any(condition.results())
}
