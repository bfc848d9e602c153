// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/pjrt/proto/compile_options.proto that are used outside the tables below.
const (
	optionsArgumentLayouts = 1 // CompileOptionsProto
	optionsBuild           = 3
	optionsOverrides       = 7

	overrideKey   = 1 // entry of CompileOptionsProto.env_option_overrides
	overrideValue = 2

	overrideString = 1 // OptionOverrideProto
	overrideBool   = 2
	overrideInt    = 3
	overrideDouble = 4

	buildResultLayout     = 2 // ExecutableBuildOptionsProto
	buildDeviceAssignment = 9
)

// CompileOptions is a CompileOptionsProto.
type CompileOptions struct {
	ArgumentLayouts  []Shape
	TupledArguments  bool
	Build            BuildOptions
	Portable         bool
	ProfileVersion   int64
	MultiSlice       []byte
	Overrides        []Override // of XLA's flags, in the order of the message
	TargetConfig     []byte     // GpuTargetConfigProto
	InPlaceMLIR      bool
	OperandPrecision int32 // PrecisionConfig.Precision
	CompilerVariant  string
	Individual       []int32 // results that become ready one by one
	Unknown          []byte
}

// BuildOptions is an ExecutableBuildOptionsProto.
type BuildOptions struct {
	DeviceOrdinal         int64
	ResultLayout          *Shape
	DebugOptions          []byte
	Replicas, Partitions  int64
	SPMD                  bool
	AutoSharding          bool
	Deduplicate           bool
	DeviceAssignment      *DeviceAssignment
	AliasPassthrough      bool
	BackendOnly           bool
	PropagateToResults    []bool
	Environments          []byte // CompilationEnvironmentsProto
	Profile               []byte
	DeviceMemory          int64
	MeshShape, MeshIDs    []int64
	PropagateToParameters []bool
	Shardy                bool
	ProcessIndex          int64
	ProcessCount          int64
	Optimization          int32 // EffortLevel
	MemoryFitting         int32
	GPUTopology           []byte // GpuTopologyProto
	Unknown               []byte
}

// Override is the value of an XLA flag for one compilation: an entry of
// env_option_overrides, whose value is an OptionOverrideProto.
type Override struct {
	Name    string
	Value   any    // bool, int64, float64 or string; nil if there is none, or an unknown one
	Unknown []byte // of the OptionOverrideProto
}

var optionsTable = wire.NewTable(func(o *CompileOptions) *[]byte { return &o.Unknown },
	wire.Apart(optionsArgumentLayouts, func(b []byte, o *CompileOptions) []byte {
		for i := range o.ArgumentLayouts {
			b = wire.AppendBytes(b, optionsArgumentLayouts, o.ArgumentLayouts[i].Marshal())
		}
		return b
	}),
	wire.Bool(2, func(o *CompileOptions) *bool { return &o.TupledArguments }),
	wire.Apart(optionsBuild, func(b []byte, o *CompileOptions) []byte {
		return buildTable.AppendNonempty(b, optionsBuild, &o.Build)
	}),
	wire.Bool(4, func(o *CompileOptions) *bool { return &o.Portable }),
	wire.Int(5, func(o *CompileOptions) *int64 { return &o.ProfileVersion }),
	wire.Blob(6, func(o *CompileOptions) *[]byte { return &o.MultiSlice }),
	wire.Apart(optionsOverrides, func(b []byte, o *CompileOptions) []byte {
		for _, v := range o.Overrides {
			b = wire.AppendBytes(b, optionsOverrides, v.marshal())
		}
		return b
	}),
	wire.Unread(8, func(o *CompileOptions) *[]byte { return &o.TargetConfig }),
	wire.Bool(9, func(o *CompileOptions) *bool { return &o.InPlaceMLIR }),
	wire.Int(10, func(o *CompileOptions) *int32 { return &o.OperandPrecision }),
	wire.Text(11, func(o *CompileOptions) *string { return &o.CompilerVariant }),
	wire.IntList(12, func(o *CompileOptions) *[]int32 { return &o.Individual }),
)

var buildTable = wire.NewTable(func(o *BuildOptions) *[]byte { return &o.Unknown },
	wire.Int(1, func(o *BuildOptions) *int64 { return &o.DeviceOrdinal }),
	wire.Apart(buildResultLayout, func(b []byte, o *BuildOptions) []byte {
		if o.ResultLayout == nil {
			return b
		}
		return wire.AppendBytes(b, buildResultLayout, o.ResultLayout.Marshal())
	}),
	wire.Unread(3, func(o *BuildOptions) *[]byte { return &o.DebugOptions }),
	wire.Int(4, func(o *BuildOptions) *int64 { return &o.Replicas }),
	wire.Int(5, func(o *BuildOptions) *int64 { return &o.Partitions }),
	wire.Bool(6, func(o *BuildOptions) *bool { return &o.SPMD }),
	wire.Bool(7, func(o *BuildOptions) *bool { return &o.AutoSharding }),
	wire.Bool(8, func(o *BuildOptions) *bool { return &o.Deduplicate }),
	wire.Apart(buildDeviceAssignment, func(b []byte, o *BuildOptions) []byte {
		if o.DeviceAssignment == nil {
			return b
		}
		return wire.AppendBytes(b, buildDeviceAssignment, o.DeviceAssignment.marshal())
	}),
	wire.Bool(10, func(o *BuildOptions) *bool { return &o.AliasPassthrough }),
	wire.Bool(11, func(o *BuildOptions) *bool { return &o.BackendOnly }),
	wire.BoolList(12, func(o *BuildOptions) *[]bool { return &o.PropagateToResults }),
	wire.Unread(13, func(o *BuildOptions) *[]byte { return &o.Environments }),
	wire.Blob(14, func(o *BuildOptions) *[]byte { return &o.Profile }),
	wire.Int(15, func(o *BuildOptions) *int64 { return &o.DeviceMemory }),
	wire.IntList(16, func(o *BuildOptions) *[]int64 { return &o.MeshShape }),
	wire.IntList(17, func(o *BuildOptions) *[]int64 { return &o.MeshIDs }),
	wire.BoolList(18, func(o *BuildOptions) *[]bool { return &o.PropagateToParameters }),
	wire.Bool(19, func(o *BuildOptions) *bool { return &o.Shardy }),
	wire.Int(22, func(o *BuildOptions) *int64 { return &o.ProcessIndex }),
	wire.Int(23, func(o *BuildOptions) *int64 { return &o.ProcessCount }),
	wire.Int(24, func(o *BuildOptions) *int32 { return &o.Optimization }),
	wire.Int(25, func(o *BuildOptions) *int32 { return &o.MemoryFitting }),
	wire.Unread(27, func(o *BuildOptions) *[]byte { return &o.GPUTopology }),
)

// UnmarshalCompileOptions reads a CompileOptionsProto.
func UnmarshalCompileOptions(b []byte) (*CompileOptions, error) {
	o := new(CompileOptions)
	room := wire.NewRoom(len(b))
	var build []byte
	var err error
	if o.ArgumentLayouts, err = wire.Reserve[Shape](room, b, optionsArgumentLayouts); err != nil {
		return nil, err
	}
	if o.Overrides, err = wire.Reserve[Override](room, b, optionsOverrides); err != nil {
		return nil, err
	}
	err = optionsTable.ReadApart(b, o, func(f wire.Field) error {
		switch f.Number {
		case optionsArgumentLayouts:
			s, err := UnmarshalShapeIn(room, f.Bytes)
			o.ArgumentLayouts = append(o.ArgumentLayouts, s)
			return err
		case optionsBuild:
			build = wire.Join(build, f.Bytes)
		case optionsOverrides:
			v, err := unmarshalOverride(f.Bytes)
			o.Overrides = append(o.Overrides, v)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := o.Build.unmarshal(build); err != nil {
		return nil, fmt.Errorf("build options: %w", err)
	}
	return o, nil
}

func (o *BuildOptions) unmarshal(b []byte) error {
	var result, assignment []byte
	err := buildTable.ReadApart(b, o, func(f wire.Field) error {
		switch f.Number {
		case buildResultLayout:
			result = wire.Join(result, f.Bytes)
		case buildDeviceAssignment:
			assignment = wire.Join(assignment, f.Bytes)
		}
		return nil
	})
	if err == nil && result != nil {
		o.ResultLayout = new(Shape)
		*o.ResultLayout, err = UnmarshalShape(result)
	}
	if err == nil && assignment != nil {
		o.DeviceAssignment, err = UnmarshalDeviceAssignment(assignment)
	}
	return err
}

func unmarshalOverride(entry []byte) (Override, error) {
	var o Override
	value, err := wire.Message(entry, overrideValue)
	if err != nil {
		return o, err
	}
	err = wire.VisitMessages(entry, overrideKey, func(b []byte) error {
		o.Name = string(b)
		return nil
	})
	if err != nil {
		return o, err
	}
	err = wire.Visit(value, func(f wire.Field) error {
		switch {
		case f.Is(overrideString, wire.Bytes):
			o.Value = string(f.Bytes)
		case f.Is(overrideBool, wire.Varint):
			o.Value = f.Bool()
		case f.Is(overrideInt, wire.Varint):
			o.Value = int64(f.Int)
		case f.Is(overrideDouble, wire.Fixed64):
			o.Value = math.Float64frombits(f.Int)
		default:
			o.Unknown = append(o.Unknown, f.Raw...)
		}
		return nil
	})
	return o, err
}

// Marshal writes a CompileOptionsProto. Equal options give equal bytes; the zero
// options give none.
func (o *CompileOptions) Marshal() []byte { return optionsTable.Append(nil, o) }

func (o *Override) marshal() []byte {
	var value []byte
	switch v := o.Value.(type) {
	case string:
		value = wire.AppendBytes(nil, overrideString, v)
	case bool:
		value = wire.AppendBool(nil, overrideBool, v)
	case int64:
		value = wire.AppendInt(nil, overrideInt, v)
	case float64:
		value = wire.AppendFixed64(nil, overrideDouble, math.Float64bits(v))
	}
	entry := wire.AppendBytes(nil, overrideKey, o.Name)
	return wire.AppendBytes(entry, overrideValue, append(value, o.Unknown...))
}
