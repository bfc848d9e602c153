// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package buffers checks the rules of events, of buffers, and of everything that
// brings data into a buffer and out of it: the groups EVT, H2D, STR, BUF, D2H,
// RAW, COPY, REF, VIEW, UNI, AH2D and DMA.
package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of this package, group by group.
func Checks() []check.Check {
	return slices.Concat(
		eventChecks, eventCreateChecks, callbackChecks,
		uploadChecks, roundTripChecks(), uploadShapeChecks, uploadSemanticsChecks, downloadChecks,
		metadataChecks, unreadyChecks, lifecycleChecks, stridesChecks, viewsOfHostChecks,
		asyncChecks, literalChecks, copyChecks, referenceChecks, rawChecks,
		viewChecks, placeholderChecks, dmaChecks, makerChecks(),
	)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(
		eventMutants(), callbackMutants(), uploadMutants(), uploadSemanticsMutants(), downloadMutants(),
		metadataMutants(), lifecycleMutants(),
		stridesMutants(), asyncMutants(), copyMutants(), referenceMutants(), rawMutants(), viewMutants(),
		placeholderMutants(), dmaMutants(), makerMutants(), unreadyMutants(), hostViewMutants(),
		variedMutants(), againMutants(),
	)
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{}
