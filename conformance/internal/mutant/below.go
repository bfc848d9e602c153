// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Try calls the function that A belongs to, below the hooks if t is the table of an
// invocation, and returns the args as the plugin left them.
func Try[A any](t *capi.Table, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	err := c.Do(t)
	return c.Args, err
}

// Await waits for an event below the hooks.
func Await(t *capi.Table, e *capi.Event) error {
	_, err := Try(t, capi.EventAwaitArgs{Event: e})
	return err
}

// Finish waits for an event, destroys it, and returns its error.
func Finish(t *capi.Table, e *capi.Event) error {
	defer Try(t, capi.EventDestroyArgs{Event: e})
	return Await(t, e)
}

// Unsettled reports whether a buffer has no contents yet.
func Unsettled(t *capi.Table, b *capi.Buffer) bool {
	out, err := Try(t, capi.BufferReadyEventArgs{Buffer: b})
	if err != nil {
		return false
	}
	defer Try(t, capi.EventDestroyArgs{Event: out.Event})
	ready, err := Try(t, capi.EventIsReadyArgs{Event: out.Event})
	return err != nil || !ready.IsReady
}

// LastingText returns a copy of a text that is never freed.
func LastingText(s string) (*byte, uintptr) { return check.Retain(capi.CString(s)), uintptr(len(s)) }

// LastingArray returns an array, which is never freed, as C takes it.
func LastingArray[E any](list []E) (*E, uintptr) { return check.First(check.Retain(list)) }
