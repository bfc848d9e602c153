// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"math"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// processState looks at what a library must not change. A Go program starts with
// the C locale, with handlers of its own for signals, and with denormal numbers
// and rounding to nearest, so the state now is compared with that.
func processState(t *check.T) {
	runtime.LockOSThread() // the state of floating point is the thread's
	defer runtime.UnlockOSThread()
	checkProcess(t, "after loading the library")
	if t.Env().NoDevice != "" {
		return
	}
	client := t.NewClient()
	checkProcess(t, "after making a client")
	check.Call(t, capi.ClientPlatformNameArgs{Client: client.Handle})
}

func checkProcess(t *check.T, when string) {
	if name, ok := locale(); ok {
		check.Equal(t, "C", name, "the process's locale %s", when)
	}
	for _, change := range changedHandlers() {
		t.Errorf("%s: %s", when, change)
	}
	small := smallest
	if half := small * 0.5; half == 0 || half*2 != small {
		t.Errorf("%s: denormal numbers are flushed to zero on the thread that called: %g/2 is %g", when, small, half)
	}
	if got := one / three; math.Float64bits(got) != 0x3fd5555555555555 {
		t.Errorf("%s: the rounding of the thread that called is not to nearest: 1/3 is %x", when, math.Float64bits(got))
	}
	if got := one - one*0x1p-54; got != 1 {
		t.Errorf("%s: the rounding of the thread that called is not to nearest: 1 - 2^-54 is %b", when, got)
	}
}

// Variables, so that the compiler does not calculate with them.
var (
	smallest   float32 = 0x1p-126
	one, three         = 1.0, 3.0
)
