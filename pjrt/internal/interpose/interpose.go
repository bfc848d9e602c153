// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package interpose lets a package that pjrt does not import wrap the plugins that pjrt calls.
package interpose

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
)

// Func returns the table that pjrt calls instead of a plugin's.
type Func func(*capi.Table) (*capi.Table, error)

var current atomic.Pointer[Func]

// Set applies f to the plugins that are loaded from now on. Nil removes it.
func Set(f Func) {
	if f == nil {
		current.Store(nil)
		return
	}
	current.Store(&f)
}

// Table returns the table to call instead of a plugin's. It is the table itself unless a Func is set.
func Table(t *capi.Table) (*capi.Table, error) {
	f := current.Load()
	if f == nil {
		return t, nil
	}
	return (*f)(t)
}
