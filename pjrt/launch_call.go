// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// do makes the C call, in which a plugin may wait while many executions are under way, or
// run the whole program.
func (l *launch) do(ctx context.Context) error {
	direct, err := l.admission.beginCall(ctx)
	if err != nil {
		return err
	}
	defer l.admission.endCall(direct)
	if err := l.beginTurns(ctx); err != nil {
		return err
	}
	return l.invoke()
}

// discard drops the results of an execution that nobody waits for.
func (l *launch) discard() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.wait(ended)
	l.destroyOutputs()
}

// invoke makes the C call and ends the turns of beginTurns.
func (l *launch) invoke() error {
	defer l.leaveCall()
	l.inCall = true
	err := l.frame.call.Do(l.exe.client.table)
	l.inCall = false
	runtime.KeepAlive(l)
	if err != nil {
		return l.failed(err)
	}
	return nil
}

// leaveCall ends the turns of beginTurns. If the handler of a custom call has ended the goroutine
// with runtime.Goexit, the call never returns, and the plugin goes on using what it was given: to
// destroy that blocks forever in newer plugins for CPUs. So these objects stay, closed or not.
func (l *launch) leaveCall() {
	l.endTurns(len(l.held))
	if !l.inCall {
		return
	}
	l.inCall = false
	for _, a := range l.held {
		a.buffer.ref.Retain()
	}
	for _, a := range l.donated {
		a.buffer.ref.Retain()
	}
	l.copies = l.copies[:0]
	if l.bound != nil {
		l.bound.ref.Retain()
	}
	l.exe.ref.Retain()
}

// failed returns the error to report for err, with which the C call failed.
func (l *launch) failed(err error) error {
	// After an error the plugin still owns the handles that it wrote.
	clear(l.frame.outputs)
	clear(l.frame.events)
	return l.explain(memoryError(err))
}

// explain adds to err which argument another execution consumed at the same time, or
// after it was bound, if the plugin refused the arguments and one did.
func (l *launch) explain(err error) error {
	if !errors.Is(err, ErrInvalidArgument) {
		return err
	}
	n := l.numArguments()
	for i, h := range l.frame.arguments {
		if gone, derr := l.calls.isDeleted(l.exe.client.table, h); derr == nil && gone {
			return fmt.Errorf("parameter %d of %v was deleted, or donated to another execution: %w", i%n, l.devices[i/n], err)
		}
	}
	return err
}

// wait takes over the events of all devices and waits for them. If a device failed, wait
// destroys the results.
func (l *launch) wait(ctx context.Context) error {
	table := l.exe.client.table
	var first error
	for i, h := range l.frame.events {
		l.frame.events[i] = nil
		err := l.event.await(ctx, table, h, l)
		if err == nil || first != nil {
			continue
		}
		first = err
		l.unknown = l.unknown || l.event.unsure
		if len(l.devices) > 1 && ctx.Err() == nil {
			first = fmt.Errorf("%v: %w", l.devices[i], err)
		}
	}
	if first != nil {
		l.destroyOutputs()
	}
	return first
}

func (l *launch) destroyOutputs() { l.exe.client.destroyResults(l.frame.outputs, l.unknown) }
