// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// MeshAxis is a named dimension of a Mesh.
type MeshAxis struct {
	Name string
	Size int
}

// Mesh is an arrangement of devices along named axes, over which arrays are
// scattered. It never changes, and may be used from any goroutine.
type Mesh struct {
	client  *Client
	devices []*Device
	axes    []MeshAxis
}

// NewMesh arranges devices along axes: the last axis varies fastest. There must
// be as many devices, all of one client, as the product of the sizes.
func NewMesh(devices []*Device, axes ...MeshAxis) (*Mesh, error) {
	if len(devices) == 0 {
		return nil, invalid("a mesh needs devices")
	}
	n := 1
	for i, a := range axes {
		switch {
		case a.Name == "" || strings.Contains(a.Name, ","):
			return nil, invalid("axis %d of the mesh has the name %q; names are not empty and have no comma", i, a.Name)
		case slices.ContainsFunc(axes[:i], func(b MeshAxis) bool { return a.Name == b.Name }):
			return nil, invalid("two axes of the mesh have the name %q", a.Name)
		case a.Size < 1 || a.Size > len(devices)/n:
			return nil, invalid("axis %q of the mesh has the size %d; the axes are to arrange %d devices", a.Name, a.Size, len(devices))
		}
		n *= a.Size
	}
	if n != len(devices) {
		return nil, invalid("the axes of the mesh arrange %d devices, there are %d", n, len(devices))
	}
	for i, d := range devices {
		switch {
		case d == nil || d.client == nil:
			return nil, invalid("device %d of the mesh is nil", i)
		case d.client != devices[0].client:
			return nil, invalid("device %d of the mesh belongs to another client than the first", i)
		case slices.Contains(devices[:i], d):
			return nil, invalid("device %v is in the mesh twice", d)
		}
	}
	return &Mesh{devices[0].client, slices.Clone(devices), slices.Clone(axes)}, nil
}

// Devices returns the devices of the mesh, the last axis varying fastest.
func (m *Mesh) Devices() []*Device { return slices.Clone(m.devices) }

// Axes returns the axes of the mesh.
func (m *Mesh) Axes() []MeshAxis { return slices.Clone(m.axes) }

// Partition says how an array is cut for a mesh: for each dimension the name of
// the axis whose devices share it, several names with commas between them for
// several axes, the first one major, or "" for a dimension that is not cut.
// Dimensions beyond its length are not cut. Devices along the other axes get the
// same data.
type Partition []string

// shard is the part of an array that a device has.
type shard struct {
	start []int64 // indices of its first element
	first int     // first device that has the same part
}

// cut returns the shape of the parts of an array, and the part of each device.
func (m *Mesh) cut(shape Shape, p Partition) (Shape, []shard, error) {
	if m == nil || len(m.devices) == 0 {
		return Shape{}, nil, invalid("the mesh is nil")
	}
	if _, err := shape.HostSize(); err != nil {
		return Shape{}, nil, err
	}
	if len(p) > len(shape.Dims) {
		return Shape{}, nil, invalid("the partition has %d dimensions, %v has %d", len(p), shape, len(shape.Dims))
	}
	used := make(map[string]bool)
	part := Shape{shape.Type, slices.Clone(shape.Dims)}
	splits := make([][]int, len(shape.Dims)) // axes that cut each dimension
	for d, names := range p {
		if names == "" {
			continue
		}
		count := 1
		for name := range strings.SplitSeq(names, ",") {
			i := slices.IndexFunc(m.axes, func(a MeshAxis) bool { return a.Name == name })
			if i < 0 {
				return Shape{}, nil, invalid("dimension %d is cut along %q, which is no axis of the mesh", d, name)
			}
			if used[name] {
				return Shape{}, nil, invalid("axis %q cuts two dimensions", name)
			}
			used[name] = true
			splits[d] = append(splits[d], i)
			count *= m.axes[i].Size
		}
		if shape.Dims[d]%int64(count) != 0 {
			return Shape{}, nil, invalid("dimension %d of %v cannot be cut into %d equal parts", d, shape, count)
		}
		part.Dims[d] /= int64(count)
	}
	shards := make([]shard, len(m.devices))
	for i := range shards {
		at := m.coordinates(i)
		s := shard{start: make([]int64, len(shape.Dims)), first: i}
		for d, axes := range splits {
			index := 0
			for _, a := range axes {
				index = index*m.axes[a].Size + at[a]
			}
			s.start[d] = int64(index) * part.Dims[d]
		}
		for j := range i {
			if slices.Equal(shards[j].start, s.start) {
				s.first = j
				break
			}
		}
		shards[i] = s
	}
	return part, shards, nil
}

// coordinates returns where on each axis the device number i is.
func (m *Mesh) coordinates(i int) []int {
	at := make([]int, len(m.axes))
	for a := len(m.axes) - 1; a >= 0; a-- {
		at[a] = i % m.axes[a].Size
		i /= m.axes[a].Size
	}
	return at
}

// PartShape returns the shape of the part of an array that each device gets.
func (m *Mesh) PartShape(shape Shape, p Partition) (Shape, error) {
	part, _, err := m.cut(shape, p)
	return part, err
}

// ShardedArray is an array in parts, one on each device of a mesh. Its methods
// may be called from any goroutine.
type ShardedArray struct {
	mesh      *Mesh
	shape     Shape
	part      Shape
	partition Partition
	shards    []shard
	buffers   []*Buffer
}

// Scatter cuts an array and copies a part to each device. It has read a.Data
// when it returns.
func (m *Mesh) Scatter(ctx context.Context, a HostArray, p Partition) (*ShardedArray, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	part, shards, err := m.cut(a.Shape(), p)
	if err != nil {
		return nil, err
	}
	strides := denseStrides(a.Shape())
	var opts BufferOptions
	if !slices.Equal(strides, denseStrides(part)) {
		opts.Strides = strides
	}
	size, _, err := part.strided(strides)
	if err != nil {
		return nil, err
	}
	buffers := make([]*Buffer, len(shards))
	err = parallel(len(shards), func(i int) error {
		from := 0
		if size > 0 {
			from = offsetOf(shards[i].start, strides)
		}
		o := opts
		o.Device = m.devices[i]
		var err error
		buffers[i], err = m.client.BufferFromHost(ctx, HostArray{a.Type, part.Dims, a.Data[from : from+size]}, &o)
		return err
	})
	s := &ShardedArray{m, Shape{a.Type, slices.Clone(a.Dims)}, part, slices.Clone(p), shards, buffers}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Join makes an array of parts that are on the devices of the mesh already, in
// their order, such as the results of a program that ran on them. The array then
// owns the buffers, unless there is an error.
func (m *Mesh) Join(shape Shape, p Partition, parts []*Buffer) (*ShardedArray, error) {
	part, shards, err := m.cut(shape, p)
	if err != nil {
		return nil, err
	}
	if len(parts) != len(m.devices) {
		return nil, invalid("there are %d parts for %d devices", len(parts), len(m.devices))
	}
	for i, b := range parts {
		switch {
		case b == nil:
			return nil, invalid("part %d is nil", i)
		case b.client != m.client:
			return nil, invalid("part %d belongs to another client", i)
		case !b.shape.Equal(part):
			return nil, invalid("part %d is %v, the parts of %v are %v", i, b.shape, shape, part)
		}
		d, err := b.Device()
		if err != nil {
			return nil, err
		}
		if d != m.devices[i] {
			return nil, invalid("part %d is on %v, not on %v", i, d, m.devices[i])
		}
	}
	return &ShardedArray{m, Shape{shape.Type, slices.Clone(shape.Dims)}, part, slices.Clone(p), shards, slices.Clone(parts)}, nil
}

// Mesh returns the mesh that the array is scattered over.
func (s *ShardedArray) Mesh() *Mesh { return s.mesh }

// Shape returns the shape of the whole array.
func (s *ShardedArray) Shape() Shape { return Shape{s.shape.Type, slices.Clone(s.shape.Dims)} }

// Partition returns how the array is cut.
func (s *ShardedArray) Partition() Partition { return slices.Clone(s.partition) }

// Buffers returns the parts in the order of the mesh's devices. They belong to
// the array.
func (s *ShardedArray) Buffers() []*Buffer { return slices.Clone(s.buffers) }

// Close closes the parts.
func (s *ShardedArray) Close() error {
	if s == nil {
		return nil
	}
	for _, b := range s.buffers {
		b.Close()
	}
	return nil
}

// Gather copies the parts to the host, after they have been computed, and puts
// them together. Of parts with the same data it reads the first.
func (s *ShardedArray) Gather(ctx context.Context) (HostArray, error) {
	size, err := s.shape.HostSize()
	if err != nil {
		return HostArray{}, err
	}
	if size >= largeRead {
		// Parts that failed, or are gone, may be larger than there is memory.
		for _, b := range s.buffers {
			if err := b.Wait(ctx); err != nil {
				return HostArray{}, err
			}
			if deleted, err := b.IsDeleted(); err != nil || deleted {
				return HostArray{}, errors.Join(err, invalid("a part of %v was closed, deleted or donated", s.shape))
			}
		}
	}
	a := HostArray{s.shape.Type, slices.Clone(s.shape.Dims), make([]byte, size)}
	if err := s.GatherInto(ctx, a.Data); err != nil {
		return HostArray{}, err
	}
	return a, nil
}

// GatherInto is Gather to memory of the caller, which must have the size of the
// whole array. After an error its contents are undefined.
func (s *ShardedArray) GatherInto(ctx context.Context, dst []byte) error {
	size, err := s.shape.HostSize()
	if err != nil {
		return err
	}
	if len(dst) != size {
		return invalid("an array of shape %v takes %d bytes, there is room for %d", s.shape, size, len(dst))
	}
	strides := denseStrides(s.shape)
	return parallel(len(s.shards), func(i int) error {
		if s.shards[i].first != i {
			return nil
		}
		return s.buffers[i].ReadInPlace(ctx, func(data []byte) error {
			if len(data) > 0 {
				copyPart(dst[offsetOf(s.shards[i].start, strides):], strides, data, s.part.Dims, s.shape.Type.Size())
			}
			return nil
		})
	})
}

// copyPart copies a dense array of the dimensions dims from src to where dst
// begins, in which neighbours are strides apart. It returns what is left of src.
func copyPart(dst []byte, strides []int64, src []byte, dims []int64, size int) []byte {
	// The dimensions that are as dense in dst are copied at once.
	run, dense := int64(size), 0
	for dense < len(dims) {
		d := len(dims) - 1 - dense
		if strides[d] != run && dims[d] != 1 {
			break
		}
		run *= dims[d]
		dense++
	}
	if dense == len(dims) {
		copyInSteps(dst, src[:run])
		return src[run:]
	}
	for i := range dims[0] {
		src = copyPart(dst[i*strides[0]:], strides[1:], src, dims[1:], size)
	}
	return src
}

// denseStrides returns the distances in bytes between neighbours of a dense,
// row-major array on the host.
func denseStrides(s Shape) []int64 {
	strides := make([]int64, len(s.Dims))
	step := int64(s.Type.Size())
	for i := len(s.Dims) - 1; i >= 0; i-- {
		strides[i] = step
		step *= s.Dims[i]
	}
	return strides
}

func offsetOf(start, strides []int64) int {
	n := int64(0)
	for i, x := range start {
		n += x * strides[i]
	}
	return int(n)
}

// parallel calls fn for 0 to n-1, some at a time, and returns the errors.
func parallel(n int, fn func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = fn(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
