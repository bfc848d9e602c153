// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// DecodeCompileOptions reads a serialized CompileOptionsProto, such as another
// program wrote or a plugin gives out. The device assignment comes as DeviceIDs.
// What CompileOptions has no field for comes as Extra, so that nothing is lost
// when the options are used again.
func DecodeCompileOptions(b []byte) (*CompileOptions, error) {
	o := new(CompileOptions)
	var build, arguments []byte
	typed := true
	err := wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldArgumentLayouts, protowire.BytesType):
			arguments = append(arguments, r.raw...)
			s, ok, err := unmarshalShapeLayout(r.bytes)
			o.ArgumentLayouts = append(o.ArgumentLayouts, s)
			typed = typed && ok
			return err
		case r.is(fieldTupledArguments, protowire.VarintType):
			o.TupledArguments = r.bool()
		case r.is(fieldBuildOptions, protowire.BytesType):
			// Messages that stand behind one another are the merged message.
			build = append(build, r.bytes...)
		case r.is(fieldPortable, protowire.VarintType):
			o.Portable = r.bool()
		case r.is(fieldProfileVersion, protowire.VarintType):
			o.ProfileVersion = int64(r.varint)
		case r.is(fieldMultiSlice, protowire.BytesType):
			o.MultiSlice = append([]byte(nil), r.bytes...)
		case r.is(fieldFlags, protowire.BytesType):
			return o.unmarshalFlag(r)
		case r.is(fieldTargetConfig, protowire.BytesType):
			o.TargetConfig = append(o.TargetConfig, r.bytes...)
		case r.is(fieldInPlaceMLIR, protowire.VarintType):
			o.AllowInPlaceMLIR = r.bool()
		case r.is(fieldOperandPrecision, protowire.VarintType):
			o.OperandPrecision = Precision(r.varint)
		case r.is(fieldCompilerVariant, protowire.BytesType):
			o.CompilerVariant = string(r.bytes)
		case r.number == fieldIndividual && r.packable():
			return appendUnpacked(&o.IndividuallyDefinedResults, r)
		default:
			o.Extra = append(o.Extra, r.raw...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compile options: %w", err)
	}
	if !typed {
		o.ArgumentLayouts = nil
		o.Extra = append(o.Extra, arguments...)
	}
	rest, err := o.unmarshalBuild(build)
	if err != nil {
		return nil, fmt.Errorf("compile options: build options: %w", err)
	}
	if len(rest) > 0 {
		o.Extra = appendBytes(o.Extra, fieldBuildOptions, rest)
	}
	return o, nil
}

// unmarshalBuild reads an ExecutableBuildOptionsProto and returns the fields that
// it does not know.
func (o *CompileOptions) unmarshalBuild(b []byte) (rest []byte, err error) {
	var ordinal int64
	var result, resultRaw, assignment []byte
	hasAssignment, hasResult := false, false
	err = wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldDeviceOrdinal, protowire.VarintType):
			ordinal = int64(r.varint)
		case r.is(fieldResultLayout, protowire.BytesType):
			result, resultRaw, hasResult = append(result, r.bytes...), append(resultRaw, r.raw...), true
		case r.is(fieldDebugOptions, protowire.BytesType):
			o.DebugOptions = append(o.DebugOptions, r.bytes...)
		case r.is(fieldNumReplicas, protowire.VarintType):
			o.Replicas = int(r.varint)
		case r.is(fieldNumPartitions, protowire.VarintType):
			o.Partitions = int(r.varint)
		case r.is(fieldSPMD, protowire.VarintType):
			o.SPMD = r.bool()
		case r.is(fieldAutoSharding, protowire.VarintType):
			o.AutoSharding = r.bool()
		case r.is(fieldDeduplicate, protowire.VarintType):
			o.Deduplicate = r.bool()
		case r.is(fieldDeviceAssignment, protowire.BytesType):
			assignment, hasAssignment = append(assignment, r.bytes...), true
		case r.is(fieldAliasPassthrough, protowire.VarintType):
			o.AliasPassthrough = r.bool()
		case r.is(fieldBackendOnly, protowire.VarintType):
			o.BackendOnly = r.bool()
		case r.number == fieldPropagateToResults && r.packable():
			return appendBools(&o.PropagateToResults, r)
		case r.is(fieldEnvironments, protowire.BytesType):
			o.Environments = append(o.Environments, r.bytes...)
		case r.is(fieldProfile, protowire.BytesType):
			o.Profile = append([]byte(nil), r.bytes...)
		case r.is(fieldDeviceMemory, protowire.VarintType):
			o.DeviceMemory = int64(r.varint)
		case r.number == fieldMeshShape && r.packable():
			return appendUnpacked(&o.MeshShape, r)
		case r.number == fieldMeshIDs && r.packable():
			return appendUnpacked(&o.MeshIDs, r)
		case r.number == fieldPropagateToParameters && r.packable():
			return appendBools(&o.PropagateToParameters, r)
		case r.is(fieldShardy, protowire.VarintType):
			o.Shardy = r.bool()
		case r.is(fieldProcessIndex, protowire.VarintType):
			o.ProcessIndex = int64(r.varint)
		case r.is(fieldProcessCount, protowire.VarintType):
			o.ProcessCount = int64(r.varint)
		case r.is(fieldOptimization, protowire.VarintType):
			o.Optimization = Effort(r.varint)
		case r.is(fieldMemoryFitting, protowire.VarintType):
			o.MemoryFitting = Effort(r.varint)
		case r.is(fieldGPUTopology, protowire.BytesType):
			o.GPUTopology = append(o.GPUTopology, r.bytes...)
		default:
			rest = append(rest, r.raw...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if ordinal != -1 {
		o.DeviceOrdinal = &ordinal
	}
	if hasResult {
		s, ok, err := unmarshalShapeLayout(result)
		if err != nil {
			return nil, err
		}
		if ok {
			o.ResultLayout = &s
		} else {
			rest = append(rest, resultRaw...)
		}
	}
	if hasAssignment {
		o.DeviceIDs, err = unmarshalAssignment(assignment)
	}
	return rest, err
}

// unmarshalAssignment reads a DeviceAssignmentProto: the numbers of the devices
// by replica and partition.
func unmarshalAssignment(b []byte) ([][]int, error) {
	var replicas, partitions int64
	var columns [][]int64
	err := wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldReplicaCount, protowire.VarintType):
			replicas = int64(int32(r.varint))
		case r.is(fieldComputationCount, protowire.VarintType):
			partitions = int64(int32(r.varint))
		case r.is(fieldComputationDevices, protowire.BytesType):
			var column []int64
			err := wireFields(r.bytes, func(r wireField) error {
				if r.number == fieldReplicaDeviceIDs && r.packable() {
					return appendUnpacked(&column, r)
				}
				return nil
			})
			columns = append(columns, column)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if replicas < 1 || partitions < 1 || int64(len(columns)) != partitions {
		return nil, fmt.Errorf("device assignment of %d replicas and %d partitions lists %d partitions", replicas, partitions, len(columns))
	}
	for p, column := range columns {
		if int64(len(column)) != replicas {
			return nil, fmt.Errorf("partition %d of the device assignment has %d devices for %d replicas", p, len(column), replicas)
		}
	}
	ids := make([][]int, replicas)
	for r := range ids {
		ids[r] = make([]int, partitions)
		for p := range columns {
			ids[r][p] = int(columns[p][r])
		}
	}
	return ids, nil
}

// unmarshalFlag reads an entry of env_option_overrides.
func (o *CompileOptions) unmarshalFlag(entry wireField) error {
	var name string
	var override []byte
	err := wireFields(entry.bytes, func(r wireField) error {
		switch {
		case r.is(fieldMapKey, protowire.BytesType):
			name = string(r.bytes)
		case r.is(fieldMapValue, protowire.BytesType):
			override = append(override, r.bytes...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var value any
	err = wireFields(override, func(r wireField) error {
		switch {
		case r.is(fieldString, protowire.BytesType):
			value = string(r.bytes)
		case r.is(fieldBool, protowire.VarintType):
			value = r.bool()
		case r.is(fieldInt, protowire.VarintType):
			value = int64(r.varint)
		case r.is(fieldDouble, protowire.Fixed64Type):
			value = math.Float64frombits(r.varint)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case value == nil:
		o.Extra = append(o.Extra, entry.raw...)
		return nil
	}
	if o.Flags == nil {
		o.Flags = make(map[string]any)
	}
	o.Flags[name] = value
	return nil
}
