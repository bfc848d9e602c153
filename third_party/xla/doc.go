// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xla embeds the generator's input, the C headers of PJRT and of XLA's
// FFI. README.md says what they are. The tests of this package prove that the
// headers agree with the measured facts beside them; those behind the build tag cc
// ask a C and a C++ compiler.
package xla
