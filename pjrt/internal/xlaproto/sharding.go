// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of xla/xla_data.proto.
const (
	shardingType          = 1 // OpSharding
	shardingTiles         = 3
	shardingDevices       = 4
	shardingTuple         = 5
	shardingReplicateLast = 6
	shardingSubgroups     = 8
	shardingReshape       = 9
	shardingTranspose     = 10
)

// ShardingType is an OpSharding.Type.
type ShardingType int32

// The types of shardings.
const (
	Replicated ShardingType = 0
	Maximal    ShardingType = 1
	Tuple      ShardingType = 2
	Tiled      ShardingType = 3
	Manual     ShardingType = 4
	Unknown    ShardingType = 5
	Unreduced  ShardingType = 6
)

// String returns the name of the type in HLO.
func (t ShardingType) String() string {
	names := []string{"replicated", "maximal", "tuple", "tiled", "manual", "unknown", "unreduced"}
	if t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("sharding(%d)", int32(t))
}

// Sharding has the parts of an OpSharding that say where the data is. It lists the devices of its
// tiles, even if the message only has a rule for them.
type Sharding struct {
	Type          ShardingType
	Tiles         []int64 // along each dimension, and then for subgroups
	Devices       []int64 // in the order of the tiles
	Elements      []Sharding
	ReplicateLast bool
	Subgroups     []ShardingType
}

// UnmarshalSharding reads an OpSharding.
func UnmarshalSharding(b []byte) (Sharding, error) {
	return unmarshalSharding(wire.NewRoom(len(b)), b, 0)
}

func unmarshalSharding(room *wire.Room, b []byte, depth int) (Sharding, error) {
	var s Sharding
	if depth > MaxTupleDepth {
		return s, fmt.Errorf("tuples are nested more than %d deep", MaxTupleDepth)
	}
	var reshape, transpose []int64
	var err error
	if s.Elements, err = wire.Reserve[Sharding](room, b, shardingTuple); err != nil {
		return s, err
	}
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(shardingType, wire.Varint):
			s.Type = ShardingType(f.Int)
		case f.IsList(shardingTiles):
			return wire.Ints(&s.Tiles, f)
		case f.IsList(shardingDevices):
			return wire.Ints(&s.Devices, f)
		case f.Is(shardingTuple, wire.Bytes):
			element, err := unmarshalSharding(room, f.Bytes, depth+1)
			s.Elements = append(s.Elements, element)
			return err
		case f.Is(shardingReplicateLast, wire.Varint):
			s.ReplicateLast = f.Bool()
		case f.IsList(shardingSubgroups):
			return wire.Ints(&s.Subgroups, f)
		case f.IsList(shardingReshape):
			return wire.Ints(&reshape, f)
		case f.IsList(shardingTranspose):
			return wire.Ints(&transpose, f)
		}
		return nil
	})
	if err == nil && len(reshape) > 0 && len(s.Devices) == 0 {
		s.Devices, err = iotaDevices(room, reshape, transpose)
	}
	return s, err
}

// maxShardingDevices limits the list of devices, because a few bytes can describe any number of
// them.
const maxShardingDevices = 1 << 22

// maxShardingRank is more dimensions than there are factors of a number of devices.
const maxShardingRank = 64

// iotaDevices fills an array of the shape reshape with the devices 0, 1, 2 ..., transposes it, and
// returns the devices in their new order.
func iotaDevices(room *wire.Room, reshape, transpose []int64) ([]int64, error) {
	size := int64(1)
	for _, d := range reshape {
		if d < 1 || d > math.MaxInt32 || size*d > maxShardingDevices {
			return nil, fmt.Errorf("a sharding has the devices of %v", excerpt.OfList(reshape))
		}
		size *= d
	}
	rank := len(reshape)
	if len(transpose) == 0 {
		for i := range rank {
			transpose = append(transpose, int64(i))
		}
	}
	wrong := rank > maxShardingRank || len(transpose) != rank
	if !wrong {
		for i, d := range slices.Sorted(slices.Values(transpose)) {
			wrong = wrong || d != int64(i)
		}
	}
	if wrong {
		return nil, fmt.Errorf("a sharding transposes %v by %v", excerpt.OfList(reshape), excerpt.OfList(transpose))
	}
	if err := room.Take(8 * int(size)); err != nil {
		return nil, err
	}
	strides := make([]int64, rank)
	step := int64(1)
	for i := rank - 1; i >= 0; i-- {
		strides[i], step = step, step*reshape[i]
	}
	devices := make([]int64, 0, size)
	index := make([]int64, rank) // in the transposed array
	for range size {
		device := int64(0)
		for i, d := range transpose {
			device += index[i] * strides[d]
		}
		devices = append(devices, device)
		for i := rank - 1; i >= 0; i-- {
			if index[i]++; index[i] < reshape[transpose[i]] {
				break
			}
			index[i] = 0
		}
	}
	return devices, nil
}

// String returns the sharding in HLO's notation, such as {devices=[2,1]0,1}.
func (s Sharding) String() string {
	switch s.Type {
	case Maximal:
		if len(s.Devices) == 1 {
			return fmt.Sprintf("{maximal device=%d}", s.Devices[0])
		}
	case Tuple:
		return "{" + join(s.Elements, ", ") + "}"
	case Tiled:
		var b strings.Builder
		b.WriteString("{devices=[" + joinInts(s.Tiles) + "]" + joinInts(s.Devices))
		if s.ReplicateLast {
			b.WriteString(" last_tile_dim_replicate")
		}
		if len(s.Subgroups) > 0 {
			b.WriteString(" last_tile_dims={" + join(s.Subgroups, ", ") + "}")
		}
		return b.String() + "}"
	}
	return "{" + s.Type.String() + "}"
}

func join[T fmt.Stringer](list []T, separator string) string {
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(x.String())
	}
	return b.String()
}

func joinInts(list []int64) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}

// Marshal writes an OpSharding.
func (s Sharding) Marshal() []byte {
	b := wire.AppendNonzero(nil, shardingType, s.Type)
	b = wire.AppendInts(b, shardingTiles, s.Tiles)
	b = wire.AppendInts(b, shardingDevices, s.Devices)
	for _, e := range s.Elements {
		b = wire.AppendBytes(b, shardingTuple, e.Marshal())
	}
	b = wire.AppendTrue(b, shardingReplicateLast, s.ReplicateLast)
	return wire.AppendInts(b, shardingSubgroups, s.Subgroups)
}
