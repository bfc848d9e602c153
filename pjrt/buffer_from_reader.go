// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"io"
	"slices"

	from "github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// BufferFromReader makes a buffer of data that it reads from r, in the form of HostArray.Data:
// exactly the bytes of the shape. Plugins for CPUs do not copy them again. When ctx ends during a
// Read, r must not be used again. A reader that gives nothing 100 times in a row is an error. opts
// may be nil, or set the device, memory and layout.
func (c *Client) BufferFromReader(ctx context.Context, r io.Reader, shape Shape, opts *BufferOptions) (*Buffer, error) {
	if r == nil {
		return nil, invalid("the reader is nil")
	}
	var o BufferOptions
	if opts != nil {
		o = *opts
	}
	if o.Semantics != OnlyDuringCall || o.Strides != nil {
		return nil, invalid("options Semantics and Strides are only for buffers made from host memory: leave them unset")
	}
	size, err := hostSize(shape)
	if err != nil {
		return nil, err
	}
	dims := slices.Clone(shape.Dims)
	return abandon.CallOn(ctx, &shape, func() (*Buffer, error) {
		data, err := readData(ctx, r, size)
		if err != nil {
			return nil, err
		}
		// Only the buffer uses this memory, so it never changes.
		o.Semantics = ImmutableZeroCopy
		return c.BufferFromHost(ctx, HostArray{Type: shape.Type, Dims: dims, Data: data}, &o)
	}, (*Buffer).Close)
}

// readData reads size bytes. It allocates memory as data arrives, so that a shape that is
// much larger than the data does not exhaust the host's memory.
func readData(ctx context.Context, r io.Reader, size int) ([]byte, error) {
	const (
		start = 64 << 20
		piece = 1 << 20
	)
	data := AlignedSlice[uint8](min(size, start))
	r = from.Reader(r)
	for n := 0; n < size; {
		if err := abandon.Err(ctx, nil, "the reader"); err != nil {
			return nil, err
		}
		if n == len(data) {
			more := AlignedSlice[uint8](min(size, 2*n))
			preempt.Copy(more, data)
			data = more
		}
		read, err := r.Read(data[n:min(len(data), n+piece)])
		n += read
		var count *from.CountError
		switch {
		case n == size:
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil, invalid("the data ends after %d of %d bytes", n, size)
		case errors.As(err, &count):
			return nil, invalid("%v", count)
		case err != nil:
			return nil, err
		}
	}
	return data, nil
}
