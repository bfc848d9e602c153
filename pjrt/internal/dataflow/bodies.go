// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
	"strings"
)

// checkBodies refuses what plugins for CPUs cannot compute for one element at a time, in the bodies
// of an operation that does so for many, and in the comparator of a sort. It leaves bodies to the
// compiler that it may remove or make something simpler of.
func (m *Module) checkBodies(o *Op, c Compiler) error {
	bodies := o.bodiesPerElement()
	if m.bodies == nil && len(bodies) > 0 {
		m.unknown, m.bodies = unknowns{make(map[*Value]bool), mostUnknowns}, make(map[bodyKey]string)
	}
	if len(bodies) == 0 || !m.unknown.any(o.Operands) {
		return nil // the compiler may compute it
	}
	for _, body := range bodies {
		if found := m.notPerElement(bodyKey{body, o.Name == "sort"}, c); found != "" {
			return fmt.Errorf("the body of a %s in the program contains the operation %s, and the compiler would end the process: "+
				"compute it for whole arrays, before or after the %[1]s", o.Name, found)
		}
	}
	return nil
}

// bodyKey is a body, and whether it is or belongs to the comparator of a sort.
type bodyKey struct {
	body  *Block
	order bool
}

// bodiesPerElement returns the bodies that an operation applies to one element after the other, or
// nil if there are none or too few elements.
func (o *Op) bodiesPerElement() []*Block {
	if len(o.Results) == 0 || o.Results[0].Type.elements() == 0 || len(o.Operands) == 0 || len(o.Regions) == 0 {
		return nil
	}
	from := o.Operands[0].Type.elements()
	few := false
	switch o.Name {
	case "sort":
		few = o.alongDimension() < 2
	case "reduce":
		few = from < 2*o.Results[0].Type.elements()
	case "reduce_window":
		few = from == 0
	case "scatter":
		few = o.Operands[len(o.Operands)-1].Type.elements() == 0
	case "map":
		few = from == 0 || o.Regions[0].isOne()
	case "select_and_scatter":
		if len(o.Regions) != 2 || len(o.Operands) < 2 {
			return nil
		}
		few = o.Operands[1].Type.elements() == 0
	default:
		return nil
	}
	if few {
		return nil
	}
	return o.Regions
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
func (m *Module) notPerElement(key bodyKey, c Compiler) string {
	found, ok := m.bodies[key]
	if !ok {
		m.bodies[key] = "" // until it is known
		found = m.lookPerElement(key, c)
		m.bodies[key] = found
	}
	return found
}

func (m *Module) lookPerElement(key bodyKey, c Compiler) string {
	for _, o := range key.body.Ops {
		if o.Name == "call" {
			if f := m.Functions[o.Attributes["callee"].Text]; f != nil && m.unknown.any(o.Operands) {
				if found := m.notPerElement(bodyKey{f, key.order}, c); found != "" {
					return found
				}
			}
		}
		isUsed := slices.ContainsFunc(o.Results, func(r *Value) bool { return r.used })
		switch {
		case o.Name == "send" || o.Name == "collective_broadcast":
			return o.Name // though nothing uses it
		case !isUsed:
		case o.Name == "custom_call" && !c.removes(o.Attributes["call_target_name"].Text):
			return "custom_call of " + o.Attributes["call_target_name"].Text
		case m.isForArrays(o, key.body), key.order && m.isNotForComparators(o, c):
			return o.Name
		}
	}
	return ""
}

// isForArrays reports whether the compiler has code for an operation of a block only outside of
// bodies.
func (m *Module) isForArrays(o *Op, in *Block) bool {
	u := m.unknown
	switch o.Name {
	case "all_gather", "all_reduce", "all_to_all", "collective_permute", "fft", "partition_id", "recv", "reduce_scatter", "replica_id",
		"rng":
		return true
	case "cholesky", "triangular_solve":
		return len(o.Operands) > 0 && o.Operands[0].Type.last() > 1
	case "scatter", "select_and_scatter":
		return u.any(o.Operands)
	case "convolution":
		return u.any(o.Operands) && !slices.ContainsFunc(o.Operands, (*Value).isBroadcast)
	case "sort":
		isVaried := func(v *Value) bool { return !v.isBroadcast() && (u.is(v) || v.Op != nil && v.Op.Name == "iota") }
		return o.alongDimension() > 1 && slices.ContainsFunc(o.Operands, isVaried)
	case "case":
		return len(o.Regions) > 2 && len(o.Operands) > 0 && u.is(o.Operands[0]) && !sameResults(o.Regions)
	case "top_k", "topk":
		return u.any(o.Operands) && o.Operands[0].Type.last() > 1 && !o.Operands[0].isBroadcast()
	case "while":
		return u.ends(o) || o.changes(in)
	}
	return false
}

// isNotForComparators reports whether the compiler has no code for an operation in the comparator
// of a sort, though it has in other bodies.
func (m *Module) isNotForComparators(o *Op, c Compiler) bool {
	switch o.Name {
	case "reduce":
		return m.unknown.any(o.Operands) && o.Operands[0].Type.elements() > o.Results[0].Type.elements()
	case "reduce_window":
		return m.unknown.any(o.Operands)
	case "dynamic_update_slice":
		return c.Minor >= after106
	}
	return false
}

// alongDimension returns how many elements an operation on one dimension has there.
func (o *Op) alongDimension() int64 {
	if len(o.Operands) == 0 {
		return 0
	}
	t, d := &o.Operands[0].Type, o.dimension()
	if d < 0 {
		d += len(t.Dims)
	}
	return t.extent(d)
}

// last returns the extent of the last dimension.
func (t *Type) last() int64 { return t.extent(len(t.Dims) - 1) }

// isBroadcast reports whether all elements are the same one.
func (v *Value) isBroadcast() bool {
	return v.Op != nil && (v.Op.Name == "broadcast_in_dim" || v.Op.Name == "broadcast") && len(v.Op.Operands) > 0 &&
		v.Op.Operands[0].Type.elements() == 1
}

// removes reports whether the compiler removes the custom calls of a target from programs.
func (c Compiler) removes(target string) bool {
	switch target {
	case "LayoutConstraint", "SPMDFullToShardShape", "SPMDShardToFullShape", "SetBound", "ShardBarrierFrom", "ShardBarrierTo", "Sharding":
		return true
	case "MoveToDevice", "MoveToHost", "annotate_device_placement":
		return c.Minor >= before115
	}
	return strings.HasPrefix(target, "xla.sdy.")
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
			if index, ok := o.elementOf(condition.Params[0]); ok && len(o.Results) == 1 && index < int64(len(tuple.Operands)) {
				decides.known[o.Results[0]] = u.is(tuple.Operands[index])
			}
		}
	}
	return decides.any(condition.results())
}

// changes reports whether a loop in a block changes a value that something after it uses.
func (loop *Op) changes(in *Block) bool {
	if len(loop.Regions) != 2 {
		return false
	}
	body := loop.Regions[1]
	results := body.results()
	if len(results) != len(loop.Results) || len(body.Params) != len(loop.Results) {
		return false
	}
	for i, r := range loop.Results {
		switch after := results[i].Op; {
		case !r.used:
		case !r.Type.Tuple:
			if results[i] != body.Params[i] {
				return true
			}
		case after != nil && after.Name == "tuple":
			// HLO has all values of a loop in one tuple.
			for _, o := range in.Ops {
				index, ok := o.elementOf(r)
				if !ok || !o.Results[0].used || index >= int64(len(after.Operands)) {
					continue
				}
				next := after.Operands[index].Op
				if next == nil {
					return true
				}
				if same, ok := next.elementOf(body.Params[i]); !ok || same != index {
					return true
				}
			}
		}
	}
	return false
}

// elementOf returns which element of a tuple an operation takes, if it takes one.
func (o *Op) elementOf(tuple *Value) (index int64, ok bool) {
	index = o.number("index", 0)
	return index, o.Name == "get_tuple_element" && slices.Contains(o.Operands, tuple) && index >= 0
}
