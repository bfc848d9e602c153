// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Encode returns the module as a HloModuleProto message. It names what has no name, numbers
// instructions and computations that have no number or that of another, such as copies, and
// writes instructions and computations in the order that XLA requires: whatever is used before
// whatever uses it. A module that XLA would take for damaged is an error: an instruction whose
// operand is in another computation, a cycle, two instructions with one name, a schedule that
// lacks an instruction. Encode leaves it to the compiler to check that shapes fit the
// operations.
func (m *Module) Encode() ([]byte, error) {
	if m == nil {
		return nil, fmt.Errorf("hlo: the module is nil")
	}
	e := encoder{m: m, names: make(map[string]bool), owner: make(map[*Instruction]*Computation)}
	b, err := e.encode()
	if err != nil {
		return nil, fmt.Errorf("hlo: module %s: %w", m.Name, err)
	}
	return b, nil
}

type encoder struct {
	m     *Module
	names map[string]bool // of instructions and computations
	owner map[*Instruction]*Computation
	used  int // how many names were made
}

func (e *encoder) encode() ([]byte, error) {
	if err := e.number(); err != nil {
		return nil, err
	}
	if !slices.Contains(e.m.Computations, e.m.Entry) {
		return nil, fmt.Errorf("the entry is not one of the computations")
	}
	computations, err := sorted(e.m.Computations, func(c *Computation) []*Computation {
		var called []*Computation
		for _, i := range c.Instructions {
			called = append(called, i.Called...)
		}
		return called
	})
	if err != nil {
		return nil, fmt.Errorf("the computations call each other in a circle, or call one that is not in the module")
	}
	b := wire.AppendNonempty(nil, moduleName, e.m.Name)
	b = wire.AppendNonzero(b, moduleID, e.m.ID)
	b = wire.AppendNonempty(b, moduleEntryName, e.m.Entry.Name)
	b = wire.AppendInt(b, moduleEntry, e.m.Entry.id)
	for _, c := range computations {
		code, err := e.computation(c)
		if err != nil {
			return nil, fmt.Errorf("computation %s: %w", c.Name, err)
		}
		b = wire.AppendBytes(b, moduleComputations, code)
	}
	schedule, err := e.schedule(computations)
	if err != nil {
		return nil, err
	}
	if e.m.scheduled || schedule != nil {
		b = wire.AppendBytes(b, moduleSchedule, schedule)
	}
	if !has(e.m.rest, moduleProgram) {
		if b, err = appendProgram(b, moduleProgram, e.m.Entry); err != nil {
			return nil, err
		}
	}
	return append(b, e.m.rest...), nil
}

// has reports whether a message has a field.
func has(message []byte, n wire.Number) bool {
	found := false
	_ = wire.Visit(message, func(f wire.Field) error { // Decode has read it, so no error
		found = found || f.Number == n
		return nil
	})
	return found
}

// appendProgram appends a ProgramShapeProto, which computations from XLA have.
func appendProgram(b []byte, n wire.Number, c *Computation) ([]byte, error) {
	var parameters []*Instruction
	for _, i := range c.Instructions {
		if i.Opcode == "parameter" {
			parameters = append(parameters, i)
		}
	}
	slices.SortStableFunc(parameters, func(x, y *Instruction) int { return cmp.Compare(x.Parameter, y.Parameter) })
	var program []byte
	for number, i := range parameters {
		if i.Parameter != int64(number) {
			return nil, fmt.Errorf("computation %s: parameter %d is missing or appears twice", c.Name, number)
		}
		p, err := i.Shape.proto(0)
		if err != nil {
			return nil, err
		}
		program = wire.AppendBytes(program, programParameters, p.Marshal())
	}
	p, err := c.Root.Shape.proto(0)
	if err != nil {
		return nil, err
	}
	program = wire.AppendBytes(program, programResult, p.Marshal())
	for _, i := range parameters {
		program = wire.AppendBytes(program, programNames, i.Name)
	}
	return wire.AppendBytes(b, n, program), nil
}

// numberComputations gives numbers to computations that have none or that of another: a copy, or
// one from another module.
func (e *encoder) numberComputations() error {
	last := int64(-1)
	for n, c := range e.m.Computations {
		if c == nil {
			return fmt.Errorf("computation %d is nil", n)
		}
		if c.known {
			last = max(last, c.id)
		}
		if c.Name != "" {
			if e.names[c.Name] {
				return fmt.Errorf("two computations have the name %s", c.Name)
			}
			e.names[c.Name] = true
		}
	}
	numbers := numbering{last, make(map[int64]bool, len(e.m.Computations))}
	for _, c := range e.m.Computations {
		numbers.take(&c.id, &c.known)
	}
	return nil
}

// numbering gives numbers to what has none, or that of another.
type numbering struct {
	last int64
	seen map[int64]bool
}

func (n *numbering) take(id *int64, known *bool) {
	for !*known || n.seen[*id] {
		n.last++
		*id, *known = n.last, true
	}
	n.seen[*id] = true
}

// number gives names and numbers to what has none.
func (e *encoder) number() error {
	if err := e.numberComputations(); err != nil {
		return err
	}
	inUse := make(map[string]bool) // by instructions
	for _, c := range e.m.Computations {
		last := int64(-1)
		for n, i := range c.Instructions {
			if i == nil {
				return fmt.Errorf("computation %s: instruction %d is nil", c.Name, n)
			}
			if e.owner[i] != nil {
				return fmt.Errorf("the instruction %s is in the module twice", i.Name)
			}
			if e.owner[i] = c; i.Name != "" {
				if inUse[i.Name] {
					return fmt.Errorf("two instructions have the name %s", i.Name)
				}
				inUse[i.Name] = true
			}
			if i.known {
				last = max(last, i.id)
			}
		}
		if last < 0 {
			// In XLA, the high half of an instruction's number is its computation's number.
			last = c.id<<32 - 1
		}
		numbers := numbering{last, make(map[int64]bool, len(c.Instructions))}
		for _, i := range c.Instructions { // one with the number of another is a copy, or came from elsewhere
			numbers.take(&i.id, &i.known)
		}
	}
	for name := range inUse {
		e.names[name] = true
	}
	for _, c := range e.m.Computations {
		if c.Name == "" {
			c.Name = e.name("computation")
		}
		for _, i := range c.Instructions {
			if i.Name == "" {
				i.Name = e.name(i.Opcode)
			}
		}
	}
	return nil
}

// name returns an unused name that begins with prefix.
func (e *encoder) name(prefix string) string {
	for {
		e.used++
		if name := prefix + ".go" + strconv.Itoa(e.used); !e.names[name] {
			e.names[name] = true
			return name
		}
	}
}

func (e *encoder) computation(c *Computation) ([]byte, error) {
	if e.owner[c.Root] != c {
		return nil, fmt.Errorf("the root is not one of the instructions")
	}
	for _, i := range c.Instructions {
		for _, o := range slices.Concat(i.Operands, i.After) {
			switch e.owner[o] {
			case c:
				continue
			case nil:
				return nil, fmt.Errorf("%s uses an instruction that is not in the module: add it", i.Name)
			}
			return nil, fmt.Errorf("%s uses %s, which is in computation %s", i.Name, o.Name, e.owner[o].Name)
		}
	}
	instructions, err := sorted(c.Instructions, func(i *Instruction) []*Instruction { return slices.Concat(i.Operands, i.After) })
	if err != nil {
		return nil, fmt.Errorf("the instructions use each other in a circle")
	}
	b := wire.AppendNonempty(nil, computationName, c.Name)
	b = wire.AppendNonzero(b, computationID, c.id)
	for _, i := range instructions {
		if b, err = appendInstruction(b, i); err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
	}
	b = wire.AppendInt(b, computationRoot, c.Root.id)
	if !has(c.rest, computationProgram) {
		if b, err = appendProgram(b, computationProgram, c); err != nil {
			return nil, err
		}
	}
	return append(b, c.rest...), nil
}

func appendInstruction(b []byte, i *Instruction) ([]byte, error) {
	switch {
	case i.Opcode == "":
		return nil, fmt.Errorf("the instruction has no opcode")
	case i.Window != nil && len(i.Window.Dimensions) > maxWindow:
		return nil, fmt.Errorf("its window has %d dimensions: the most are %d", len(i.Window.Dimensions), maxWindow)
	}
	shape, err := i.Shape.proto(0)
	if err != nil {
		return nil, err
	}
	l := linked{Instruction: i, shape: shape.Marshal(), operands: ids(i.Operands), after: ids(i.After)}
	for _, c := range i.Called {
		l.called = append(l.called, c.id)
	}
	return instructionFields.AppendField(b, computationInstructions, &l), nil
}

func ids(list []*Instruction) []int64 {
	var numbers []int64
	for _, i := range list {
		numbers = append(numbers, i.id)
	}
	return numbers
}

func (e *encoder) schedule(computations []*Computation) ([]byte, error) {
	scheduled := e.m.scheduled || slices.ContainsFunc(computations, func(c *Computation) bool { return c.Schedule != nil })
	var b []byte
	for _, c := range computations {
		if c.Schedule == nil {
			switch {
			case scheduled && c.scheduled:
				return nil, fmt.Errorf("computation %s: it has lost its schedule, and the module has one: give it another, or call Module.Unschedule",
					c.Name)
			case c.listed:
				entry := wire.AppendBytes(wire.AppendInt(nil, sequenceKey, c.id), sequenceValue, []byte(nil))
				b = wire.AppendBytes(b, scheduleSequences, entry)
			}
			continue
		}
		place := make(map[*Instruction]int, len(c.Schedule))
		for n, i := range c.Schedule {
			if e.owner[i] != c {
				return nil, fmt.Errorf("computation %s: its schedule has an instruction that the computation lacks", c.Name)
			}
			place[i] = n
		}
		if len(place) != len(c.Instructions) || len(c.Schedule) != len(c.Instructions) {
			return nil, fmt.Errorf(
				"computation %s: the schedule has %d instructions, %d of them different, and the computation has %d: each belongs there once",
				c.Name, len(c.Schedule), len(place), len(c.Instructions))
		}
		for n, i := range c.Schedule {
			for _, o := range slices.Concat(i.Operands, i.After) {
				if place[o] >= n {
					return nil, fmt.Errorf("computation %s: %s is scheduled before %s, which it uses", c.Name, i.Name, o.Name)
				}
			}
		}
		sequence := wire.AppendInts(nil, sequenceIDs, ids(c.Schedule))
		entry := wire.AppendBytes(wire.AppendInt(nil, sequenceKey, c.id), sequenceValue, sequence)
		b = wire.AppendBytes(b, scheduleSequences, entry)
	}
	return b, nil
}

var errCircle = fmt.Errorf("a circle")

// sorted returns the elements of list, each after those that it needs, and otherwise in
// their order. A need that is not in the list is an error, as is a circle.
func sorted[T comparable](list []T, needs func(T) []T) ([]T, error) {
	const waiting, open, done = 1, 2, 3
	state := make(map[T]int, len(list))
	for _, x := range list {
		state[x] = waiting
	}
	type frame struct {
		x     T
		needs []T
	}
	out := make([]T, 0, len(list))
	for _, x := range list {
		if state[x] == done {
			continue
		}
		// An explicit stack instead of recursion: programs have longer chains of instructions
		// than a goroutine's stack can hold calls.
		state[x] = open
		stack := []frame{{x, needs(x)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.needs) == 0 {
				state[top.x] = done
				out = append(out, top.x)
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.needs[0]
			top.needs = top.needs[1:]
			switch state[next] {
			case waiting:
				state[next] = open
				stack = append(stack, frame{next, needs(next)})
			case done:
			default:
				return nil, errCircle
			}
		}
	}
	return out, nil
}
