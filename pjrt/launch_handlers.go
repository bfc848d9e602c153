// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// follow lets handlers of custom calls find the execution, if it may call one, and notes
// which other executions it may have to wait for. A handler finds its execution by the
// launch ID.
func (l *launch) follow(ctx context.Context) {
	e := l.exe
	if !e.plugin.follows.Load() {
		return
	}
	if e.client.inOrder {
		l.follows.earlier = inside.Ends(e.client, l.devices)
	}
	if l.entry.steady {
		return
	}
	c := l.frame.options
	x := &inside.Execution{ID: c.LaunchID, Client: e.client, Program: e.name, Context: ctx, HasContext: c.Context != nil}
	x.Devices = slices.Clone(l.devices)
	for _, extension := range l.opts.Extensions {
		x.Extensions = append(x.Extensions, extension)
	}
	inside.Begin(x)
	c.LaunchID, l.follows.execution = x.ID, x
}

// unfollow says that the execution is over.
func (l *launch) unfollow() {
	if x := l.follows.execution; x != nil {
		inside.Finish(x)
	}
	l.follows = following{}
}

// argumentsWaitFor returns all that the arguments wait for, which are acquired.
func (l *launch) argumentsWaitFor() *standin.Set {
	if !standin.Any() {
		return nil
	}
	waits := waitsFor(slices.Concat(l.lists...)...)
	if l.bound != nil {
		waits = standin.Union(waits, l.bound.standIns)
	}
	return waits
}

// resultsWait returns what the results of the execution wait for.
func (f *following) resultsWait() *standin.Set {
	waits := f.arguments
	if f.earlier != nil {
		waits = standin.Union(waits, f.earlier)
	}
	switch {
	case f.execution == nil:
		return waits
	case waits == nil:
		return f.execution.Waits
	}
	return standin.Union(waits, f.execution.Waits)
}

// refuseToWait returns an error if ctx is that of a handler, and the plugin has queued the
// execution behind the handler's.
func (l *launch) refuseToWait(ctx context.Context) error {
	x := inside.Awaited(ctx, l.follows.earlier)
	if x == nil {
		return nil
	}
	for _, h := range l.frame.events {
		if h == nil {
			continue
		}
		if ready, err := l.event.isReady(l.exe.client.table, h); err == nil && !ready {
			return waitsForHandler(x, "this execution of "+l.exe.name)
		}
	}
	return nil
}
