// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// The functions run in goroutines of their own, where nothing of the program could recover.
func TestFunctionsThatAreToldOfAnEndMayPanicOrEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{HostDevices: true, NoLeaks: true})
	for name, end := range map[string]func(){"panic": func() { panic("ouch") }, "exit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			e, promise, err := p.Plugin().NewEvent()
			require.NoError(t, err)
			defer e.Close()
			done := make(chan struct{}, 2)
			fail := func(error) { defer func() { done <- struct{}{} }(); end() }
			require.NoError(t, e.OnReady(fail))
			require.NoError(t, promise.Fulfill())
			require.NoError(t, e.Wait(t.Context()))
			require.NoError(t, e.OnReady(fail), "when it is ready")
			<-done
			<-done

			view, err := p.Client().ViewOfHostMemory(t.Context(), pjrt.ArrayOf(pjrt.AlignedSlice[float32](2)),
				&pjrt.ViewOptions{OnDelete: func() { fail(nil) }})
			require.NoError(t, err)
			require.NoError(t, view.Close())
			<-done
		})
	}
}
