// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/pjrt/proto/executable.proto, xla/service/cpu/executable.proto and
// xla/service/hlo.proto.
const (
	serializedExecutable = 1 // ExecutableAndOptionsProto

	compiledAssignment = 2 // CompilationResultProto of the CPU compiler
	compiledSymbols    = 7
	symbolName         = 2

	assignmentBuffers     = 1 // BufferAssignmentProto
	assignmentAllocations = 3

	logicalID          = 1 // LogicalBufferProto
	logicalDefined     = 3
	locationShapeIndex = 3
	locationID         = 4

	allocationIndex       = 1 // BufferAllocationProto
	allocationSize        = 2
	allocationThreadLocal = 3
	allocationParameter   = 5
	allocationNumber      = 6
	allocationLiveOut     = 7
	allocationAssigned    = 9
	allocationTuple       = 11
	allocationConstant    = 12

	assignedBuffer = 1 // BufferAllocationProto.Assigned
	assignedOffset = 2
	assignedSize   = 3
)

// Allocation is a piece of memory that the compiler planned for an execution.
type Allocation struct {
	Index int64
	Bytes int64
	Kind  string // argument N, result, constant, pointers of a tuple, of a thread, or temporary
	Slots []Slot // what lies in it, by offset
}

// ofThread is the kind of an Allocation that each thread has for itself.
const ofThread = "of a thread"

// Slot is a part of an Allocation that a value occupies while it is alive.
type Slot struct {
	Name          string // of the instruction that makes it; "" for one outside the entry computation
	Offset, Bytes int64
	First, Last   int // the steps of the Schedule in which it is alive; -1 if that is unknown
}

// location is an array that an instruction makes.
type location struct {
	instruction int64
	element     int
}

// readSerialized reads the allocations and kernels in serialized executables of XLA's CPU
// plugin. Those of other plugins have nothing that it can read.
func (r *Report) readSerialized(code []byte) {
	compiled, err := wire.Message(code, serializedExecutable)
	if err != nil || compiled == nil {
		return
	}
	assignment, err := wire.Message(compiled, compiledAssignment)
	if err != nil {
		return
	}
	allocations, err := readAssignment(assignment, wire.NewRoom(len(assignment)))
	if err != nil || len(allocations) == 0 {
		return
	}
	var symbols []Kernel
	err = wire.VisitMessages(compiled, compiledSymbols, func(b []byte) error {
		return wire.VisitMessages(b, symbolName, func(name []byte) error {
			symbols = append(symbols, Kernel{Name: string(name)})
			return nil
		})
	})
	if err != nil {
		return
	}
	kernels := make(map[string]Kernel, len(r.Kernels))
	for _, k := range r.Kernels {
		kernels[k.Name] = k
	}
	for i := range symbols {
		if k, ok := kernels[symbols[i].Name]; ok {
			symbols[i] = k
		}
	}
	r.Kernels = symbols
	r.Allocations = r.place(allocations)
}

// planned is an Allocation whose slots are still numbers.
type planned struct {
	Allocation
	buffers []location // of Slots
}

// place names the values in the allocations, and says when they are alive.
func (r *Report) place(list []planned) []Allocation {
	alive := make(map[location]Buffer)
	names := make(map[int64]string)
	if r.Schedule != nil {
		for _, b := range r.Schedule.Buffers {
			alive[location{b.instruction, b.element}] = b
		}
		for _, i := range r.Program.module.Entry.Instructions {
			names[i.ID()] = i.Name
		}
	}
	all := make([]Allocation, len(list))
	for n, p := range list {
		for i := range p.Slots {
			slot := &p.Slots[i]
			slot.Name, slot.First, slot.Last = names[p.buffers[i].instruction], -1, -1
			if b, ok := alive[p.buffers[i]]; ok && slot.Name != "" {
				slot.Name, slot.First, slot.Last = b.Name, b.First, b.Last
			}
		}
		slices.SortStableFunc(p.Slots, func(a, b Slot) int { return cmp.Compare(a.Offset, b.Offset) })
		all[n] = p.Allocation
	}
	slices.SortStableFunc(all, func(a, b Allocation) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// readAssignment reads a BufferAssignmentProto. Allocations and slots take room, since a few bytes
// become each.
func readAssignment(b []byte, room *wire.Room) ([]planned, error) {
	buffers := make(map[int64]location)
	var list []planned
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(assignmentBuffers, wire.Bytes):
			id, at, err := readLogicalBuffer(f.Bytes)
			buffers[id] = at
			return err
		case f.Is(assignmentAllocations, wire.Bytes):
			if err := wire.Take[planned](room); err != nil {
				return err
			}
			p, err := readAllocation(f.Bytes, buffers, room)
			list = append(list, p)
			return err
		}
		return nil
	})
	return list, err
}

func readLogicalBuffer(b []byte) (id int64, at location, err error) {
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(logicalID, wire.Varint):
			id = int64(f.Int)
		case f.Is(logicalDefined, wire.Bytes):
			return wire.Visit(f.Bytes, func(f wire.Field) error {
				var index []int
				switch {
				case f.IsList(locationShapeIndex):
					err := wire.Ints(&index, f)
					if len(index) > 0 {
						at.element = index[0]
					}
					return err
				case f.Is(locationID, wire.Varint):
					at.instruction = int64(f.Int)
				}
				return nil
			})
		}
		return nil
	})
	return id, at, err
}

func readAllocation(b []byte, buffers map[int64]location, room *wire.Room) (planned, error) {
	p := planned{Allocation: Allocation{Kind: "temporary"}}
	number := int64(0)
	flags := make(map[wire.Number]bool)
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(allocationAssigned, wire.Bytes):
			var slot Slot
			var id int64
			if err := errors.Join(wire.Take[Slot](room), wire.Take[location](room)); err != nil {
				return err
			}
			err := wire.Visit(f.Bytes, func(f wire.Field) error {
				switch {
				case f.Is(assignedBuffer, wire.Varint):
					id = int64(f.Int)
				case f.Is(assignedOffset, wire.Varint):
					slot.Offset = int64(f.Int)
				case f.Is(assignedSize, wire.Varint):
					slot.Bytes = int64(f.Int)
				}
				return nil
			})
			p.Slots, p.buffers = append(p.Slots, slot), append(p.buffers, buffers[id])
			return err
		case f.Is(allocationIndex, wire.Varint):
			p.Index = int64(f.Int)
		case f.Is(allocationSize, wire.Varint):
			p.Bytes = int64(f.Int)
		case f.Is(allocationNumber, wire.Varint):
			number = int64(f.Int)
		case f.Type == wire.Varint:
			flags[f.Number] = f.Bool()
		}
		return nil
	})
	for _, k := range []struct {
		flag wire.Number
		kind string
	}{
		{allocationParameter, fmt.Sprintf("argument %d", number)}, {allocationThreadLocal, ofThread},
		{allocationConstant, "constant"}, {allocationTuple, "pointers of a tuple"}, {allocationLiveOut, "result"},
	} {
		if flags[k.flag] {
			p.Kind = k.kind
			break
		}
	}
	return p, err
}
