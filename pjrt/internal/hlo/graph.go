// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto.
const (
	moduleEntry = 6 // HloModuleProto

	computationID   = 5 // HloComputationProto
	computationRoot = 6

	instructionName       = 1 // HloInstructionProto
	instructionMetadata   = 7
	instructionLiteral    = 8
	instructionParameter  = 9
	instructionTupleIndex = 13
	instructionDimensions = 14
	instructionWindow     = 15
	instructionNumbers    = 16 // ConvolutionDimensionNumbers
	instructionPadding    = 21 // PaddingConfig
	instructionTarget     = 28 // of a custom call
	instructionID         = 35
	instructionOperands   = 36
	instructionControl    = 37
	instructionCalled     = 38
	instructionConfig     = 43 // of a custom call: an attribute of MLIR
	instructionGroups     = 50 // of features
	instructionStable     = 60
	instructionDirection  = 63
	instructionFrontend   = 68
	instructionComparison = 72
	instructionOriginal   = 88

	shapeDynamic = 6 // ShapeProto

	windowDimensions = 1 // Window

	numbersKernel = 6 // ConvolutionDimensionNumbers
	numbersInput  = 11

	paddingDimensions = 1 // PaddingConfig

	literalShape  = 1 // LiteralProto
	literalBools  = 2
	literalU8     = 3
	literalS32    = 4
	literalS64    = 5
	literalU32    = 6
	literalU64    = 7
	literalF32    = 8
	literalF64    = 9
	literalF16    = 11
	literalC64    = 12
	literalBF16   = 13
	literalS8     = 15
	literalU16    = 16
	literalS16    = 17
	literalC128   = 18
	longestNumber = 64 // of a literal that is kept
)

// maxInstructions is how many instructions the checks look at. No compiler is ever done with more.
const maxInstructions = 1 << 22

// operationNames are the names of StableHLO's operations where HLO has other ones.
var operationNames = map[string]string{
	"broadcast": "broadcast_in_dim", "fusion": "call", "conditional": "case",
	"opt-barrier": "optimization_barrier",
}

// operationName returns the name of StableHLO's operation for HLO's.
func operationName(opcode string) string {
	if name, ok := operationNames[opcode]; ok {
		return name
	}
	return strings.ReplaceAll(opcode, "-", "_")
}

// graph makes a dataflow.Module of a module.
type graph struct {
	program      *dataflow.Module
	blocks       map[int64]*dataflow.Block // of computations
	instructions int
}

var errTooMany = errors.New("too many instructions")

// operations returns the operations of a module, or nil if there are too many of them. It leaves
// out what it does not understand.
func operations(ctx context.Context, module []byte) (*dataflow.Module, error) {
	g := graph{
		program: &dataflow.Module{Functions: make(map[string]*dataflow.Block), Key: key},
		blocks:  make(map[int64]*dataflow.Block),
	}
	var entry int64
	err := wire.Visit(module, wire.Until(ctx, func(f wire.Field) error {
		switch {
		case f.Is(moduleEntry, wire.Varint):
			entry = int64(f.Int)
		case f.Is(moduleComputations, wire.Bytes):
			return g.computation(ctx, f.Bytes)
		}
		return nil
	}))
	switch {
	case errors.Is(err, errTooMany), errors.Is(err, wire.ErrMalformed):
		return nil, nil
	case err != nil:
		return nil, err
	}
	g.program.Main = g.blocks[entry]
	return g.program, nil
}

// block returns the block of a computation. XLA reads those that are called first, so the others
// count as empty.
func (g *graph) block(id int64) *dataflow.Block {
	if b := g.blocks[id]; b != nil {
		return b
	}
	return &dataflow.Block{Closed: true}
}

// computation reads a HloComputationProto.
func (g *graph) computation(ctx context.Context, code []byte) error {
	b := &dataflow.Block{Closed: true}
	values := make(map[int64]*dataflow.Value)
	var id, root int64
	err := wire.Visit(code, wire.Until(ctx, func(f wire.Field) error {
		switch {
		case f.Is(computationID, wire.Varint):
			id = int64(f.Int)
		case f.Is(computationRoot, wire.Varint):
			root = int64(f.Int)
		case f.Is(computationInstructions, wire.Bytes):
			if g.instructions++; g.instructions > maxInstructions {
				return errTooMany
			}
			return g.instruction(b, values, f.Bytes)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	if v := values[local(root)]; v != nil {
		results := []*dataflow.Value{v}
		if v.Op != nil && v.Op.Name == "tuple" {
			results = v.Op.Operands
		}
		b.Ops = append(b.Ops, &dataflow.Op{Name: "return", Operands: results})
	}
	g.blocks[id] = b
	return nil
}

// instruction is what is read of a HloInstructionProto.
type instruction struct {
	opcode                    string
	shape                     dataflow.Type
	literal, window           []byte
	numbers, padding          []byte
	id, parameter, groups     int64
	tupleIndex, fft, k        int64
	slices                    [][4]int64 // by the numbers of the fields
	dimensions, operands      []int64
	called                    []int64
	direction, comparisonType string
	target                    string
	config                    []byte
	stable                    bool
}

func readInstruction(code []byte) (i instruction, err error) {
	err = wire.Visit(code, func(f wire.Field) error {
		switch {
		case f.Is(instructionOpcode, wire.Bytes):
			i.opcode = string(f.Bytes)
		case f.Is(instructionShape, wire.Bytes):
			i.shape, err = readType(f.Bytes)
			return err
		case f.Is(instructionLiteral, wire.Bytes):
			i.literal = f.Bytes
		case f.Is(instructionWindow, wire.Bytes):
			i.window = f.Bytes
		case f.Is(instructionNumbers, wire.Bytes):
			i.numbers = f.Bytes
		case f.Is(instructionPadding, wire.Bytes):
			i.padding = f.Bytes
		case f.Is(instructionGroups, wire.Varint):
			i.groups = int64(f.Int)
		case f.Is(instructionID, wire.Varint):
			i.id = int64(f.Int)
		case f.Is(instructionParameter, wire.Varint):
			i.parameter = int64(f.Int)
		case f.Is(instructionTupleIndex, wire.Varint):
			i.tupleIndex = int64(f.Int)
		case f.Is(instructionFFT, wire.Varint):
			i.fft = int64(f.Int)
		case f.Is(instructionK, wire.Varint):
			i.k = int64(f.Int)
		case f.Is(instructionSlices, wire.Bytes):
			i.slices, err = readSlices(f.Bytes, i.slices)
			return err
		case f.IsList(instructionDimensions):
			return wire.Ints(&i.dimensions, f)
		case f.IsList(instructionOperands):
			return wire.Ints(&i.operands, f)
		case f.IsList(instructionCalled):
			return wire.Ints(&i.called, f)
		case f.Is(instructionDirection, wire.Bytes):
			i.direction = string(f.Bytes)
		case f.Is(instructionComparison, wire.Bytes):
			i.comparisonType = string(f.Bytes)
		case f.Is(instructionTarget, wire.Bytes):
			i.target = string(f.Bytes)
		case f.Is(instructionConfig, wire.Bytes):
			i.config = f.Bytes
		case f.Is(instructionStable, wire.Varint):
			i.stable = f.Bool()
		}
		return nil
	})
	return i, err
}

// instruction adds an instruction to a block. values has those before it, by their numbers.
func (g *graph) instruction(b *dataflow.Block, values map[int64]*dataflow.Value, code []byte) error {
	i, err := readInstruction(code)
	if err != nil {
		return err
	}
	if i.opcode == "parameter" {
		v := &dataflow.Value{Type: i.shape}
		values[local(i.id)] = v
		for at := int64(len(b.Params)); at <= i.parameter && i.parameter < maxInstructions; at++ {
			if g.instructions++; g.instructions > maxInstructions {
				return errTooMany
			}
			b.Params = append(b.Params, new(dataflow.Value))
		}
		if 0 <= i.parameter && i.parameter < int64(len(b.Params)) {
			b.Params[i.parameter] = v
		}
		return nil
	}
	o := &dataflow.Op{Name: operationName(i.opcode), Code: code}
	for _, operand := range i.operands {
		v := values[local(operand)]
		if v == nil {
			v = new(dataflow.Value)
		}
		o.Operands = append(o.Operands, v)
	}
	if err := errors.Join(i.checkWindow(o.Operands), i.checkOperated(o.Operands)); err != nil {
		return err
	}
	values[local(i.id)] = o.NewResult(i.shape)
	b.Ops = append(b.Ops, o)
	if o.Attributes, err = i.attributes(o.Name); err != nil {
		return err
	}
	if o.Name == "call" && len(i.called) == 1 {
		name := fmt.Sprint("computation ", i.called[0])
		g.program.Functions[name] = g.block(i.called[0])
		o.Attributes = map[string]dataflow.Attribute{"callee": {Text: name}}
		return nil
	}
	for _, id := range i.called {
		o.Regions = append(o.Regions, g.block(id))
	}
	return nil
}

// attributes returns the attributes that the checks look at.
func (i *instruction) attributes(name string) (map[string]dataflow.Attribute, error) {
	one := func(name string, n int64) map[string]dataflow.Attribute {
		return map[string]dataflow.Attribute{name: {Numbers: []int64{n}, Splat: true}}
	}
	switch name {
	case "compare":
		return map[string]dataflow.Attribute{"comparison_direction": {Text: i.direction}, "compare_type": {Text: i.comparisonType}}, nil
	case "sort":
		list := map[string]dataflow.Attribute{}
		if len(i.dimensions) > 0 {
			list = one("dimension", i.dimensions[0])
		}
		if i.stable {
			list["is_stable"] = dataflow.Attribute{Text: "true"}
		}
		return list, nil
	case "concatenate", "set_dimension_size", "get_dimension_size", "iota":
		// A number that is 0 may be left out, but not one in a list.
		if len(i.dimensions) > 0 {
			return one("dimension", i.dimensions[0]), nil
		}
	case "get_tuple_element":
		return one("index", i.tupleIndex), nil
	case "custom_call":
		return map[string]dataflow.Attribute{"call_target_name": {Text: i.target}, "backend_config": {Index: mlir.HasIndex(i.config)}}, nil
	case "constant":
		a, err := readLiteral(i.literal)
		return map[string]dataflow.Attribute{"value": a}, err
	case "reduce_window":
		list, err := readWindow(i.window)
		return map[string]dataflow.Attribute{
			"window_dimensions": list[1], "window_strides": list[2], "padding": list[3], "window_dilations": list[5], "base_dilations": list[6],
		}, err
	case "convolution":
		list, err := readWindow(i.window)
		if err != nil {
			return nil, err
		}
		numbers, err := readNumbers(i.numbers)
		return map[string]dataflow.Attribute{
			"window_strides": list[2], "padding": list[3], "rhs_dilation": list[5], "lhs_dilation": list[6], "window_reversal": list[7],
			"dimension_numbers": numbers, "feature_group_count": {Numbers: []int64{max(1, i.groups)}},
		}, err
	case "pad":
		list, err := readDimensions(i.padding, paddingDimensions)
		return map[string]dataflow.Attribute{"edge_padding_low": list[1], "edge_padding_high": list[2], "interior_padding": list[3]}, err
	}
	return nil, nil
}

// readLiteral reads a LiteralProto. It keeps short ones only.
func readLiteral(literal []byte) (a dataflow.Attribute, err error) {
	if len(literal) > longestNumber {
		return a, nil
	}
	a.Zero = true
	err = wire.Visit(literal, func(f wire.Field) error {
		a.Zero = a.Zero && (f.Number == literalShape || isZero(f))
		switch {
		case f.IsList(literalBools), f.IsList(literalS32), f.IsList(literalS64), f.IsList(literalU32), f.IsList(literalU64):
			return wire.Ints(&a.Numbers, f)
		case f.Type != wire.Bytes:
			return nil
		}
		switch f.Number {
		case literalS8, literalU8:
			for _, c := range f.Bytes {
				n := int64(c)
				if f.Number == literalS8 {
					n = int64(int8(c))
				}
				a.Numbers = append(a.Numbers, n)
			}
		case literalS16, literalU16:
			for c := range slices.Chunk(f.Bytes, 2) {
				if len(c) < 2 {
					return wire.ErrMalformed
				}
				n := int64(c[0]) | int64(c[1])<<8
				if f.Number == literalS16 {
					n = int64(int16(n))
				}
				a.Numbers = append(a.Numbers, n)
			}
		}
		return nil
	})
	if len(a.Numbers) == 0 {
		a.Text = hex.EncodeToString(literal)
	}
	return a, err
}

// isZero reports whether all elements of a literal in a field are zeros of any sign.
func isZero(f wire.Field) bool {
	if f.Type != wire.Bytes {
		return f.Int == 0
	}
	size := 0 // of numbers whose highest bit is a sign
	switch f.Number {
	case literalF16, literalBF16:
		size = 2
	case literalF32, literalC64:
		size = 4
	case literalF64, literalC128:
		size = 8
	}
	return dataflow.IsZeros(f.Bytes, size)
}

// readWindow reads a Window. It returns a list for each field of its dimensions, by their numbers,
// with both sides of the padding in the first of them.
func readWindow(code []byte) (list [8]dataflow.Attribute, err error) {
	if list, err = readDimensions(code, windowDimensions); err != nil {
		return list, err
	}
	low, high := list[3].Numbers, list[4].Numbers
	list[3].Numbers = nil
	for i := range low {
		list[3].Numbers = append(list[3].Numbers, low[i], high[i])
	}
	return list, nil
}

// readDimensions reads messages of numbers, one for each dimension. It returns a list for each of
// their fields.
func readDimensions(code []byte, number wire.Number) (list [8]dataflow.Attribute, err error) {
	err = wire.VisitMessages(code, number, func(b []byte) error {
		var d [len(list)]int64
		err := readVarints(b, d[:])
		for i, n := range d {
			list[i].Numbers = append(list[i].Numbers, n)
		}
		return err
	})
	return list, err
}

// readVarints puts the fields of a message that are varints into a list, by their numbers, as far
// as it reaches.
func readVarints(b []byte, list []int64) error {
	return wire.Visit(b, func(f wire.Field) error {
		if f.Type == wire.Varint && int(f.Number) < len(list) {
			list[f.Number] = int64(f.Int)
		}
		return nil
	})
}

// readNumbers reads the spatial dimensions of the input and of the kernel from a
// ConvolutionDimensionNumbers.
func readNumbers(code []byte) (dataflow.Attribute, error) {
	var input, kernel []int64
	err := wire.Visit(code, func(f wire.Field) error {
		switch {
		case f.IsList(numbersInput):
			return wire.Ints(&input, f)
		case f.IsList(numbersKernel):
			return wire.Ints(&kernel, f)
		}
		return nil
	})
	return dataflow.Attribute{Numbers: append(input, kernel...)}, err
}

// readType reads a ShapeProto. A tuple in a tuple is a zero Type.
func readType(shape []byte) (t dataflow.Type, err error) {
	return readPart(shape, 0)
}

func readPart(shape []byte, depth int) (t dataflow.Type, err error) {
	var dynamic []bool
	t.Dims = []int64{}
	err = wire.Visit(shape, func(f wire.Field) error {
		switch {
		case f.Is(xlaproto.ShapeElementType, wire.Varint):
			if int32(f.Int) == xlaproto.PrimitiveTuple {
				t.Tuple = true
			} else if e, ok := dtype.FromPrimitiveType(int32(f.Int)); ok {
				t.Element = e.String()
			}
		case f.Is(xlaproto.ShapeTuple, wire.Bytes) && depth == 0 && len(t.Parts) < dataflow.MaxParts:
			part, err := readPart(f.Bytes, depth+1)
			if part.Tuple {
				part = dataflow.Type{}
			}
			t.Parts = append(t.Parts, part)
			return err
		case f.IsList(xlaproto.ShapeDims):
			return wire.Ints(&t.Dims, f)
		case f.IsList(shapeDynamic):
			return wire.Bools(&dynamic, f)
		}
		return nil
	})
	if !slices.Contains(dynamic, true) {
		return t, err
	}
	t.Bounds = make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		t.Bounds[i] = dataflow.Dynamic
		if i < len(dynamic) && dynamic[i] {
			t.Dims[i] = dataflow.Dynamic
			if d != math.MinInt64 {
				t.Bounds[i] = d
			}
		}
	}
	return t, err
}

// key returns what is in an instruction besides its name, its operands and where it comes from.
func key(code []byte) string {
	var b []byte
	_ = wire.Visit(code, func(f wire.Field) error {
		switch f.Number {
		case instructionName, instructionShape, instructionMetadata, instructionID, instructionOperands, instructionControl,
			instructionCalled, instructionFrontend, instructionOriginal:
		default:
			b = protowire.AppendBytes(b, f.Raw)
		}
		return nil
	})
	return string(b)
}
