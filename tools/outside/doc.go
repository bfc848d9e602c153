// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package outside has a test that uses this repository's modules as a program elsewhere
// does: from a module proxy (a folder), without go.work. make test-proxy runs it.
package outside
