// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Malformed is an HloModuleProto that contradicts itself, or, if Want is "", a similar one that
// compilers take.
type Malformed struct {
	Name string
	Code []byte
	Want string // a part of the error in place of the end of the process
	// Fails has the API minors, of 81, 106 and 115, of the plugins that return an error.
	Fails []int
}

// field returns a field of a message: a number, or bytes.
func field(number protowire.Number, value any) []byte {
	switch v := value.(type) {
	case int:
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(v))
	case string:
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), v)
	case []byte:
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), v)
	}
	panic(fmt.Sprintf("no field is a %T", value))
}

func fields(list ...[]byte) (message []byte) {
	for _, f := range list {
		message = append(message, f...)
	}
	return message
}

// The numbers of element types.
const (
	typeU32   = 8
	typeF32   = 11
	typeTuple = 13
	typeC64   = 15
)

// shapeOf returns a ShapeProto of an array with the usual layout.
func shapeOf(element int, dims ...int) []byte {
	shape, layout := field(2, element), []byte{}
	for i := range dims {
		shape = append(shape, fields(field(3, dims[i]), field(6, 0))...)
		layout = append(layout, field(1, len(dims)-1-i)...)
	}
	return append(shape, field(5, layout)...)
}

func tupleOf(shapes ...[]byte) []byte {
	t := field(2, typeTuple)
	for _, s := range shapes {
		t = append(t, field(4, s)...)
	}
	return t
}

// instructionOf returns a HloInstructionProto in a HloComputationProto.
func instructionOf(id int, opcode string, shape []byte, operands []int, more ...[]byte) []byte {
	i := fields(field(1, fmt.Sprint("i", id)), field(2, opcode), field(3, shape), field(35, id))
	for _, o := range operands {
		i = append(i, field(36, o)...)
	}
	return field(2, append(i, fields(more...)...))
}

// computationOf returns a HloComputationProto in a HloModuleProto.
func computationOf(id, root int, result []byte, parameters [][]byte, instructions ...[]byte) []byte {
	var program []byte
	for _, p := range parameters {
		program = append(program, fields(field(1, p), field(3, "p"))...)
	}
	program = append(program, field(2, result)...)
	return field(3, fields(field(1, fmt.Sprint("c", id)), fields(instructions...), field(4, program), field(5, id), field(6, root)))
}

// moduleOf returns a HloModuleProto, whose entry has the number 2 and whose other computation, if
// there is one, has the number 1.
func moduleOf(root int, result []byte, parameters [][]byte, other []byte, instructions ...[]byte) []byte {
	var program []byte
	for _, p := range parameters {
		program = append(program, fields(field(1, p), field(3, "p"))...)
	}
	program = append(program, field(2, result)...)
	return fields(field(1, "m"), field(2, "c2"), other, computationOf(2, root, result, parameters, instructions...),
		field(4, program), field(5, 1), field(6, 2))
}

// MalformedHLO returns modules on which all plugins for CPUs that were tried end the process, and
// similar ones that they take.
func MalformedHLO() []Malformed {
	four, one, pair := shapeOf(typeF32, 4), shapeOf(typeF32), tupleOf(shapeOf(typeF32, 4), shapeOf(typeF32, 4))
	parameter := func(id, number int, shape []byte) []byte {
		return instructionOf(id, "parameter", shape, nil, field(9, number))
	}
	of := func(shape []byte) [][]byte { return [][]byte{shape} }
	two := [][]byte{four, four}
	numbered := func(second int) []byte {
		return moduleOf(3, four, two, nil, parameter(1, 0, four), parameter(2, second, four), instructionOf(3, "add", four, []int{1, 2}))
	}
	placed := func(shape []byte) []byte {
		return moduleOf(1, shape, nil, nil, instructionOf(1, "partition-id", shape, nil))
	}
	element := func(operands ...int) []byte {
		return moduleOf(3, four, of(four), nil, parameter(1, 0, four), instructionOf(2, "tuple", pair, operands),
			instructionOf(3, "get-tuple-element", four, []int{2}, field(13, 1)))
	}
	sliced := func(stride int) []byte {
		dimension := fields(field(1, 0), field(2, 3), field(3, stride))
		shape := shapeOf(typeF32, 1+2/stride)
		return moduleOf(2, shape, of(four), nil, parameter(1, 0, four), instructionOf(2, "slice", shape, []int{1}, field(17, dimension)))
	}
	transformed := func(kind int) []byte {
		shape := shapeOf(typeC64, 4)
		return moduleOf(2, shape, of(shape), nil, parameter(1, 0, shape),
			instructionOf(2, "fft", shape, []int{1}, field(31, kind), field(32, 4)))
	}
	windows := func(low, dilation, base int) []byte {
		dimension := fields(field(1, 1), field(2, 1), field(3, low), field(4, 0), field(5, dilation), field(6, base))
		sum := computationOf(1, 13, one, [][]byte{one, one},
			parameter(11, 0, one), parameter(12, 1, one), instructionOf(13, "add", one, []int{11, 12}))
		return moduleOf(3, four, [][]byte{four, one}, sum, parameter(1, 0, four), parameter(2, 1, one),
			instructionOf(3, "reduce-window", four, []int{1, 2}, field(15, field(1, dimension)), field(38, 1)))
	}
	convolved := func(operands ...int) []byte {
		array := shapeOf(typeF32, 1, 1, 4)
		window := field(1, fields(field(1, 4), field(2, 1), field(3, 2), field(4, 1), field(5, 1), field(6, 1)))
		numbers := fields(field(7, 0), field(8, 1), field(11, 2)) // of the input, the kernel and the result
		numbers = append(numbers, fields(field(3, 1), field(4, 0), field(6, 2), field(9, 0), field(10, 1), field(12, 2))...)
		return moduleOf(2, array, of(array), nil, parameter(1, 0, array),
			instructionOf(2, "convolution", array, operands, field(15, window), field(16, numbers), field(50, 1), field(61, 1)))
	}
	const high = 2 << 32
	return []Malformed{
		{"parameters of numbers 0 and 1", numbered(1), "", nil},
		{"parameter of number -1", numbered(-1), "has a parameter with the number -1", nil},
		{"partition of u32", placed(shapeOf(typeU32)), "", nil},
		{"partition of f32", placed(one), "does not state that its result is one u32", nil},
		{"partition of several", placed(shapeOf(typeU32, 2)), "does not state that its result is one u32", nil},
		{"data received without a token", moduleOf(2, four, of(four), nil, parameter(1, 0, four), instructionOf(2, "recv", four, []int{1})),
			"states a result that is no tuple", nil},
		{"tuple of two", element(1, 1), "", nil},
		{"tuple of none that states two", element(), "has 0 operands and states other results", nil},
		{"convolution of two", convolved(1, 1), "", nil},
		{"convolution of one", convolved(1), "has 1 operands in place of 2", []int{81, 106}},
		{"Fourier transform", transformed(0), "", nil},
		{"Fourier transform of type 5", transformed(5), "has the type 5", nil},
		{"slice with a stride", sliced(2), "", nil},
		{"slice with a huge stride", sliced(math.MaxInt64), "has a stride of 9223372036854775807", nil},
		{"windows", windows(0, 1, 1), "", nil},
		{"windows with an array padded to less than nothing", windows(-9, 1, 1), "pads 4 elements by -9 and 0", nil},
		{"windows in a huge array", windows(0, 1, math.MaxInt64), "dilates 4 elements by 9223372036854775807", []int{81}},
		{"instructions with the number of their computation",
			moduleOf(high+2, four, of(four), nil, parameter(high+1, 0, four), instructionOf(high+2, "negate", four, []int{high + 1})), "", nil},
		{"another result, by the number in its computation",
			moduleOf(2, pair, of(four), nil, parameter(high+1, 0, four), instructionOf(high+2, "negate", four, []int{1})),
			"states other results than the root", nil},
	}
}
