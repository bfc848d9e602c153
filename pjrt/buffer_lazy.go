// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"io"
)

// LazyBuffer is an array that goes to a device when it is first needed. Its
// methods may be called from any goroutine.
type LazyBuffer struct {
	client *Client
	opts   BufferOptions

	// turn holds a token while nobody uses the fields below.
	turn   chan struct{}
	load   func(context.Context) (HostArray, error) // nil after the upload
	buffer *Buffer
	closed bool
}

// LazyBuffer returns an array that is uploaded by the first call of Buffer, which
// also calls load to get it. load is not called again after it succeeded. opts,
// which may be nil, are those of BufferFromHost.
func (c *Client) LazyBuffer(load func(context.Context) (HostArray, error), opts *BufferOptions) (*LazyBuffer, error) {
	if load == nil {
		return nil, invalid("a lazy buffer has nothing to load")
	}
	l := &LazyBuffer{client: c, load: load, turn: make(chan struct{}, 1)}
	if opts != nil {
		l.opts = *opts
	}
	l.turn <- struct{}{}
	return l, nil
}

// Buffer returns the buffer, which it uploads when it is called for the first
// time. After an error the next call tries again. The buffer belongs to l.
func (l *LazyBuffer) Buffer(ctx context.Context) (*Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-l.turn:
		defer func() { l.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.closed {
		return nil, errLazyClosed
	}
	if l.buffer != nil {
		return l.buffer, nil
	}
	a, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	b, err := l.client.BufferFromHost(ctx, a, &l.opts)
	if err != nil {
		return nil, err
	}
	l.buffer, l.load = b, nil
	return b, nil
}

var errLazyClosed = fmt.Errorf("lazy buffer is %w", ErrClosed)

// Close closes the buffer, if there is one. It waits for an upload under way.
func (l *LazyBuffer) Close() error {
	if l == nil || l.turn == nil {
		return nil
	}
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	l.closed, l.load = true, nil
	return l.buffer.Close()
}

// BufferFromReader makes a buffer of an array whose data, in the form of a
// HostArray's, it reads from r: exactly as many bytes as shape takes. Plugins on
// CPUs use the memory that it was read into without another copy. Of opts, which
// may be nil, the device, the memory and the layout count. When ctx ends, the
// reading stops after the Read under way.
func (c *Client) BufferFromReader(ctx context.Context, r io.Reader, shape Shape, opts *BufferOptions) (*Buffer, error) {
	if r == nil {
		return nil, invalid("the reader is nil")
	}
	var o BufferOptions
	if opts != nil {
		o = *opts
	}
	if o.Semantics != OnlyDuringCall || o.Strides != nil {
		return nil, invalid("semantics and strides are for buffers made from the host's memory")
	}
	size, err := shape.HostSize()
	if err != nil {
		return nil, err
	}
	data, err := readData(ctx, r, size)
	if err != nil {
		return nil, err
	}
	// The memory is nobody else's, and never changes again.
	o.Semantics = ImmutableZeroCopy
	return c.BufferFromHost(ctx, HostArray{shape.Type, shape.Dims, data}, &o)
}

// readData reads size bytes. It does not take all the memory before there is
// data for it.
func readData(ctx context.Context, r io.Reader, size int) ([]byte, error) {
	const (
		start = 64 << 20
		piece = 1 << 20
	)
	data := AlignedSlice[uint8](min(size, start))
	for n := 0; n < size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n == len(data) {
			more := AlignedSlice[uint8](min(size, 2*n))
			copyInSteps(more, data)
			data = more
		}
		read, err := io.ReadFull(r, data[n:min(len(data), n+piece)])
		n += read
		if err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return nil, invalid("the data ends after %d of %d bytes", n, size)
			}
			return nil, err
		}
	}
	return data, nil
}
