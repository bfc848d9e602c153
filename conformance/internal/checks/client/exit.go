// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// exitChecks end the process while a client lives, as most programs do: Python destroys
// nothing when it is interrupted, and other languages destroy in no fixed order.
var exitChecks = []check.Check{
	{Rule: "CLI-38", Variant: "idle", Timeout: exitLimit, Library: true, Hostile: true, Exits: true, Run: func(t *check.T) {
		c, exe, x, _ := running(t)
		t.NoError(t.Await(x.Events[0]), "the execution")
		t.Doing("ends the process with %d devices and executable %p alive, and nothing to do", len(c.Devices), exe)
	}},
	{Rule: "CLI-38", Variant: "running", Timeout: exitLimit, Library: true, Hostile: true, Exits: true, Run: func(t *check.T) {
		c, exe, _, in := running(t)
		for range 4 {
			x := check.NewExecution(exe, 1, []*capi.Buffer{in})
			if err := x.Execute(t); err != nil {
				t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
			}
			called, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { _ = t.Table().TakeError(err) })
			if _, err := check.Try(t, capi.EventOnReadyArgs{Event: x.Events[0], Callback: called, UserArg: uintptr(handle)}); err != nil {
				handle.Delete()
				t.Fatalf("PJRT_Event_OnReady: expected success, got %v", err)
			}
		}
		t.Doing("ends the process with %d devices, and executions and callbacks under way", len(c.Devices))
	}},
	{Rule: "CLI-38", Variant: "waiting", Timeout: exitLimit, Library: true, Hostile: true, Exits: true, Run: endsWaiting},
}

// exitLimit is how long it may take to make a client and its work.
const exitLimit = 20 * time.Second

// endsWaiting ends the process while executions, downloads, callbacks and threads wait for
// contents that never come.
func endsWaiting(t *check.T) {
	handle, err := create(t, t.Env().Options...)
	if err != nil {
		t.Fatalf("PJRT_Client_Create: expected success, got %v", err)
	}
	c := t.Describe(handle)
	exe := check.Disown(t, t.Compile(c, check.AddOne))
	p := t.NewPending(c, 4)
	check.Disown(t, p.Manager)
	check.Disown(t, p.Buffer)
	ready := check.Disown(t, t.Ready(p.Buffer))
	called, user := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { _ = t.Table().TakeError(err) })
	if _, err := check.Try(t, capi.EventOnReadyArgs{Event: ready, Callback: called, UserArg: uintptr(user)}); err != nil {
		user.Delete()
		t.Fatalf("PJRT_Event_OnReady: expected success, got %v", err)
	}
	begun := make(chan struct{}, 3)
	go func() {
		begun <- struct{}{}
		_, _ = check.Try(t, capi.EventAwaitArgs{Event: ready})
	}()
	go func() { // a call that waits for the contents is also under way
		x := check.NewExecution(exe, 1, []*capi.Buffer{p.Buffer})
		_, _ = check.Try(t, x.Args)
		begun <- struct{}{}
	}()
	go func() {
		dst := make([]byte, 16)
		t.Keep(dst)
		_, _ = check.Try(t, capi.BufferToHostBufferArgs{Src: p.Buffer, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: 16})
		begun <- struct{}{}
	}()
	late := time.After(2 * time.Second)
	for range cap(begun) {
		select {
		case <-begun:
		case <-late:
			t.Notef("a call waits for the contents of a buffer")
		}
	}
	t.Doing("ends the process while executions, transfers, callbacks and threads wait")
}
