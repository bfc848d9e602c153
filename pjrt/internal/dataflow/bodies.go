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
	if m.bodies == nil {
		m.unknown, m.bodies = unknowns{make(map[*Value]bool), mostUnknowns}, make(map[*Block]string)
	}
	if !m.unknown.any(o.Operands) {
		return nil // the compiler may compute it
	}
	if found := m.notPerElement(body); found != "" {
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

// notPerElement returns the name of an operation in a body, or in a function that it calls, whose
// result is used and for which the compiler has no code there, or "".
func (m *Module) notPerElement(body *Block) string {
	found, ok := m.bodies[body]
	if !ok {
		m.bodies[body] = "" // until it is known
		found = m.lookPerElement(body)
		m.bodies[body] = found
	}
	return found
}

func (m *Module) lookPerElement(body *Block) string {
	u := m.unknown
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
			if u.any(o.Operands) {
				if t := &o.Operands[0].Type; t.extent(len(t.Dims)-1) > 1 {
					return o.Name
				}
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
			if f := m.Functions[o.Attributes["callee"].Text]; f != nil && u.any(o.Operands) {
				if found := m.notPerElement(f); found != "" {
					return found
				}
			}
		}
	}
	return ""
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
	return !slices.ContainsFunc(blocks, func(b *Block) bool { return !slices.Equal(b.results(), first) })
}

// unknowns has which values depend on a parameter of any block, so that compilers cannot compute
// them.
type unknowns struct {
	known map[*Value]bool
	most  int // how many values are looked at; the others count as computed
}

// How many values are looked at, those of the whole program and those of the condition of a loop.
const (
	mostUnknowns     = 1 << 16
	mostOfConditions = 1 << 10
)

func (u unknowns) any(values []*Value) bool { return slices.ContainsFunc(values, u.is) }

func (u unknowns) is(v *Value) bool {
	if known, ok := u.known[v]; ok || len(u.known) >= u.most {
		return known
	}
	u.known[v] = false // until it is known
	u.known[v] = v.Op == nil && v.Type.Element != "" || v.Op != nil && u.any(v.Op.Operands)
	return u.known[v]
}

// ends reports whether something unknown before a loop decides when it ends.
func (u unknowns) ends(loop *Op) bool {
	if len(loop.Regions) != 2 || len(loop.Operands) == 0 || len(loop.Regions[0].Params) != len(loop.Operands) {
		return false
	}
	condition := loop.Regions[0]
	decides := unknowns{make(map[*Value]bool), mostOfConditions}
	for i, p := range condition.Params {
		decides.known[p] = u.is(loop.Operands[i]) && !loop.Operands[i].Type.Tuple
	}
	if tuple := loop.Operands[0].Op; len(loop.Operands) == 1 && tuple != nil && tuple.Name == "tuple" {
		// HLO has all values of a loop in one tuple.
		for _, o := range condition.Ops {
			index := o.number("index", 0)
			if o.Name == "get_tuple_element" && len(o.Results) == 1 && slices.Contains(o.Operands, condition.Params[0]) &&
				0 <= index && index < int64(len(tuple.Operands)) {
				decides.known[o.Results[0]] = u.is(tuple.Operands[index])
			}
		}
	}
	return decides.any(condition.results())
}
