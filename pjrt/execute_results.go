// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// newResults returns memory for the results on one device, and for the first Buffer if
// there is only one, as of most programs, which this saves an allocation.
func (e *LoadedExecutable) newResults() (outs []*Buffer, blank *Buffer) {
	if e.numOutputs != 1 {
		return make([]*Buffer, e.numOutputs), nil
	}
	r := new(struct {
		list [1]*Buffer
		Buffer
	})
	return r.list[:], &r.Buffer
}

// newResultLists returns memory for the results on each device, of which a portable program
// has one.
func (e *LoadedExecutable) newResultLists() [][]*Buffer {
	n := e.numOutputs
	all, list := make([][]*Buffer, max(len(e.devices), 1)), make([]*Buffer, max(len(e.devices), 1)*n)
	for d := range all {
		all[d] = list[d*n : d*n+n : d*n+n]
	}
	return all
}

// results are what an execution left on one device.
type results struct {
	exe     *LoadedExecutable
	handles []*capi.Buffer // adopt and replace take them out
	at      *capi.Device
	filled  bool         // they certainly have their contents
	waits   *standin.Set // what the contents wait for
}

// resultKind is what all executions of a program have in common in one of their results.
type resultKind struct {
	Shape
	readable atomic.Bool // set once the host has read one as a dense, row-major array where it is
}

// isReadable reports whether the host can certainly read results of the kind, which then have no
// dimensions that are known only at run time. The nil kind is that of other buffers.
func (k *resultKind) isReadable() bool { return k != nil && k.readable.Load() }

// describe notes in x what is known about a result of a kind.
func (r *results) describe(x *bufferState, kind *resultKind) {
	x.born, x.bornFilled, x.waits, x.kind = r.at, r.filled, r.waits, kind
}

// kinds returns the kinds of the results. Only the first execution asks the plugin.
func (r *results) kinds() ([]resultKind, error) {
	e := r.exe
	for i, h := range r.handles {
		if h == nil {
			return nil, misbehaved((*capi.LoadedExecutableExecuteArgs)(nil).Function(), "left output %d empty", i)
		}
	}
	if k := e.executions.kinds.Load(); k != nil {
		return *k, nil
	}
	calls := new(bufferCalls)
	shapes := make([]Shape, len(r.handles))
	for i, h := range r.handles {
		var err error
		if shapes[i], err = calls.shape(e.client.table, h); err != nil {
			if outputs, oerr := e.outputs(); optional(err) == nil && oerr == nil && len(outputs) == len(r.handles) {
				shapes = outputs
				break
			}
			return nil, err
		}
	}
	kinds := make([]resultKind, len(shapes))
	for i, s := range shapes {
		kinds[i].Shape = s
	}
	if !e.executions.kinds.CompareAndSwap(nil, &kinds) {
		kinds = *e.executions.kinds.Load()
	}
	return kinds, nil
}

// adopt makes new Buffers of the results, the first one in blank, a zero Buffer, unless that
// is nil.
func (r *results) adopt(outs []*Buffer, blank *Buffer, kinds []resultKind) {
	client := r.exe.client
	var expected expectedBuffers
	client.buffers.Expect(&expected, len(r.handles))
	for i, h := range r.handles {
		b := blank
		if blank = nil; b == nil {
			b = new(Buffer)
		}
		b.client, b.shape = client, &kinds[i].Shape
		b.bufferState = expected.Init(&b.ref, h)
		r.describe(b.bufferState, &kinds[i])
		outs[i] = b
		r.handles[i] = nil // faster than clear, for few
	}
	expected.Done()
}

// destroyResults destroys those handles of results that nobody has adopted. unknown says that
// the plugin failed to say whether the execution is over: then it may block until it is.
func (c *Client) destroyResults(handles []*capi.Buffer, unknown bool) {
	for i, h := range handles {
		handles[i] = nil
		if h != nil {
			c.destroyOfExecution(h, unknown)
		}
	}
}

// destroyOfExecution destroys one such handle.
func (c *Client) destroyOfExecution(h *capi.Buffer, unknown bool) {
	if !unknown {
		new(bufferCalls).destroy(c.table, h)
		return
	}
	c.ref.Retain()
	go func() {
		defer c.ref.Release()
		new(bufferCalls).destroy(c.table, h)
	}()
}
