// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Field numbers of xla/xla.proto, xla/service/hlo.proto and xla/xla_data.proto.
const (
	configModule = 1 // HloModuleProtoWithConfig
	configConfig = 2

	protoModule  = 1 // HloProto
	protoBuffers = 3

	snapshotProto     = 1 // HloSnapshot
	snapshotArguments = 2
	snapshotResult    = 3
	snapshotPlatform  = 4

	configReplicas   = 4 // HloModuleConfigProto
	configPartitions = 5
	configAssignment = 15

	moduleName         = 1 // HloModuleProto
	moduleComputations = 3
	moduleProgramShape = 4
	moduleSchedule     = 7
	moduleAliases      = 8
	moduleDonors       = 18

	computationInstructions = 2 // HloComputationProto
	instructionOpcode       = 2 // HloInstructionProto
	instructionShape        = 3

	programParameters = 1 // ProgramShapeProto
	programResult     = 2

	aliasEntries        = 1 // HloInputOutputAliasProto
	aliasParameter      = 2 // AliasEntryProto
	aliasParameterIndex = 3

	donorEntries        = 1 // HloBufferDonorProto
	donorParameter      = 1 // BufferDonorEntryProto
	donorParameterIndex = 2
)

// IsModule reports whether code is a HloModuleProto: a message with a name and
// computations in the fields where a module has them.
func IsModule(code []byte) bool {
	named, computations := false, false
	err := wire.Visit(code, func(f wire.Field) error {
		switch f.Number {
		case moduleName:
			if f.Type != wire.Bytes || !utf8.Valid(f.Bytes) {
				return wire.ErrMalformed
			}
			named = true
		case moduleComputations:
			if f.Type != wire.Bytes {
				return wire.ErrMalformed
			}
			computations = true
		}
		return nil
	})
	return err == nil && named && computations
}

// IsModuleWithConfig reports whether code is a HloModuleProtoWithConfig: a message
// with a module and nothing else except a configuration.
func IsModuleWithConfig(code []byte) bool {
	module := only(code, configModule, configConfig)
	return module != nil && IsModule(module)
}

// Dumped returns the module in a HloProto or HloSnapshot, which compilers write for --xla_dump_to:
// a message with a module, and with no configuration that would be lost. It returns nil for another
// message.
func Dumped(code []byte) []byte {
	for _, proto := range [][]byte{code, only(code, snapshotProto, snapshotArguments, snapshotResult, snapshotPlatform)} {
		if inner := only(proto, protoModule, protoBuffers); inner != nil && IsModule(inner) {
			return inner
		}
	}
	return nil
}

// only returns the last of the fields of a message that has no others, or nil.
func only(code []byte, field wire.Number, others ...wire.Number) []byte {
	var found []byte
	err := wire.Visit(code, func(f wire.Field) error {
		switch {
		case f.Is(field, wire.Bytes):
			found = f.Bytes
		case f.Type != wire.Bytes || !slices.Contains(others, f.Number):
			return wire.ErrMalformed
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return found
}

// Module returns the module in a HloModuleProtoWithConfig.
func Module(withConfig []byte) ([]byte, error) { return wire.Message(withConfig, configModule) }

// Config says how many devices a module was compiled for.
type Config struct {
	Replicas, Partitions int
	Devices              [][]int // by replica and partition; nil for any devices
}

// ReadConfig reads the configuration in a HloModuleProtoWithConfig.
func ReadConfig(withConfig []byte) (Config, error) {
	config, err := wire.Message(withConfig, configConfig)
	if err != nil {
		return Config{}, err
	}
	var c Config
	var assignment []byte
	err = wire.Visit(config, func(f wire.Field) error {
		switch {
		case f.Is(configReplicas, wire.Varint):
			c.Replicas = int(f.Int)
		case f.Is(configPartitions, wire.Varint):
			c.Partitions = int(f.Int)
		case f.Is(configAssignment, wire.Bytes):
			assignment = append(assignment, f.Bytes...)
		}
		return nil
	})
	if err == nil && assignment != nil {
		var a *xlaproto.DeviceAssignment
		if a, err = xlaproto.UnmarshalDeviceAssignment(assignment); err == nil {
			c.Devices = a.IDs()
		}
	}
	if err == nil && (c.Replicas < 1 || c.Partitions < 1) {
		err = fmt.Errorf("the configuration states %d replicas and %d partitions", c.Replicas, c.Partitions)
	}
	return c, err
}

// Parameters returns the shapes of the parameters of a module. A parameter that is
// a tuple counts as its elements: some compilers put all parameters into one.
func Parameters(module []byte) ([]array.Shape, error) {
	parameters, err := ParameterShapes(module)
	if err != nil {
		return nil, err
	}
	shapes := []array.Shape{}
	for i := range parameters {
		if shapes, err = flatten(shapes, &parameters[i], 0); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// ParameterShapes returns the shapes of the parameters of a module as they are,
// including tuples.
func ParameterShapes(module []byte) ([]xlaproto.Shape, error) {
	program, err := wire.Message(module, moduleProgramShape)
	if err != nil {
		return nil, err
	}
	room := wire.NewRoom(len(program))
	shapes, err := wire.Reserve[xlaproto.Shape](room, program, programParameters)
	if err != nil {
		return nil, err
	}
	err = wire.VisitMessages(program, programParameters, func(b []byte) error {
		s, err := xlaproto.UnmarshalShapeIn(room, b)
		shapes = append(shapes, s)
		return err
	})
	return shapes, err
}

// ParameterLayouts returns the layouts of the parameters that Parameters returns, in HLO's
// notation, "" where a parameter has none.
func ParameterLayouts(module []byte) ([]string, error) {
	parameters, err := ParameterShapes(module)
	if err != nil {
		return nil, err
	}
	layouts := []string{}
	var flatten func(s *xlaproto.Shape, depth int) error
	flatten = func(s *xlaproto.Shape, depth int) error {
		if depth > xlaproto.MaxTupleDepth {
			return fmt.Errorf("tuples are nested more than %d deep", xlaproto.MaxTupleDepth)
		}
		if !s.IsTuple() {
			layouts = append(layouts, layoutText(s.Layout))
			return nil
		}
		for i := range s.Tuple {
			if err := flatten(&s.Tuple[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range parameters {
		if err := flatten(&parameters[i], 0); err != nil {
			return nil, err
		}
	}
	return layouts, nil
}

// Results returns the shapes of the results of a module. A result that is a tuple counts as
// its elements.
func Results(module []byte) ([]array.Shape, error) {
	s, err := resultShape(module)
	if err != nil {
		return nil, err
	}
	return flatten(nil, s, 0)
}

func resultShape(module []byte) (*xlaproto.Shape, error) {
	program, err := wire.Message(module, moduleProgramShape)
	if err != nil {
		return nil, err
	}
	result, err := wire.Message(program, programResult)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, errors.New("the module does not state the shape of its result")
	}
	s, err := xlaproto.UnmarshalShape(result)
	return &s, err
}

// flatten appends the arrays in s to list.
func flatten(list []array.Shape, s *xlaproto.Shape, depth int) ([]array.Shape, error) {
	if depth > xlaproto.MaxTupleDepth {
		return nil, fmt.Errorf("tuples are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	if s.IsTuple() {
		var err error
		for i := range s.Tuple {
			if list, err = flatten(list, &s.Tuple[i], depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	t, ok := dtype.FromPrimitiveType(s.ElementType)
	if !ok {
		return nil, fmt.Errorf("buffers cannot have XLA's primitive type %d", s.ElementType)
	}
	return append(list, array.Shape{Type: t, Dims: s.Dims}), nil
}

// Counts returns the numbers of parameters and results of a module. A result that
// is a tuple counts as its elements.
func Counts(module []byte) (parameters, results int, ok bool) {
	program, err := wire.Message(module, moduleProgramShape)
	if err != nil {
		return 0, 0, false
	}
	err = wire.VisitMessages(program, programParameters, func([]byte) error {
		parameters++
		return nil
	})
	if err != nil {
		return 0, 0, false
	}
	result, err := wire.Message(program, programResult)
	if err != nil || result == nil {
		return 0, 0, false
	}
	tuple, parts, err := partsOf(result)
	if !tuple {
		return parameters, 1, err == nil
	}
	return parameters, len(parts), err == nil
}

// Donors reports which parameters' memory an execution of a module may take: parameters that
// a result replaces, and parameters that the module may use for anything. There is one
// element for each element of Parameters.
func Donors(module []byte) ([]bool, error) {
	parameters, err := ParameterShapes(module)
	if err != nil {
		return nil, err
	}
	places := newPlaces(parameters)
	donors := make([]bool, places.end)
	mark := func(parameter int64, index []int64) error {
		if parameter < 0 || parameter >= int64(len(parameters)) {
			return fmt.Errorf("parameter %d is donated, but there are %d parameters", parameter, len(parameters))
		}
		p := &places.inside[parameter]
		for _, i := range index {
			if i < 0 || i >= int64(len(p.inside)) {
				return fmt.Errorf("element %v of parameter %d is donated, but it has no such element",
					excerpt.OfList(index), parameter)
			}
			p = &p.inside[i]
		}
		for at := p.begin; at < p.end && !p.donated; at++ {
			donors[at] = true
		}
		p.donated = true // and need not be marked again
		return nil
	}
	for _, list := range []struct{ field, entries, parameter, index wire.Number }{
		{moduleAliases, aliasEntries, aliasParameter, aliasParameterIndex},
		{moduleDonors, donorEntries, donorParameter, donorParameterIndex},
	} {
		entries, err := wire.Message(module, list.field)
		if err != nil {
			return nil, err
		}
		err = wire.VisitMessages(entries, list.entries, func(b []byte) error {
			var parameter int64
			var index []int64
			err := wire.Visit(b, func(f wire.Field) error {
				switch {
				case f.Is(list.parameter, wire.Varint):
					parameter = int64(f.Int)
				case f.IsList(list.index):
					return wire.Ints(&index, f)
				}
				return nil
			})
			if err != nil {
				return err
			}
			return mark(parameter, index)
		})
		if err != nil {
			return nil, err
		}
	}
	return donors, nil
}

// place says where the arrays of a shape are in a list of all arrays.
type place struct {
	begin, end int
	inside     []place // of the elements of a tuple
	donated    bool    // all of them
}

// newPlaces returns the place of a tuple of the shapes.
func newPlaces(shapes []xlaproto.Shape) place {
	root := place{inside: make([]place, len(shapes))}
	for i := range shapes {
		root.inside[i] = newPlace(&shapes[i], root.end)
		root.end = root.inside[i].end
	}
	return root
}

func newPlace(s *xlaproto.Shape, begin int) place {
	p := place{begin: begin, end: begin}
	if !s.IsTuple() {
		p.end++
		return p
	}
	p.inside = make([]place, len(s.Tuple))
	for i := range s.Tuple {
		p.inside[i] = newPlace(&s.Tuple[i], p.end)
		p.end = p.inside[i].end
	}
	return p
}

// Steady reports whether each execution of a module does the same work, which depends on
// nothing but the shapes of its parameters. A module with a loop, or one that calls foreign
// code or exchanges data with the host or other devices, may take any time.
func Steady(module []byte) (bool, error) {
	steady := true
	err := wire.VisitMessages(module, moduleComputations, func(computation []byte) error {
		return wire.VisitMessages(computation, computationInstructions, func(instruction []byte) error {
			return wire.Visit(instruction, func(f wire.Field) error {
				if f.Is(instructionOpcode, wire.Bytes) && unsteady(string(f.Bytes)) {
					steady = false
				}
				return nil
			})
		})
	})
	return steady, err
}

// unsteady reports whether an operation may take any time.
func unsteady(opcode string) bool {
	switch opcode {
	case "while", "conditional", "custom-call", "infeed", "outfeed":
		return true
	}
	for _, prefix := range []string{"all-", "async-", "collective-", "ragged-", "reduce-scatter", "recv", "send"} {
		if strings.HasPrefix(opcode, prefix) {
			return true
		}
	}
	return false
}
