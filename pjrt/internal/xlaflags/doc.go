// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlaflags knows the flags of XLA, and the syntax of the environment variable XLA_FLAGS.
//
// XLA's plugins read the variable at their first compilation, and end the process if they do not
// know a flag or a value. [Check] detects that beforehand.
package xlaflags
