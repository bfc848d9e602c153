// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Decode reads a HloModuleProto message, or the module in a HloModuleProtoWithConfig: what
// Executable.OptimizedProgram of package pjrt returns. The module does not share memory with
// code. An error says what is wrong with the bytes.
func Decode(code []byte) (*Module, error) {
	m, err := decode(code)
	if err != nil {
		return nil, fmt.Errorf("hlo: the bytes are not an HLO module: %w", err)
	}
	return m, nil
}

// decoder resolves the numbers by which the parts of a module refer to computations.
type decoder struct {
	room         *wire.Room
	computations map[int64]*Computation
	calls        []call
	instructions map[*Computation]map[int64]*Instruction // of scheduled computations
}

// call is an instruction whose called computations are still numbers.
type call struct {
	of  *Instruction
	ids []int64
}

func decode(code []byte) (*Module, error) {
	module, err := moduleOf(code)
	if err != nil {
		return nil, err
	}
	m := new(Module)
	d := decoder{
		room: wire.NewRoom(len(code)), computations: make(map[int64]*Computation),
		instructions: make(map[*Computation]map[int64]*Instruction),
	}
	var entry int64
	var schedule []byte
	err = wire.Visit(module, func(f wire.Field) error {
		switch {
		case f.Is(moduleName, wire.Bytes):
			m.Name = string(f.Bytes)
		case f.Is(moduleID, wire.Varint):
			m.ID = int64(f.Int)
		case f.Is(moduleComputations, wire.Bytes):
			c, err := d.computation(f.Bytes)
			if err != nil {
				return err
			}
			m.Computations = append(m.Computations, c)
		case f.Is(moduleEntry, wire.Varint):
			entry = int64(f.Int)
		case f.Is(moduleEntryName, wire.Bytes): // Encode writes Entry's name
		case f.Is(moduleSchedule, wire.Bytes):
			schedule, m.scheduled = append(schedule, f.Bytes...), true
		default:
			m.rest = append(m.rest, f.Raw...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(m.Computations) == 0 {
		return nil, fmt.Errorf("there are no computations")
	}
	if m.Entry = d.computations[entry]; m.Entry == nil {
		return nil, fmt.Errorf("the entry is computation %d, which is missing", entry)
	}
	for _, c := range d.calls {
		c.of.Called = make([]*Computation, 0, len(c.ids))
		for _, id := range c.ids {
			to := d.computations[id]
			if to == nil {
				return nil, fmt.Errorf("%s calls computation %d, which is missing", excerpt.Of(c.of.Name), id)
			}
			c.of.Called = append(c.of.Called, to)
		}
	}
	return m, d.schedule(schedule)
}

// moduleOf returns the HloModuleProto in code.
func moduleOf(code []byte) ([]byte, error) {
	with := len(code) > 0
	err := wire.Visit(code, func(f wire.Field) error {
		// A bare HloModuleProto has strings in these fields, and computations in field 3.
		if f.Type != wire.Bytes || f.Number != withConfigModule && f.Number != withConfigConfig {
			with = false
		}
		return nil
	})
	if err != nil || !with {
		return code, err
	}
	return wire.Message(code, withConfigModule)
}

func (d *decoder) computation(b []byte) (*Computation, error) {
	if err := wire.Take[Computation](d.room); err != nil {
		return nil, err
	}
	c := &Computation{known: true}
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(computationName, wire.Bytes):
			c.Name = string(f.Bytes)
		case f.Is(computationID, wire.Varint):
			c.id = int64(f.Int)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if d.computations[c.id] != nil {
		return nil, fmt.Errorf("two computations have the number %d", c.id)
	}
	d.computations[c.id] = c
	instructions := make(map[int64]*Instruction)
	var edges [][2][]int64 // of each instruction
	var root int64
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(computationName, wire.Bytes), f.Is(computationID, wire.Varint): // they are read
		case f.Is(computationInstructions, wire.Bytes):
			i, err := d.instruction(f.Bytes)
			if err != nil {
				return fmt.Errorf("computation %s: %w", excerpt.Of(c.Name), err)
			}
			if instructions[i.id] != nil {
				return fmt.Errorf("computation %s: two instructions have the number %d", excerpt.Of(c.Name), i.id)
			}
			instructions[i.id] = i.Instruction
			c.Instructions, edges = append(c.Instructions, i.Instruction), append(edges, [2][]int64{i.operands, i.after})
		case f.Is(computationRoot, wire.Varint):
			root = int64(f.Int)
		default:
			c.rest = append(c.rest, f.Raw...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Root = instructions[root]; c.Root == nil {
		return nil, fmt.Errorf("computation %s: its root is instruction %d, which is missing", excerpt.Of(c.Name), root)
	}
	for at, i := range c.Instructions {
		for n, list := range []*[]*Instruction{&i.Operands, &i.After} {
			*list = slices.Grow(*list, len(edges[at][n]))
			for _, id := range edges[at][n] {
				o := instructions[id]
				if o == nil {
					return nil, fmt.Errorf("computation %s: %s refers to instruction %d, which is missing",
						excerpt.Of(c.Name), excerpt.Of(i.Name), id)
				}
				*list = append(*list, o)
			}
		}
	}
	return c, nil
}

func (d *decoder) instruction(b []byte) (*linked, error) {
	if err := wire.Take[Instruction](d.room); err != nil {
		return nil, err
	}
	i := &linked{Instruction: &Instruction{known: true}}
	if err := instructionFields.Read(b, i); err != nil {
		return nil, err
	}
	// Each number becomes a pointer, and in package inspect a name, and may take but one byte.
	if err := d.room.Take(4 * 8 * (len(i.operands) + len(i.after) + len(i.called))); err != nil {
		return nil, err
	}
	p, err := xlaproto.UnmarshalShapeIn(d.room, i.shape)
	if err != nil {
		return nil, err
	}
	i.Shape = shapeOf(&p)
	if len(i.called) > 0 {
		d.calls = append(d.calls, call{i.Instruction, i.called})
	}
	return i, nil
}

// schedule reads a HloScheduleProto.
func (d *decoder) schedule(b []byte) error {
	return wire.VisitMessages(b, scheduleSequences, func(entry []byte) error {
		var key int64
		var ids []int64
		err := wire.Visit(entry, func(f wire.Field) error {
			switch {
			case f.Is(sequenceKey, wire.Varint):
				key = int64(f.Int)
			case f.Is(sequenceValue, wire.Bytes):
				return wire.Visit(f.Bytes, func(f wire.Field) error {
					if f.IsList(sequenceIDs) {
						return wire.Ints(&ids, f)
					}
					return nil
				})
			}
			return nil
		})
		if err != nil {
			return err
		}
		c := d.computations[key]
		if c == nil {
			return fmt.Errorf("the schedule is for computation %d, which is missing", key)
		}
		byID := d.instructions[c]
		if byID == nil {
			byID = make(map[int64]*Instruction, len(c.Instructions))
			for _, i := range c.Instructions {
				byID[i.id] = i
			}
			d.instructions[c] = byID
		}
		if c.listed = true; len(ids) > 0 {
			c.scheduled = true
			c.Schedule = make([]*Instruction, len(ids))
		}
		for n, id := range ids {
			if c.Schedule[n] = byID[id]; c.Schedule[n] == nil {
				return fmt.Errorf("the schedule of computation %s has instruction %d, which is missing", excerpt.Of(c.Name), id)
			}
		}
		return nil
	})
}
