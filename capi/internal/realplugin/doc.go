// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package realplugin holds tests of the raw binding with real plugins: always with XLA's CPU
// plugin, with libtpu ahead of time under the build tag aot, and with plugins of other API versions
// under the build tag skew. Functions that no plugin can run without its hardware are tested with a
// stand-in, a table of functions in Go. Together the tests call every function of the core table.
//
// The package exports nothing.
package realplugin
