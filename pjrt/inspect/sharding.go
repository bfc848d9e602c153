// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"errors"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Field numbers of xla/xla_data.proto.
const (
	shardingElements = 5 // OpSharding
	shardingReshape  = 9
)

// maxListedDevices is how many devices the text of a sharding lists.
const maxListedDevices = 256

// deviceLists are the lists of devices in the texts of a program's shardings. A sharding of a few
// bytes can stand for a list of any length, and each instruction can have one.
type deviceLists struct{ left int }

// newDeviceLists returns the lists of a program of size bytes.
func newDeviceLists(size int) *deviceLists { return &deviceLists{1<<18 + size/4} }

var errManyDevices = errors.New("a sharding has many devices")

// text returns an OpSharding in HLO's notation, or "" if it has too many devices to be listed.
func (l *deviceLists) text(proto []byte) string {
	if l.take(proto, 0) != nil { // before they become a list
		return ""
	}
	spec, err := sharding.Decode(pjrt.Sharding{Proto: proto})
	if err != nil || len(spec.Devices) > maxListedDevices {
		return ""
	}
	return spec.String()
}

// take takes the devices for which a sharding and its elements have a rule from what is left.
func (l *deviceLists) take(proto []byte, depth int) error {
	if depth > xlaproto.MaxTupleDepth {
		return errManyDevices
	}
	var reshape []int64
	err := wire.Visit(proto, func(f wire.Field) error {
		switch {
		case f.Is(shardingElements, wire.Bytes):
			return l.take(f.Bytes, depth+1)
		case f.IsList(shardingReshape):
			return wire.Ints(&reshape, f)
		}
		return nil
	})
	if err != nil || len(reshape) == 0 {
		return err
	}
	devices := int64(1)
	for _, d := range reshape {
		if d < 1 || d > maxListedDevices/devices {
			return errManyDevices
		}
		devices *= d
	}
	if l.left -= int(devices); l.left < 0 {
		return errManyDevices
	}
	return nil
}
