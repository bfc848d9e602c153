// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Axis is a named dimension of a Mesh, with the number of devices along it.
type Axis struct {
	Name string
	Size int
}

// Mesh is an arrangement of devices along named axes. It never changes, and may be
// used from any goroutine.
type Mesh struct {
	client  *pjrt.Client
	devices []*pjrt.Device
	axes    []Axis
}

// NewMesh arranges devices along axes; the last axis varies fastest. The product of the
// sizes of the axes must be the number of devices, and all devices must belong to one
// client. The name of an axis must be unique and not empty, and contain no comma.
func NewMesh(devices []*pjrt.Device, axes ...Axis) (*Mesh, error) {
	if len(devices) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("a mesh needs devices")
	}
	n := 1
	for i, a := range axes {
		switch {
		case a.Name == "" || strings.Contains(a.Name, ","):
			return nil, pjrt.ErrInvalidArgument.Errorf("axis %d of the mesh has the invalid name %q; a name must not be empty or "+
				"contain a comma", i, a.Name)
		case slices.ContainsFunc(axes[:i], func(b Axis) bool { return a.Name == b.Name }):
			return nil, pjrt.ErrInvalidArgument.Errorf("two axes of the mesh have the name %q", a.Name)
		case a.Size < 1 || a.Size > len(devices)/n:
			return nil, pjrt.ErrInvalidArgument.Errorf("axis %q of the mesh has size %d; sizes must be positive and multiply to the "+
				"number of devices, %d",
				a.Name, a.Size, len(devices))
		}
		n *= a.Size
	}
	if n != len(devices) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the axes of the mesh have room for %d devices, but %d were given", n, len(devices))
	}
	for i, d := range devices {
		switch {
		case d == nil || d.Client() == nil:
			return nil, pjrt.ErrInvalidArgument.Errorf("device %d of the mesh is nil", i)
		case d.Client() != devices[0].Client():
			return nil, pjrt.ErrInvalidArgument.Errorf("device %d of the mesh belongs to another client than device 0", i)
		case slices.Contains(devices[:i], d):
			return nil, pjrt.ErrInvalidArgument.Errorf("device %v is in the mesh twice", d)
		}
	}
	return &Mesh{devices[0].Client(), slices.Clone(devices), slices.Clone(axes)}, nil
}

// Devices returns the devices of the mesh; the last axis varies fastest.
func (m *Mesh) Devices() []*pjrt.Device {
	if m == nil {
		return nil
	}
	return slices.Clone(m.devices)
}

// Axes returns the axes of the mesh.
func (m *Mesh) Axes() []Axis {
	if m == nil {
		return nil
	}
	return slices.Clone(m.axes)
}

// Partition says how an array is cut for a mesh. It has an entry for each dimension of
// the array: the name of the axis along which the dimension is cut, or "" for a
// dimension that is not cut. Several names separated by commas cut one dimension along
// several axes, the first of which is the major one. Dimensions beyond the length of the
// Partition are not cut. Devices that differ only along other axes get the same data.
type Partition []string

// shard is the part of an array that one device has.
type shard struct {
	start []int64 // indices of its first element in the whole array
	first int     // number of the first device that has the same part
}

// cut returns the shape of the parts of an array, and the part of each device.
func (m *Mesh) cut(shape pjrt.Shape, p Partition) (pjrt.Shape, []shard, error) {
	if m == nil || len(m.devices) == 0 {
		return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("the mesh is nil")
	}
	if _, err := shape.HostSize(); err != nil {
		return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	if len(p) > len(shape.Dims) {
		return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("the partition has %d dimensions, but %v has %d",
			len(p), shape, len(shape.Dims))
	}
	used := make(map[string]bool)
	part := pjrt.Shape{Type: shape.Type, Dims: slices.Clone(shape.Dims)}
	splits := make([][]int, len(shape.Dims)) // axes that cut each dimension
	for d, names := range p {
		if names == "" {
			continue
		}
		count := 1
		for name := range strings.SplitSeq(names, ",") {
			i := slices.IndexFunc(m.axes, func(a Axis) bool { return a.Name == name })
			if i < 0 {
				return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("dimension %d is cut along %q, which is not an axis of the mesh",
					d, name)
			}
			if used[name] {
				return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("the partition names axis %q twice", name)
			}
			used[name] = true
			splits[d] = append(splits[d], i)
			count *= m.axes[i].Size
		}
		if shape.Dims[d]%int64(count) != 0 {
			return pjrt.Shape{}, nil, pjrt.ErrInvalidArgument.Errorf("dimension %d of %v cannot be cut into %d equal parts",
				d, shape, count)
		}
		part.Dims[d] /= int64(count)
	}
	starts := make([][]int64, len(m.devices))
	for i := range starts {
		at := m.coordinates(i)
		starts[i] = make([]int64, len(shape.Dims))
		for d, axes := range splits {
			index := 0
			for _, a := range axes {
				index = index*m.axes[a].Size + at[a]
			}
			starts[i][d] = int64(index) * part.Dims[d]
		}
	}
	return part, newShards(starts), nil
}

// newShards returns the parts that start at the indices starts, one for each device.
func newShards(starts [][]int64) []shard {
	shards := make([]shard, len(starts))
	for i, start := range starts {
		shards[i] = shard{start: start, first: slices.IndexFunc(starts, func(s []int64) bool { return slices.Equal(s, start) })}
	}
	return shards
}

// spec returns the partition of an array with rank dimensions as a Spec.
func (m *Mesh) spec(rank int, p Partition) Spec {
	s := Spec{Kind: Tiled, Tiles: make([]int64, rank)}
	order := make([]int, 0, len(m.axes)) // the axes in the order of the tiles
	for d := range s.Tiles {
		s.Tiles[d] = 1
		if d >= len(p) || p[d] == "" {
			continue
		}
		for name := range strings.SplitSeq(p[d], ",") {
			a := slices.IndexFunc(m.axes, func(a Axis) bool { return a.Name == name })
			order = append(order, a)
			s.Tiles[d] *= int64(m.axes[a].Size)
		}
	}
	tiles := 1
	for _, n := range s.Tiles {
		tiles *= int(n)
	}
	if tiles == 1 {
		return Spec{Kind: Replicated}
	}
	for a := range m.axes {
		if !slices.Contains(order, a) {
			order = append(order, a)
		}
	}
	if sharing := len(m.devices) / tiles; sharing > 1 {
		s.Tiles, s.ReplicateLast = append(s.Tiles, int64(sharing)), true
	}
	at := make([]int, len(m.axes))
	for range m.devices {
		device := 0
		for a, axis := range m.axes {
			device = device*axis.Size + at[a]
		}
		s.Devices = append(s.Devices, int64(device))
		for _, a := range slices.Backward(order) {
			if at[a]++; at[a] < m.axes[a].Size {
				break
			}
			at[a] = 0
		}
	}
	return s
}

// coordinates returns the position of device number i on each axis.
func (m *Mesh) coordinates(i int) []int {
	at := make([]int, len(m.axes))
	for a := len(m.axes) - 1; a >= 0; a-- {
		at[a] = i % m.axes[a].Size
		i /= m.axes[a].Size
	}
	return at
}

// PartShape returns the shape of the part of an array that each device gets.
func (m *Mesh) PartShape(shape pjrt.Shape, p Partition) (pjrt.Shape, error) {
	part, _, err := m.cut(shape, p)
	return part, err
}
