// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Array is an array that is cut into parts, with one part on each device of a mesh or of an
// executable. Its methods may be called from any goroutine.
type Array struct {
	devices []*pjrt.Device
	shape   pjrt.Shape
	part    pjrt.Shape
	shards  []shard
	buffers []*pjrt.Buffer

	mesh      *Mesh     // nil for an array of an executable
	partition Partition // for the mesh
	spec      Spec      // for the devices of an executable
}

// Scatter cuts a host array into parts and copies one to each device. The caller may change
// a.Data once Scatter has returned, and must close the Array.
func (m *Mesh) Scatter(ctx context.Context, a pjrt.HostArray, p Partition) (*Array, error) {
	if err := checkData(a); err != nil {
		return nil, err
	}
	shape := a.Shape()
	part, shards, err := m.cut(shape, p)
	if err != nil {
		return nil, err
	}
	s := &Array{devices: m.devices, shape: shape, part: part, shards: shards, mesh: m, partition: slices.Clone(p)}
	return s.upload(ctx, m.client, a)
}

// checkData compares the data of an array with its shape.
func checkData(a pjrt.HostArray) error {
	if err := a.Check(); err != nil {
		return pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	return nil
}

// upload copies the parts of a host array to the devices, and returns s with their buffers.
func (s *Array) upload(ctx context.Context, client *pjrt.Client, a pjrt.HostArray) (*Array, error) {
	return abandon.Call(ctx, func() (*Array, error) { return s.uploadNow(ctx, client, a) }, (*Array).Close)
}

// uploadNow is upload on a goroutine that may block in C.
func (s *Array) uploadNow(ctx context.Context, client *pjrt.Client, a pjrt.HostArray) (*Array, error) {
	s.shape = clone(s.shape)
	strides := denseStrides(s.shape)
	var opts pjrt.BufferOptions
	if !slices.Equal(strides, denseStrides(s.part)) {
		opts.Strides = strides
	}
	size := span(s.part, strides)
	s.buffers = make([]*pjrt.Buffer, len(s.shards))
	err := parallel(len(s.shards), func(i int) error {
		from := 0
		if size > 0 {
			from = offsetOf(s.shards[i].start, strides)
		}
		o := opts
		o.Device = s.devices[i]
		var err error
		s.buffers[i], err = client.BufferFromHost(ctx, pjrt.HostArray{Type: a.Type, Dims: s.part.Dims, Data: a.Data[from : from+size]}, &o)
		return err
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Join makes an Array from parts that are already on the devices of the mesh, such as the
// results of a program that ran on them. The parts are in the order of the devices. On
// success the Array owns the buffers; after an error the caller still owns them.
func (m *Mesh) Join(shape pjrt.Shape, p Partition, parts []*pjrt.Buffer) (*Array, error) {
	part, shards, err := m.cut(shape, p)
	if err != nil {
		return nil, err
	}
	if len(parts) != len(m.devices) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%d parts were given for the %d devices of the mesh; give one for each",
			len(parts), len(m.devices))
	}
	for i, b := range parts {
		if b == nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("part %d is nil", i)
		}
		if b.Client() != m.client {
			return nil, pjrt.ErrInvalidArgument.Errorf("part %d belongs to another client", i)
		}
		if s := b.Shape(); !s.Equal(part) {
			return nil, pjrt.ErrInvalidArgument.Errorf("part %d is %v, but the parts of %v are %v", i, s, shape, part)
		}
		d, err := b.Device()
		if err != nil {
			return nil, err
		}
		if d != m.devices[i] {
			return nil, pjrt.ErrInvalidArgument.Errorf("part %d is on %v, not on %v", i, d, m.devices[i])
		}
	}
	return &Array{
		devices: m.devices, shape: clone(shape), part: part, shards: shards, buffers: slices.Clone(parts),
		mesh: m, partition: slices.Clone(p),
	}, nil
}

// Mesh returns the mesh that the array is spread over, nil for an array of an [Executable].
func (s *Array) Mesh() *Mesh {
	if s == nil {
		return nil
	}
	return s.mesh
}

// Shape returns the shape of the whole array.
func (s *Array) Shape() pjrt.Shape {
	if s == nil {
		return pjrt.Shape{}
	}
	return clone(s.shape)
}

// Partition returns how the array is cut along the axes of its mesh, nil for an array of an
// [Executable].
func (s *Array) Partition() Partition {
	if s == nil {
		return nil
	}
	return slices.Clone(s.partition)
}

// Spec returns how the array is cut, whether for a mesh or an [Executable]. Its device numbers
// are indices into [Array.Devices].
func (s *Array) Spec() Spec {
	switch {
	case s == nil:
		return Spec{}
	case s.mesh != nil:
		return s.mesh.spec(len(s.shape.Dims), s.partition)
	}
	return s.spec.clone()
}

// Devices returns the devices that have the parts: those of the mesh in its order, the last
// axis varying fastest, or those of the executable in the order of their partitions.
func (s *Array) Devices() []*pjrt.Device {
	if s == nil {
		return nil
	}
	return slices.Clone(s.devices)
}

// PartShape returns the shape of the part that each device has.
func (s *Array) PartShape() pjrt.Shape {
	if s == nil {
		return pjrt.Shape{}
	}
	return clone(s.part)
}

// Buffers returns the parts in the order of [Array.Devices]. The Array owns them.
func (s *Array) Buffers() []*pjrt.Buffer {
	if s == nil {
		return nil
	}
	return slices.Clone(s.buffers)
}

// Close closes the parts. The error is always nil.
func (s *Array) Close() error {
	if s == nil {
		return nil
	}
	for _, b := range s.buffers {
		b.Close()
	}
	return nil
}

// largeGather is the size in bytes from which Gather first makes sure that all parts
// have contents, rather than allocate that much memory for a copy that cannot succeed.
const largeGather = 1 << 28

// Gather waits until the parts have been computed, copies them to the host and puts
// them together. When several devices have the same part, Gather reads it from the first
// of them.
func (s *Array) Gather(ctx context.Context) (pjrt.HostArray, error) {
	if s == nil {
		return pjrt.HostArray{}, errNilArray
	}
	size, err := s.shape.HostSize()
	if err != nil {
		return pjrt.HostArray{}, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	if size >= largeGather {
		if err := abandon.Do(ctx, func() error { return s.haveContents(ctx) }); err != nil {
			return pjrt.HostArray{}, err
		}
	}
	shape := clone(s.shape)
	a := pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: make([]byte, size)}
	if err := s.GatherInto(ctx, a.Data); err != nil {
		return pjrt.HostArray{}, err
	}
	return a, nil
}

// haveContents waits for the contents of all parts, and returns an error if one has none.
func (s *Array) haveContents(ctx context.Context) error {
	for _, b := range s.buffers {
		if err := b.Wait(ctx); err != nil {
			return err
		}
		if deleted, err := b.IsDeleted(); err != nil || deleted {
			return errors.Join(err, pjrt.ErrInvalidArgument.Errorf("a part of %v was closed, deleted or donated", s.shape))
		}
	}
	return nil
}

// GatherInto is like [Array.Gather] but writes to dst, whose size must be exactly that of
// the whole array in its host form. After an error the contents of dst are undefined.
func (s *Array) GatherInto(ctx context.Context, dst []byte) error {
	if s == nil {
		return errNilArray
	}
	size, err := s.shape.HostSize()
	if err != nil {
		return pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	if len(dst) != size {
		return pjrt.ErrInvalidArgument.Errorf("an array of shape %v takes %d bytes, but dst has room for %d", s.shape, size, len(dst))
	}
	strides := denseStrides(s.shape)
	err = parallel(len(s.shards), func(i int) error {
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
	return abandon.Explain(ctx, err, s.shape)
}

var errNilArray = pjrt.ErrInvalidArgument.Errorf("the sharded array is nil")

// copyPart copies a dense array with the dimensions dims from src to dst, where
// neighbours along dimension i are strides[i] bytes apart. It returns the rest of src.
func copyPart(dst []byte, strides []int64, src []byte, dims []int64, size int) []byte {
	// The innermost dimensions that are dense in dst too are copied in one piece.
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
		preempt.Copy(dst, src[:run])
		return src[run:]
	}
	for i := range dims[0] {
		src = copyPart(dst[i*strides[0]:], strides[1:], src, dims[1:], size)
	}
	return src
}

// denseStrides returns the strides in bytes of a dense, row-major array in its host form.
func denseStrides(s pjrt.Shape) []int64 {
	strides := make([]int64, len(s.Dims))
	step := int64(s.Type.Size())
	for i := len(s.Dims) - 1; i >= 0; i-- {
		strides[i] = step
		step *= s.Dims[i]
	}
	return strides
}

// span returns how many bytes an array with these strides covers, from its first byte to
// its last.
func span(s pjrt.Shape, strides []int64) int {
	n := int64(s.Type.Size())
	for i, d := range s.Dims {
		if d == 0 {
			return 0
		}
		n += (d - 1) * strides[i]
	}
	return int(n)
}

func offsetOf(start, strides []int64) int {
	n := int64(0)
	for i, x := range start {
		n += x * strides[i]
	}
	return int(n)
}

func clone(s pjrt.Shape) pjrt.Shape { return pjrt.Shape{Type: s.Type, Dims: slices.Clone(s.Dims)} }

// parallel calls fn with the numbers from 0 to n-1, as many at a time as there are
// processors, and returns the errors.
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
