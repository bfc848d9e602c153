// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/pjrt/proto/compile_options.proto.
const (
	optionsArgumentLayouts  = 1 // CompileOptionsProto
	optionsTupledArguments  = 2
	optionsBuild            = 3
	optionsPortable         = 4
	optionsProfileVersion   = 5
	optionsMultiSlice       = 6
	optionsOverrides        = 7
	optionsTargetConfig     = 8
	optionsInPlaceMLIR      = 9
	optionsOperandPrecision = 10
	optionsCompilerVariant  = 11
	optionsIndividual       = 12

	overrideKey   = 1 // entry of CompileOptionsProto.env_option_overrides
	overrideValue = 2

	overrideString = 1 // OptionOverrideProto
	overrideBool   = 2
	overrideInt    = 3
	overrideDouble = 4

	buildDeviceOrdinal         = 1 // ExecutableBuildOptionsProto
	buildResultLayout          = 2
	buildDebugOptions          = 3
	buildReplicas              = 4
	buildPartitions            = 5
	buildSPMD                  = 6
	buildAutoSharding          = 7
	buildDeduplicate           = 8
	buildDeviceAssignment      = 9
	buildAliasPassthrough      = 10
	buildBackendOnly           = 11
	buildPropagateToResults    = 12
	buildEnvironments          = 13
	buildProfile               = 14
	buildDeviceMemory          = 15
	buildMeshShape             = 16
	buildMeshIDs               = 17
	buildPropagateToParameters = 18
	buildShardy                = 19
	buildProcessIndex          = 22
	buildProcessCount          = 23
	buildOptimization          = 24
	buildMemoryFitting         = 25
	buildGPUTopology           = 27
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
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(optionsArgumentLayouts, wire.Bytes):
			s, err := UnmarshalShapeIn(room, f.Bytes)
			o.ArgumentLayouts = append(o.ArgumentLayouts, s)
			return err
		case f.Is(optionsTupledArguments, wire.Varint):
			o.TupledArguments = f.Bool()
		case f.Is(optionsBuild, wire.Bytes):
			build = append(build, f.Bytes...) // protobuf merges messages by concatenation
		case f.Is(optionsPortable, wire.Varint):
			o.Portable = f.Bool()
		case f.Is(optionsProfileVersion, wire.Varint):
			o.ProfileVersion = int64(f.Int)
		case f.Is(optionsMultiSlice, wire.Bytes):
			o.MultiSlice = append([]byte(nil), f.Bytes...)
		case f.Is(optionsOverrides, wire.Bytes):
			v, err := unmarshalOverride(f.Bytes)
			o.Overrides = append(o.Overrides, v)
			return err
		case f.Is(optionsTargetConfig, wire.Bytes):
			o.TargetConfig = append(o.TargetConfig, f.Bytes...)
		case f.Is(optionsInPlaceMLIR, wire.Varint):
			o.InPlaceMLIR = f.Bool()
		case f.Is(optionsOperandPrecision, wire.Varint):
			o.OperandPrecision = int32(f.Int)
		case f.Is(optionsCompilerVariant, wire.Bytes):
			o.CompilerVariant = string(f.Bytes)
		case f.IsList(optionsIndividual):
			return wire.Ints(&o.Individual, f)
		default:
			o.Unknown = append(o.Unknown, f.Raw...)
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
	hasResult, hasAssignment := false, false
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(buildDeviceOrdinal, wire.Varint):
			o.DeviceOrdinal = int64(f.Int)
		case f.Is(buildResultLayout, wire.Bytes):
			result, hasResult = append(result, f.Bytes...), true
		case f.Is(buildDebugOptions, wire.Bytes):
			o.DebugOptions = append(o.DebugOptions, f.Bytes...)
		case f.Is(buildReplicas, wire.Varint):
			o.Replicas = int64(f.Int)
		case f.Is(buildPartitions, wire.Varint):
			o.Partitions = int64(f.Int)
		case f.Is(buildSPMD, wire.Varint):
			o.SPMD = f.Bool()
		case f.Is(buildAutoSharding, wire.Varint):
			o.AutoSharding = f.Bool()
		case f.Is(buildDeduplicate, wire.Varint):
			o.Deduplicate = f.Bool()
		case f.Is(buildDeviceAssignment, wire.Bytes):
			assignment, hasAssignment = append(assignment, f.Bytes...), true
		case f.Is(buildAliasPassthrough, wire.Varint):
			o.AliasPassthrough = f.Bool()
		case f.Is(buildBackendOnly, wire.Varint):
			o.BackendOnly = f.Bool()
		case f.IsList(buildPropagateToResults):
			return wire.Bools(&o.PropagateToResults, f)
		case f.Is(buildEnvironments, wire.Bytes):
			o.Environments = append(o.Environments, f.Bytes...)
		case f.Is(buildProfile, wire.Bytes):
			o.Profile = append([]byte(nil), f.Bytes...)
		case f.Is(buildDeviceMemory, wire.Varint):
			o.DeviceMemory = int64(f.Int)
		case f.IsList(buildMeshShape):
			return wire.Ints(&o.MeshShape, f)
		case f.IsList(buildMeshIDs):
			return wire.Ints(&o.MeshIDs, f)
		case f.IsList(buildPropagateToParameters):
			return wire.Bools(&o.PropagateToParameters, f)
		case f.Is(buildShardy, wire.Varint):
			o.Shardy = f.Bool()
		case f.Is(buildProcessIndex, wire.Varint):
			o.ProcessIndex = int64(f.Int)
		case f.Is(buildProcessCount, wire.Varint):
			o.ProcessCount = int64(f.Int)
		case f.Is(buildOptimization, wire.Varint):
			o.Optimization = int32(f.Int)
		case f.Is(buildMemoryFitting, wire.Varint):
			o.MemoryFitting = int32(f.Int)
		case f.Is(buildGPUTopology, wire.Bytes):
			o.GPUTopology = append(o.GPUTopology, f.Bytes...)
		default:
			o.Unknown = append(o.Unknown, f.Raw...)
		}
		return nil
	})
	if err == nil && hasResult {
		o.ResultLayout = new(Shape)
		*o.ResultLayout, err = UnmarshalShape(result)
	}
	if err == nil && hasAssignment {
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
func (o *CompileOptions) Marshal() []byte {
	var b []byte
	for i := range o.ArgumentLayouts {
		b = wire.AppendBytes(b, optionsArgumentLayouts, o.ArgumentLayouts[i].Marshal())
	}
	b = wire.AppendTrue(b, optionsTupledArguments, o.TupledArguments)
	b = wire.AppendNonempty(b, optionsBuild, o.Build.marshal())
	b = wire.AppendTrue(b, optionsPortable, o.Portable)
	b = wire.AppendNonzero(b, optionsProfileVersion, o.ProfileVersion)
	b = wire.AppendNonempty(b, optionsMultiSlice, o.MultiSlice)
	for _, v := range o.Overrides {
		b = wire.AppendBytes(b, optionsOverrides, v.marshal())
	}
	b = wire.AppendNonempty(b, optionsTargetConfig, o.TargetConfig)
	b = wire.AppendTrue(b, optionsInPlaceMLIR, o.InPlaceMLIR)
	b = wire.AppendNonzero(b, optionsOperandPrecision, o.OperandPrecision)
	b = wire.AppendNonempty(b, optionsCompilerVariant, o.CompilerVariant)
	b = wire.AppendInts(b, optionsIndividual, o.Individual)
	return append(b, o.Unknown...)
}

func (o *BuildOptions) marshal() []byte {
	b := wire.AppendNonzero(nil, buildDeviceOrdinal, o.DeviceOrdinal)
	if o.ResultLayout != nil {
		b = wire.AppendBytes(b, buildResultLayout, o.ResultLayout.Marshal())
	}
	b = wire.AppendNonempty(b, buildDebugOptions, o.DebugOptions)
	b = wire.AppendNonzero(b, buildReplicas, o.Replicas)
	b = wire.AppendNonzero(b, buildPartitions, o.Partitions)
	b = wire.AppendTrue(b, buildSPMD, o.SPMD)
	b = wire.AppendTrue(b, buildAutoSharding, o.AutoSharding)
	b = wire.AppendTrue(b, buildDeduplicate, o.Deduplicate)
	if o.DeviceAssignment != nil {
		b = wire.AppendBytes(b, buildDeviceAssignment, o.DeviceAssignment.marshal())
	}
	b = wire.AppendTrue(b, buildAliasPassthrough, o.AliasPassthrough)
	b = wire.AppendTrue(b, buildBackendOnly, o.BackendOnly)
	b = wire.AppendBools(b, buildPropagateToResults, o.PropagateToResults)
	b = wire.AppendNonempty(b, buildEnvironments, o.Environments)
	b = wire.AppendNonempty(b, buildProfile, o.Profile)
	b = wire.AppendNonzero(b, buildDeviceMemory, o.DeviceMemory)
	b = wire.AppendInts(b, buildMeshShape, o.MeshShape)
	b = wire.AppendInts(b, buildMeshIDs, o.MeshIDs)
	b = wire.AppendBools(b, buildPropagateToParameters, o.PropagateToParameters)
	b = wire.AppendTrue(b, buildShardy, o.Shardy)
	b = wire.AppendNonzero(b, buildProcessIndex, o.ProcessIndex)
	b = wire.AppendNonzero(b, buildProcessCount, o.ProcessCount)
	b = wire.AppendNonzero(b, buildOptimization, o.Optimization)
	b = wire.AppendNonzero(b, buildMemoryFitting, o.MemoryFitting)
	b = wire.AppendNonempty(b, buildGPUTopology, o.GPUTopology)
	return append(b, o.Unknown...)
}

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
