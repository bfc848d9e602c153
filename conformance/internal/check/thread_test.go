// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// A thread that has not come to the call yet sleeps too, in Go. It must not pass for one that waits
// in the plugin: what follows would come before the call.
func TestAThreadSettlesOnceItSleepsInThePlugin(t *testing.T) {
	t.Parallel()
	env := cpu(t)
	env.Patience = 50 * time.Millisecond
	r := run(t, env, check.Check{Rule: "EVT-05", Run: func(c *check.T) {
		p := c.NewPending(c.Client(), 4)
		e := c.Ready(p.Buffer)
		late := make(chan struct{})
		h := c.Begin(func() {
			<-late
			_, _ = check.Try(c, capi.EventAwaitArgs{Event: e})
		})
		if runtime.GOOS == "linux" {
			assert.Equal(t, check.Unsettled, h.Settle(time.Millisecond), "it waits in Go")
		}
		close(late)
		state := check.Unsettled
		for state == check.Unsettled { // as long as a busy machine takes
			state = h.Settle(10 * time.Millisecond)
		}
		assert.Equal(t, check.Asleep, state)
		p.Fulfil()
		<-h.Done()
		assert.Equal(t, check.Returned, h.Settle(time.Hour))
	}})
	assert.Equal(t, check.Pass, r.Verdict, "%v", r)
}
