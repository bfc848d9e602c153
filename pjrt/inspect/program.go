// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
)

// Program is an optimized HLO program.
type Program struct {
	Computations []Computation // the entry first, then the others in the order of the program
	// Scheduled says that Instructions are in the order in which they run.
	Scheduled bool

	// module has computations and instructions in the same order; nil for a program that
	// ReadProgram has not made.
	module *hlo.Module
}

// Computation is a function of a program.
type Computation struct {
	Name         string
	Instructions []Instruction
}

// Instruction is an operation with its result.
type Instruction struct {
	Name, Opcode string
	Shape        string   // in HLO's notation, with the layout
	Bytes        int64    // of the result in the default memory of the device
	Operands     []string // names of instructions of the same computation
	Calls        []string // names of computations
	Details      string   // other attributes in HLO's notation, as far as they are known
	Source       string   // the operation of the source program; "" if unknown
}

// ReadProgram reads an optimized program in the format hlo or hlo_with_config. For another
// format, or bytes that are not a program, the error has the code pjrt.ErrUnimplemented.
func ReadProgram(p pjrt.Program) (*Program, error) {
	var m *hlo.Module
	var err error
	switch p.Format {
	case pjrt.FormatHLO, pjrt.FormatHLOWithConfig:
		m, err = hlo.Decode(p.Code)
	default:
		err = fmt.Errorf("its format is %q", string(p.Format))
	}
	if err != nil {
		return nil, &pjrt.Error{Code: pjrt.ErrUnimplemented, Message: fmt.Sprintf("the program cannot be read: %v", err)}
	}
	entry := slices.Index(m.Computations, m.Entry)
	m.Computations = slices.Insert(slices.Delete(m.Computations, entry, entry+1), 0, m.Entry)
	program := &Program{Scheduled: m.Entry.Schedule != nil, module: m}
	devices := newDeviceLists(len(p.Code))
	program.Computations = make([]Computation, 0, len(m.Computations))
	for _, from := range m.Computations {
		sort(from)
		c := Computation{Name: from.Name, Instructions: make([]Instruction, 0, len(from.Instructions))}
		for _, i := range from.Instructions {
			c.Instructions = append(c.Instructions, newInstruction(i, devices))
		}
		program.Computations = append(program.Computations, c)
	}
	return program, nil
}

// sort puts the instructions in the order of the schedule, if there is one. Those that the
// schedule lacks come last.
func sort(c *hlo.Computation) {
	place := make(map[*hlo.Instruction]int, len(c.Schedule))
	for n, i := range c.Schedule {
		place[i] = n
	}
	at := func(i *hlo.Instruction) int {
		if n, ok := place[i]; ok {
			return n
		}
		return len(c.Schedule)
	}
	slices.SortStableFunc(c.Instructions, func(a, b *hlo.Instruction) int { return at(a) - at(b) })
}

func newInstruction(from *hlo.Instruction, devices *deviceLists) Instruction {
	i := Instruction{
		Name: from.Name, Opcode: from.Opcode, Shape: from.Shape.String(), Bytes: shapeBytes(&from.Shape), Source: from.Source.Op,
	}
	i.Operands, i.Calls = slices.Grow(i.Operands, len(from.Operands)), slices.Grow(i.Calls, len(from.Called))
	for _, o := range from.Operands {
		i.Operands = append(i.Operands, o.Name)
	}
	for _, c := range from.Called {
		i.Calls = append(i.Calls, c.Name)
	}
	var details []string
	add := func(known bool, format string, args ...any) {
		if known {
			details = append(details, fmt.Sprintf(format, args...))
		}
	}
	add(i.Opcode == "parameter", "number=%d", from.Parameter)
	add(i.Opcode == "get-tuple-element", "index=%d", from.TupleIndex)
	add(len(from.Dimensions) > 0, "dimensions={%s}", joinInts(from.Dimensions))
	add(from.FusionKind != "", "kind=%s", from.FusionKind)
	add(from.Target != "", "custom_call_target=%q", from.Target)
	if from.Sharding != nil {
		text := devices.text(from.Sharding)
		add(text != "", "sharding=%s", text)
	}
	i.Details = strings.Join(details, ", ")
	return i
}

// String returns the instruction in the style of HLO's text form. It shows only the beginning of a
// long list of operands, and of a long name among them.
func (i *Instruction) String() string {
	if i == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(i.Name + " = " + i.Shape + " " + i.Opcode + "(")
	writeNames(&b, i.Operands)
	b.WriteByte(')')
	if i.Details != "" {
		b.WriteString(", " + i.Details)
	}
	if len(i.Calls) > 0 {
		b.WriteString(", calls=")
		writeNames(&b, i.Calls)
	}
	if i.Source != "" {
		b.WriteString("  // " + i.Source)
	}
	return b.String()
}

// maxNames is how many operands or computations the text of an instruction names. Each may be the
// same instruction with a long name.
const maxNames = 1 << 10

func writeNames(b *strings.Builder, names []string) {
	for n, name := range names {
		if n == maxNames {
			fmt.Fprintf(b, ", ... %d more", len(names)-n)
			return
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(excerpt.OfName(name))
	}
}

// Kernels lists what a GPU runs as separate kernels: the fusions and custom calls of the
// computations that are not fused. On other devices an instruction need not be a kernel. It
// returns nil for a program that ReadProgram has not made.
func (p *Program) Kernels() []Kernel {
	if p == nil || p.module == nil {
		return nil
	}
	fused := make(map[*hlo.Computation]bool)
	for _, i := range p.module.All() {
		if i.Opcode == "fusion" {
			for _, c := range i.Called {
				fused[c] = true
			}
		}
	}
	var list []Kernel
	at := make(map[string]int)
	for c, i := range p.module.All() {
		if fused[c] {
			continue
		}
		k := Kernel{Name: i.Name, Kind: i.FusionKind, Uses: 1}
		switch i.Opcode {
		case "fusion":
		case "custom-call":
			k.Name, k.Kind = i.Target, "custom call"
		default:
			continue
		}
		if n, ok := at[k.Name]; ok {
			list[n].Uses++
			continue
		}
		at[k.Name] = len(list)
		list = append(list, k)
	}
	return list
}

// shapeBytes returns the bytes of the arrays of a shape in the default memory.
func shapeBytes(s *hlo.Shape) int64 {
	n := int64(0)
	for _, a := range s.Arrays() {
		n += arrayBytes(a)
	}
	return n
}

// arrayBytes returns the bytes of an array in the default memory, with the padding of the
// first tile.
func arrayBytes(s *hlo.Shape) int64 {
	l := s.Layout
	if l != nil && l.MemorySpace != 0 {
		return 0
	}
	dims := slices.Clone(s.Dims)
	if l != nil && len(l.Tiles) > 0 {
		tile := l.Tiles[0]
		for i := range min(len(tile), len(l.MinorToMajor)) {
			d, size := l.MinorToMajor[i], tile[len(tile)-1-i]
			if d >= 0 && d < len(dims) && size > 0 && dims[d] < maxBytes {
				dims[d] = (dims[d] + size - 1) / size * size
			}
		}
	}
	elements := int64(1)
	for _, d := range dims {
		if d < 0 || d > 0 && elements > maxBytes/d {
			return 0
		}
		elements *= d
	}
	return (elements*int64(s.Type.Bits()) + 7) / 8
}

// maxBytes is more bytes than any memory has.
const maxBytes = 1 << 50

func joinInts(list []int64) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}
