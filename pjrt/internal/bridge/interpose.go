// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bridge

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
)

// wrap returns the table that pjrt calls instead of a plugin's; nil if pjrt calls plugins directly.
var wrap atomic.Pointer[func(*capi.Table) (*capi.Table, error)]

// Interpose applies f to the plugins that are loaded from now on: pjrt calls the table that f
// returns instead of the plugin's. Nil removes it.
func Interpose(f func(*capi.Table) (*capi.Table, error)) {
	if f == nil {
		wrap.Store(nil)
		return
	}
	wrap.Store(&f)
}

// InterposeError is an error of the function of [Interpose], which is no fault of the plugin.
type InterposeError struct{ error }

// Unwrap returns what the function returned.
func (e *InterposeError) Unwrap() error { return e.error }

// Interposed returns the table to call instead of a plugin's. It is the table itself unless
// [Interpose] has a function. The error is an InterposeError.
func Interposed(t *capi.Table) (*capi.Table, error) {
	f := wrap.Load()
	if f == nil {
		return t, nil
	}
	wrapped, err := (*f)(t)
	if err != nil {
		return nil, &InterposeError{err}
	}
	return wrapped, nil
}
