// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func callbackMutants() []mutant.Mutant {
	const between = "a callback is lost that comes between the look whether the event is ready and its end"
	return []mutant.Mutant{
		lostBetween("EVT-10/racing", between).ReportedAs("tt-xla#3849"),
		lostBetween("EVT-10/racing an execution", between),
		mutant.Of("EVT-10/racing", "a callback that comes just as the event ends is called by both",
			func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
				waits := !mutant.IsReady(c.Table(), a.Event)
				if c.Forward(); waits && settlesSoon(c, a.Event) {
					c.Forward()
				}
			}),
		holds[capi.LoadedExecutableExecuteArgs]("EVT-16/each kind of event", "executes nothing while it calls back"),
		holds[uploadArgs]("EVT-16/each kind of event", "holds the lock of uploads while it calls back"),
		mutant.Hooked("EVT-16/each kind of event", "an event is ready only when its callbacks are done", func() []serve.Hook {
			inside := new(mutant.Marks)
			return []serve.Hook{
				onReady(func(e *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
					inside.Add(e)
					defer inside.Remove(e)
					call(err)
				}),
				mutant.Then(func(a *capi.EventIsReadyArgs) {
					if inside.Has(a.Event) {
						a.IsReady = false
					}
				}),
			}
		}),
		forgottenWith("EVT-28", "who waits for an event of a buffer is forgotten when a callback destroys the buffer"),
		forgottenWith("EVT-28/upload", "who waits for an event of a buffer is forgotten when a callback destroys the buffer"),
		mutant.Hooked("EVT-28", "an execution is given up when a callback destroys its executable", func() []serve.Hook {
			var calling atomic.Int32
			var doomed atomic.Bool
			return []serve.Hook{
				onReady(inCallbacks(&calling)),
				mutant.Ahead(func(*capi.LoadedExecutableDestroyArgs) {
					if calling.Load() > 0 {
						doomed.Store(true)
					}
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
					if c.Forward(); doomed.Swap(false) {
						c.Fail(capi.ErrorCodeCancelled, "the executable is gone")
					}
				}),
			}
		}),
		holds[capi.EventIsReadyArgs]("EVT-29", "callbacks run under the lock of the event that other calls take").ReportedAs("tt-xla#4236"),
		holds[capi.BufferDeleteArgs]("EVT-29", "callbacks run under the lock of all buffers"),
		holds[capi.BufferReadyEventArgs]("EVT-29/ready event", "a callback that runs at once keeps others from getting events"),
		holds[capi.EventDestroyArgs]("EVT-29/ready event", "a callback that runs at once keeps events from being destroyed"),
	}
}

// aMoment is long compared with a call, and short compared with what checks wait for.
const aMoment = 300 * time.Microsecond

// settlesSoon reports whether an event becomes ready within a moment.
func settlesSoon(c *serve.Invocation, e *capi.Event) bool {
	time.Sleep(aMoment)
	return mutant.IsReady(c.Table(), e)
}

// lostBetween returns a plugin that checks whether an event is ready and then stores the
// callback, without a lock around both.
func lostBetween(name, fault string) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
		if !mutant.IsReady(c.Table(), a.Event) && settlesSoon(c, a.Event) {
			return
		}
		c.Forward()
	})
}

// inCallbacks counts the running callbacks in n.
func inCallbacks(n *atomic.Int32) func(*capi.Event, *capi.ErrorHandle, func(*capi.ErrorHandle)) {
	return func(_ *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
		n.Add(1)
		defer n.Add(-1)
		call(err)
	}
}

// forgottenWith returns a plugin whose waits never end once a callback destroyed a buffer.
func forgottenWith(name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var calling atomic.Int32
		var forgotten atomic.Bool
		return []serve.Hook{
			onReady(inCallbacks(&calling)),
			mutant.Ahead(func(*capi.BufferDestroyArgs) {
				if calling.Load() > 0 {
					forgotten.Store(true)
				}
			}),
			mutant.Then(func(*capi.EventAwaitArgs) {
				if forgotten.Load() {
					time.Sleep(deadlock)
				}
			}),
		}
	})
}

// holds returns a plugin that calls back under a lock that a function also takes.
func holds[A any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		lock := make(chan struct{}, 1)
		return []serve.Hook{
			onReady(func(_ *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
				locked(lock, func() { call(err) })
			}),
			serve.Around(func(c *serve.Invocation, _ *A) { locked(lock, c.Forward) }),
		}
	})
}
