// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
)

// Schedule says when each value of the entry computation is alive, judging by the
// instructions that use it. It is an upper estimate: the compiler may let a result take over
// the memory of an operand. It leaves out the memory needed inside called computations.
type Schedule struct {
	Steps    []Step
	Buffers  []Buffer
	Peak     int   // the step in which the most bytes are alive
	PeakSize int64 // the bytes alive in that step
	Measured bool  // the program is scheduled, so the steps run in this order
}

// Step is an instruction of the entry computation.
type Step struct {
	Name  string
	Bytes int64 // alive while it runs, in the default memory of the device
}

// Buffer is an array that an instruction of the entry computation makes.
type Buffer struct {
	Name        string // of the instruction, with {i} for an element of a tuple; only the beginning of a long one
	Kind        string // argument, constant, result or temporary
	Bytes       int64
	First, Last int // the steps in which it is alive

	instruction int64 // its number
	element     int
}

// Schedule finds out when each value is alive. It returns nil for a program that ReadProgram
// has not made.
func (p *Program) Schedule() *Schedule {
	if p == nil || p.module == nil {
		return nil
	}
	entry := p.module.Entry
	s := &Schedule{Steps: make([]Step, len(entry.Instructions)), Measured: p.Scheduled}
	last := len(s.Steps) - 1
	leaves := make(map[*hlo.Instruction][]int, len(entry.Instructions)) // the numbers of its buffers
	used := make(map[*hlo.Instruction]int, len(entry.Instructions))     // the last step that has it as an operand
	for n, i := range entry.Instructions {
		s.Steps[n].Name = i.Name
		for _, o := range i.Operands {
			used[o] = n
		}
		leaves[i] = s.define(i, n, leaves)
	}
	for i, list := range leaves {
		for _, b := range list {
			s.Buffers[b].Last = max(s.Buffers[b].Last, used[i])
		}
	}
	for _, b := range leaves[entry.Root] {
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

// define returns the numbers of the buffers that hold the result of an instruction: one for each
// array of its shape. An instruction that states another shape than its operands make has buffers
// of its own. Otherwise tuples of tuples whose shapes say nothing of it would double their buffers
// with each instruction.
func (s *Schedule) define(i *hlo.Instruction, step int, leaves map[*hlo.Instruction][]int) []int {
	arrays := i.Shape.Arrays()
	switch i.Opcode {
	case "tuple":
		if all, ok := concatenated(i.Operands, leaves, len(arrays)); ok {
			return all
		}
	case "bitcast", "optimization-barrier", "while", "add-dependency":
		// These return their operand, or work in place on it.
		if len(i.Operands) > 0 && len(leaves[i.Operands[0]]) == len(arrays) {
			return leaves[i.Operands[0]]
		}
	case "get-tuple-element":
		// Nearly all tuples are flat, so that the element is one array.
		if len(i.Operands) == 1 && len(arrays) == 1 {
			of := leaves[i.Operands[0]]
			if n := i.TupleIndex; n >= 0 && n < int64(len(of)) {
				return of[n : n+1]
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
	list := make([]int, 0, len(arrays))
	s.Buffers = slices.Grow(s.Buffers, len(arrays))
	for n, a := range arrays {
		b := Buffer{Name: i.Name, Kind: kind, Bytes: arrayBytes(a), First: step, Last: step, instruction: i.ID(), element: n}
		if i.Shape.IsTuple {
			b.Name = fmt.Sprintf("%s{%d}", excerpt.OfName(i.Name), n)
		}
		list = append(list, len(s.Buffers))
		s.Buffers = append(s.Buffers, b)
	}
	return list
}

// concatenated returns the buffers of all operands of a tuple, if there are want of them.
func concatenated(operands []*hlo.Instruction, leaves map[*hlo.Instruction][]int, want int) (all []int, ok bool) {
	for _, o := range operands {
		if want -= len(leaves[o]); want < 0 {
			return nil, false
		}
	}
	if want > 0 {
		return nil, false
	}
	for _, o := range operands {
		all = append(all, leaves[o]...)
	}
	return all, true
}

// AtPeak returns the buffers that are alive in the step of the peak, the largest first.
func (s *Schedule) AtPeak() []Buffer {
	if s == nil {
		return nil
	}
	numbers := s.atPeak()
	list := make([]Buffer, len(numbers))
	for n, b := range numbers {
		list[n] = s.Buffers[b]
	}
	return list
}

// atPeak returns the numbers of the buffers that AtPeak returns.
func (s *Schedule) atPeak() (list []int) {
	for n := range s.Buffers {
		if b := &s.Buffers[n]; b.First <= s.Peak && s.Peak <= b.Last && b.Bytes > 0 {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.Buffers[b].Bytes, s.Buffers[a].Bytes) })
	return list
}
