// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
)

// Hook intercepts calls of a wrapped table. Around, AroundFunction and AroundAll make hooks.
type Hook struct {
	function *capi.Function // nil for all
	call     func(*Invocation)
	err      error // why the hook is invalid
}

// AroundAll makes a hook for every function that this package knows and the wrapped plugin has.
func AroundAll(fn func(c *Invocation)) Hook { return Hook{call: fn} }

// AroundFunction makes a hook for one function. fn must know the type of its args.
func AroundFunction(f *capi.Function, fn func(c *Invocation)) Hook {
	if f == nil {
		return Hook{err: errors.New("the function is nil")}
	}
	return Hook{function: f, call: fn}
}
