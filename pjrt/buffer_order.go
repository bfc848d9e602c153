// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
)

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

// ordered returns the data of an array of the shape, and options for its upload. The data is in the
// order of the layout in the options, if the plugin would leave it in the order of the host. origin
// is the offset in the data of the element whose indices are all 0. The caller must not change the
// memory of the result.
func (c *Client) ordered(
	ctx context.Context, shape Shape, data []byte, opts *BufferOptions, origin int,
) ([]byte, *BufferOptions, int, error) {
	if !opts.Layout.permutes(shape) {
		return data, opts, origin, nil
	}
	o, err := c.orders(ctx)
	if err != nil || !o.uploads {
		return data, opts, origin, err
	}
	element := shape.Type.Size()
	rows := data
	if opts.Strides != nil {
		rows = make([]byte, element*product(shape.Dims))
		gather(rows, data, origin, shape.Dims, opts.Strides, element)
	}
	ordered := AlignedSlice[uint8](len(rows))
	scatter(ordered, 0, rows, shape.Dims, opts.Layout.strides(shape), element)
	dense := *opts
	dense.Strides = nil
	return ordered, &dense, 0, nil
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
