// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package example compiles everywhere. Its tests do not, nor do its declarations fit
// the assembly of every platform.
package example

// Answer returns its argument.
func Answer(question int64) int64 { return answer(question) }
