// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package library holds the checks of what a plugin is as a library: its table,
// the sizes of structs, errors, attributes and the chain of extensions.
package library

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of the groups LOAD, SKEW, ERR, ATTR and XCH.
func Checks() []check.Check {
	return slices.Concat(loadChecks, skewChecks(), nestedChecks, enumChecks, errorChecks, payloadChecks, attributeChecks, chainChecks)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(tableMutants(), skewMutants(), errorMutants(), attributeMutants(), chainMutants(), platformMutants(),
		newerMutants(), libraryMutants(), subtleMutants(), restlessMutants())
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{
	"LOAD-13": "it takes a second plugin of another maker in the same process, and a run has one; a copy of the file would meet itself in its own files, locks and devices",
}
