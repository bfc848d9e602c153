// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// waitingQueue enqueues executions on a buffer that is not ready, and makes it ready when all are
// enqueued or when one call blocks. It notes which call does: a caller that makes the buffer ready
// in the same thread never comes to it.
func waitingQueue(t *check.T) {
	const many = 100
	c := t.Client()
	exe := t.Shared(check.AddOne)
	p := t.NewPending(c, 4)
	executions := make([]*check.Execution, many)
	begun := make(chan error, many)
	go func() {
		defer close(begun)
		for i := range executions {
			executions[i] = check.NewExecution(exe, 1, []*capi.Buffer{p.Buffer})
			err := executions[i].Start(t)
			begun <- err
			if err != nil {
				return
			}
		}
	}()
	enqueued, fulfilled := 0, false
	fulfil := func() {
		if !fulfilled {
			p.Fulfil()
		}
		fulfilled = true
	}
	for running := true; running; {
		select {
		case err, ok := <-begun:
			if running = ok; !ok {
				break
			}
			if !t.NoError(err, fmt.Sprintf("execution %d of %d on a buffer that is not ready", enqueued+1, many)) {
				fulfil()
				return
			}
			enqueued++
		case <-time.After(2 * time.Second):
			if !fulfilled {
				t.Notef("with %d executions under way, the next call of PJRT_LoadedExecutable_Execute waits until one of them ends", enqueued)
			}
			fulfil()
		}
	}
	fulfil()
	for i, x := range executions {
		what := fmt.Sprintf("execution %d of %d that waited", i+1, many)
		if !t.NoError(finish(t, x), what) || !check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, what) {
			return
		}
	}
}
