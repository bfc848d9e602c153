// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// options are compile options in Go form. The zero value means one replica and one
// partition, on devices that the plugin chooses.
type options struct {
	replicas, partitions int
	assignment           [][]int // device ids by replica, then partition
	portable             bool
	tupled               bool
	shardy               bool
	optimization         int      // effort; 0 leaves the field out
	memoryFitting        int      // effort; 0 leaves the field out
	argumentLayouts      [][]byte // ShapeProto each
	resultLayout         []byte   // ShapeProto
	flag                 string   // name of an override
	value                []byte   // OptionOverrideProto of flag
	build                []byte   // more fields of ExecutableBuildOptionsProto
	extra                []byte   // more fields of CompileOptionsProto
}

// bytes returns the serialized CompileOptionsProto.
func (o options) bytes() []byte {
	var out []byte
	for _, shape := range o.argumentLayouts {
		out = message(out, 1, shape)
	}
	if o.tupled {
		out = number(out, 2, 1)
	}
	var build []byte
	if o.resultLayout != nil {
		build = message(build, 2, o.resultLayout)
	}
	build = number(build, 4, max(o.replicas, 1))
	build = number(build, 5, max(o.partitions, 1))
	if o.partitions > 1 {
		build = number(build, 6, 1)
	}
	if o.assignment != nil {
		build = message(build, 9, deviceAssignment(o.assignment))
	}
	if o.shardy {
		build = number(build, 19, 1)
	}
	if o.optimization != 0 {
		build = number(build, 24, o.optimization)
	}
	if o.memoryFitting != 0 {
		build = number(build, 25, o.memoryFitting)
	}
	out = message(out, 3, append(build, o.build...))
	if o.portable {
		out = number(out, 4, 1)
	}
	if o.flag != "" {
		out = message(out, 7, message(message(nil, 1, []byte(o.flag)), 2, o.value))
	}
	return append(out, o.extra...)
}

// deviceAssignment returns a DeviceAssignmentProto, which lists the devices of each
// partition.
func deviceAssignment(ids [][]int) []byte {
	out := number(number(nil, 1, len(ids)), 2, len(ids[0]))
	for p := range ids[0] {
		var list []byte
		for r := range ids {
			list = protowire.AppendVarint(list, uint64(ids[r][p]))
		}
		out = message(out, 3, message(nil, 1, list))
	}
	return out
}

// readDeviceAssignment is the reverse of deviceAssignment.
func readDeviceAssignment(b []byte) (replicas, partitions int, ids [][]int, err error) {
	var columns [][]int
	err = fields(b, func(n protowire.Number, value uint64, b []byte) error {
		switch n {
		case 1:
			replicas = int(value)
		case 2:
			partitions = int(value)
		case 3:
			column := []int{}
			err := fields(b, func(n protowire.Number, value uint64, b []byte) error {
				if n != 1 {
					return nil
				}
				if b == nil {
					column = append(column, int(value))
				}
				for len(b) > 0 {
					v, size := protowire.ConsumeVarint(b)
					if size < 0 {
						return errWire
					}
					column, b = append(column, int(v)), b[size:]
				}
				return nil
			})
			columns = append(columns, column)
			return err
		}
		return nil
	})
	if err != nil {
		return 0, 0, nil, err
	}
	if len(columns) != partitions || slices.ContainsFunc(columns, func(c []int) bool { return len(c) != replicas }) {
		return 0, 0, nil, errors.New("the lists of devices do not match the counts")
	}
	for r := range replicas {
		row := make([]int, partitions)
		for p := range columns {
			row[p] = columns[p][r]
		}
		ids = append(ids, row)
	}
	return replicas, partitions, ids, nil
}

// shape returns a ShapeProto of an array with a layout.
func shape(elementType int, minorToMajor []int, dims ...int) []byte {
	out := number(nil, 2, elementType)
	var list []byte
	for _, d := range dims {
		list = protowire.AppendVarint(list, uint64(d))
	}
	out = message(out, 3, list)
	list = nil
	for _, d := range minorToMajor {
		list = protowire.AppendVarint(list, uint64(d))
	}
	var layout []byte
	if len(list) > 0 {
		layout = message(nil, 1, list)
	}
	return message(out, 5, layout)
}

// Numbers of the element types in ShapeProto.
const (
	protoS32 = 4
	protoF32 = 11
)

func number(b []byte, field protowire.Number, value int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(value))
}

func message(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

var errWire = errors.New("malformed protobuf message")

// fields calls visit with each field of a message: a number, or bytes that are not nil.
func fields(b []byte, visit func(n protowire.Number, value uint64, bytes []byte) error) error {
	for f, err := range check.Fields(b) {
		if err != nil {
			return errWire
		}
		if f.Type == protowire.VarintType || f.Type == protowire.BytesType {
			if err := visit(f.Number, f.Value, f.Bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// hloAddToItself returns a serialized HloModuleProto that adds its parameter, f32[4], to
// itself.
func hloAddToItself() []byte {
	array := shape(protoF32, []int{0}, 4)
	signature := message(message(message(nil, 1, array), 2, array), 3, []byte("a"))
	instruction := func(name, opcode string, id int, operands ...int) []byte {
		out := message(message(message(nil, 1, []byte(name)), 2, []byte(opcode)), 3, array)
		out = number(out, 35, id)
		var list []byte
		for _, o := range operands {
			list = protowire.AppendVarint(list, uint64(o))
		}
		if list != nil {
			out = message(out, 36, list)
		}
		return out
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

// protoNumber is the number of a field.
type protoNumber = protowire.Number
