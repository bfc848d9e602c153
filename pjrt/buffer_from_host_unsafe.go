// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// mutableZeroCopySince is the first API minor with MutableZeroCopy.
const mutableZeroCopySince = 48

var uploads = sync.Pool{New: func() any {
	u := new(upload)
	u.prepare()
	return u
}}

// prepare makes a zero upload ready to be used.
func (u *upload) prepare() {
	u.both.Add(&u.make)
	capi.AddFor(&u.both, &u.destroy, &u.make.Args.DoneWithHostBuffer, &u.destroy.Args.Event)
}

// set sets what few callers ask for.
func (u *upload) set(opts *BufferOptions, layout *cLayout) {
	args := &u.make.Args
	args.ByteStrides, args.NumByteStrides = nil, 0
	if len(opts.Strides) > 0 {
		strides := slices.Clone(opts.Strides)
		args.ByteStrides, args.NumByteStrides = unsafe.SliceData(strides), uintptr(len(strides))
	}
	args.HostBufferSemantics, args.DeviceLayout = opts.Semantics, layout.layout
}

// do makes the buffer. If the plugin has read the memory when it returns, do leaves no
// event.
func (u *upload) do(table *capi.Table) error {
	if u.make.Args.HostBufferSemantics != OnlyDuringCall {
		return u.make.Do(table)
	}
	made, err := u.both.Do(table)
	if made > 0 {
		return nil // destroying the event may fail
	}
	return err
}

// BufferFromHost makes a buffer of an array (PJRT_Client_BufferFromHostBuffer), which can be used
// at once; computations wait for its contents. With the default semantics the caller may change
// a.Data after the call. opts may be nil. A bool must be 0 or 1.
//
// When a device is out of memory, the functions that make buffers collect those that the program
// dropped without Close, and try once more. If memory runs out only later, waiting for the buffer
// returns that error.
func (c *Client) BufferFromHost(ctx context.Context, a HostArray, opts *BufferOptions) (*Buffer, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	return c.bufferFromHost(ctx, c.knownShape(a.Type, a.Dims), a.Data, opts)
}

// bufferFromHost is BufferFromHost of an array of the form f.
func (c *Client) bufferFromHost(ctx context.Context, f *knownShape, data []byte, opts *BufferOptions) (*Buffer, error) {
	if watching.Load() != nil { // otherwise the subject is not made, which takes time
		return c.observedUpload(ctx, f, data, opts)
	}
	if ctx.Done() == nil {
		return c.upload(ctx, nil, f, data, opts)
	}
	return c.uploadAside(ctx, nil, f, data, opts)
}

func (c *Client) observedUpload(ctx context.Context, f *knownShape, data []byte, opts *BufferOptions) (b *Buffer, err error) {
	op := begin(ctx, OperationUpload, subject{client: c, bytes: len(data)})
	defer op.end(&err)
	if ctx.Done() == nil {
		return c.upload(ctx, op, f, data, opts)
	}
	return c.uploadAside(ctx, op, f, data, opts)
}

// uploadJob is an upload that the caller may leave.
type uploadJob struct {
	handOver *abandon.HandOver
	ctx      context.Context
	client   *Client
	op       *operation
	shape    *knownShape
	data     []byte
	options  BufferOptions
	opts     *BufferOptions // options, or nil
	buffer   *Buffer
	err      error
}

var uploadJobs = sync.Pool{New: func() any { return &uploadJob{handOver: abandon.NewHandOver()} }}

// Run makes the buffer.
func (j *uploadJob) Run() { j.buffer, j.err = j.client.upload(j.ctx, j.op, j.shape, j.data, j.opts) }

// Drop destroys the buffer.
func (j *uploadJob) Drop() {
	if j.err == nil {
		j.buffer.Close()
	}
}

// uploadAside is upload for a context that can end.
func (c *Client) uploadAside(ctx context.Context, op *operation, f *knownShape, data []byte, opts *BufferOptions) (*Buffer, error) {
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return nil, err
	}
	j := uploadJobs.Get().(*uploadJob)
	j.ctx, j.client, j.op, j.shape, j.data = ctx, c, op, f, data
	if opts != nil {
		j.options = *opts
		j.options.Strides = slices.Clone(opts.Strides)
		j.opts = &j.options
	}
	if !j.handOver.Run(ctx, j) {
		return nil, abandon.Err(ctx, &f.Shape, abandon.Plugin)
	}
	b, err := j.buffer, j.err
	*j = uploadJob{handOver: j.handOver}
	uploadJobs.Put(j)
	if err != nil {
		err = abandon.Explain(ctx, err, &f.Shape)
	}
	return b, err
}

// upload is bufferFromHost on a goroutine that may block in C. It tells op, which may be nil, where
// the buffer goes.
func (c *Client) upload(ctx context.Context, op *operation, f *knownShape, data []byte, opts *BufferOptions) (*Buffer, error) {
	place, layout, origin := c.usual, &noLayout, 0
	if opts != nil || len(data) != f.size || place.device == nil {
		var err error
		if place, layout, origin, err = c.uploadOptions(f, data, opts); err != nil {
			return nil, err
		}
	}
	if opts != nil && opts.Strides != nil && f.size == 0 {
		// No element needs a stride, and plugins refuse strides that cannot be those of a dense
		// array.
		dense := *opts
		dense.Strides = nil
		opts = &dense
	}
	if f.Type == dtype.Pred {
		if err := checkBools(f, data, opts, origin); err != nil {
			return nil, err
		}
	}
	var asked *Layout
	if layout != &noLayout {
		var err error
		if data, opts, origin, err = c.ordered(ctx, f.Shape, data, opts, origin); err != nil {
			return nil, err
		}
		asked = opts.Layout
		c.permuted.Store(true)
	}
	if op != nil {
		op.at(c, place)
	}
	var expected expectedBuffers
	c.buffers.Expect(&expected, 1)
	h, err := c.ref.Object()
	if err != nil {
		expected.Done()
		return nil, err
	}
	var u *upload
	own := c.uploading.CompareAndSwap(false, true)
	if own {
		u = c.uploads
	}
	if u == nil {
		u = uploads.Get().(*upload)
	}
	args := &u.make.Args
	args.Client = h
	if args.Device != place.device || args.Memory != place.memory {
		args.Device, args.Memory = place.device, place.memory
	}
	if args.Data = unsafe.Pointer(unsafe.SliceData(data[origin:])); args.Data == nil {
		args.Data = unsafe.Pointer(&noData)
	}
	args.Type = capi.BufferType(f.Type)
	args.Dims, args.NumDims = unsafe.SliceData(f.Dims), uintptr(len(f.Dims))
	if opts != nil {
		u.set(opts, layout)
	}
	if err = u.do(c.table); err != nil {
		err = allocateAgain(ctx, err, func() error { return u.do(c.table) })
	}
	runtime.KeepAlive(u) // which refers to all that C read
	args.Data = nil
	if opts != nil {
		u.set(&BufferOptions{}, &noLayout)
	}
	buffer, done := args.Buffer, args.DoneWithHostBuffer
	if own {
		c.uploads = u
		c.uploading.Store(false)
	} else {
		uploads.Put(u)
	}
	if err != nil {
		expected.Done()
		return nil, c.explainMemory(err, place.device, "")
	}
	b := &Buffer{client: c, shape: &f.Shape}
	b.bufferState = expected.Init(&b.ref, buffer)
	b.born = place.device
	if opts != nil && opts.Semantics != OnlyDuringCall {
		b.useHost(done, data, opts.Semantics)
	}
	return b.obeyed(buffer, asked)
}

// checkBools returns an error unless all elements of an array of bools are 0 or 1. The bytes
// between elements may have any value.
func checkBools(f *knownShape, data []byte, opts *BufferOptions, origin int) error {
	if opts == nil || opts.Strides == nil {
		return mistaken(dtype.CheckBools(data))
	}
	return mistaken(eachRow(data, origin, f.Dims, opts.Strides))
}

// eachRow calls dtype.CheckBools for the elements of an array in data, the first of them at an
// offset.
func eachRow(data []byte, at int, dims, strides []int64) error {
	switch {
	case len(dims) == 0:
		if v := data[at]; v > 1 {
			return fmt.Errorf("byte %d of the bools is %d: it must be 0 or 1", at, v)
		}
		return nil
	case len(dims) == 1 && strides[0] == 1:
		if err := dtype.CheckBools(data[at : at+int(dims[0])]); err != nil {
			return fmt.Errorf("in the bytes from %d on, %w", at, err)
		}
		return nil
	}
	for range dims[0] {
		if err := eachRow(data, at, dims[1:], strides[1:]); err != nil {
			return err
		}
		at += int(strides[0])
		if strides[0] == 0 {
			break
		}
	}
	return nil
}

// noData is the address of the data of an array without elements. Plugins that are to use the
// memory of the host fail later if there is none.
var noData byte

// uploadOptions checks an array of the form f, and options, which may be nil. It returns where the
// buffer will be, and the offset in the data of the element whose indices are all 0.
func (c *Client) uploadOptions(f *knownShape, data []byte, opts *BufferOptions) (place placement, layout *cLayout, origin int, err error) {
	if opts == nil {
		opts = &BufferOptions{}
	}
	if opts.Strides != nil || len(data) != f.size {
		if origin, err = dataOrigin(&f.Shape, data, opts.Strides); err != nil {
			return placement{}, nil, 0, err
		}
		if err := knowsType(c.table, f.Type); err != nil {
			return placement{}, nil, 0, err
		}
	}
	if err := c.knowsSemantics(opts.Semantics); err != nil {
		return placement{}, nil, 0, err
	}
	if place, err = c.place(opts.Device, opts.Memory); err != nil {
		return placement{}, nil, 0, err
	}
	if opts.Layout == nil {
		return place, &noLayout, origin, nil
	}
	layout, err = opts.Layout.encodeOnDevice(f.Shape)
	return place, layout, origin, err
}

// dataOrigin checks the length of the data of an array against its shape and the strides, and
// returns the offset of the element whose indices are all 0.
func dataOrigin(shape *Shape, data []byte, strides []int64) (int, error) {
	if strides == nil {
		a := HostArray{Type: shape.Type, Dims: shape.Dims, Data: data}
		return 0, mistaken(a.Check())
	}
	size, origin, err := strided(*shape, strides)
	if err != nil {
		return 0, err
	}
	if len(data) != size {
		return 0, invalid("an array of shape %v with strides %v spans %d bytes, and its data has %d", shape, strides, size, len(data))
	}
	return origin, nil
}

func (c *Client) knowsSemantics(s HostBufferSemantics) error {
	if s < OnlyDuringCall || s > MutableZeroCopy {
		return invalid("the host buffer semantics %v do not exist", s)
	}
	if _, minor := c.table.Version(); s == MutableZeroCopy && minor < mutableZeroCopySince {
		return tooOld(c.table, "MutableZeroCopy", mutableZeroCopySince)
	}
	return nil
}

// useHost has C use data for b until done is ready, or, if done is nil, as long as b exists.
func (b *Buffer) useHost(done *capi.Event, data []byte, semantics HostBufferSemantics) {
	if done != nil && b.client.closeReady(done) {
		runtime.KeepAlive(data)
		return
	}
	u := &hostUse{client: b.client, data: data, event: done}
	b.host = u
	zeroCopy := semantics == ImmutableZeroCopy || semantics == MutableZeroCopy
	if done == nil || zeroCopy && !b.client.plugin.copiesHostMemory() {
		b.bufferState.host = u
		return
	}
	u.ended() // so that a callback frees the memory, since C is done before the buffer is destroyed
}

// HostDone returns a channel that is closed when the plugin no longer uses memory of the host that
// the buffer was made from: usually after the transfer, but for a zero-copy buffer possibly only
// when it is closed and unused.
func (b *Buffer) HostDone() <-chan struct{} {
	if b == nil || b.host == nil {
		return closedChannel
	}
	return b.host.ended()
}
