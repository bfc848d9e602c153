// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package realplugin holds the tests that run the raw binding on real plugins:
// XLA's CPU plugin always, libtpu ahead of time with the build tag aot, and
// plugins of other ages with the build tag skew. What no plugin can do without
// its hardware runs on a stand-in, a table of functions in Go, so that between
// them the tests call every function of the core table.
//
// There is nothing here to import.
package realplugin
