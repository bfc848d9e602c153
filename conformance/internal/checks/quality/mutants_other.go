// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// threadMutants returns faults that depend on the calling thread.
func threadMutants() []mutant.Mutant { return nil }
