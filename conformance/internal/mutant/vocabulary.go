// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"os"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// FailIf fails a call if it is bad, and forwards it otherwise.
func FailIf(c *serve.Invocation, bad bool, code capi.ErrorCode, format string, args ...any) {
	if bad {
		c.Fail(code, format, args...)
		return
	}
	c.Forward()
}

// OneMore returns the size of a text for a plugin that reads past its end.
func OneMore(size uintptr) uintptr {
	if size == 0 {
		return 0
	}
	return size + 1
}

// Faults in what a call returns.

// After makes a mutant that changes what a successful call returned.
func After[A any](check, fault string, change func(a *A)) Mutant {
	return AfterEach(check, fault, func(a *A, _ int64) { change(a) })
}

// AfterEach is like After, for a change that depends on n, the number of calls that succeeded so
// far, including this one.
func AfterEach[A any](check, fault string, change func(a *A, n int64)) Mutant {
	return Hooked(check, fault, func() []serve.Hook { return []serve.Hook{Changed(change)} })
}

// Changed returns the hook of AfterEach, for faults made of several hooks.
func Changed[A any](change func(a *A, n int64)) serve.Hook {
	var n atomic.Int64
	return serve.Around(func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil {
			change(a, n.Add(1))
		}
	})
}

// First makes a mutant that remembers a field of the first answer, and gives it again in all
// others.
func First[A, V any](check, fault string, field func(a *A) *V) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		var first atomic.Pointer[V]
		return []serve.Hook{Changed(func(a *A, _ int64) {
			own := *field(a)
			first.CompareAndSwap(nil, &own)
			*field(a) = *first.Load()
		})}
	})
}

// Reply makes the list the answer of args, see check.Answer. It is a copy, which is never freed.
func Reply[A, E any](args *A, list []E) {
	first, n := check.Answer[A, E](args)
	*first, *n = LastingArray(slices.Clone(list))
}

// Says makes a mutant that says the same of everything, in new memory each time.
func Says[A any](check, fault, text string) Mutant {
	return After(check, fault, func(a *A) { Reply(a, []byte(text)) })
}

// Lists makes a mutant that lists something else than the plugin, in new memory each time.
func Lists[A, E any](name, fault string, change func(list []E) []E) Mutant {
	return After(name, fault, func(a *A) {
		first, n := check.Answer[A, E](a)
		Reply(a, change(capi.Slice(*first, *n)))
	})
}

// Temporary makes a mutant that copies the array of each answer to new memory.
func Temporary[A, E any](name, fault string) Mutant {
	return Lists[A](name, fault, func(list []E) []E { return list })
}

// OnePlace makes a mutant that copies the array of each answer to the same place. array returns
// the fields that say where the array is and how many elements it has, as check.Answer does.
func OnePlace[A, E any](name, fault string, array func(a *A) (first **E, n *uintptr)) Mutant {
	return Places(name, fault, 1, array)
}

// Places is OnePlace for a number of places, which take turns.
func Places[A, E any](name, fault string, places int, array func(a *A) (first **E, n *uintptr)) Mutant {
	return Hooked(name, fault, func() []serve.Hook {
		room := make([][]E, places)
		for i := range room {
			room[i] = check.Retain(make([]E, 1<<20))
		}
		return []serve.Hook{Changed(func(a *A, call int64) {
			place := room[call%int64(places)]
			first, n := array(a)
			*n = uintptr(copy(place, capi.Slice(*first, *n)))
			*first = &place[0]
		})}
	})
}

// Then returns the hook that forwards each call, and does f whether it succeeded or not.
func Then[A any](f func(a *A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		c.Forward()
		f(a)
	})
}

// Ahead returns the hook that does f and then forwards the call.
func Ahead[A any](f func(a *A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		f(a)
		c.Forward()
	})
}

// Instead returns the hook that does f and forwards nothing.
func Instead[A any](f func(a *A)) serve.Hook {
	return serve.Around(func(_ *serve.Invocation, a *A) { f(a) })
}

// Faults in what a function does with its arguments.

// Before makes a mutant that changes the arguments that the plugin gets. The caller finds its
// own arguments again.
func Before[A any](check, fault string, change func(a *A)) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) { Forward(c, a, change) })
}

// Forward forwards a call with changed arguments, as Before does.
func Forward[A any](c *serve.Invocation, a *A, change func(a *A)) {
	given := *a
	change(a)
	sent := *a
	c.Forward()
	restore(a, &given, &sent)
}

// Ignores makes a mutant that, for some arguments, does nothing and reports success.
func Ignores[A any](check, fault string, when func(a *A) bool) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		if !when(a) {
			c.Forward()
		}
	})
}

// Nothing makes a mutant of a function that does nothing and reports success.
func Nothing[A any](check, fault string) Mutant { return Ignores(check, fault, Always[A]) }

// Refuses makes a mutant that fails where it should not.
func Refuses[A any](check, fault string, code capi.ErrorCode, when func(a *A) bool) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		FailIf(c, when(a), code, "%s", fault)
	})
}

// Fails is Refuses with INTERNAL.
func Fails[A any](check, fault string, when func(a *A) bool) Mutant {
	return Refuses(check, fault, capi.ErrorCodeInternal, when)
}

// Dies makes a mutant that ends the process for some arguments.
func Dies[A any](check, fault string, when func(a *A) bool) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		if when(a) {
			Die()
		}
		c.Forward()
	})
}

// Always is true for all arguments.
func Always[A any](*A) bool { return true }

// Die ends the process, as a plugin does that follows a bad pointer.
func Die() { os.Exit(139) }

// Faults in errors.

// Answers makes a mutant of a function that only fails with a code.
func Answers[A any](check, fault string, code capi.ErrorCode) Mutant {
	return Refuses(check, fault, code, Always[A])
}

// Forgives makes a mutant that accepts what it should refuse, and returns something for it.
func Forgives[A any](check, fault string, give func(a *A)) Mutant {
	return ForgivesSome(check, fault, Always[A], give)
}

// ForgivesSome is Forgives for some arguments. A nil give returns nothing.
func ForgivesSome[A any](check, fault string, when func(a *A) bool, give func(a *A)) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil || !when(a) {
			return
		}
		if c.FailWith(nil); give != nil {
			give(a)
		}
	})
}

// Swallows makes a mutant that reports success after an error.
func Swallows[A any](check, fault string) Mutant { return Forgives[A](check, fault, nil) }

// Errs makes a mutant that returns other errors than the plugin: f gets each and fails the call
// with another.
func Errs[A any](check, fault string, f func(c *serve.Invocation, e *capi.Error)) Mutant {
	return Of(check, fault, func(c *serve.Invocation, _ *A) {
		c.Forward()
		if e := c.ReadErr(); e != nil {
			f(c, e)
		}
	})
}

// LosesCode makes a mutant whose errors all have the same code.
func LosesCode[A any](check, fault string, code capi.ErrorCode) Mutant {
	return Errs[A](check, fault, func(c *serve.Invocation, e *capi.Error) { c.Fail(code, "%s", e.Message) })
}

// LosesMessage makes a mutant whose errors do not say what happened.
func LosesMessage[A any](check, fault string) Mutant {
	return Errs[A](check, fault, func(c *serve.Invocation, e *capi.Error) { c.Fail(e.Code, "an error occurred") })
}

// Faults that show later.

// OfEach is like Of, for a fault that depends on n, the number of calls so far, including this
// one.
func OfEach[A any](check, fault string, f func(c *serve.Invocation, a *A, n int64)) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		var n atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *A) { f(c, a, n.Add(1)) })}
	})
}

// Once makes a mutant that handles calls of the function that takes B as f does, once the
// function that takes A was called.
func Once[A, B any](check, fault string, f func(c *serve.Invocation, b *B)) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		var called atomic.Bool
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, _ *A) {
				c.Forward()
				called.Store(true)
			}),
			serve.Around(func(c *serve.Invocation, b *B) {
				if called.Load() {
					f(c, b)
					return
				}
				c.Forward()
			}),
		}
	})
}

// OnceAfter is Once for a change of what successful calls return then: memory that was freed and
// used for something else.
func OnceAfter[A, B any](check, fault string, change func(b *B)) Mutant {
	return Once[A](check, fault, func(c *serve.Invocation, b *B) {
		if c.Forward(); c.Err() == nil {
			change(b)
		}
	})
}

// OnceDies is Once for a function that ends the process then, as one does that follows a pointer
// to what is gone.
func OnceDies[A, B any](check, fault string) Mutant {
	return Once[A](check, fault, func(*serve.Invocation, *B) { Die() })
}

// OnceFails is Once for a function that only fails then.
func OnceFails[A, B any](check, fault string, code capi.ErrorCode) Mutant {
	return Once[A](check, fault, func(c *serve.Invocation, _ *B) { c.Fail(code, "%s", fault) })
}
