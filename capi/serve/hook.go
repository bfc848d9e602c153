// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
)

// Hook stands around calls of a wrapped table. Around, AroundFunction and AroundAll
// make hooks.
type Hook struct {
	function *capi.Function // nil for all
	call     func(*Invocation)
	err      error // what is wrong with it
}

// AroundAll makes a hook of every function that this package knows and the
// wrapped plugin has.
func AroundAll(fn func(c *Invocation)) Hook { return Hook{call: fn} }

// AroundFunction makes a hook of one function, whose args fn knows some other way
// than by their type.
func AroundFunction(f *capi.Function, fn func(c *Invocation)) Hook {
	if f == nil {
		return Hook{err: errors.New("the function is nil")}
	}
	return Hook{function: f, call: fn}
}
