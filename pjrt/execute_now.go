// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"time"
)

// executeNow is executeInto on a goroutine that may block in C.
func (e *LoadedExecutable) executeNow(ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions) error {
	r := e.executions.repeated.Load()
	if r == nil || !r.begin(outs, args, opts) {
		return e.launchInto(ctx, outs, blank, args, opts, nil)
	}
	var began time.Duration
	timed := r.uses%32 == 0
	if timed {
		began = now()
	}
	made, err := r.calls.Do(e.client.table)
	runtime.KeepAlive(r)
	if timed {
		e.executions.short.note(began)
	}
	if err != nil && made < 2 { // ending an event may fail
		err = r.failed(made, err)
	} else {
		r.event, err = nil, nil
	}
	r.stopUsing(opts.Bound, args)
	tried := err
	if tried == nil {
		err = r.adopt(outs, blank, opts.ReuseResults)
	}
	if err != nil {
		r.undoReplacing()
	}
	r.end(opts.Bound)
	if timed {
		e.executions.yields.yield(began)
	}
	if tried != nil {
		return e.launchInto(ctx, outs, blank, args, opts, tried)
	}
	return err
}

// launchInto runs the program on its only device, and puts the results into outs, the first one
// in blank unless that is nil. tried is the error of an attempt that was made before, with the
// same arguments, or nil.
func (e *LoadedExecutable) launchInto(
	ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions, tried error,
) error {
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args)
	if err := l.execute(ctx, tried); err != nil {
		return err
	}
	if err := l.adopt(0, outs, blank, true); err != nil {
		return err
	}
	e.repeat()
	return nil
}
