// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"os"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

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

// Before makes a mutant that changes the arguments that the plugin gets.
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

// Forgives makes a mutant that accepts what it should refuse, and returns something for it.
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

// Always is true for all arguments.
func Always[A any](*A) bool { return true }

// Dies makes a mutant that ends the process for some arguments.
func Dies[A any](check, fault string, when func(a *A) bool) Mutant {
	return Of(check, fault, func(c *serve.Invocation, a *A) {
		if when(a) {
			Die()
		}
		c.Forward()
	})
}

// Die ends the process, as a plugin does that follows a bad pointer.
func Die() { os.Exit(139) }
