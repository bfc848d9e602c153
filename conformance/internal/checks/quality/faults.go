// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var faultChecks = []check.Check{
	{Rule: "FAULT-02", Run: reentrant},
	{Rule: "FAULT-03", Timeout: 5 * time.Minute, Library: true, Hostile: true, Run: func(t *check.T) { scarce(t, anUpload, anExecution) }, Helper: scarceStep},
	{Rule: "FAULT-03", Variant: "compile", Profile: check.Core, Timeout: 5 * time.Minute, Library: true, Hostile: true, Run: func(t *check.T) { scarce(t, aCompilation) }, Helper: scarceStep},
	{Rule: "FAULT-04", Hostile: true, Run: noFiles},
	{Rule: "FAULT-08", Timeout: 5 * time.Minute, Library: true, Hostile: true, Run: killed, Helper: killedStep},
}

// reentrant registers a callback that takes some time, and one that calls the plugin.
func reentrant(t *check.T) {
	w := &worker{t: t, c: t.Client()}
	w.exe = t.Shared(check.AddOne)
	p := t.NewPending(w.c, 4)
	done := make(chan error, 2)
	register := func(f func() error) {
		e := t.Ready(p.Buffer)
		fn, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
			if err := t.Table().TakeError(err); err != nil {
				done <- err
				return
			}
			done <- f()
		})
		if _, err := check.Try(t, capi.EventOnReadyArgs{Event: e, Callback: fn, UserArg: uintptr(handle)}); err != nil {
			handle.Delete()
			t.Fatalf("PJRT_Event_OnReady: %v", err)
		}
	}
	register(func() error {
		time.Sleep(50 * time.Millisecond)
		return nil
	})
	register(func() error {
		// Only calls that do not wait: a callback that waits for its own thread would
		// be at fault itself.
		if _, err := check.Try(t, capi.BufferElementTypeArgs{Buffer: p.Buffer}); err != nil {
			return err
		}
		out, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: p.Buffer})
		if err != nil {
			return err
		}
		if _, err := check.Try(t, capi.EventIsReadyArgs{Event: out.Event}); err != nil {
			return err
		}
		_, err = check.Try(t, capi.EventDestroyArgs{Event: out.Event})
		return err
	})
	p.Fulfil()
	for range 2 {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("a call from a callback: %v", err)
			}
		case <-time.After(patience):
			t.Fatalf("a slow callback and one that calls the plugin did not both end in time")
		}
	}
	if got, err := w.download(p.Buffer, 4); err != nil || got[3] != 4 {
		t.Errorf("after the callbacks: expected [1 2 3 4], got %v, %v", got, err)
	}
}
