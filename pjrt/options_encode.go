// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"maps"
	"math"
	"os"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// Field numbers of xla/pjrt/proto/compile_options.proto and of the messages of
// xla/xla_data.proto that it uses.
const (
	fieldArgumentLayouts  = 1 // CompileOptionsProto
	fieldTupledArguments  = 2
	fieldBuildOptions     = 3
	fieldPortable         = 4
	fieldProfileVersion   = 5
	fieldMultiSlice       = 6
	fieldFlags            = 7
	fieldTargetConfig     = 8
	fieldInPlaceMLIR      = 9
	fieldOperandPrecision = 10
	fieldCompilerVariant  = 11
	fieldIndividual       = 12

	fieldDeviceOrdinal         = 1 // ExecutableBuildOptionsProto
	fieldResultLayout          = 2
	fieldDebugOptions          = 3
	fieldNumReplicas           = 4
	fieldNumPartitions         = 5
	fieldSPMD                  = 6
	fieldAutoSharding          = 7
	fieldDeduplicate           = 8
	fieldDeviceAssignment      = 9
	fieldAliasPassthrough      = 10
	fieldBackendOnly           = 11
	fieldPropagateToResults    = 12
	fieldEnvironments          = 13
	fieldProfile               = 14
	fieldDeviceMemory          = 15
	fieldMeshShape             = 16
	fieldMeshIDs               = 17
	fieldPropagateToParameters = 18
	fieldShardy                = 19
	fieldProcessIndex          = 22
	fieldProcessCount          = 23
	fieldOptimization          = 24
	fieldMemoryFitting         = 25
	fieldGPUTopology           = 27

	fieldSplitCount = 323 // DebugOptions

	fieldReplicaCount       = 1 // DeviceAssignmentProto
	fieldComputationCount   = 2
	fieldComputationDevices = 3
	fieldReplicaDeviceIDs   = 1 // DeviceAssignmentProto.ComputationDevice

	fieldMapKey   = 1
	fieldMapValue = 2

	fieldString = 1 // OptionOverrideProto
	fieldBool   = 2
	fieldInt    = 3
	fieldDouble = 4

	fieldMinorToMajor = 1 // LayoutProto
	fieldTiles        = 6
	fieldElementBits  = 7
	fieldMemorySpace  = 8
	fieldTailPadding  = 16
	fieldTileDims     = 1 // TileProto
)

// EncodeCompileOptions returns the serialized CompileOptionsProto that Compile of
// this client sends for the options, which may be nil. Equal options give equal
// bytes.
func (c *Client) EncodeCompileOptions(opts *CompileOptions) ([]byte, error) {
	return opts.encode(c.target())
}

// encodeFor checks the options for a program and a target and returns their wire
// form.
func (o *CompileOptions) encodeFor(p Program, t compileTarget) ([]byte, error) {
	b, err := o.encode(t)
	if err != nil || o == nil {
		return b, err
	}
	sent := o
	if len(o.Extra) > 0 {
		if sent, err = DecodeCompileOptions(b); err != nil {
			return nil, err
		}
	}
	return b, sent.checkPropagation(p)
}

// devices returns how many devices a program runs on, or 0 when that is not certain.
func (o *CompileOptions) devices() int {
	switch {
	case o == nil:
		return 1
	case len(o.Extra) > 0 || o.Replicas < 0 || o.Partitions < 0 || o.Replicas > maxDevices || o.Partitions > maxDevices:
		return 0
	}
	return max(o.Replicas, 1) * max(o.Partitions, 1)
}

// encode checks the options for a target and returns their wire form.
func (o *CompileOptions) encode(t compileTarget) ([]byte, error) {
	if o == nil {
		o = &CompileOptions{}
	}
	flags, err := o.flags(t)
	if err != nil {
		return nil, err
	}
	assignment, err := o.assignment(t)
	if err != nil {
		return nil, err
	}
	if o.Replicas < 0 || o.Partitions < 0 {
		return nil, invalid("compile options ask for %d replicas and %d partitions; neither can be negative", o.Replicas, o.Partitions)
	}
	replicas, partitions := max(o.Replicas, 1), max(o.Partitions, 1)
	if err := t.checkCounts(int64(replicas), int64(partitions)); err != nil {
		return nil, err
	}
	if assignment != nil {
		if err := t.checkAssignment(assignment, replicas, partitions); err != nil {
			return nil, err
		}
	}
	if err := o.checkValues(); err != nil {
		return nil, err
	}
	b, err := o.marshal(flags, assignment)
	if err != nil || len(o.Extra) == 0 {
		return b, err
	}
	// Extra may change anything, and so must be looked at together with the rest.
	b = append(b, o.Extra...)
	merged, err := DecodeCompileOptions(b)
	if err != nil {
		return nil, invalid("the extra fields of the compile options: %v", err)
	}
	if err := t.checkCounts(int64(merged.Replicas), int64(merged.Partitions)); err != nil {
		return nil, err
	}
	if merged.hasOddShape() {
		return nil, invalid("the extra fields of the compile options have an argument or result layout that says more than a ShapeLayout, and cannot be checked")
	}
	if merged.ProcessCount < 1 {
		return nil, invalid("the extra fields of the compile options set %d processes", merged.ProcessCount)
	}
	if merged.DeviceIDs != nil {
		if err := t.checkAssignment(merged.DeviceIDs, merged.Replicas, merged.Partitions); err != nil {
			return nil, err
		}
	}
	strict := !o.AllowUnknownFlags && usesDebugOptions(t.platform)
	for name, value := range merged.Flags {
		if _, err := overrideValue(name, value, strict); err != nil {
			return nil, err
		}
	}
	return b, merged.checkValues()
}

// hasOddShape reports whether decoded options have a shape in Extra because it did
// not fit into a ShapeLayout.
func (o *CompileOptions) hasOddShape() bool {
	odd := false
	_ = wireFields(o.Extra, func(r wireField) error { // it has been read before
		if r.is(fieldArgumentLayouts, protowire.BytesType) {
			odd = true
		}
		if !r.is(fieldBuildOptions, protowire.BytesType) {
			return nil
		}
		return wireFields(r.bytes, func(r wireField) error {
			odd = odd || r.is(fieldResultLayout, protowire.BytesType)
			return nil
		})
	})
	return odd
}

// flags returns the flags of the options and of the environment in the form that
// they are sent in.
func (o *CompileOptions) flags(t compileTarget) (map[string]any, error) {
	flags := make(map[string]any)
	if text := os.Getenv("XLA_DEBUG_OPTIONS"); text != "" {
		env, err := ParseDebugOptions(text)
		if err != nil {
			return nil, invalid("environment variable XLA_DEBUG_OPTIONS: %v", err)
		}
		maps.Copy(flags, env)
	}
	maps.Copy(flags, o.Flags)
	strict := !o.AllowUnknownFlags && usesDebugOptions(t.platform)
	for name, value := range flags {
		v, err := overrideValue(name, value, strict)
		if err != nil {
			return nil, err
		}
		flags[name] = v
	}
	return flags, nil
}

// usesDebugOptions reports whether a platform has no flags but those of XLA's
// DebugOptions.
func usesDebugOptions(platform string) bool {
	switch platform {
	case "cpu", "host", "cuda", "rocm", "sycl", "oneapi", "gpu":
		return true
	}
	return false
}

// checkDebugOptions refuses a DebugOptions message that is none, or with the one
// value that XLA's CPU compiler ends the process over.
func checkDebugOptions(b []byte) error {
	err := wireFields(b, func(r wireField) error {
		if r.is(fieldSplitCount, protowire.VarintType) {
			if n := int64(int32(r.varint)); n < 0 || n > xlaflags.MaxSplitCount {
				return invalid("the DebugOptions of the compile options have the flag %s at %d; it takes 1 to %d", xlaflags.SplitCount, n, xlaflags.MaxSplitCount)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrInvalidArgument) {
		return invalid("the DebugOptions of the compile options are no serialized message: %v", err)
	}
	return err
}

// checkValues refuses what is no value of its field.
func (o *CompileOptions) checkValues() error {
	switch {
	case o.AutoSharding && !o.SPMD:
		return invalid("compile options ask for AutoSharding without SPMD, which it needs")
	case len(o.MeshIDs) > 0 && len(o.MeshShape) == 0:
		return invalid("compile options have MeshIDs without a MeshShape")
	case o.DeviceMemory < 0:
		return invalid("compile options have %d bytes of device memory", o.DeviceMemory)
	case o.ProcessIndex < 0 || o.ProcessCount < 0 || o.ProcessIndex >= max(o.ProcessCount, 1):
		return invalid("compile options have process %d of %d", o.ProcessIndex, o.ProcessCount)
	case o.DeviceOrdinal != nil && *o.DeviceOrdinal < 0:
		return invalid("compile options have the device ordinal %d; nil leaves it to the plugin", *o.DeviceOrdinal)
	}
	if err := checkDebugOptions(o.DebugOptions); err != nil {
		return err
	}
	if o.Optimization < 0 || o.Optimization > EffortO3 || o.MemoryFitting < 0 || o.MemoryFitting > EffortO3 {
		return invalid("compile options have the efforts %d and %d; use EffortDefault to EffortO3", o.Optimization, o.MemoryFitting)
	}
	if o.OperandPrecision < PrecisionDefault || o.OperandPrecision > PrecisionHighest {
		return invalid("compile options have the operand precision %d; use PrecisionDefault to PrecisionHighest", o.OperandPrecision)
	}
	size := int64(1)
	for _, d := range o.MeshShape {
		if d < 1 || d > math.MaxInt32 || size > math.MaxInt32/d {
			return invalid("compile options have the mesh shape %v", o.MeshShape)
		}
		size *= d
	}
	if len(o.MeshIDs) > 0 && int64(len(o.MeshIDs)) != size {
		return invalid("compile options have %d mesh ids for a mesh of %d devices", len(o.MeshIDs), size)
	}
	for _, i := range o.IndividuallyDefinedResults {
		if i < 0 {
			return invalid("compile options have the individually defined result %d", i)
		}
	}
	for i := range o.ArgumentLayouts {
		if err := o.ArgumentLayouts[i].check(); err != nil {
			return invalid("argument layout %d: %s", i, message(err))
		}
	}
	if o.ResultLayout != nil {
		if err := o.ResultLayout.check(); err != nil {
			return invalid("result layout: %s", message(err))
		}
	}
	return nil
}

// message returns the text of an error without its code.
func message(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// marshal writes the options without Extra. Plugins end the process on counts of
// zero, so the counts are always written.
func (o *CompileOptions) marshal(flags map[string]any, assignment [][]int) ([]byte, error) {
	var b []byte
	for i := range o.ArgumentLayouts {
		b = appendBytes(b, fieldArgumentLayouts, o.ArgumentLayouts[i].marshal())
	}
	b = appendBool(b, fieldTupledArguments, o.TupledArguments)
	b = appendBytes(b, fieldBuildOptions, o.marshalBuild(assignment))
	b = appendBool(b, fieldPortable, o.Portable)
	b = appendNonzero(b, fieldProfileVersion, o.ProfileVersion)
	b = appendNonempty(b, fieldMultiSlice, o.MultiSlice)
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		value, err := marshalOverride(name, flags[name])
		if err != nil {
			return nil, err
		}
		entry := appendBytes(nil, fieldMapKey, []byte(name))
		b = appendBytes(b, fieldFlags, appendBytes(entry, fieldMapValue, value))
	}
	b = appendNonempty(b, fieldTargetConfig, o.TargetConfig)
	b = appendBool(b, fieldInPlaceMLIR, o.AllowInPlaceMLIR)
	b = appendNonzero(b, fieldOperandPrecision, int64(o.OperandPrecision))
	b = appendNonempty(b, fieldCompilerVariant, []byte(o.CompilerVariant))
	return appendPacked(b, fieldIndividual, o.IndividuallyDefinedResults), nil
}

func (o *CompileOptions) marshalBuild(assignment [][]int) []byte {
	ordinal := int64(-1)
	if o.DeviceOrdinal != nil {
		ordinal = *o.DeviceOrdinal
	}
	b := appendInt(nil, fieldDeviceOrdinal, ordinal)
	if o.ResultLayout != nil {
		b = appendBytes(b, fieldResultLayout, o.ResultLayout.marshal())
	}
	b = appendNonempty(b, fieldDebugOptions, o.DebugOptions)
	b = appendInt(b, fieldNumReplicas, int64(max(o.Replicas, 1)))
	b = appendInt(b, fieldNumPartitions, int64(max(o.Partitions, 1)))
	b = appendBool(b, fieldSPMD, o.SPMD)
	b = appendBool(b, fieldAutoSharding, o.AutoSharding)
	b = appendBool(b, fieldDeduplicate, o.Deduplicate)
	if assignment != nil {
		b = appendBytes(b, fieldDeviceAssignment, marshalAssignment(assignment))
	}
	b = appendBool(b, fieldAliasPassthrough, o.AliasPassthrough)
	b = appendBool(b, fieldBackendOnly, o.BackendOnly)
	b = appendPacked(b, fieldPropagateToResults, varints(o.PropagateToResults))
	b = appendNonempty(b, fieldEnvironments, o.Environments)
	b = appendNonempty(b, fieldProfile, o.Profile)
	b = appendNonzero(b, fieldDeviceMemory, o.DeviceMemory)
	b = appendPacked(b, fieldMeshShape, o.MeshShape)
	b = appendPacked(b, fieldMeshIDs, o.MeshIDs)
	b = appendPacked(b, fieldPropagateToParameters, varints(o.PropagateToParameters))
	b = appendBool(b, fieldShardy, o.Shardy)
	b = appendNonzero(b, fieldProcessIndex, o.ProcessIndex)
	b = appendInt(b, fieldProcessCount, max(o.ProcessCount, 1))
	b = appendNonzero(b, fieldOptimization, int64(o.Optimization))
	b = appendNonzero(b, fieldMemoryFitting, int64(o.MemoryFitting))
	return appendNonempty(b, fieldGPUTopology, o.GPUTopology)
}

// marshalAssignment writes a DeviceAssignmentProto, which lists devices by
// partition first.
func marshalAssignment(ids [][]int) []byte {
	partitions := len(ids[0])
	b := appendInt(nil, fieldReplicaCount, int64(len(ids)))
	b = appendInt(b, fieldComputationCount, int64(partitions))
	for p := range partitions {
		column := make([]int, len(ids))
		for r := range ids {
			column[r] = ids[r][p]
		}
		b = appendBytes(b, fieldComputationDevices, appendPacked(nil, fieldReplicaDeviceIDs, column))
	}
	return b
}

// marshalOverride writes an OptionOverrideProto.
func marshalOverride(name string, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendBytes(nil, fieldString, []byte(v)), nil
	case bool:
		return appendInt(nil, fieldBool, int64(protowire.EncodeBool(v))), nil
	case int64:
		return appendInt(nil, fieldInt, v), nil
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(nil, fieldDouble, protowire.Fixed64Type), math.Float64bits(v)), nil
	}
	return nil, invalid("XLA flag %s has a value of type %T; use a bool, an integer, a float or a string", name, value)
}
