// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// permutes reports whether the layout is an order of the dimensions, without tiles, that puts the
// elements of an array of the shape elsewhere than the row-major order does.
func (l *Layout) permutes(s Shape) bool {
	rank := len(s.Dims)
	if rank < 2 || l == nil || l.Strides != nil || len(l.Tiles) > 0 || len(l.MinorToMajor) != rank {
		return false
	}
	last := rank
	for _, d := range l.MinorToMajor {
		switch {
		case d < 0 || d >= rank || s.Dims[d] == 0:
			return false
		case s.Dims[d] == 1: // wherever it is in the order
		case d > last:
			return true
		default:
			last = d
		}
	}
	return false
}

// strides returns the distances in bytes between neighbours along each dimension, for elements of
// the size that they have on the host.
func (l *Layout) strides(s Shape) []int64 {
	strides := make([]int64, len(s.Dims))
	step := int64(s.Type.Size())
	for _, d := range l.MinorToMajor {
		strides[d] = step
		step *= s.Dims[d]
	}
	return strides
}

// ordered returns an array and options for an upload whose data is in the order of the layout in
// the options, if the plugin would leave it in the order of the host. origin is the offset in the
// data of the element whose indices are all 0. The caller must not change the memory of the result.
func (c *Client) ordered(ctx context.Context, a *HostArray, opts *BufferOptions, origin int) (*HostArray, *BufferOptions, int, error) {
	shape := a.Shape()
	if !opts.Layout.permutes(shape) {
		return a, opts, origin, nil
	}
	o, err := c.orders(ctx)
	if err != nil || !o.uploads {
		return a, opts, origin, err
	}
	element := shape.Type.Size()
	rows := a.Data
	if opts.Strides != nil {
		rows = make([]byte, element*product(shape.Dims))
		gather(rows, a.Data, origin, shape.Dims, opts.Strides, element)
	}
	ordered := AlignedSlice[uint8](len(rows))
	scatter(ordered, 0, rows, shape.Dims, opts.Layout.strides(shape), element)
	dense := *opts
	dense.Strides = nil
	return &HostArray{Type: a.Type, Dims: a.Dims, Data: ordered}, &dense, 0, nil
}

// gather copies the elements of an array from their places in src, the first of them at an offset,
// to dst, dense and in row-major order. It returns the rest of dst.
func gather(dst, src []byte, at int, dims, strides []int64, element int) []byte {
	if len(dims) == 0 {
		copy(dst[:element], src[at:at+element])
		return dst[element:]
	}
	if len(dims) == 1 && strides[0] == int64(element) {
		n := int(dims[0]) * element
		preempt.Copy(dst[:n], src[at:at+n])
		return dst[n:]
	}
	for range dims[0] {
		dst = gather(dst, src, at, dims[1:], strides[1:], element)
		at += int(strides[0])
	}
	return dst
}

// readsAs returns the layout in which transfers leave the elements of a buffer with the handle h,
// or nil if they arrive in row-major order.
func (b *Buffer) readsAs(ctx context.Context, h *capi.Buffer) (*Layout, error) {
	c := b.client
	if len(b.shape.Dims) < 2 || !c.permuted.Load() || c.ordering.tried.Load() && !c.ordering.reads {
		return nil, nil
	}
	l := b.knownLayout(h)
	if !l.permutes(*b.shape) {
		return nil, nil
	}
	o, err := c.orders(ctx)
	if err != nil || !o.reads {
		return nil, err
	}
	return l, nil
}

// toRows puts the elements of data, an array of the shape in the order of the layout, in row-major
// order.
func (l *Layout) toRows(data []byte, s Shape) {
	if l == nil {
		return
	}
	ordered := preempt.Clone(data)
	gather(data, ordered, 0, s.Dims, l.strides(s), s.Type.Size())
}

// obeyed returns an error if the plugin says that the buffer, for which the caller asked for a
// layout, has another one. It closes the buffer then.
func (b *Buffer) obeyed(h *capi.Buffer, asked *Layout) (*Buffer, error) {
	if asked == nil {
		return b, nil
	}
	if got := b.knownLayout(h); got != nil && got.differs(asked, *b.shape) {
		b.Close()
		return nil, failed(ErrUnimplemented, "the plugin (%v) made a buffer with the layout %v in place of %v: leave the layout to it",
			b.client.plugin, got, asked)
	}
	return b, nil
}
