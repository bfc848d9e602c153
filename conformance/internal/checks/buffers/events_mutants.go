// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func eventMutants() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		refuses("EVT-01", "null is refused", capi.ErrorCodeInvalidArgument, func(a *capi.EventDestroyArgs) bool { return a.Event == nil }),
		ignores("EVT-02", "returns at once without waiting", always[capi.EventAwaitArgs]),
		after("EVT-03", "stays false", func(a *capi.EventIsReadyArgs) { a.IsReady = false }),
		hooked("EVT-04", "flips back after a while", func() []serve.Hook {
			var calls atomic.Int32
			return []serve.Hook{serve.Around(func(c *invocation, a *capi.EventIsReadyArgs) {
				if c.Forward(); calls.Add(1) == 500 {
					a.IsReady = false
				}
			})}
		}),
		mutant.Of("EVT-05", "only success makes an event ready", func(c *invocation, a *capi.EventIsReadyArgs) {
			if c.Forward(); a.IsReady {
				a.IsReady = wait(c.Table(), a.Event) == nil
			}
		}),
		mutant.Of("EVT-06", "waits for the event", func(c *invocation, a *capi.EventIsReadyArgs) {
			wait(c.Table(), a.Event)
			c.Forward()
		}),
		mutant.Of("EVT-06/execution", "waits for the execution", func(c *invocation, a *capi.EventIsReadyArgs) {
			wait(c.Table(), a.Event)
			c.Forward()
		}),
		ignores("EVT-07", "null on an event that failed", always[capi.EventErrorArgs]),
		hooked("EVT-08", "the same object each time", func() []serve.Hook {
			var first *capi.ErrorHandle
			return []serve.Hook{serve.Around(func(c *invocation, _ *capi.EventErrorArgs) {
				if first != nil {
					c.SetErr(first)
					return
				}
				c.Forward()
				first = c.Err()
			})}
		}),
		hooked("EVT-10", "every callback runs twice", func() []serve.Hook {
			return []serve.Hook{serve.Around(func(c *invocation, _ *capi.EventOnReadyArgs) {
				c.Forward()
				c.Forward()
			})}
		}),
		ignores("EVT-10", "callbacks are lost", always[capi.EventOnReadyArgs]),
		hooked("EVT-11", "no error for the callback", func() []serve.Hook {
			return []serve.Hook{onReady(func(_ *capi.EventOnReadyArgs, call func(*capi.ErrorHandle)) func(*capi.ErrorHandle) {
				return func(*capi.ErrorHandle) { call(nil) }
			})}
		}),
		before("EVT-12", "user_arg is cut to 32 bits", func(a *capi.EventOnReadyArgs) { a.UserArg &= 0xffffffff }),
		mutant.Of("EVT-13", "the callback of a ready event never runs", func(c *invocation, a *capi.EventOnReadyArgs) {
			if !ready(c.Table(), a.Event) {
				c.Forward()
			}
		}),
		hooked("EVT-14", "only the first callback is kept", func() []serve.Hook {
			var events sync.Map
			return []serve.Hook{serve.Around(func(c *invocation, a *capi.EventOnReadyArgs) {
				if _, seen := events.LoadOrStore(a.Event, true); !seen {
					c.Forward()
				}
			})}
		}),
		hooked("EVT-15", "the callback goes with the event", func() []serve.Hook {
			var destroyed sync.Map
			return []serve.Hook{
				onReady(func(a *capi.EventOnReadyArgs, call func(*capi.ErrorHandle)) func(*capi.ErrorHandle) {
					e := a.Event
					return func(err *capi.ErrorHandle) {
						if _, gone := destroyed.Load(e); !gone {
							call(err)
						}
					}
				}),
				serve.Around(func(c *invocation, a *capi.EventDestroyArgs) {
					destroyed.Store(a.Event, true)
					c.Forward()
				}),
			}
		}),
		hooked("EVT-16", "holds a lock while calling back", func() []serve.Hook {
			lock := make(chan struct{}, 1)
			return []serve.Hook{
				onReady(func(_ *capi.EventOnReadyArgs, call func(*capi.ErrorHandle)) func(*capi.ErrorHandle) {
					return func(err *capi.ErrorHandle) { locked(lock, func() { call(err) }) }
				}),
				serve.Around(func(c *invocation, _ *capi.ClientBufferFromHostBufferArgs) { locked(lock, c.Forward) }),
			}
		}),
		hooked("EVT-17", "only one thread is woken", func() []serve.Hook {
			var events sync.Map
			return []serve.Hook{serve.Around(func(c *invocation, a *capi.EventAwaitArgs) {
				_, other := events.LoadOrStore(a.Event, true)
				if c.Forward(); other {
					time.Sleep(deadlock)
				}
			})}
		}),
		hooked("EVT-18", "success the second time", func() []serve.Hook {
			var events sync.Map
			return []serve.Hook{serve.Around(func(c *invocation, a *capi.EventAwaitArgs) {
				if _, again := events.LoadOrStore(a.Event, true); !again {
					c.Forward()
				}
			})}
		}),
		mutant.Of("EVT-19", "waits for the work", func(c *invocation, a *capi.EventDestroyArgs) {
			wait(c.Table(), a.Event)
			c.Forward()
		}),
		hooked("EVT-20", "one event for all", func() []serve.Hook {
			var events sync.Map
			return []serve.Hook{serve.Around(func(c *invocation, a *capi.BufferReadyEventArgs) {
				c.Forward()
				first, _ := events.LoadOrStore(a.Buffer, a.Event)
				a.Event = first.(*capi.Event)
			})}
		}),
	}, inMemory(
		hooked("EVT-09", "makes the event fail", func() []serve.Hook {
			var asked sync.Map
			return []serve.Hook{
				serve.Around(func(c *invocation, a *capi.EventErrorArgs) {
					if ready(c.Table(), a.Event) {
						c.Forward()
						return
					}
					asked.Store(a.Event, true)
				}),
				serve.Around(func(c *invocation, a *capi.EventAwaitArgs) {
					if _, spoiled := asked.Load(a.Event); spoiled {
						c.Fail(capi.ErrorCodeInternal, "the event was asked too early")
						return
					}
					c.Forward()
				}),
			}
		}),
		anyReady("EVT-21", "created ready"),
		ignores("EVT-22", "the waiting thread is not woken", always[capi.EventSetArgs]),
		before("EVT-23", "every code becomes UNKNOWN", func(a *capi.EventSetArgs) { a.ErrorCode = capi.ErrorCodeUnknown }),
		mutant.Of("EVT-24", "keeps the pointer", func(c *invocation, a *capi.EventSetArgs) {
			later := &capi.Call[capi.EventSetArgs]{Args: *a}
			table := c.Table()
			time.AfterFunc(20*time.Millisecond, func() { later.Do(table) })
		}),
		forgives[capi.EventSetArgs]("EVT-25", "a second result is taken"),
		forgives[capi.EventSetArgs]("EVT-26", "any event is set"),
		mutant.Of("EVT-27", "who waits hangs for ever", func(c *invocation, a *capi.EventDestroyArgs) {
			if ready(c.Table(), a.Event) {
				c.Forward()
			}
		}),
	))
}
