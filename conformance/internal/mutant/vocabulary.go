// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// After makes a mutant that changes what a call gave that succeeded.
func After[A any](check, fault string, change func(a *A)) Mutant {
	return AfterEach(check, fault, func(a *A, _ int64) { change(a) })
}

// AfterEach is After for a change that depends on how many calls succeeded so far, with the one at
// hand.
func AfterEach[A any](check, fault string, change func(a *A, n int64)) Mutant {
	return Mutant{Check: check, Fault: fault, Hooks: func() []serve.Hook { return []serve.Hook{Changed(change)} }}
}

// Changed is the hook of AfterEach, for faults of several hooks.
func Changed[A any](change func(a *A, n int64)) serve.Hook {
	var n atomic.Int64
	return serve.Around(func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil {
			change(a, n.Add(1))
		}
	})
}

// Before makes a mutant that changes what the plugin makes of the arguments.
func Before[A any](check, fault string, change func(a *A)) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		change(a)
		c.Forward()
	})
}

// Refuses makes a mutant that fails where it should not.
func Refuses[A any](check, fault string, code capi.ErrorCode, when func(a *A) bool) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		if when(a) {
			c.Fail(code, "%s", fault)
			return
		}
		c.Forward()
	})
}

// Forgives makes a mutant that takes what it should refuse, and gives something for it.
func Forgives[A any](check, fault string, give func(a *A)) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		c.Forward()
		if c.Err() != nil {
			c.FailWith(nil)
			give(a)
		}
	})
}

// Swallows makes a mutant that reports success after an error.
func Swallows[A any](check, fault string) Mutant { return Forgives(check, fault, func(*A) {}) }
