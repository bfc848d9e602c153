// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
)

// patience is how long tests wait for what must happen. It is far more than needed, because
// the machine may be busy with other things.
const patience = time.Minute

// endsOnce returns a context that ends once something has happened, however long that takes. A
// deadline may come before on a busy machine.
func endsOnce(t testing.TB, happened func() bool) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer cancel()
		assert.Eventually(t, happened, patience, time.Millisecond)
	}()
	t.Cleanup(func() { <-over })
	return ctx
}

// nothingAlive waits until all that earlier tests made is gone: the plugin releases some of
// it on its own threads. Tests that compare numbers of objects call it before they make any.
func nothingAlive(t testing.TB) {
	t.Helper()
	require.True(t, collecting.Until(func() bool { return len(pjrt.Live()) == 0 }))
}

// keepGarbage stops the garbage collector until the end of the test, except where
// it is called explicitly. Tests that count forgotten objects must decide when they are
// found.
func keepGarbage(t testing.TB) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}
