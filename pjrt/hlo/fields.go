// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto that are used outside the
// tables below.
const (
	withConfigModule = 1 // HloModuleProtoWithConfig
	withConfigConfig = 2

	moduleName         = 1 // HloModuleProto
	moduleEntryName    = 2
	moduleComputations = 3
	moduleProgram      = 4
	moduleID           = 5
	moduleEntry        = 6
	moduleSchedule     = 7

	computationName         = 1 // HloComputationProto
	computationInstructions = 2
	computationProgram      = 4
	computationID           = 5
	computationRoot         = 6

	programParameters = 1 // ProgramShapeProto
	programResult     = 2
	programNames      = 3

	scheduleSequences = 1 // HloScheduleProto
	sequenceKey       = 1 // its map
	sequenceValue     = 2
	sequenceIDs       = 1 // InstructionSequence

	attributesMap = 1 // FrontendAttributes
)

// linked is an instruction with its shape and its links to others as they are in the message.
type linked struct {
	*Instruction
	shape                   []byte
	operands, after, called []int64
}

var instructionFields = wire.NewTable(func(i *linked) *[]byte { return &i.rest },
	wire.Text(1, func(i *linked) *string { return &i.Name }),
	wire.Text(2, func(i *linked) *string { return &i.Opcode }),
	wire.Embedded(7, func(i *linked) *Source { return &i.Source }, sourceFields),
	wire.Blob(8, func(i *linked) *[]byte { return &i.literal }),
	wire.Int(9, func(i *linked) *int64 { return &i.Parameter }),
	wire.Text(11, func(i *linked) *string { return &i.FusionKind }),
	wire.Int(13, func(i *linked) *int64 { return &i.TupleIndex }),
	wire.IntList(14, func(i *linked) *[]int64 { return &i.Dimensions }),
	wire.Nested(15, func(i *linked) **Window { return &i.Window }, windowFields),
	wire.Nested(16, func(i *linked) **Convolution { return &i.Convolution }, convolutionFields),
	wire.Text(28, func(i *linked) *string { return &i.Target }),
	wire.Nested(30, func(i *linked) **Dot { return &i.Dot }, dotFields),
	wire.Int(35, func(i *linked) *int64 { return &i.id }),
	wire.Part[linked]{Number: 40, Type: wire.Bytes,
		Read: func(i *linked, f wire.Field) error { i.Sharding = slices.Clone(f.Bytes); return nil },
		Write: func(b []byte, i *linked) []byte {
			if i.Sharding == nil {
				return b
			}
			return wire.AppendBytes(b, 40, i.Sharding)
		},
	},
	wire.Blob(43, func(i *linked) *[]byte { return &i.Config }),
	wire.Text(63, func(i *linked) *string { return &i.Comparison }),
	wire.Bool(65, func(i *linked) *bool { return &i.SideEffects }),
	wire.Part[linked]{Number: 68, Type: wire.Bytes,
		Read: func(i *linked, f wire.Field) error {
			if i.Attributes == nil {
				i.Attributes = make(map[string]string)
			}
			return wire.VisitMessages(f.Bytes, attributesMap, func(entry []byte) error {
				var e [2]string
				err := attributeFields.Read(entry, &e)
				i.Attributes[e[0]] = e[1]
				return err
			})
		},
		Write: func(b []byte, i *linked) []byte {
			var list []byte
			for _, key := range slices.Sorted(maps.Keys(i.Attributes)) {
				list = attributeFields.AppendField(list, attributesMap, &[2]string{key, i.Attributes[key]})
			}
			return wire.AppendNonempty(b, 68, list)
		},
	},
	wire.Unread(3, func(i *linked) *[]byte { return &i.shape }),
	wire.IntList(36, func(i *linked) *[]int64 { return &i.operands }),
	wire.IntList(37, func(i *linked) *[]int64 { return &i.after }),
	wire.IntList(38, func(i *linked) *[]int64 { return &i.called }),
)

var attributeFields = wire.NewTable(nil,
	wire.Text(1, func(e *[2]string) *string { return &e[0] }),
	wire.Text(2, func(e *[2]string) *string { return &e[1] }),
)

var sourceFields = wire.NewTable(func(s *Source) *[]byte { return &s.rest },
	wire.Text(1, func(s *Source) *string { return &s.Type }),
	wire.Text(2, func(s *Source) *string { return &s.Op }),
	wire.Text(3, func(s *Source) *string { return &s.File }),
	wire.Part[Source]{Number: 4, Type: wire.Varint,
		Read:  func(s *Source, f wire.Field) error { s.Line = int(int32(f.Int)); return nil },
		Write: func(b []byte, s *Source) []byte { return wire.AppendNonzero(b, 4, s.Line) },
	},
)

var dotFields = wire.NewTable(func(d *Dot) *[]byte { return &d.rest },
	wire.IntList(1, func(d *Dot) *[]int64 { return &d.LHSContracting }),
	wire.IntList(2, func(d *Dot) *[]int64 { return &d.RHSContracting }),
	wire.IntList(3, func(d *Dot) *[]int64 { return &d.LHSBatch }),
	wire.IntList(4, func(d *Dot) *[]int64 { return &d.RHSBatch }),
)

var convolutionFields = wire.NewTable(func(c *Convolution) *[]byte { return &c.rest },
	wire.Int(7, func(c *Convolution) *int64 { return &c.InputBatch }),
	wire.Int(8, func(c *Convolution) *int64 { return &c.InputFeature }),
	wire.IntList(11, func(c *Convolution) *[]int64 { return &c.InputSpatial }),
	wire.Int(3, func(c *Convolution) *int64 { return &c.KernelInputFeature }),
	wire.Int(4, func(c *Convolution) *int64 { return &c.KernelFeature }),
	wire.IntList(6, func(c *Convolution) *[]int64 { return &c.KernelSpatial }),
	wire.Int(9, func(c *Convolution) *int64 { return &c.OutputBatch }),
	wire.Int(10, func(c *Convolution) *int64 { return &c.OutputFeature }),
	wire.IntList(12, func(c *Convolution) *[]int64 { return &c.OutputSpatial }),
)

var dimensionFields = wire.NewTable(func(d *WindowDimension) *[]byte { return &d.rest },
	wire.Int(1, func(d *WindowDimension) *int64 { return &d.Size }),
	wire.Int(2, func(d *WindowDimension) *int64 { return &d.Stride }),
	wire.Int(3, func(d *WindowDimension) *int64 { return &d.PaddingLow }),
	wire.Int(4, func(d *WindowDimension) *int64 { return &d.PaddingHigh }),
	wire.Int(5, func(d *WindowDimension) *int64 { return &d.WindowDilation }),
	wire.Int(6, func(d *WindowDimension) *int64 { return &d.BaseDilation }),
	wire.Bool(7, func(d *WindowDimension) *bool { return &d.Reversed }),
)

// maxWindow is more than any array has dimensions.
const maxWindow = 1 << 10

var windowFields = wire.NewTable(func(w *Window) *[]byte { return &w.rest },
	wire.Part[Window]{Number: 1, Type: wire.Bytes,
		Read: func(w *Window, f wire.Field) error {
			if len(w.Dimensions) == maxWindow {
				return fmt.Errorf("a window has more than %d dimensions", maxWindow)
			}
			w.Dimensions = append(w.Dimensions, WindowDimension{})
			return dimensionFields.Read(f.Bytes, &w.Dimensions[len(w.Dimensions)-1])
		},
		Write: func(b []byte, w *Window) []byte {
			for n := range w.Dimensions {
				b = dimensionFields.AppendField(b, 1, &w.Dimensions[n])
			}
			return b
		},
	},
)
