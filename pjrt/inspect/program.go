// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Field numbers of xla/service/hlo.proto.
const (
	moduleEntryName    = 2 // HloModuleProto
	moduleComputations = 3
	moduleEntryID      = 6
	moduleSchedule     = 7

	scheduleSequences = 1 // HloScheduleProto, a map
	sequenceKey       = 1
	sequenceValue     = 2
	sequenceIDs       = 1 // InstructionSequence

	computationName         = 1 // HloComputationProto
	computationInstructions = 2
	computationID           = 5
	computationRoot         = 6

	instructionName       = 1 // HloInstructionProto
	instructionOpcode     = 2
	instructionShape      = 3
	instructionMetadata   = 7
	instructionParameter  = 9
	instructionFusionKind = 11
	instructionTupleIndex = 13
	instructionDimensions = 14
	instructionTarget     = 28
	instructionID         = 35
	instructionOperands   = 36
	instructionCalled     = 38
	instructionSharding   = 40

	metadataOpName = 2 // OpMetadata
)

// Program is an optimized program of HLO.
type Program struct {
	Computations []Computation // the entry first, then the others in the order of the program
	// Scheduled says that Instructions are in the order in which they run.
	Scheduled bool
}

// Computation is a function of a program.
type Computation struct {
	Name         string
	Instructions []Instruction
	id, root     int64
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

	id, tupleIndex int64
	operands       []int64
	called         []int64
	fusionKind     string
	target         string
	shape          xlaproto.Shape
}

// ReadProgram reads an optimized program, in the formats hlo and hlo_with_config. Another
// format, or bytes that are not a program, are an error of code pjrt.ErrUnimplemented.
func ReadProgram(p pjrt.Program) (*Program, error) {
	module := p.Code
	var err error
	switch p.Format {
	case pjrt.FormatHLO:
	case pjrt.FormatHLOWithConfig:
		module, err = hlo.Module(p.Code)
	default:
		err = fmt.Errorf("its format is %q", string(p.Format))
	}
	if err == nil {
		var program *Program
		if program, err = readModule(module); err == nil {
			return program, nil
		}
	}
	return nil, &pjrt.Error{Code: pjrt.ErrUnimplemented, Message: fmt.Sprintf("the program cannot be read: %v", err)}
}

func readModule(module []byte) (*Program, error) {
	p := &Program{}
	var entry int64
	entryName := ""
	orders := make(map[int64][]int64) // of instructions by computation
	err := wire.Visit(module, func(f wire.Field) error {
		switch {
		case f.Is(moduleEntryName, wire.Bytes):
			entryName = string(f.Bytes)
		case f.Is(moduleEntryID, wire.Varint):
			entry = int64(f.Int)
		case f.Is(moduleComputations, wire.Bytes):
			c, err := readComputation(f.Bytes)
			p.Computations = append(p.Computations, c)
			return err
		case f.Is(moduleSchedule, wire.Bytes):
			return wire.VisitMessages(f.Bytes, scheduleSequences, func(b []byte) error { return readSequence(orders, b) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.Computations) == 0 {
		return nil, wire.ErrMalformed
	}
	isEntry := func(c Computation) bool { return c.id == entry && c.Name == entryName }
	i := slices.IndexFunc(p.Computations, isEntry)
	if i < 0 {
		i = len(p.Computations) - 1
	}
	first := p.Computations[i]
	p.Computations = slices.Insert(slices.Delete(p.Computations, i, i+1), 0, first)
	names := make(map[int64]string)
	for _, c := range p.Computations {
		names[c.id] = c.Name
	}
	for i := range p.Computations {
		c := &p.Computations[i]
		c.link(names)
		if order, ok := orders[c.id]; ok {
			c.sort(order)
			p.Scheduled = p.Scheduled || i == 0
		}
	}
	return p, nil
}

func readSequence(orders map[int64][]int64, b []byte) error {
	var key int64
	var order []int64
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(sequenceKey, wire.Varint):
			key = int64(f.Int)
		case f.Is(sequenceValue, wire.Bytes):
			return wire.Visit(f.Bytes, func(f wire.Field) error {
				if f.IsList(sequenceIDs) {
					return wire.Ints(&order, f)
				}
				return nil
			})
		}
		return nil
	})
	orders[key] = order
	return err
}

func readComputation(b []byte) (Computation, error) {
	var c Computation
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(computationName, wire.Bytes):
			c.Name = string(f.Bytes)
		case f.Is(computationID, wire.Varint):
			c.id = int64(f.Int)
		case f.Is(computationRoot, wire.Varint):
			c.root = int64(f.Int)
		case f.Is(computationInstructions, wire.Bytes):
			i, err := readInstruction(f.Bytes)
			c.Instructions = append(c.Instructions, i)
			return err
		}
		return nil
	})
	return c, err
}

func readInstruction(b []byte) (Instruction, error) {
	var i Instruction
	var parameter int64
	var dims []int64
	spec := ""
	err := wire.Visit(b, func(f wire.Field) (err error) {
		switch {
		case f.Is(instructionName, wire.Bytes):
			i.Name = string(f.Bytes)
		case f.Is(instructionOpcode, wire.Bytes):
			i.Opcode = string(f.Bytes)
		case f.Is(instructionShape, wire.Bytes):
			i.shape, err = xlaproto.UnmarshalShape(f.Bytes)
		case f.Is(instructionMetadata, wire.Bytes):
			return wire.VisitMessages(f.Bytes, metadataOpName, func(b []byte) error {
				i.Source = string(b)
				return nil
			})
		case f.Is(instructionParameter, wire.Varint):
			parameter = int64(f.Int)
		case f.Is(instructionFusionKind, wire.Bytes):
			i.fusionKind = string(f.Bytes)
		case f.Is(instructionTupleIndex, wire.Varint):
			i.tupleIndex = int64(f.Int)
		case f.IsList(instructionDimensions):
			return wire.Ints(&dims, f)
		case f.Is(instructionTarget, wire.Bytes):
			i.target = string(f.Bytes)
		case f.Is(instructionID, wire.Varint):
			i.id = int64(f.Int)
		case f.IsList(instructionOperands):
			return wire.Ints(&i.operands, f)
		case f.IsList(instructionCalled):
			return wire.Ints(&i.called, f)
		case f.Is(instructionSharding, wire.Bytes):
			if s, err := xlaproto.UnmarshalSharding(f.Bytes); err == nil && len(s.Devices) <= maxListedDevices {
				spec = s.String()
			}
		}
		return err
	})
	var details []string
	add := func(known bool, format string, args ...any) {
		if known {
			details = append(details, fmt.Sprintf(format, args...))
		}
	}
	add(i.Opcode == "parameter", "number=%d", parameter)
	add(i.Opcode == "get-tuple-element", "index=%d", i.tupleIndex)
	add(len(dims) > 0, "dimensions={%s}", joinInts(dims))
	add(i.fusionKind != "", "kind=%s", i.fusionKind)
	add(i.target != "", "custom_call_target=%q", i.target)
	add(spec != "", "sharding=%s", spec)
	i.Details = strings.Join(details, ", ")
	i.Shape, i.Bytes = shapeText(&i.shape, 0), shapeBytes(&i.shape, 0)
	return i, err
}

// maxListedDevices limits the text of a sharding.
const maxListedDevices = 256

// link sets the names of operands and called computations.
func (c *Computation) link(computations map[int64]string) {
	names := make(map[int64]string, len(c.Instructions))
	for _, i := range c.Instructions {
		names[i.id] = i.Name
	}
	for n := range c.Instructions {
		i := &c.Instructions[n]
		for _, id := range i.operands {
			i.Operands = append(i.Operands, names[id])
		}
		for _, id := range i.called {
			i.Calls = append(i.Calls, computations[id])
		}
	}
}

// sort puts the instructions in an order of their numbers. Those that it lacks stay behind.
func (c *Computation) sort(order []int64) {
	place := make(map[int64]int, len(order))
	for n, id := range order {
		place[id] = n
	}
	at := func(i Instruction) int {
		if n, ok := place[i.id]; ok {
			return n
		}
		return len(order)
	}
	slices.SortStableFunc(c.Instructions, func(a, b Instruction) int { return at(a) - at(b) })
}

// String returns the instruction in the manner of HLO's text form.
func (i *Instruction) String() string {
	var b strings.Builder
	b.WriteString(i.Name + " = " + i.Shape + " " + i.Opcode + "(" + strings.Join(i.Operands, ", ") + ")")
	if i.Details != "" {
		b.WriteString(", " + i.Details)
	}
	if len(i.Calls) > 0 {
		b.WriteString(", calls=" + strings.Join(i.Calls, ", "))
	}
	if i.Source != "" {
		b.WriteString("  // " + i.Source)
	}
	return b.String()
}

// Kernels lists what a GPU runs by itself: the fusions and custom calls of the computations
// that are not fused. On other devices an instruction need not be a kernel.
func (p *Program) Kernels() []Kernel {
	if p == nil {
		return nil
	}
	fused := make(map[int64]bool)
	for _, c := range p.Computations {
		for _, i := range c.Instructions {
			if i.Opcode == "fusion" {
				for _, id := range i.called {
					fused[id] = true
				}
			}
		}
	}
	var list []Kernel
	at := make(map[string]int)
	for _, c := range p.Computations {
		if fused[c.id] {
			continue
		}
		for _, i := range c.Instructions {
			k := Kernel{Name: i.Name, Kind: i.fusionKind, Uses: 1}
			switch i.Opcode {
			case "fusion":
			case "custom-call":
				k.Name, k.Kind = i.target, "custom call"
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
	}
	return list
}

// shapeText returns a shape in HLO's notation.
func shapeText(s *xlaproto.Shape, depth int) string {
	if depth > xlaproto.MaxTupleDepth {
		return "..."
	}
	if s.IsTuple() {
		parts := make([]string, len(s.Tuple))
		for i := range s.Tuple {
			parts[i] = shapeText(&s.Tuple[i], depth+1)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	t, ok := dtype.FromPrimitiveType(s.ElementType)
	if !ok {
		if s.ElementType == primitiveToken {
			return "token[]"
		}
		return fmt.Sprintf("type%d[%s]", s.ElementType, joinInts(s.Dims))
	}
	text := strings.ToLower(t.XLA()) + "[" + joinInts(s.Dims) + "]"
	if s.Layout == nil || len(s.Dims) == 0 {
		return text
	}
	order := make([]string, len(s.Layout.MinorToMajor))
	for i, d := range s.Layout.MinorToMajor {
		order[i] = strconv.Itoa(d)
	}
	text += "{" + strings.Join(order, ",")
	rest := ""
	for i, tile := range s.Layout.Tiles {
		if i == 0 {
			rest = "T"
		}
		rest += "(" + joinInts(tile.Dims) + ")"
	}
	if s.Layout.MemorySpace != 0 {
		rest += fmt.Sprintf("S(%d)", s.Layout.MemorySpace)
	}
	if rest != "" {
		text += ":" + rest
	}
	return text + "}"
}

const primitiveToken = 17

// shapeBytes returns the bytes of the arrays of a shape in the default memory, with the
// padding of the first tile.
func shapeBytes(s *xlaproto.Shape, depth int) int64 {
	if depth > xlaproto.MaxTupleDepth {
		return 0
	}
	if s.IsTuple() {
		n := int64(0)
		for i := range s.Tuple {
			n += shapeBytes(&s.Tuple[i], depth+1)
		}
		return n
	}
	t, ok := dtype.FromPrimitiveType(s.ElementType)
	if !ok || s.Layout != nil && s.Layout.MemorySpace != 0 {
		return 0
	}
	dims := slices.Clone(s.Dims)
	if l := s.Layout; l != nil && len(l.Tiles) > 0 {
		tile := l.Tiles[0].Dims
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
	return (elements*int64(t.Bits()) + 7) / 8
}

// maxBytes is more bytes than any memory has.
const maxBytes = 1 << 50

func joinInts(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ",")
}
