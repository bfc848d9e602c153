// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"cmp"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Schedule says which values of the entry computation are alive when, as its instructions
// need them. It is an upper estimate: the compiler may let a result take over the memory of
// an operand. It leaves out what the computations that the entry calls need inside.
type Schedule struct {
	Steps    []Step
	Buffers  []Buffer
	Peak     int   // the step in which the most bytes are alive
	PeakSize int64 // how many they are
	Measured bool  // the program is scheduled, so that the steps run in this order
}

// Step is an instruction of the entry computation.
type Step struct {
	Name  string
	Bytes int64 // that are alive while it runs, in the default memory of the device
}

// Buffer is an array that an instruction of the entry computation makes.
type Buffer struct {
	Name        string // of the instruction, with {i} for an element of a tuple
	Kind        string // argument, constant, result or temporary
	Bytes       int64
	First, Last int // the steps in which it is alive

	instruction int64
	element     int
}

// Schedule finds out which values are alive when. It returns nil for a program without
// computations.
func (p *Program) Schedule() *Schedule {
	if p == nil || len(p.Computations) == 0 {
		return nil
	}
	entry := &p.Computations[0]
	s := &Schedule{Steps: make([]Step, len(entry.Instructions)), Measured: p.Scheduled}
	last := len(s.Steps) - 1
	leaves := make(map[int64][]int, len(entry.Instructions)) // of each instruction, the numbers of its buffers
	for n := range entry.Instructions {
		i := &entry.Instructions[n]
		s.Steps[n].Name = i.Name
		for _, id := range i.operands {
			for _, b := range leaves[id] {
				s.Buffers[b].Last = max(s.Buffers[b].Last, n)
			}
		}
		leaves[i.id] = s.define(i, n, leaves)
	}
	for _, b := range leaves[entry.root] {
		s.Buffers[b].Last = last
		if s.Buffers[b].Kind == "temporary" {
			s.Buffers[b].Kind = "result"
		}
	}
	change := make([]int64, len(s.Steps)+1)
	for i := range s.Buffers {
		b := &s.Buffers[i]
		if b.Kind == "argument" || b.Kind == "constant" {
			b.First, b.Last = 0, last // the caller and the program keep them
		}
		change[b.First] += b.Bytes
		change[b.Last+1] -= b.Bytes
	}
	alive := int64(0)
	for n := range s.Steps {
		alive += change[n]
		s.Steps[n].Bytes = alive
		if alive > s.PeakSize {
			s.Peak, s.PeakSize = n, alive
		}
	}
	return s
}

// define returns the numbers of the buffers that hold the result of an instruction.
func (s *Schedule) define(i *Instruction, step int, leaves map[int64][]int) []int {
	switch i.Opcode {
	case "tuple":
		var all []int
		for _, id := range i.operands {
			all = append(all, leaves[id]...)
		}
		return all
	case "bitcast", "optimization-barrier", "while", "add-dependency":
		// These give their operand, or work in its place.
		if len(i.operands) > 0 && len(leaves[i.operands[0]]) == countLeaves(&i.shape, 0) {
			return leaves[i.operands[0]]
		}
	case "get-tuple-element":
		if len(i.operands) == 1 {
			of := leaves[i.operands[0]]
			if from, ok := s.element(i, of); ok {
				return of[from : from+countLeaves(&i.shape, 0)]
			}
		}
	}
	kind := "temporary"
	switch i.Opcode {
	case "parameter":
		kind = "argument"
	case "constant":
		kind = "constant"
	}
	var list []int
	s.add(i, &i.shape, kind, step, 0, &list)
	return list
}

// element returns where the leaves of an element of a tuple begin. It knows flat tuples,
// which nearly all are.
func (s *Schedule) element(i *Instruction, of []int) (int, bool) {
	n := countLeaves(&i.shape, 0)
	return int(i.tupleIndex), n == 1 && i.tupleIndex >= 0 && i.tupleIndex < int64(len(of))
}

// add adds the arrays of a shape as buffers.
func (s *Schedule) add(i *Instruction, shape *xlaproto.Shape, kind string, step, depth int, list *[]int) {
	if shape.IsTuple() {
		for e := range shape.Tuple {
			if depth <= xlaproto.MaxTupleDepth {
				s.add(i, &shape.Tuple[e], kind, step, depth+1, list)
			}
		}
		return
	}
	b := Buffer{Name: i.Name, Kind: kind, Bytes: shapeBytes(shape, 0), First: step, Last: step, instruction: i.id, element: len(*list)}
	if i.shape.IsTuple() {
		b.Name += "{" + joinInts([]int64{int64(len(*list))}) + "}"
	}
	*list = append(*list, len(s.Buffers))
	s.Buffers = append(s.Buffers, b)
}

func countLeaves(s *xlaproto.Shape, depth int) int {
	if !s.IsTuple() {
		return 1
	}
	n := 0
	for i := range s.Tuple {
		if depth <= xlaproto.MaxTupleDepth {
			n += countLeaves(&s.Tuple[i], depth+1)
		}
	}
	return n
}

// AtPeak returns the buffers that are alive in the step of the peak, the largest first.
func (s *Schedule) AtPeak() []Buffer {
	if s == nil {
		return nil
	}
	var list []Buffer
	for _, b := range s.Buffers {
		if b.First <= s.Peak && s.Peak <= b.Last && b.Bytes > 0 {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b Buffer) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}
