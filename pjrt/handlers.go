// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// follow records the execution, so that handlers of custom calls find what its caller gave
// it, and so that no wait within a handler waits for the handler itself. A handler knows its
// execution by the launch ID.
func (l *launch) follow(ctx context.Context) {
	c := l.frame.options
	x := &inside.Execution{
		ID: c.LaunchID, Client: l.exe.client, Program: l.exe.name,
		Context: ctx, HasContext: c.Context != nil, Outer: inside.Current(ctx),
	}
	for _, e := range l.opts.Extensions {
		x.Extensions = append(x.Extensions, e)
	}
	inside.Begin(x)
	c.LaunchID, l.followed = x.ID, x
}

// unfollow records that the execution is over.
func (l *launch) unfollow() {
	if l.followed != nil {
		inside.Finish(l.followed)
		l.followed = nil
	}
}

// refuseToWait returns an error if the caller is the handler of a custom call, and waiting
// for the set would mean waiting for the handler.
func refuseToWait(ctx context.Context, what string, waits *standin.Set) error {
	if waits == nil || !inside.Any() {
		return nil
	}
	x := inside.Current(ctx)
	if !x.Awaits(waits) {
		return nil
	}
	return failed(ErrFailedPrecondition, "%s waits for the end of the execution of %s, which waits for this handler of a custom call: "+
		"return first, or use another client, since the plugin may run one client's executions in order", what, x.Program)
}

// refuseToWait returns an error if the caller is the handler of a custom call, and the
// plugin has queued the execution behind the handler's.
func (l *launch) refuseToWait(ctx context.Context) error {
	if l.earlier == nil || !inside.Any() {
		return nil
	}
	for _, h := range l.frame.events {
		if h == nil {
			continue
		}
		if ready, err := l.event.isReady(l.exe.client.table, h); err == nil && !ready {
			return refuseToWait(ctx, "this execution of "+l.exe.name, l.earlier)
		}
	}
	return nil
}

// refuseToWait returns an error if the caller is the handler of a custom call that the
// contents of the buffer wait for.
func (b *Buffer) refuseToWait(ctx context.Context, h *capi.Buffer) error {
	waits := b.standIns.Load()
	if waits == nil || !inside.Any() || b.settled(h) {
		return nil
	}
	return refuseToWait(ctx, "the "+b.shape.String()+" buffer", waits)
}

// refuseToWait returns an error if the caller is the handler of a custom call that the work
// waits for.
func (e *Event) refuseToWait(ctx context.Context) error {
	if e.waits == nil || !inside.Any() {
		return nil
	}
	if ready, err := e.Ready(); ready || err != nil {
		return err
	}
	return refuseToWait(ctx, "the event", e.waits)
}

// refuseInHandler returns an error if the caller is the handler of a custom call. It is for
// waits that the handler's own execution may be holding up.
func refuseInHandler(ctx context.Context, why string) error {
	x := inside.Current(ctx)
	if x == nil {
		return nil
	}
	return failed(ErrFailedPrecondition, "%s, and a handler of a custom call in %s cannot wait for that: "+
		"its own execution may be in the way", why, x.Program)
}

// lapackCalls are the custom calls of JAX whose handlers are in extensions/ffi/lapack, by
// the part of their names between the type's letter and the suffix.
const lapackCalls = " potrf syevd heevd gesdd gesvd geqrf geqp3 orgqr ungqr getrf trsm "

// explainHandler adds where to get a handler to the error of a program that calls a missing
// one.
func explainHandler(err error) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) || e.Code != ErrNotFound {
		return err
	}
	_, name, ok := strings.Cut(e.Message, "No FFI handler registered for ")
	if !ok {
		return err
	}
	name, _, _ = strings.Cut(name, " ")
	hint := "register one with Register of extensions/ffi before compiling"
	if call, ok := strings.CutPrefix(name, "lapack_"); ok && len(call) > 1 {
		if call, ok = strings.CutSuffix(call[1:], "_ffi"); ok && strings.Contains(lapackCalls, " "+call+" ") {
			hint = `import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`
		}
	}
	explained := *e
	explained.Message += ": " + hint
	return &explained
}
