// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package growth measures how much a reader of bytes from outside takes as its input grows: the
// steps, and the bytes that it allocates. Steps are counted by a program that was built to count
// how often its code runs, so each machine has the same result.
//
// It is for tests. A program calls Main with its rows, and its tests call Steps and Memory, which
// build and run it.
package growth
