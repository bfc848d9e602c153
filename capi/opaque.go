// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

// opaque makes a handle type that cannot be compared by value. Only its address has a meaning.
type opaque struct{ _ [0]func() }
