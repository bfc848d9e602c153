// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// threadMutants are faults that have to know which thread calls.
func threadMutants() []mutant.Mutant { return nil }
