// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// This file is ExecuteOptions.ReuseResults: results in Buffers that an execution with that
// option made before.

// replace puts the results into the Buffers of outs where it can, and into new ones
// elsewhere. begun, which may be nil, has the results whose replacement has begun.
func (r *results) replace(outs []*Buffer, kinds []resultKind, begun []replacedResult) {
	c := r.exe.client
	for i, b := range outs {
		if (i >= len(begun) || begun[i].buffer == nil) && b.isReused() {
			b.Close() // all, before the first has its new result, since one may be there twice
		}
	}
	for i, h := range r.handles {
		var b *Buffer
		if i < len(begun) {
			b = begun[i].end(c.table)
		}
		switch {
		case b != nil:
			b.reopen(h, r, &kinds[i])
		case !outs[i].refill(h, &kinds[i], r):
			b = &Buffer{client: c, shape: &kinds[i].Shape}
			b.bufferState = c.buffers.InitRenewable(&b.ref, h)
			r.describe(b.bufferState, &kinds[i])
			outs[i] = b
		}
		r.handles[i] = nil
	}
}

// isReused reports whether an execution with ReuseResults made b.
func (b *Buffer) isReused() bool { return b != nil && b.ref.Renewable() }

// isLike reports whether b may become a result of an executable of c, with the shape.
func (b *Buffer) isLike(c *Client, shape *Shape) bool {
	return b != nil && b.client == c && b.host == nil && (b.shape == shape || b.shape.Equal(*shape))
}

// refill makes b, which is closed, the Buffer that owns h, one of the results. It reports
// whether it could: the old C buffer must be destroyed, and have had the same client and shape,
// and b must have been made to be reused.
func (b *Buffer) refill(h *capi.Buffer, kind *resultKind, r *results) bool {
	if !b.isLike(r.exe.client, &kind.Shape) || !b.ref.Claim() {
		return false
	}
	r.describe(b.bufferState, kind)
	b.ref.Renew(h)
	return true
}

// replacedResult is a Buffer that is closed before an execution begins and has the next
// result afterwards, with what it had until then.
type replacedResult struct {
	buffer  *Buffer                           // nil if there is none
	handle  *capi.Buffer                      // of buffer, or nil
	kind    *resultKind                       // of the next result
	destroy capi.Call[capi.BufferDestroyArgs] // the sequence fills in the argument when it makes the call
}

// begin closes b if nothing uses it, and if it may become a result of the kind.
func (p *replacedResult) begin(b *Buffer, c *Client, kind *resultKind) {
	if !b.isLike(c, &kind.Shape) {
		return
	}
	if h, ok := b.ref.BeginClose(); ok {
		p.buffer, p.handle, p.kind, p.destroy.Args.Buffer = b, h, kind, nil
	}
}

// end ends the replacing for an execution that succeeded, and returns the Buffer for its
// result, or nil.
func (p *replacedResult) end(table *capi.Table) *Buffer {
	b, h := p.buffer, p.handle
	if b != nil {
		if p.destroy.Args.Buffer == nil { // a call before failed
			p.destroy.Args.Buffer = h
			_ = p.destroy.Do(table)
		}
		p.buffer, p.handle = nil, nil
	}
	return b
}

// undo opens the Buffer with what it had, for an execution that failed. A plugin that says
// only later that it did may have made the sequence destroy that.
func (p *replacedResult) undo() {
	switch {
	case p.buffer == nil:
	case p.destroy.Args.Buffer != nil:
		p.buffer.ref.EndClose(nil)
	default:
		p.buffer.ref.Reopen(p.handle)
	}
	p.buffer, p.handle = nil, nil
}

// isDone reports whether only the new result is missing: the sequence has destroyed the old
// one.
func (p *replacedResult) isDone() bool { return p.buffer != nil && p.destroy.Args.Buffer != nil }

// reopen ends the replacing of b: it makes b the Buffer that owns h, one of the results.
func (b *Buffer) reopen(h *capi.Buffer, r *results, kind *resultKind) {
	b.reset()
	r.describe(b.bufferState, kind)
	b.ref.Reopen(h)
}
