// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// patience is how long tests wait for what must come. It is far more than it
// takes, because the machine may be busy with other things.
const patience = time.Minute

// nothingAlive waits until all that earlier tests made is gone: the plugin lets go
// of some of it on threads of its own. Tests that compare numbers of objects call
// it before they make any.
func nothingAlive(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { runtime.GC(); return len(pjrt.Live()) == 0 }, patience, time.Millisecond)
}

// keepGarbage stops the garbage collector until the end of the test, except where
// it is called. Tests that count forgotten objects must say when they are found.
func keepGarbage(t testing.TB) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}
