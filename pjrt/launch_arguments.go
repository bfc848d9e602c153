// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// turnOf returns the turn that the argument of parameter i takes.
func (l *launch) turnOf(i int) turn {
	donors := l.entry.donors
	switch {
	case slices.Contains(l.frame.keep, int64(i)):
		return turnUse
	case donors == nil:
		return turnRisk
	case i < len(donors) && donors[i]:
		return turnTaken
	}
	return turnUse
}

// hold takes over argument i of device number d, which is acquired, and adds its handle to
// the arguments of the call, or that of a copy on the right device.
func (l *launch) hold(ctx context.Context, d, i int, a heldArgument) error {
	h, err := l.handleOn(ctx, d, i, a)
	switch {
	case err != nil:
		l.held = append(l.held, a)
		return err
	case h != a.handle: // a copy
		a.turn = turnUse
		l.held = append(l.held, a)
	case a.turn == turnTaken:
		if err := a.buffer.beginTurn(ctx, turnTaken); err != nil {
			l.held = append(l.held, a)
			return l.refused(d, i, a.buffer, err)
		}
		l.donated = append(l.donated, a)
	default:
		l.held = append(l.held, a)
	}
	l.frame.arguments = append(l.frame.arguments, h)
	return nil
}

// copyKept copies the arguments that the program may donate but must keep, and lets it
// donate the copies, if the plugin's own way would end the process because one of them
// fails. See behaviour.copiesKept.
func (l *launch) copyKept(ctx context.Context, args int) error {
	f := &l.frame
	first := slices.Min(f.keep)
	safe := true
	for i, h := range f.arguments {
		p := i % args
		if int64(p) < first || !l.entry.mayDonate(p) || !l.exe.client.copiesMore && !slices.Contains(f.keep, int64(p)) {
			continue
		}
		if settled, err := l.event.pollContents(l.exe.client.table, h); !settled || err != nil {
			safe = false
			break
		}
	}
	if safe {
		return nil
	}
	for i, h := range f.arguments {
		p := i % args
		if !l.entry.mayDonate(p) || !slices.Contains(f.keep, int64(p)) {
			continue
		}
		copied, err := l.copyTo(ctx, l.argumentOf(h), h, l.devices[i/args])
		if err != nil {
			return err
		}
		f.arguments[i] = copied
	}
	f.keep = f.keep[:0]
	return nil
}

// argumentOf returns the held argument with the handle h, or nil for a bound one or a copy.
func (l *launch) argumentOf(h *capi.Buffer) *Buffer {
	for _, a := range l.held {
		if a.handle == h {
			return a.buffer
		}
	}
	return nil
}

// copyTo copies a buffer to a device for this execution. b, which may be nil, is the Buffer
// of the handle h.
func (l *launch) copyTo(ctx context.Context, b *Buffer, h *capi.Buffer, d *Device) (*capi.Buffer, error) {
	c := l.exe.client
	var order *Layout
	if b != nil && c.permuted.Load() {
		order = b.knownLayout(h)
		if lost, err := b.readsAs(ctx, h); err != nil || lost != nil {
			return nil, firstOf(err, otherOrder(lost))
		}
	}
	call := func() (*capi.Buffer, error) { return c.copyToDevice(h, d) }
	var copied *capi.Buffer
	var err error
	if b == nil {
		copied, err = call()
	} else {
		copied, err = useContents(ctx, b, h, call)
	}
	if err != nil {
		return nil, err
	}
	l.copies = append(l.copies, copied)
	if order != nil && order.permutes(*b.shape) {
		if now, err := b.layout(copied); err == nil && now.differs(order, *b.shape) {
			return nil, otherOrder(order)
		}
	}
	return copied, nil
}

// otherOrder is the error for an argument whose copy would have another layout than the argument.
func otherOrder(l *Layout) error {
	return failed(ErrUnimplemented, "the plugin copies an array with the layout %v in another order: make it with that layout on the device "+
		"that needs it", l)
}

// refused explains why argument i of device number d did not get its turn.
func (l *launch) refused(d, i int, b *Buffer, err error) error {
	for _, a := range l.donated {
		if a.buffer == b && errors.Is(err, errTaken) {
			return invalid("%s is also the argument of another parameter, and the program takes its contents: use a copy, or Keep", l.argument(d, i))
		}
	}
	return fmt.Errorf("%s: %w", l.argument(d, i), err)
}

// handleOn checks that argument i of device number d has contents and is on the device that
// needs it, and returns its handle. If the options allow it, handleOn copies the argument to
// that device, and returns the handle of the copy.
func (l *launch) handleOn(ctx context.Context, d, i int, a heldArgument) (*capi.Buffer, error) {
	c := l.exe.client
	if gone, err := l.isGone(a); err == nil && gone {
		return nil, invalid("%s was deleted, or donated to an earlier execution", l.argument(d, i))
	}
	at := l.calls.deviceOf(c.table, a.buffer, a.handle)
	if at == nil || at == l.devices[d].handle {
		return a.handle, nil
	}
	if !l.opts.CopyArguments {
		return nil, invalid("%s is on %v, and the program runs on %v: copy it there, or set CopyArguments",
			l.argument(d, i), c.deviceByHandle[at], l.devices[d])
	}
	copied, err := l.copyTo(ctx, a.buffer, a.handle, l.devices[d])
	if err != nil {
		return nil, l.refused(d, i, a.buffer, err)
	}
	return copied, nil
}

// isGone reports whether the contents of an argument are gone. It asks the plugin only
// when something may have taken them.
func (l *launch) isGone(a heldArgument) (bool, error) {
	switch r := &a.buffer.references; {
	case r.isDeleted():
		return true, nil
	case !r.doubtful.Load():
		return false, nil
	}
	return l.calls.isDeleted(l.exe.client.table, a.handle)
}

// beginTurns takes the turns that last as long as the C call.
func (l *launch) beginTurns(ctx context.Context) error {
	for i, a := range l.held {
		if err := a.buffer.beginTurn(ctx, a.turn); err != nil {
			l.endTurns(i)
			return l.explainRefusal(i, err)
		}
	}
	return nil
}

// endTurns ends the first n turns of beginTurns.
func (l *launch) endTurns(n int) {
	for _, a := range l.held[:n] {
		a.buffer.endTurn(a.turn, a.handle)
	}
}

// explainRefusal is refused for the held argument i.
func (l *launch) explainRefusal(i int, err error) error {
	for d, list := range l.lists {
		for j, b := range list {
			if b == l.held[i].buffer {
				return l.refused(d, j, b, err)
			}
		}
	}
	return err
}

// releaseArguments releases the arguments that prepare acquired. After the call the plugin
// itself holds what it needs.
func (l *launch) releaseArguments() {
	for i, a := range l.held {
		a.buffer.ref.Release()
		l.held[i] = heldArgument{}
	}
	l.held = l.held[:0]
}

// giveDonated releases the arguments whose contents the execution took, and the copies,
// whose contents it may have taken.
func (l *launch) giveDonated() {
	for i, h := range l.copies {
		l.exe.client.destroyOfExecution(h, l.unknown)
		l.copies[i] = nil
	}
	l.copies = l.copies[:0]
	for i, a := range l.donated {
		if l.unknown {
			go a.giveDonated() // the plugin may block as long as the program runs
		} else {
			a.giveDonated()
		}
		l.donated[i] = heldArgument{}
	}
	l.donated = l.donated[:0]
}

func (a heldArgument) giveDonated() {
	a.buffer.endTurn(turnTaken, a.handle)
	a.buffer.ref.Release()
}
