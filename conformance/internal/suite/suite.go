// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package suite puts the checks of the contract together, and the mutants that
// prove them. A package of checks is added by one line in each list.
package suite

import (
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/client"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/library"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/programs"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/quality"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns every check of the contract.
func Checks() []check.Check {
	return join(
		library.Checks(),
		client.Checks(),
		buffers.Checks,
		programs.Checks,
		numeric.Checks(),
		quality.Checks(),
	)
}

// Mutants returns every fault that the checks must find.
func Mutants() []mutant.Mutant {
	return join(
		library.Mutants(),
		client.Mutants(),
		buffers.Mutants(),
		programs.Mutants(),
		numeric.Mutants(),
		quality.Mutants(),
	)
}

func join[E any](parts ...[]E) []E {
	var all []E
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
