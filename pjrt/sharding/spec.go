// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Kind is the kind of a sharding, XLA's OpSharding.Type.
type Kind int32

// The kinds of shardings.
const (
	Replicated = Kind(xlaproto.Replicated) // every device has the whole array
	Maximal    = Kind(xlaproto.Maximal)    // one device has the whole array
	Tuple      = Kind(xlaproto.Tuple)      // each element of a tuple has its own sharding
	Tiled      = Kind(xlaproto.Tiled)      // each device has a tile
	Manual     = Kind(xlaproto.Manual)     // the program itself divides the array
	Unknown    = Kind(xlaproto.Unknown)    // the sharding is not decided
	Unreduced  = Kind(xlaproto.Unreduced)  // each device has one term of a sum
)

// String returns the name that the kind has in HLO.
func (k Kind) String() string { return xlaproto.ShardingType(k).String() }

// Spec says how an array is spread over devices. It has the contents of XLA's OpSharding
// as plain data.
type Spec struct {
	Kind Kind
	// Tiles are the numbers of tiles along each dimension of the array, if Kind is
	// Tiled. More numbers may follow; Subgroups describes those.
	Tiles []int64
	// Devices are the devices of the tiles in row-major order.
	Devices []int64
	// ReplicateLast says that the last number in Tiles counts the devices that share
	// one tile.
	ReplicateLast bool
	// Subgroups are the kinds of the numbers that follow those of the array's dimensions in
	// Tiles.
	Subgroups []Kind
	// Elements are the shardings of the tuple's elements, if Kind is Tuple.
	Elements []Spec
}

// Decode reads a sharding, such as one that pjrt.Executable.ParameterShardings returns.
// The result lists the devices one by one, even if the message only has a rule for them.
// Bytes that are not an OpSharding, or that list more devices than any system has, are an
// error of code pjrt.ErrInvalidArgument.
func Decode(s pjrt.Sharding) (Spec, error) {
	p, err := xlaproto.UnmarshalSharding(s.Proto)
	if err != nil {
		return Spec{}, pjrt.ErrInvalidArgument.Errorf("the bytes are not a valid OpSharding: %v", err)
	}
	return newSpec(p), nil
}

// Encode returns the sharding as the message that [Decode] reads, with the devices listed one
// by one.
func (s Spec) Encode() pjrt.Sharding { return pjrt.Sharding{Proto: s.proto().Marshal()} }

func newSpec(p xlaproto.Sharding) Spec {
	s := Spec{Kind: Kind(p.Type), Tiles: p.Tiles, Devices: p.Devices, ReplicateLast: p.ReplicateLast}
	for _, t := range p.Subgroups {
		s.Subgroups = append(s.Subgroups, Kind(t))
	}
	for _, e := range p.Elements {
		s.Elements = append(s.Elements, newSpec(e))
	}
	return s
}

// clone returns a copy that shares no memory with s.
func (s Spec) clone() Spec {
	s.Tiles, s.Devices, s.Subgroups = slices.Clone(s.Tiles), slices.Clone(s.Devices), slices.Clone(s.Subgroups)
	s.Elements = slices.Clone(s.Elements)
	for i := range s.Elements {
		s.Elements[i] = s.Elements[i].clone()
	}
	return s
}

// PartShape returns the shape of the part of an array that each device gets. If a dimension
// cannot be cut into equal parts, or the sharding does not cut arrays evenly over all devices,
// the error has the code pjrt.ErrInvalidArgument.
func (s Spec) PartShape(shape pjrt.Shape) (pjrt.Shape, error) {
	tiles, err := s.tilesOf(len(shape.Dims))
	if err != nil {
		return pjrt.Shape{}, err
	}
	part := clone(shape)
	for d, n := range tiles {
		if n < 1 || part.Dims[d]%n != 0 {
			return pjrt.Shape{}, pjrt.ErrInvalidArgument.Errorf("dimension %d of %v cannot be cut into %d equal parts, as %v asks for",
				d, shape, n, s)
		}
		part.Dims[d] /= n
	}
	return part, nil
}

// whole returns the shape of the array whose parts have the shape part.
func (s Spec) whole(part pjrt.Shape) (pjrt.Shape, error) {
	tiles, err := s.tilesOf(len(part.Dims))
	if err != nil {
		return pjrt.Shape{}, err
	}
	shape := clone(part)
	for d, n := range tiles {
		if n < 1 || shape.Dims[d] > math.MaxInt64/n {
			return pjrt.Shape{}, pjrt.ErrInvalidArgument.Errorf("the sharding %v has %d tiles along dimension %d", s, n, d)
		}
		shape.Dims[d] *= n
	}
	if _, err := shape.HostSize(); err != nil {
		return shape, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	return shape, nil
}

// tilesOf returns the numbers of tiles along the dimensions of an array.
func (s Spec) tilesOf(rank int) ([]int64, error) {
	switch s.Kind {
	case Replicated:
		return slices.Repeat([]int64{1}, rank), nil
	case Tiled:
		subgroups := len(s.Subgroups)
		if s.ReplicateLast {
			subgroups++
		}
		for _, k := range s.Subgroups {
			if k != Replicated {
				return nil, pjrt.ErrInvalidArgument.Errorf("the sharding %v has a subgroup that is %v: its parts are not parts of one "+
					"array", s, k)
			}
		}
		if len(s.Tiles)-subgroups != rank {
			return nil, pjrt.ErrInvalidArgument.Errorf("the sharding %v does not fit an array of %d dimensions", s, rank)
		}
		return s.Tiles[:rank], nil
	}
	return nil, pjrt.ErrInvalidArgument.Errorf("the sharding %v does not cut an array into parts for all devices", s)
}

// cut returns the part of an array that each of the devices has.
func (s Spec) cut(part pjrt.Shape, devices int) ([]shard, error) {
	rank := len(part.Dims)
	tiles, err := s.tilesOf(rank)
	if err != nil {
		return nil, err
	}
	starts := make([][]int64, devices)
	if s.Kind == Replicated {
		for i := range starts {
			starts[i] = make([]int64, rank)
		}
		return newShards(starts), nil
	}
	all := int64(1)
	for _, n := range s.Tiles {
		if n < 1 || n > int64(devices)/all {
			all = 0
			break
		}
		all *= n
	}
	if all != int64(devices) || len(s.Devices) != devices {
		return nil, pjrt.ErrInvalidArgument.Errorf("the sharding %v is not for %d devices", s, devices)
	}
	sharing := all // devices that have the same tile, which are next to each other in the list
	for _, n := range tiles {
		sharing /= n
	}
	for i, device := range s.Devices {
		start := make([]int64, rank)
		tile := int64(i) / sharing
		for d := rank - 1; d >= 0; d-- {
			start[d] = tile % tiles[d] * part.Dims[d]
			tile /= tiles[d]
		}
		if device < 0 || device >= int64(devices) || starts[device] != nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("the sharding %v does not have each of %d devices once", s, devices)
		}
		starts[device] = start
	}
	return newShards(starts), nil
}

// String returns the sharding in HLO's notation, such as {devices=[2,1]0,1}.
func (s Spec) String() string { return s.proto().String() }

func (s Spec) proto() xlaproto.Sharding {
	p := xlaproto.Sharding{Type: xlaproto.ShardingType(s.Kind), Tiles: s.Tiles, Devices: s.Devices, ReplicateLast: s.ReplicateLast}
	for _, k := range s.Subgroups {
		p.Subgroups = append(p.Subgroups, xlaproto.ShardingType(k))
	}
	for _, e := range s.Elements {
		p.Elements = append(p.Elements, e.proto())
	}
	return p
}
