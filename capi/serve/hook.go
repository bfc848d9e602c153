// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import "github.com/purepjrt/purepjrt/capi"

// Hook stands around calls of a wrapped table. Around and AroundAll make hooks.
type Hook struct {
	function *capi.Function // nil for all
	call     func(*Invocation)
	err      error // what is wrong with it
}

// AroundAll makes a hook of every function that this package knows and the
// wrapped plugin has.
func AroundAll(fn func(c *Invocation)) Hook { return Hook{call: fn} }
