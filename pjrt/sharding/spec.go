// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"fmt"

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
	// Subgroups are the kinds of the numbers in Tiles that follow those of the array's
	// dimensions.
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
		return Spec{}, &pjrt.Error{Code: pjrt.ErrInvalidArgument, Message: fmt.Sprintf("the bytes are not a valid OpSharding: %v", err)}
	}
	return newSpec(p), nil
}

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
