// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package library

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// platformMutants returns none: its faults are made with functions of Linux.
func platformMutants() []mutant.Mutant { return nil }
