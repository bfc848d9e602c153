// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
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
func field[T int | string | []byte](number wire.Number, value T) []byte {
	switch v := any(value).(type) {
	case int:
		return wire.AppendInt(nil, number, v)
	case string:
		return wire.AppendBytes(nil, number, v)
	default:
		return wire.AppendBytes(nil, number, any(value).([]byte))
	}
}

// arrayShape returns a ShapeProto of an array with the usual layout.
func arrayShape(t dtype.Type, dims ...int64) []byte { return shapeOf(t, dims...).Marshal() }

func shapeOf(t dtype.Type, dims ...int64) *xlaproto.Shape {
	s := &xlaproto.Shape{ElementType: t.PrimitiveType(), Dims: dims, Layout: &xlaproto.Layout{}}
	for i := range dims {
		s.Layout.MinorToMajor = append(s.Layout.MinorToMajor, len(dims)-1-i)
	}
	return s
}

// instructionOf returns a HloInstructionProto in a HloComputationProto.
func instructionOf(id int, opcode string, shape []byte, operands []int, more ...[]byte) []byte {
	i := slices.Concat(field(1, fmt.Sprint("i", id)), field(2, opcode), field(3, shape), field(35, id))
	for _, o := range operands {
		i = append(i, field(36, o)...)
	}
	return field(2, append(i, slices.Concat(more...)...))
}

// programOf returns a ProgramShapeProto in another message.
func programOf(result []byte, parameters [][]byte) []byte {
	var program []byte
	for _, p := range parameters {
		program = slices.Concat(program, field(1, p), field(3, "p"))
	}
	return field(4, append(program, field(2, result)...))
}

// computationOf returns a HloComputationProto in a HloModuleProto.
func computationOf(id, root int, result []byte, parameters [][]byte, instructions ...[]byte) []byte {
	return field(3, slices.Concat(field(1, fmt.Sprint("c", id)), slices.Concat(instructions...), programOf(result, parameters),
		field(5, id), field(6, root)))
}

// moduleOf returns a HloModuleProto, whose entry has the number 2 and whose other computation, if
// there is one, has the number 1.
func moduleOf(root int, result []byte, parameters [][]byte, other []byte, instructions ...[]byte) []byte {
	return slices.Concat(field(1, "m"), field(2, "c2"), other, computationOf(2, root, result, parameters, instructions...),
		programOf(result, parameters), field(5, 1), field(6, 2))
}

// MalformedHLO returns modules on which all plugins for CPUs that were tried end the process, and
// similar ones that they take.
func MalformedHLO() []Malformed {
	four, one := arrayShape(dtype.F32, 4), arrayShape(dtype.F32)
	elements := *shapeOf(dtype.F32, 4)
	pair := (&xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple, Tuple: []xlaproto.Shape{elements, elements}}).Marshal()
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
		dimension := slices.Concat(field(1, 0), field(2, 3), field(3, stride))
		shape := arrayShape(dtype.F32, int64(1+2/stride))
		return moduleOf(2, shape, of(four), nil, parameter(1, 0, four), instructionOf(2, "slice", shape, []int{1}, field(17, dimension)))
	}
	transformed := func(kind int) []byte {
		shape := arrayShape(dtype.C64, 4)
		return moduleOf(2, shape, of(shape), nil, parameter(1, 0, shape),
			instructionOf(2, "fft", shape, []int{1}, field(31, kind), field(32, 4)))
	}
	windows := func(low, dilation, base int) []byte {
		dimension := slices.Concat(field(1, 1), field(2, 1), field(3, low), field(4, 0), field(5, dilation), field(6, base))
		sum := computationOf(1, 13, one, [][]byte{one, one},
			parameter(11, 0, one), parameter(12, 1, one), instructionOf(13, "add", one, []int{11, 12}))
		return moduleOf(3, four, [][]byte{four, one}, sum, parameter(1, 0, four), parameter(2, 1, one),
			instructionOf(3, "reduce-window", four, []int{1, 2}, field(15, field(1, dimension)), field(38, 1)))
	}
	convolved := func(operands ...int) []byte {
		array := arrayShape(dtype.F32, 1, 1, 4)
		window := field(1, slices.Concat(field(1, 4), field(2, 1), field(3, 2), field(4, 1), field(5, 1), field(6, 1)))
		numbers := slices.Concat(field(7, 0), field(8, 1), field(11, 2)) // of the input, the kernel and the result
		numbers = append(numbers, slices.Concat(field(3, 1), field(4, 0), field(6, 2), field(9, 0), field(10, 1), field(12, 2))...)
		return moduleOf(2, array, of(array), nil, parameter(1, 0, array),
			instructionOf(2, "convolution", array, operands, field(15, window), field(16, numbers), field(50, 1), field(61, 1)))
	}
	const high = 2 << 32
	return append([]Malformed{
		{"parameters of numbers 0 and 1", numbered(1), "", nil},
		{"parameter of number -1", numbered(-1), "has a parameter with the number -1", nil},
		{"partition of u32", placed(arrayShape(dtype.U32)), "", nil},
		{"partition of f32", placed(one), "does not state that its result is one u32", nil},
		{"partition of several", placed(arrayShape(dtype.U32, 2)), "does not state that its result is one u32", nil},
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
	}, malformedTuples()...)
}

// malformedTuples is the part of MalformedHLO about tuples: those with shardings, and those where
// arrays belong or the other way around.
func malformedTuples() []Malformed {
	four, word, long := shapeOf(dtype.F32, 4), shapeOf(dtype.U32, 4), shapeOf(dtype.U64, 2)
	tuple := func(parts ...*xlaproto.Shape) []byte {
		s := &xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple}
		for _, p := range parts {
			s.Tuple = append(s.Tuple, *p)
		}
		return s.Marshal()
	}
	pair := tuple(four, four)
	const replicated, ofTuple = 0, 2
	sharding := func(kind int, elements ...[]byte) []byte {
		return slices.Concat(append([][]byte{field(1, kind)}, elements...)...)
	}
	each := field(5, sharding(replicated))
	result := func(s []byte) []byte {
		return moduleOf(2, pair, [][]byte{four.Marshal()}, nil, instructionOf(1, "parameter", four.Marshal(), nil, field(9, 0)),
			instructionOf(2, "tuple", pair, []int{1, 1}, field(40, s)))
	}
	inside := func(s []byte) []byte {
		return moduleOf(3, four.Marshal(), [][]byte{four.Marshal()}, nil, instructionOf(1, "parameter", four.Marshal(), nil, field(9, 0)),
			instructionOf(2, "tuple", pair, []int{1, 1}, field(40, s)), instructionOf(3, "get-tuple-element", four.Marshal(), []int{2}))
	}
	argument := func(s []byte) []byte {
		return moduleOf(2, four.Marshal(), [][]byte{pair}, nil, instructionOf(1, "parameter", pair, nil, field(9, 0), field(40, s)),
			instructionOf(2, "get-tuple-element", four.Marshal(), []int{1}))
	}
	sorted := func(dimension int) []byte {
		one, truth := arrayShape(dtype.F32), arrayShape(dtype.Pred)
		var parameters []byte
		for n := range 4 {
			parameters = append(parameters, instructionOf(11+n, "parameter", one, nil, field(9, n))...)
		}
		less := computationOf(1, 15, truth, [][]byte{one, one, one, one}, parameters,
			instructionOf(15, "compare", truth, []int{11, 12}, field(63, "LT")))
		return moduleOf(2, pair, [][]byte{four.Marshal()}, less, instructionOf(1, "parameter", four.Marshal(), nil, field(9, 0)),
			instructionOf(2, "sort", pair, []int{1, 1}, field(14, dimension), field(38, 1)))
	}
	random := func(shape []byte) []byte {
		return moduleOf(2, shape, [][]byte{long.Marshal()}, nil, instructionOf(1, "parameter", long.Marshal(), nil, field(9, 0)),
			instructionOf(2, "rng-bit-generator", shape, []int{1}))
	}
	sliced := func(operand []byte) []byte {
		index := arrayShape(dtype.S32)
		return moduleOf(3, four.Marshal(), [][]byte{operand, index}, nil, instructionOf(1, "parameter", operand, nil, field(9, 0)),
			instructionOf(2, "parameter", index, nil, field(9, 1)),
			instructionOf(3, "dynamic-slice", four.Marshal(), []int{1, 2}, field(19, 4)))
	}
	return []Malformed{
		{"result with shardings", result(sharding(ofTuple, each, each)), "", nil},
		{"result with the empty sharding", result(nil), "of 0 elements for its 2 arrays", nil},
		{"result with one sharding", result(sharding(replicated)), "of 0 elements for its 2 arrays", nil},
		{"tuple with one sharding", inside(sharding(replicated)), "", nil},
		{"tuple with tuples of shardings", inside(sharding(ofTuple, each, field(5, sharding(ofTuple, each)))), "tuples in a tuple", []int{106}},
		{"argument with shardings", argument(sharding(ofTuple, each, each)), "", nil},
		{"argument with one sharding", argument(sharding(replicated)), "of 0 elements for its 2 arrays", nil},
		{"sort of two", sorted(0), "", nil},
		{"sort of a dimension that is not there", sorted(1), "sorts dimension 1 of arrays that have 1", nil},
		{"random numbers with their state", random(tuple(long, word)), "", nil},
		{"random numbers without their state", random(word.Marshal()), "without its state", nil},
		{"slice of an array", sliced(four.Marshal()), "", nil},
		{"slice of a tuple", sliced(tuple(four)), "has an operand that is no array", nil},
	}
}
