// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package htmltest tests reports of the conformance suite where they are used: the page
// in a browser, the JSON form against its schema. It is a separate module because of
// what that needs; it has only tests.
//
// The browser is Chromium, found under its usual names on the PATH or named by
// the environment variable CHROMIUM.
package htmltest
