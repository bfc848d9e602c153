// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package client

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// exitMutants need a C library that runs functions at the end of a process.
func exitMutants() []mutant.Mutant { return nil }
