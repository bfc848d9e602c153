// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant { return nil }
