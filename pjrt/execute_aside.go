// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// executeJob is an execution that the caller may leave. It has copies of all that the caller may
// change then, and results of its own. Later executions use it again.
type executeJob struct {
	handOver *abandon.HandOver
	ctx      context.Context
	exe      *LoadedExecutable
	args     []*Buffer
	opts     *ExecuteOptions // options, or the default ones
	options  ExecuteOptions
	keep     []int     // of options
	outs     []*Buffer // the results; between executions with ReuseResults, closed Buffers for the next
	replaced []*Buffer // to be closed
	blank    *Buffer   // for the first result, or nil
	err      error
}

// Run executes the program.
func (j *executeJob) Run() { j.err = j.exe.executeNow(j.ctx, j.outs, j.blank, j.args, j.opts) }

// Drop destroys the results.
func (j *executeJob) Drop() {
	if j.err == nil {
		closeBuffers(j.outs)
	}
}

// closeJob is the job of an executeJob that closes what pass has left.
type closeJob executeJob

// Run closes the Buffers.
func (j *closeJob) Run() {
	closeBuffers(j.outs)
	closeBuffers(j.replaced)
}

// Drop does nothing.
func (*closeJob) Drop() {}

func closeBuffers(list []*Buffer) {
	for _, b := range list {
		b.Close()
	}
}

// executeAside is executeInto for a context that can end.
func (e *LoadedExecutable) executeAside(ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions) error {
	if err := abandon.Err(ctx, e.subject(), ""); err != nil {
		return err
	}
	j, _ := e.executions.asides.Get().(*executeJob)
	if j == nil {
		j = &executeJob{handOver: abandon.NewHandOver(), exe: e, outs: make([]*Buffer, e.numOutputs)}
	}
	j.ctx, j.blank = ctx, blank
	j.args = append(j.args[:0], args...)
	if j.opts = opts; opts != &defaultExecuteOptions {
		j.copyOptions()
	}
	if !j.handOver.Run(ctx, j) {
		return abandon.Err(ctx, e.subject(), abandon.Plugin)
	}
	err := j.err
	if err != nil {
		err = abandon.Explain(ctx, err, e.subject())
	}
	if err == nil && opts.ReuseResults {
		if j.pass(outs) && !j.handOver.Run(ctx, (*closeJob)(j)) {
			return nil // the job is still in use
		}
		clear(j.replaced)
		j.replaced = j.replaced[:0]
	} else if err == nil {
		copy(outs, j.outs)
		clear(j.outs)
	}
	clear(j.args)
	if j.opts == &j.options {
		j.options = ExecuteOptions{}
	}
	j.ctx, j.blank, j.err, j.opts = nil, nil, nil, nil
	e.executions.asides.Put(j)
	return err
}

// copyOptions copies the options, which a caller that has left may change.
func (j *executeJob) copyOptions() {
	j.keep = append(j.keep[:0], j.opts.Keep...)
	j.options = *j.opts
	j.options.Keep, j.options.Extensions = j.keep, slices.Clone(j.opts.Extensions)
	j.options.Incarnations = maps.Clone(j.opts.Incarnations)
	j.opts = &j.options
}

// pass puts the results into outs, in the Buffers that are there where ExecuteOptions.ReuseResults
// promises it. It calls no function of the plugin: the job gets what the Buffers had, and pass
// reports whether any of that is to be closed.
func (j *executeJob) pass(outs []*Buffer) (open bool) {
	for i, b := range j.outs {
		old := outs[i]
		if old.isReused() && old.isLike(b.client, b.shape) && old.exchange(b) {
			open = open || !b.ref.Closed()
			continue
		}
		if old.isReused() {
			j.replaced, open = append(j.replaced, old), true
		}
		outs[i], j.outs[i] = b, nil
	}
	return open
}

// exchange gives b the contents of from, a result that only the caller has, and from those of b, if
// nothing uses them. It reports whether it could. An execution with ReuseResults has made both.
func (b *Buffer) exchange(from *Buffer) bool {
	r, kind := &results{at: from.born, filled: from.bornFilled, waits: from.waits}, from.kind
	h, ok := from.ref.BeginClose()
	if !ok {
		return false
	}
	if old, ok := b.ref.BeginClose(); ok {
		from.ref.Reopen(old)
		b.reopen(h, r, kind)
		return true
	}
	if !b.ref.Claim() {
		from.ref.Reopen(h)
		return false
	}
	from.ref.EndClose(nil)
	r.describe(b.bufferState, kind)
	b.ref.Renew(h)
	return true
}
