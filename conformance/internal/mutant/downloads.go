// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// Faults in what downloads bring.

// Download is a call that brings the contents of a buffer, or asks for their size.
type Download = capi.BufferToHostBufferArgs

// Arrived returns the hook that forwards downloads, waits for the contents of each that
// succeeds, and shows them to f, which may change them.
func Arrived(f func(c *serve.Invocation, a *Download, data []byte)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *Download) {
		c.Forward()
		if c.Err() == nil && a.Dst != nil && a.DstSize > 0 && a.Event != nil && Await(c.Table(), a.Event) == nil {
			f(c, a, BytesAt(a.Dst, a.DstSize))
		}
	})
}

// Arrives makes a mutant whose downloads bring something else.
func Arrives(check, fault string, change func(data []byte)) Mutant {
	return ArrivesOf(check, fault, func(_ *serve.Invocation, _ *Download, data []byte) { change(data) })
}

// ArrivesOf is Arrives for a change that depends on the call.
func ArrivesOf(check, fault string, f func(c *serve.Invocation, a *Download, data []byte)) Mutant {
	return Hooked(check, fault, func() []serve.Hook { return []serve.Hook{Arrived(f)} })
}

// ArrivesFrom makes a mutant whose downloads of what some calls of the function that takes A made
// bring something else. A nil when means all calls.
func ArrivesFrom[A any](check, fault string, made func(a *A) []*capi.Buffer, when func(c *serve.Invocation, a *A) bool,
	change func(data []byte)) Mutant {
	return Hooked(check, fault, func() []serve.Hook {
		m := new(Marks)
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *A) {
				if c.Forward(); c.Err() == nil && (when == nil || when(c, a)) {
					AddAll(m, made(a))
				}
			}),
			Arrived(func(_ *serve.Invocation, a *Download, data []byte) {
				if m.Has(a.Src) {
					change(data)
				}
			}),
		}
	})
}
