// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Values are Go values for the handlers of one execution, which find them by type with
// [Value]. They go into ExecuteOptions.Extensions:
//
//	opts := &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{ffi.Values{logger, &count}}}
//
// Several handlers may use a value at the same time. Handlers in C do not see these
// values: use a [Context] or [Options] for those handlers.
type Values []any

var _ pjrt.ExecuteExtension = Values(nil)

// Repeatable reports that a second attempt at an execution can use the same values: see
// [pjrt.ExecuteExtension].
func (v Values) Repeatable() bool { return true }

// ExtendExecute implements [pjrt.ExecuteExtension].
func (v Values) ExtendExecute(*pjrt.Client, []*pjrt.Device, *capi.ExecuteOptions) (done func(), err error) {
	return nil, nil
}

// Value returns the first of the [Values] of the call's execution that has the type T, or
// implements it. It returns false if there is none, and while a program is compiled.
func Value[T any](c *Call) (value T, ok bool) {
	if c == nil || !c.known {
		return value, false
	}
	values, _ := raw.Extension[Values](c.execution)
	for _, v := range values {
		if value, ok = v.(T); ok {
			break
		}
	}
	return value, ok
}
