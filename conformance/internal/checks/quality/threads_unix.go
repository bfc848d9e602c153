// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package quality

import (
	"syscall"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// signalled works while the signals arrive that the Go runtime uses to interrupt
// threads.
func signalled(t *check.T, d time.Duration) {
	stop := make(chan struct{})
	stopped := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				stopped <- n
				return
			case <-time.After(200 * time.Microsecond):
				if err := syscall.Kill(syscall.Getpid(), syscall.SIGURG); err != nil {
					t.Errorf("kill: %v", err)
				}
				n++
			}
		}
	}()
	parallel(t, 2, d, (*worker).round)
	close(stop)
	t.Notef("%d signals meanwhile", <-stopped)
}
