// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package interpose lets a package that pjrt does not know stand between pjrt and
// its plugins.
package interpose

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
)

// Func returns the table that pjrt calls in place of a plugin's.
type Func func(*capi.Table) (*capi.Table, error)

var current atomic.Pointer[Func]

// Set makes f stand in front of the plugins that are loaded from now on; nil
// takes it away.
func Set(f Func) {
	if f == nil {
		current.Store(nil)
		return
	}
	current.Store(&f)
}

// Table returns what is to be called in place of a plugin's table: the table
// itself unless a Func is set.
func Table(t *capi.Table) (*capi.Table, error) {
	f := current.Load()
	if f == nil {
		return t, nil
	}
	return (*f)(t)
}
