// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package htmltest tries reports of the conformance suite on what they are for:
// the page in a browser, the JSON form on its schema. It is a module of its own
// for what that needs; it has nothing but tests.
//
// The browser is Chromium, found under its usual names on the PATH or named by
// the environment variable CHROMIUM.
package htmltest
