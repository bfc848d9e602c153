// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlaflags knows the flags of XLA, and how the environment variable
// XLA_FLAGS is written.
//
// XLA's plugins read the variable at their first compilation, and end the process
// over a flag or a value that they do not know. [Check] finds that out before.
package xlaflags
