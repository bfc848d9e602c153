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
		mutant.Refuses("EVT-01", "null is refused", capi.ErrorCodeInvalidArgument,
			func(a *capi.EventDestroyArgs) bool { return a.Event == nil }),
		mutant.Nothing[capi.EventAwaitArgs]("EVT-02", "returns at once without waiting"),
		onEvents("EVT-02", "downloads are not waited for", downloadEvents, unawaited),
		endsEarly("EVT-02", "gives up after a tenth of a second", func() func() bool {
			start := time.Now()
			return func() bool { return time.Since(start) > 100*time.Millisecond }
		}),
		wakesAll("EVT-02", "the end of one wait ends all", func(woken *atomic.Int64) serve.Hook {
			return mutant.Ahead(func(*capi.EventDestroyArgs) { woken.Add(1) })
		}),
		wakesAll("EVT-02", "who asks whether an event is ready wakes who waits for it", func(woken *atomic.Int64) serve.Hook {
			return mutant.Ahead(func(*capi.EventIsReadyArgs) { woken.Add(1) })
		}),
		mutant.LosesMessage[capi.EventAwaitArgs]("EVT-02", "the message is lost"),
		onEvents("EVT-03", "stays false of downloads", downloadEvents, unready),
		mutant.After("EVT-03", "stays false", func(a *capi.EventIsReadyArgs) { a.IsReady = false }),
		mutant.OfEach("EVT-04", "flips back after a while", func(c *serve.Invocation, a *capi.EventIsReadyArgs, n int64) {
			if c.Forward(); n == 500 {
				a.IsReady = false
			}
		}),
		mutant.Hooked("EVT-04", "false once a callback was registered", func() []serve.Hook {
			m := new(mutant.Marks)
			return append(unready(m), mutant.Then(func(a *capi.EventOnReadyArgs) { m.Add(a.Event) }))
		}),
		mutant.Hooked("EVT-05", "only who awaits it makes an event ready", func() []serve.Hook {
			awaited := new(mutant.Marks)
			return []serve.Hook{
				mutant.Then(func(a *capi.EventAwaitArgs) { awaited.Add(a.Event) }),
				mutant.Then(func(a *capi.EventIsReadyArgs) { a.IsReady = a.IsReady && awaited.Has(a.Event) }),
				unmarking(awaited),
			}
		}).Waiting(),
		mutant.Of("EVT-05", "only success makes an event ready", func(c *serve.Invocation, a *capi.EventIsReadyArgs) {
			if c.Forward(); a.IsReady {
				a.IsReady = mutant.Await(c.Table(), a.Event) == nil
			}
		}),
		mutant.Of("EVT-06", "waits for the event", awaitFirst),
		onEvents("EVT-06", "waits for downloads", downloadEvents, blocking),
		mutant.Of("EVT-06/execution", "waits for the execution", awaitFirst),
		mutant.Nothing[capi.EventErrorArgs]("EVT-07", "null on an event that failed"),
		mutant.Hooked("EVT-07", "null until the event is awaited", func() []serve.Hook {
			awaited := new(mutant.Marks)
			return []serve.Hook{
				mutant.Then(func(a *capi.EventAwaitArgs) { awaited.Add(a.Event) }),
				serve.Around(func(c *serve.Invocation, a *capi.EventErrorArgs) {
					if awaited.Has(a.Event) {
						c.Forward()
					}
				}),
				unmarking(awaited),
			}
		}),
		mutant.Hooked("EVT-08", "the message goes with the event", func() []serve.Hook {
			var events sync.Map // by error
			gone := new(mutant.Marks)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.EventErrorArgs) {
					if c.Forward(); c.Err() != nil {
						events.Store(c.Err(), a.Event)
					}
				}),
				mutant.Ahead(func(a *capi.EventDestroyArgs) { gone.Add(a.Event) }),
				mutant.Then(func(a *capi.ErrorMessageArgs) {
					if e, ok := events.Load(a.Error); ok && gone.Has(e) {
						a.Message, a.MessageSize = capi.StringData("what was there next")
					}
				}),
			}
		}),
		mutant.Hooked("EVT-08", "the same object each time", func() []serve.Hook {
			var first *capi.ErrorHandle
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.EventErrorArgs) {
				if first != nil {
					c.SetErr(first)
					return
				}
				c.Forward()
				first = c.Err()
			})}
		}),
		mutant.Of("EVT-10", "every callback runs twice", func(c *serve.Invocation, _ *capi.EventOnReadyArgs) {
			c.Forward()
			c.Forward()
		}),
		mutant.Nothing[capi.EventOnReadyArgs]("EVT-10", "callbacks are lost"),
		mutant.Of("EVT-10/waiting", "callbacks of events that wait run twice", func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
			waits := !mutant.IsReady(c.Table(), a.Event)
			if c.Forward(); waits {
				c.Forward()
			}
		}),
		callsAtEnd("EVT-10/waiting", "the callback runs again when the event is destroyed", true),
		mutant.Of("EVT-11", "no error for callbacks of events that fail later", func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
			if !mutant.IsReady(c.Table(), a.Event) {
				callback, arg := a.Callback, a.UserArg
				replaced, h := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) { callback.Call(nil, arg) })
				a.Callback, a.UserArg = replaced, uintptr(h)
			}
			c.Forward()
		}),
		mutant.Hooked("EVT-11", "no error for the callback", func() []serve.Hook {
			return []serve.Hook{onReady(func(_ *capi.Event, _ *capi.ErrorHandle, call func(*capi.ErrorHandle)) { call(nil) })}
		}),
		mutant.Before("EVT-12", "user_arg is cut to 32 bits", func(a *capi.EventOnReadyArgs) { a.UserArg &= 0xffffffff }),
		mutant.Of("EVT-12", "user_arg is cut to 32 bits while the event waits", func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
			if !mutant.IsReady(c.Table(), a.Event) {
				a.UserArg &= 0xffffffff
			}
			c.Forward()
		}),
		mutant.Of("EVT-13", "the callback of an event that failed never runs", func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
			if !mutant.IsReady(c.Table(), a.Event) || mutant.Await(c.Table(), a.Event) == nil {
				c.Forward()
			}
		}),
		mutant.Of("EVT-13", "the callback of a ready event never runs", func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
			if !mutant.IsReady(c.Table(), a.Event) {
				c.Forward()
			}
		}).Waiting(),
		mutant.Again[capi.Event]("EVT-14", "only the first callback is kept", func(*serve.Invocation, *capi.EventOnReadyArgs) {}),
		mutant.Hooked("EVT-14", "only the first callback gets the error", func() []serve.Hook {
			called := new(mutant.Marks)
			return []serve.Hook{onReady(func(e *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
				if called.Again(e) {
					err = nil
				}
				call(err)
			})}
		}),
		callsAtEnd("EVT-15", "the callback runs when the event is destroyed", false),
		withoutEvent("EVT-15", "the error goes with the event", func(call func(*capi.ErrorHandle)) { call(nil) }),
		withoutEvent("EVT-15", "the callback goes with the event", func(func(*capi.ErrorHandle)) {}),
		holds[uploadArgs]("EVT-16", "holds a lock while calling back"),
		holds[capi.EventDestroyArgs]("EVT-16", "holds the lock of destroying an event while calling back"),
		holds[capi.EventOnReadyArgs]("EVT-16", "holds the lock of registering another callback while calling back"),
		mutant.Hooked("EVT-17", "only one thread gets the error", func() []serve.Hook {
			told := new(mutant.Marks)
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
				if c.Forward(); c.Err() != nil && told.Again(a.Event) {
					c.FailWith(nil)
				}
			})}
		}),
		mutant.Again[capi.Event]("EVT-17", "only one thread is woken", func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
			c.Forward()
			time.Sleep(deadlock)
		}),
		mutant.Again[capi.Event]("EVT-18", "success the second time", func(*serve.Invocation, *capi.EventAwaitArgs) {}),
		mutant.Of("EVT-19", "waits for the work", func(c *serve.Invocation, a *capi.EventDestroyArgs) {
			mutant.Await(c.Table(), a.Event)
			c.Forward()
		}),
		onEvents("EVT-19", "waits for downloads", downloadEvents, func(m *mutant.Marks) []serve.Hook {
			return []serve.Hook{mutant.OfMarked[capi.Event](m, func(c *serve.Invocation, a *capi.EventDestroyArgs) {
				mutant.Await(c.Table(), a.Event)
				c.Forward()
			})}
		}),
		mutant.Hooked("EVT-20", "callbacks of the other event are lost", func() []serve.Hook {
			var gone atomic.Bool
			return []serve.Hook{
				onReady(func(_ *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
					if !gone.Load() {
						call(err)
					}
				}),
				mutant.Ahead(func(*capi.EventDestroyArgs) { gone.Store(true) }),
			}
		}),
		mutant.Hooked("EVT-20", "one event for all", func() []serve.Hook {
			var events sync.Map
			return []serve.Hook{mutant.Then(func(a *capi.BufferReadyEventArgs) {
				first, _ := events.LoadOrStore(a.Buffer, a.Event)
				a.Event = first.(*capi.Event)
			})}
		}),
	}, mutant.InMemory(
		mutant.Hooked("EVT-09", "makes the event fail", func() []serve.Hook {
			asked := new(mutant.Marks)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.EventErrorArgs) {
					if mutant.IsReady(c.Table(), a.Event) {
						c.Forward()
						return
					}
					asked.Add(a.Event)
				}),
				mutant.OfMarked[capi.Event](asked, func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
					c.Fail(capi.ErrorCodeInternal, "the event was asked too early")
				}),
			}
		}),
		anyReady("EVT-21", "created ready"),
		mutant.Nothing[capi.EventAwaitArgs]("EVT-21", "a new event is not waited for"),
		mutant.Of("EVT-21", "callbacks of a new event run at once",
			func(_ *serve.Invocation, a *capi.EventOnReadyArgs) { a.Callback.Call(nil, a.UserArg) }),
		mutant.Nothing[capi.EventOnReadyArgs]("EVT-22", "callbacks are not called"),
		mutant.Before("EVT-23", "a byte after the message belongs to it",
			func(a *capi.EventSetArgs) { a.ErrorMessageSize = mutant.OneMore(a.ErrorMessageSize) }),
		mutant.Before("EVT-23", "messages have 64 bytes at most",
			func(a *capi.EventSetArgs) { a.ErrorMessageSize = min(a.ErrorMessageSize, 64) }),
		mutant.Nothing[capi.EventSetArgs]("EVT-22", "the waiting thread is not woken"),
		mutant.Before("EVT-23", "every code becomes UNKNOWN", func(a *capi.EventSetArgs) { a.ErrorCode = capi.ErrorCodeUnknown }),
		mutant.Of("EVT-24", "keeps the pointer", func(c *serve.Invocation, a *capi.EventSetArgs) {
			later, table := *a, c.Table()
			time.AfterFunc(20*time.Millisecond, func() { mutant.Try(table, later) })
		}),
		mutant.Swallows[capi.EventSetArgs]("EVT-25", "a second result is taken"),
		mutant.Of("EVT-25", "a second result is taken after an error", func(c *serve.Invocation, a *capi.EventSetArgs) {
			failed := mutant.IsReady(c.Table(), a.Event) && mutant.Await(c.Table(), a.Event) != nil
			if c.Forward(); failed {
				c.FailWith(nil)
			}
		}),
		mutant.Swallows[capi.EventSetArgs]("EVT-26", "any event is set"),
		withoutEvent("EVT-27", "who waits is told of success", func(call func(*capi.ErrorHandle)) { call(nil) }),
		mutant.Of("EVT-27", "who waits hangs for ever", func(c *serve.Invocation, a *capi.EventDestroyArgs) {
			if mutant.IsReady(c.Table(), a.Event) {
				c.Forward()
			}
		}),
		mutant.Hooked("EVT-27", "who waits for another event hangs for ever", func() []serve.Hook {
			locked := new(atomic.Bool)
			return []serve.Hook{
				mutant.Ahead(func(*capi.EventDestroyArgs) { locked.Store(true) }),
				serve.Around(func(c *serve.Invocation, _ *capi.EventSetArgs) {
					if !locked.Load() {
						c.Forward()
					}
				}),
			}
		}),
		wakesAll("EVT-27", "who waits for another event is woken", func(woken *atomic.Int64) serve.Hook {
			return mutant.Ahead(func(*capi.EventDestroyArgs) { woken.Add(1) })
		}),
	))
}

// awaitFirst waits for an event when it is asked whether it is ready.
func awaitFirst(c *serve.Invocation, a *capi.EventIsReadyArgs) {
	mutant.Await(c.Table(), a.Event)
	c.Forward()
}

// callsAtEnd returns a plugin that calls back when an event is destroyed: only then, or again.
func callsAtEnd(name, fault string, again bool) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var callbacks sync.Map
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
				if again {
					c.Forward()
				}
				callbacks.Store(a.Event, *a)
			}),
			mutant.Ahead(func(a *capi.EventDestroyArgs) {
				if r, ok := callbacks.LoadAndDelete(a.Event); ok {
					r := r.(capi.EventOnReadyArgs)
					r.Callback.Call(nil, r.UserArg)
				}
			}),
		}
	})
}

// withoutEvent returns a plugin that handles callbacks of destroyed events as f does.
func withoutEvent(name, fault string, f func(call func(*capi.ErrorHandle))) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		gone := new(mutant.Marks)
		return []serve.Hook{
			onReady(func(e *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle)) {
				if gone.Has(e) {
					f(call)
					return
				}
				call(err)
			}),
			mutant.Ahead(func(a *capi.EventDestroyArgs) { gone.Add(a.Event) }),
		}
	})
}

// endsEarly returns a plugin whose waits end, with success, when enough says so. begin makes an
// enough for each wait.
func endsEarly(name, fault string, begin func() (enough func() bool)) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *capi.EventAwaitArgs) {
		enough := begin()
		for !readyBelow(c, a.Event) {
			if enough() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		c.Forward()
	})
}

// wakesAll returns a plugin whose waits all end when something happens. wake counts how often
// it does.
func wakesAll(name, fault string, wake func(woken *atomic.Int64) serve.Hook) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		woken := new(atomic.Int64)
		waits := endsEarly(name, fault, func() func() bool {
			before := woken.Load()
			return func() bool { return woken.Load() > before }
		})
		return append(waits.Hooks(), wake(woken))
	})
}

// readyBelow asks the plugin behind a mutant.
func readyBelow(c *serve.Invocation, e *capi.Event) bool {
	out, err := mutant.Try(c.Table(), capi.EventIsReadyArgs{Event: e})
	return err != nil || out.IsReady
}
