// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
)

// ShardingType is the kind of a Sharding, XLA's OpSharding.Type.
type ShardingType int32

// The kinds of shardings.
const (
	ShardingReplicated ShardingType = 0 // every device has all of it
	ShardingMaximal    ShardingType = 1 // one device has all of it
	ShardingTuple      ShardingType = 2 // the elements are sharded each in its way
	ShardingTiled      ShardingType = 3 // each device has a tile
	ShardingManual     ShardingType = 4 // the program itself sees to it
	ShardingUnknown    ShardingType = 5 // not decided
	ShardingUnreduced  ShardingType = 6 // devices have parts of a sum
)

// String returns the name that the kind has in HLO.
func (t ShardingType) String() string {
	names := []string{"replicated", "maximal", "tuple", "tiled", "manual", "unknown", "unreduced"}
	if t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("sharding(%d)", int32(t))
}

// Sharding says how an array is spread over devices: XLA's OpSharding.
type Sharding struct {
	Type ShardingType
	// Tiles are the numbers of tiles along each dimension, of a tiled one. Behind
	// those of the array's dimensions may be more, which Subgroups describe.
	Tiles []int64
	// Devices are the devices of the tiles in row-major order.
	Devices []int64
	// ReplicateLast says that the last of Tiles counts devices that have the same
	// tile.
	ReplicateLast bool
	// Subgroups are the kinds of the last of Tiles that are no dimensions of the
	// array.
	Subgroups []ShardingType
	// Elements are those of a tuple.
	Elements []Sharding
	// Proto is the serialized OpSharding, which may say more.
	Proto []byte
}

// String returns the sharding in HLO's notation, such as {devices=[2,1]0,1}. The
// devices in it are listed one by one.
func (s Sharding) String() string {
	switch s.Type {
	case ShardingMaximal:
		if len(s.Devices) == 1 {
			return fmt.Sprintf("{maximal device=%d}", s.Devices[0])
		}
	case ShardingTuple:
		elements := make([]string, len(s.Elements))
		for i, e := range s.Elements {
			elements[i] = e.String()
		}
		return "{" + strings.Join(elements, ", ") + "}"
	case ShardingTiled:
		var b strings.Builder
		b.WriteString("{devices=[" + joinInts(s.Tiles) + "]" + joinInts(s.Devices))
		if s.ReplicateLast {
			b.WriteString(" last_tile_dim_replicate")
		}
		if len(s.Subgroups) > 0 {
			groups := make([]string, len(s.Subgroups))
			for i, g := range s.Subgroups {
				groups[i] = g.String()
			}
			b.WriteString(" last_tile_dims={" + strings.Join(groups, ", ") + "}")
		}
		return b.String() + "}"
	}
	return "{" + s.Type.String() + "}"
}

func joinInts(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ",")
}

// OutputShardings returns the shardings of the results (extension Shardings,
// PJRT_Shardings_PJRT_Executable_OutputShardings, API 0.91). It is nil when the
// plugin cannot tell, as for a program that is not partitioned.
func (e *Executable) OutputShardings() ([]Sharding, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ShardingsExecutableOutputShardingsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return decodeShardings(cStrings(c.Args.Shardings, c.Args.ShardingSizes, c.Args.NumOutputs))
}

// ParameterShardings returns the shardings that are expected of the arguments
// (extension Shardings, PJRT_Shardings_PJRT_Executable_ParameterShardings,
// API 0.91). It is nil when the plugin cannot tell, as for a program that is not
// partitioned.
func (e *Executable) ParameterShardings() ([]Sharding, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ShardingsExecutableParameterShardingsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return decodeShardings(cStrings(c.Args.Shardings, c.Args.ShardingSizes, c.Args.NumParameters))
}

func decodeShardings(messages []string) ([]Sharding, error) {
	if messages == nil {
		return nil, nil
	}
	list := make([]Sharding, len(messages))
	for i, m := range messages {
		s, err := DecodeSharding([]byte(m))
		if err != nil {
			return nil, fmt.Errorf("sharding %d: %w", i, err)
		}
		list[i] = s
	}
	return list, nil
}

// Field numbers of OpSharding in xla/xla_data.proto.
const (
	fieldShardingType     = 1
	fieldShardingTiles    = 3
	fieldShardingDevices  = 4
	fieldShardingElements = 5
	fieldReplicateLast    = 6
	fieldSubgroups        = 8
	fieldIotaReshape      = 9
	fieldIotaTranspose    = 10
)

// maxShardingDevices bounds the list of devices, which a few bytes may stand for.
const maxShardingDevices = 1 << 22

// DecodeSharding reads a serialized OpSharding.
func DecodeSharding(b []byte) (Sharding, error) { return decodeSharding(b, 0) }

func decodeSharding(b []byte, depth int) (Sharding, error) {
	s := Sharding{Proto: slices.Clone(b)}
	if depth > maxTupleDepth {
		return s, fmt.Errorf("tuples are nested more than %d deep", maxTupleDepth)
	}
	var reshape, transpose []int64
	err := wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldShardingType, protowire.VarintType):
			s.Type = ShardingType(r.varint)
		case r.number == fieldShardingTiles && r.packable():
			return appendUnpacked(&s.Tiles, r)
		case r.number == fieldShardingDevices && r.packable():
			return appendUnpacked(&s.Devices, r)
		case r.is(fieldShardingElements, protowire.BytesType):
			element, err := decodeSharding(r.bytes, depth+1)
			s.Elements = append(s.Elements, element)
			return err
		case r.is(fieldReplicateLast, protowire.VarintType):
			s.ReplicateLast = r.bool()
		case r.number == fieldSubgroups && r.packable():
			var kinds []int64
			err := appendUnpacked(&kinds, r)
			for _, k := range kinds {
				s.Subgroups = append(s.Subgroups, ShardingType(k))
			}
			return err
		case r.number == fieldIotaReshape && r.packable():
			return appendUnpacked(&reshape, r)
		case r.number == fieldIotaTranspose && r.packable():
			return appendUnpacked(&transpose, r)
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	if len(reshape) > 0 && len(s.Devices) == 0 {
		s.Devices, err = iotaDevices(reshape, transpose)
	}
	return s, err
}

// iotaDevices lists the devices 0, 1, 2 ... of an array of the shape reshape after
// its dimensions were transposed.
func iotaDevices(reshape, transpose []int64) ([]int64, error) {
	size := int64(1)
	for _, d := range reshape {
		if d < 1 || d > math.MaxInt32 || size*d > maxShardingDevices {
			return nil, fmt.Errorf("a sharding has the devices of %v", reshape)
		}
		size *= d
	}
	rank := len(reshape)
	if len(transpose) == 0 {
		for i := range rank {
			transpose = append(transpose, int64(i))
		}
	}
	sorted := slices.Sorted(slices.Values(transpose))
	for i, d := range sorted {
		if len(transpose) != rank || d != int64(i) {
			return nil, fmt.Errorf("a sharding transposes %v by %v", reshape, transpose)
		}
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
