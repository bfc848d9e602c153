// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"fmt"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/xla_data.proto.
const (
	assignmentReplicas     = 1 // DeviceAssignmentProto
	assignmentPartitions   = 2
	assignmentComputations = 3
)

// DeviceAssignment is a DeviceAssignmentProto: the devices of each partition, one
// for each replica.
type DeviceAssignment struct {
	Replicas   int32
	Partitions []Partition
	Unknown    []byte
}

// Partition is a DeviceAssignmentProto.ComputationDevice.
type Partition struct {
	Devices []int64
	Unknown []byte
}

var partitionTable = wire.NewTable(func(p *Partition) *[]byte { return &p.Unknown },
	wire.IntList(1, func(p *Partition) *[]int64 { return &p.Devices }),
)

// NewDeviceAssignment returns the assignment of the devices ids[replica][partition]. There must be
// at least one replica, and all must have the same number of partitions.
func NewDeviceAssignment(ids [][]int) *DeviceAssignment {
	a := &DeviceAssignment{Replicas: int32(len(ids)), Partitions: make([]Partition, len(ids[0]))}
	for p := range a.Partitions {
		for r := range ids {
			a.Partitions[p].Devices = append(a.Partitions[p].Devices, int64(ids[r][p]))
		}
	}
	return a
}

// IDs returns the devices by replica and partition.
func (a *DeviceAssignment) IDs() [][]int {
	ids := make([][]int, a.Replicas)
	for r := range ids {
		ids[r] = make([]int, len(a.Partitions))
		for p := range a.Partitions {
			ids[r][p] = int(a.Partitions[p].Devices[r])
		}
	}
	return ids
}

// Plain reports whether IDs returns everything in the message.
func (a *DeviceAssignment) Plain() bool {
	for _, p := range a.Partitions {
		if p.Unknown != nil {
			return false
		}
	}
	return a.Unknown == nil
}

// UnmarshalDeviceAssignment reads a DeviceAssignmentProto. It fails if the lengths of the lists are
// not those stated in the message.
func UnmarshalDeviceAssignment(b []byte) (*DeviceAssignment, error) {
	a := new(DeviceAssignment)
	partitions := int32(0)
	var err error
	if a.Partitions, err = wire.Reserve[Partition](wire.NewRoom(len(b)), b, assignmentComputations); err != nil {
		return nil, err
	}
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(assignmentReplicas, wire.Varint):
			a.Replicas = int32(f.Int)
		case f.Is(assignmentPartitions, wire.Varint):
			partitions = int32(f.Int)
		case f.Is(assignmentComputations, wire.Bytes):
			a.Partitions = append(a.Partitions, Partition{})
			return partitionTable.Read(f.Bytes, &a.Partitions[len(a.Partitions)-1])
		default:
			a.Unknown = append(a.Unknown, f.Raw...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if a.Replicas < 1 || partitions < 1 || len(a.Partitions) != int(partitions) {
		return nil, fmt.Errorf("device assignment of %d replicas and %d partitions lists %d partitions", a.Replicas, partitions,
			len(a.Partitions))
	}
	for i, p := range a.Partitions {
		if len(p.Devices) != int(a.Replicas) {
			return nil, fmt.Errorf("partition %d of the device assignment has %d devices for %d replicas", i, len(p.Devices), a.Replicas)
		}
	}
	return a, nil
}

func (a *DeviceAssignment) marshal() []byte {
	b := wire.AppendInt(nil, assignmentReplicas, a.Replicas)
	b = wire.AppendInt(b, assignmentPartitions, len(a.Partitions))
	for i := range a.Partitions {
		b = partitionTable.AppendField(b, assignmentComputations, &a.Partitions[i])
	}
	return append(b, a.Unknown...)
}
