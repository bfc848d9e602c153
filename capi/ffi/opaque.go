// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

// opaque makes a handle type that cannot be compared by value, and that no
// program has a reason to copy: only its address means anything.
type opaque struct{ _ [0]func() }
