// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// codec reads and writes one field of a message of type T.
type codec[T any] struct {
	number wire.Number
	is     func(wire.Field) bool
	read   func(*T, wire.Field) error
	write  func([]byte, *T) []byte
}

// codecs are the fields of a message that have a place in T.
type codecs[T any] []codec[T]

// decode reads a message into to, and returns the fields that have no place there.
func (list codecs[T]) decode(message []byte, to *T) (rest []byte, err error) {
	err = wire.Visit(message, func(f wire.Field) error {
		for _, c := range list {
			if c.number == f.Number && c.is(f) {
				return c.read(to, f)
			}
		}
		rest = append(rest, f.Raw...)
		return nil
	})
	return rest, err
}

func (list codecs[T]) encode(from *T, rest []byte) []byte {
	var b []byte
	for _, c := range list {
		b = c.write(b, from)
	}
	return append(b, rest...)
}

func ofType(number wire.Number, is func(wire.Field, wire.Number) bool) func(wire.Field) bool {
	return func(f wire.Field) bool { return is(f, number) }
}

func isBytes(f wire.Field, n wire.Number) bool  { return f.Is(n, wire.Bytes) }
func isVarint(f wire.Field, n wire.Number) bool { return f.Is(n, wire.Varint) }

func text[T any](n wire.Number, at func(*T) *string) codec[T] {
	return codec[T]{n, ofType(n, isBytes),
		func(x *T, f wire.Field) error { *at(x) = string(f.Bytes); return nil },
		func(b []byte, x *T) []byte { return wire.AppendNonempty(b, n, *at(x)) },
	}
}

func blob[T any](n wire.Number, at func(*T) *[]byte) codec[T] {
	return codec[T]{n, ofType(n, isBytes),
		func(x *T, f wire.Field) error { *at(x) = slices.Clone(f.Bytes); return nil },
		func(b []byte, x *T) []byte { return wire.AppendNonempty(b, n, *at(x)) },
	}
}

func integer[T any](n wire.Number, at func(*T) *int64) codec[T] {
	return codec[T]{n, ofType(n, isVarint),
		func(x *T, f wire.Field) error { *at(x) = int64(f.Int); return nil },
		func(b []byte, x *T) []byte { return wire.AppendNonzero(b, n, *at(x)) },
	}
}

func boolean[T any](n wire.Number, at func(*T) *bool) codec[T] {
	return codec[T]{n, ofType(n, isVarint),
		func(x *T, f wire.Field) error { *at(x) = f.Bool(); return nil },
		func(b []byte, x *T) []byte { return wire.AppendTrue(b, n, *at(x)) },
	}
}

func integers[T any](n wire.Number, at func(*T) *[]int64) codec[T] {
	return codec[T]{n, func(f wire.Field) bool { return f.IsList(n) },
		func(x *T, f wire.Field) error { return wire.Ints(at(x), f) },
		func(b []byte, x *T) []byte { return wire.AppendInts(b, n, *at(x)) },
	}
}

// message is a field that holds another message, nil if the field is missing.
func message[T, M any](n wire.Number, at func(*T) **M, fields codecs[M], rest func(*M) *[]byte) codec[T] {
	return codec[T]{n, ofType(n, isBytes),
		func(x *T, f wire.Field) error {
			if *at(x) == nil {
				*at(x) = new(M)
			}
			more, err := fields.decode(f.Bytes, *at(x))
			*rest(*at(x)) = append(*rest(*at(x)), more...)
			return err
		},
		func(b []byte, x *T) []byte {
			m := *at(x)
			if m == nil {
				return b
			}
			return wire.AppendBytes(b, n, fields.encode(m, *rest(m)))
		},
	}
}

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto that are used outside the
// tables below.
const (
	withConfigModule = 1 // HloModuleProtoWithConfig
	withConfigConfig = 2

	moduleEntryName    = 2 // HloModuleProto
	moduleComputations = 3
	moduleProgram      = 4
	moduleEntry        = 6
	moduleSchedule     = 7

	computationInstructions = 2 // HloComputationProto
	computationProgram      = 4
	computationRoot         = 6

	programParameters = 1 // ProgramShapeProto
	programResult     = 2
	programNames      = 3

	instructionShape    = 3 // HloInstructionProto
	instructionOperands = 36
	instructionAfter    = 37
	instructionCalled   = 38

	scheduleSequences = 1 // HloScheduleProto
	sequenceKey       = 1 // its map
	sequenceValue     = 2
	sequenceIDs       = 1 // InstructionSequence

	attributesMap = 1 // FrontendAttributes
)

var moduleFields = codecs[Module]{
	text(1, func(m *Module) *string { return &m.Name }),
	integer(5, func(m *Module) *int64 { return &m.ID }),
}

var computationFields = codecs[Computation]{
	text(1, func(c *Computation) *string { return &c.Name }),
	integer(5, func(c *Computation) *int64 { return &c.id }),
}

var instructionFields = codecs[Instruction]{
	text(1, func(i *Instruction) *string { return &i.Name }),
	text(2, func(i *Instruction) *string { return &i.Opcode }),
	{7, ofType(7, isBytes),
		func(i *Instruction, f wire.Field) error {
			rest, err := sourceFields.decode(f.Bytes, &i.Source)
			i.Source.rest = append(i.Source.rest, rest...)
			return err
		},
		func(b []byte, i *Instruction) []byte {
			return wire.AppendNonempty(b, 7, sourceFields.encode(&i.Source, i.Source.rest))
		}},
	blob(8, func(i *Instruction) *[]byte { return &i.literal }),
	integer(9, func(i *Instruction) *int64 { return &i.Parameter }),
	text(11, func(i *Instruction) *string { return &i.FusionKind }),
	integer(13, func(i *Instruction) *int64 { return &i.TupleIndex }),
	integers(14, func(i *Instruction) *[]int64 { return &i.Dimensions }),
	{15, ofType(15, isBytes),
		func(i *Instruction, f wire.Field) error {
			if i.Window == nil {
				i.Window = new(Window)
			}
			return i.Window.decode(f.Bytes)
		},
		func(b []byte, i *Instruction) []byte {
			if i.Window == nil {
				return b
			}
			return wire.AppendBytes(b, 15, i.Window.encode())
		}},
	message(16, func(i *Instruction) **Convolution { return &i.Convolution }, convolutionFields,
		func(c *Convolution) *[]byte { return &c.rest }),
	text(28, func(i *Instruction) *string { return &i.Target }),
	message(30, func(i *Instruction) **Dot { return &i.Dot }, dotFields, func(d *Dot) *[]byte { return &d.rest }),
	integer(35, func(i *Instruction) *int64 { return &i.id }),
	{40, ofType(40, isBytes),
		func(i *Instruction, f wire.Field) error { i.Sharding = slices.Clone(f.Bytes); return nil },
		func(b []byte, i *Instruction) []byte {
			if i.Sharding == nil {
				return b
			}
			return wire.AppendBytes(b, 40, i.Sharding)
		}},
	blob(43, func(i *Instruction) *[]byte { return &i.Config }),
	text(63, func(i *Instruction) *string { return &i.Comparison }),
	boolean(65, func(i *Instruction) *bool { return &i.SideEffects }),
	{68, ofType(68, isBytes),
		func(i *Instruction, f wire.Field) error {
			if i.Attributes == nil {
				i.Attributes = make(map[string]string)
			}
			return wire.VisitMessages(f.Bytes, attributesMap, func(entry []byte) error {
				var e [2]string
				_, err := attributeFields.decode(entry, &e)
				i.Attributes[e[0]] = e[1]
				return err
			})
		},
		func(b []byte, i *Instruction) []byte {
			var list []byte
			for _, key := range slices.Sorted(maps.Keys(i.Attributes)) {
				list = wire.AppendBytes(list, attributesMap, attributeFields.encode(&[2]string{key, i.Attributes[key]}, nil))
			}
			return wire.AppendNonempty(b, 68, list)
		}},
}

var attributeFields = codecs[[2]string]{
	text(1, func(e *[2]string) *string { return &e[0] }),
	text(2, func(e *[2]string) *string { return &e[1] }),
}

var sourceFields = codecs[Source]{
	text(1, func(s *Source) *string { return &s.Type }),
	text(2, func(s *Source) *string { return &s.Op }),
	text(3, func(s *Source) *string { return &s.File }),
	{4, ofType(4, isVarint),
		func(s *Source, f wire.Field) error { s.Line = int(int32(f.Int)); return nil },
		func(b []byte, s *Source) []byte { return wire.AppendNonzero(b, 4, s.Line) }},
}

var dotFields = codecs[Dot]{
	integers(1, func(d *Dot) *[]int64 { return &d.LHSContracting }),
	integers(2, func(d *Dot) *[]int64 { return &d.RHSContracting }),
	integers(3, func(d *Dot) *[]int64 { return &d.LHSBatch }),
	integers(4, func(d *Dot) *[]int64 { return &d.RHSBatch }),
}

var convolutionFields = codecs[Convolution]{
	integer(7, func(c *Convolution) *int64 { return &c.InputBatch }),
	integer(8, func(c *Convolution) *int64 { return &c.InputFeature }),
	integers(11, func(c *Convolution) *[]int64 { return &c.InputSpatial }),
	integer(3, func(c *Convolution) *int64 { return &c.KernelInputFeature }),
	integer(4, func(c *Convolution) *int64 { return &c.KernelFeature }),
	integers(6, func(c *Convolution) *[]int64 { return &c.KernelSpatial }),
	integer(9, func(c *Convolution) *int64 { return &c.OutputBatch }),
	integer(10, func(c *Convolution) *int64 { return &c.OutputFeature }),
	integers(12, func(c *Convolution) *[]int64 { return &c.OutputSpatial }),
}

var windowFields = codecs[WindowDimension]{
	integer(1, func(d *WindowDimension) *int64 { return &d.Size }),
	integer(2, func(d *WindowDimension) *int64 { return &d.Stride }),
	integer(3, func(d *WindowDimension) *int64 { return &d.PaddingLow }),
	integer(4, func(d *WindowDimension) *int64 { return &d.PaddingHigh }),
	integer(5, func(d *WindowDimension) *int64 { return &d.WindowDilation }),
	integer(6, func(d *WindowDimension) *int64 { return &d.BaseDilation }),
	boolean(7, func(d *WindowDimension) *bool { return &d.Reversed }),
}

const windowDimensions = 1 // Window

// maxWindow is more than any array has dimensions.
const maxWindow = 1 << 10

func (w *Window) decode(b []byte) error {
	return wire.Visit(b, func(f wire.Field) error {
		if !f.Is(windowDimensions, wire.Bytes) {
			w.rest = append(w.rest, f.Raw...)
			return nil
		}
		if len(w.Dimensions) == maxWindow {
			return fmt.Errorf("a window has more than %d dimensions", maxWindow)
		}
		var d WindowDimension
		var err error
		d.rest, err = windowFields.decode(f.Bytes, &d)
		w.Dimensions = append(w.Dimensions, d)
		return err
	})
}

func (w *Window) encode() []byte {
	var b []byte
	for n := range w.Dimensions {
		d := &w.Dimensions[n]
		b = wire.AppendBytes(b, windowDimensions, windowFields.encode(d, d.rest))
	}
	return append(b, w.rest...)
}
