// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
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

// shapes returns the shapes of the results. Only the first execution asks the plugin.
func (r *results) shapes() ([]Shape, error) {
	e := r.exe
	for i, h := range r.handles {
		if h == nil {
			return nil, misbehaved((*capi.LoadedExecutableExecuteArgs)(nil).Function(), "left output %d empty", i)
		}
	}
	if s := e.executions.shapes.Load(); s != nil {
		return *s, nil
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
	e.executions.shapes.Store(&shapes)
	return shapes, nil
}

// adopt makes new Buffers of the results, the first one in blank, a zero Buffer, unless that
// is nil.
func (r *results) adopt(outs []*Buffer, blank *Buffer, shapes []Shape) {
	client := r.exe.client
	var expected expectedBuffers
	client.buffers.Expect(&expected, len(r.handles))
	for i, h := range r.handles {
		b := blank
		if blank = nil; b == nil {
			b = new(Buffer)
		}
		b.client, b.shape = client, &shapes[i]
		b.bufferState = expected.Init(&b.ref, h)
		b.born, b.bornFilled, b.waits = r.at, r.filled, r.waits
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
