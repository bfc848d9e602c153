// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// CompileOptions are the options of Compile, XLA's CompileOptionsProto. The zero
// value compiles for one device.
type CompileOptions struct {
	// Replicas is the number of copies of the program that run on different
	// data; 0 means 1.
	Replicas int
	// Partitions is the number of devices that share the work of each replica;
	// 0 means 1.
	Partitions int
	// SPMD lets the compiler split a program annotated with shardings over the
	// partitions.
	SPMD bool
	// Devices is the device assignment: Devices[r][p] runs partition p of
	// replica r. Nil leaves the choice to the plugin.
	Devices [][]*Device
	// Portable compiles a program for one device that may be chosen at each
	// execution.
	Portable bool
	// Flags are XLA flags by their names without dashes, for this compilation
	// only. Values are strings, bools, ints, int64s or float64s.
	Flags map[string]any
}

// Field numbers of xla/pjrt/proto/compile_options.proto and, for the device
// assignment, of xla/xla_data.proto.
const (
	fieldBuildOptions = 3 // CompileOptionsProto
	fieldPortable     = 4
	fieldFlags        = 7

	fieldNumReplicas      = 4 // ExecutableBuildOptionsProto
	fieldNumPartitions    = 5
	fieldSPMD             = 6
	fieldDeviceAssignment = 9

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
)

// encode checks the options and returns their wire form. Plugins end the
// process on counts of zero and below, so the counts are always written.
func (o *CompileOptions) encode(c *Client) ([]byte, error) {
	if o == nil {
		o = &CompileOptions{}
	}
	replicas, partitions := max(o.Replicas, 1), max(o.Partitions, 1)
	if o.Replicas < 0 || o.Partitions < 0 {
		return nil, invalid("compile options ask for %d replicas and %d partitions; neither can be negative", o.Replicas, o.Partitions)
	}
	if n := len(c.devices); replicas > n || partitions > n/replicas {
		return nil, invalid("compile options ask for %d replicas of %d partitions; the client has %d devices", replicas, partitions, n)
	}
	build := appendInt(nil, fieldNumReplicas, int64(replicas))
	build = appendInt(build, fieldNumPartitions, int64(partitions))
	if o.SPMD {
		build = appendInt(build, fieldSPMD, 1)
	}
	if o.Devices != nil {
		assignment, err := encodeAssignment(c, o.Devices, replicas, partitions)
		if err != nil {
			return nil, err
		}
		build = appendBytes(build, fieldDeviceAssignment, assignment)
	}
	b := appendBytes(nil, fieldBuildOptions, build)
	if o.Portable {
		b = appendInt(b, fieldPortable, 1)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Flags)) {
		value, err := encodeFlag(name, o.Flags[name])
		if err != nil {
			return nil, err
		}
		entry := appendBytes(nil, fieldMapKey, []byte(name))
		b = appendBytes(b, fieldFlags, appendBytes(entry, fieldMapValue, value))
	}
	return b, nil
}

func encodeAssignment(c *Client, devices [][]*Device, replicas, partitions int) ([]byte, error) {
	if len(devices) != replicas {
		return nil, invalid("the device assignment has %d replicas, the options have %d", len(devices), replicas)
	}
	b := appendInt(nil, fieldReplicaCount, int64(replicas))
	b = appendInt(b, fieldComputationCount, int64(partitions))
	seen := make(map[*Device]bool)
	for p := range partitions {
		var ids []byte
		for r := range replicas {
			if len(devices[r]) != partitions {
				return nil, invalid("replica %d of the device assignment has %d partitions, the options have %d", r, len(devices[r]), partitions)
			}
			d := devices[r][p]
			switch {
			case d == nil:
				return nil, invalid("the device assignment has no device for partition %d of replica %d", p, r)
			case d.client != c:
				return nil, invalid("the device assignment has device %v of another client", d)
			case seen[d]:
				return nil, invalid("the device assignment has device %v twice", d)
			}
			seen[d] = true
			ids = protowire.AppendVarint(ids, uint64(d.id))
		}
		b = appendBytes(b, fieldComputationDevices, appendBytes(nil, fieldReplicaDeviceIDs, ids))
	}
	return b, nil
}

func encodeFlag(name string, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendBytes(nil, fieldString, []byte(v)), nil
	case bool:
		return appendInt(nil, fieldBool, int64(protowire.EncodeBool(v))), nil
	case int:
		return appendInt(nil, fieldInt, int64(v)), nil
	case int64:
		return appendInt(nil, fieldInt, v), nil
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(nil, fieldDouble, protowire.Fixed64Type), math.Float64bits(v)), nil
	}
	return nil, invalid("XLA flag %s has a value of type %T; use a string, bool, int, int64 or float64", name, value)
}

func appendInt(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}
