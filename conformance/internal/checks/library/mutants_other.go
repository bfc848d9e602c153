// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package library

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// platformMutants are those of what a process and its threads have.
var platformMutants []mutant.Mutant
