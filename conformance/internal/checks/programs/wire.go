// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"slices"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// options are compile options in Go form. The zero value means one replica and one
// partition, on devices that the plugin chooses.
type options struct {
	replicas, partitions int
	assignment           [][]int // device ids by replica, then partition
	portable             bool
	tupled               bool
	spmd                 bool // as it is if there are several partitions
	shardy               bool
	optimization         int      // effort; 0 leaves the field out
	memoryFitting        int      // effort; 0 leaves the field out
	argumentLayouts      []string // ShapeProto each
	resultLayout         []byte   // ShapeProto
	flag                 string   // name of an override
	value                []byte   // OptionOverrideProto of flag
	build                []byte   // more fields of ExecutableBuildOptionsProto
	extra                []byte   // more fields of CompileOptionsProto
}

var optionsTable = wire.NewTable(func(o *options) *[]byte { return &o.extra },
	wire.Texts(1, func(o *options) *[]string { return &o.argumentLayouts }),
	wire.Bool(2, func(o *options) *bool { return &o.tupled }),
	wire.Embedded(3, func(o *options) *options { return o }, buildTable),
	wire.Bool(4, func(o *options) *bool { return &o.portable }),
)

var buildTable = wire.NewTable(func(o *options) *[]byte { return &o.build },
	wire.Unread(2, func(o *options) *[]byte { return &o.resultLayout }),
	wire.Int(4, func(o *options) *int { return &o.replicas }),
	wire.Int(5, func(o *options) *int { return &o.partitions }),
	wire.Bool(6, func(o *options) *bool { return &o.spmd }),
	wire.Part[options]{Number: 9, Type: wire.Bytes,
		Read: func(o *options, f wire.Field) error {
			_, _, o.assignment, _ = readDeviceAssignment(f.Bytes) // nil if it is malformed
			return nil
		},
		Write: func(b []byte, o *options) []byte {
			if o.assignment == nil {
				return b
			}
			return message(b, 9, deviceAssignment(o.assignment))
		},
	},
	wire.Bool(19, func(o *options) *bool { return &o.shardy }),
	wire.Int(24, func(o *options) *int { return &o.optimization }),
	wire.Int(25, func(o *options) *int { return &o.memoryFitting }),
)

// filled returns the options with the values of what was left out.
func (o options) filled() options {
	o.replicas, o.partitions = max(o.replicas, 1), max(o.partitions, 1)
	o.spmd = o.partitions > 1
	return o
}

// bytes returns the serialized CompileOptionsProto.
func (o options) bytes() []byte {
	o = o.filled()
	if o.flag != "" {
		o.extra = join(message(nil, 7, message(message(nil, 1, []byte(o.flag)), 2, o.value)), o.extra)
	}
	return optionsTable.Append(nil, &o)
}

// readOptions is the reverse of bytes, but leaves overrides in extra.
func readOptions(b []byte) (o options, err error) {
	err = optionsTable.Read(b, &o)
	return o, err
}

// deviceAssignmentProto is a DeviceAssignmentProto.
type deviceAssignmentProto struct {
	replicas, partitions int
	columns              []column
}

// column has the devices of a partition.
type column struct{ devices []int }

var deviceAssignmentTable = wire.NewTable(nil,
	wire.Int(1, func(a *deviceAssignmentProto) *int { return &a.replicas }),
	wire.Int(2, func(a *deviceAssignmentProto) *int { return &a.partitions }),
	wire.NestedList(3, func(a *deviceAssignmentProto) *[]column { return &a.columns }, wire.NewTable(nil,
		wire.IntList(1, func(c *column) *[]int { return &c.devices }))),
)

// deviceAssignment returns a DeviceAssignmentProto.
func deviceAssignment(ids [][]int) []byte {
	a := deviceAssignmentProto{len(ids), len(ids[0]), make([]column, len(ids[0]))}
	for p := range a.columns {
		for r := range ids {
			a.columns[p].devices = append(a.columns[p].devices, ids[r][p])
		}
	}
	return deviceAssignmentTable.Append(nil, &a)
}

// readDeviceAssignment is the reverse of deviceAssignment.
func readDeviceAssignment(b []byte) (replicas, partitions int, ids [][]int, err error) {
	var a deviceAssignmentProto
	if err := deviceAssignmentTable.Read(b, &a); err != nil {
		return 0, 0, nil, err
	}
	if len(a.columns) != a.partitions || slices.ContainsFunc(a.columns, func(c column) bool { return len(c.devices) != a.replicas }) {
		return 0, 0, nil, errors.New("the lists of devices do not match the counts")
	}
	for r := range a.replicas {
		row := make([]int, a.partitions)
		for p := range a.columns {
			row[p] = a.columns[p].devices[r]
		}
		ids = append(ids, row)
	}
	return a.replicas, a.partitions, ids, nil
}

// shape returns a ShapeProto of an array with a layout.
func shape(elementType int, minorToMajor []int, dims ...int) []byte {
	out := wire.AppendInts(number(nil, 2, elementType), 3, dims)
	return message(out, 5, wire.AppendInts(nil, 1, minorToMajor))
}

// Numbers of the element types in ShapeProto.
const (
	protoS32 = 4
	protoF32 = 11
)

// number and message append fields.
var (
	number  = wire.AppendInt[int]
	message = wire.AppendBytes[[]byte]
)

// hloAddToItself returns a serialized HloModuleProto that adds its parameter, f32[4], to
// itself.
func hloAddToItself() []byte {
	array := shape(protoF32, []int{0}, 4)
	signature := message(message(message(nil, 1, array), 2, array), 3, []byte("a"))
	instruction := func(name, opcode string, id int, operands ...int) []byte {
		out := message(message(message(nil, 1, []byte(name)), 2, []byte(opcode)), 3, array)
		return wire.AppendInts(number(out, 35, id), 36, operands)
	}
	computation := message(nil, 1, []byte("main"))
	computation = message(computation, 2, instruction("a", "parameter", 1))
	computation = message(computation, 2, instruction("sum", "add", 2, 1, 1))
	computation = message(computation, 4, signature)
	computation = number(number(computation, 5, 1), 6, 2)
	module := message(message(nil, 1, []byte("to_itself")), 2, []byte("main"))
	module = message(module, 3, computation)
	module = message(module, 4, signature)
	return number(number(module, 5, 1), 6, 1)
}
