// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package numeric checks what programs compute. It makes the programs, and computes the
// expected values with an evaluator in Go that shares nothing with a plugin. Each program
// runs twice, with its inputs as parameters and as constants, because plugins treat the two
// differently.
package numeric

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of this package.
func Checks() []check.Check {
	return slices.Concat(programChecks(), randomChecks(), invarianceChecks, boundedChecks(), layoutChecks(), hugeChecks,
		payloadChecks(), generatedChecks())
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	found := programMutants()
	return slices.Concat(found, boundedMutants(), hugeMutants(), strideMutants(), plainMutants(found))
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{}
