// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package programs checks what a plugin does with programs: compiling them, what it reports
// about executables, running them with every option, donation, and several devices.
package programs

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of the groups CMP, COPT, EXE, LEX, SER, RUN, XOPT, CDS, CTX, DON
// and MULTI.
func Checks() []check.Check {
	return slices.Concat(
		compileChecks, malformedChecks, operationChecks(), aheadChecks,
		optionChecks, executableChecks, memoryStatsChecks, optimizedChecks,
		loadedChecks, serializationChecks, elsewhereChecks,
		executeChecks, argumentChecks, queueChecks, orderChecks, scalarChecks, inPlaceChecks,
		executeOptionChecks, callbackChecks, streamChecks, contextChecks,
		donationChecks, dependencyChecks,
		multiChecks, collectiveChecks, exchangeChecks(), shardingChecks(), sampleChecks(),
		customCallChecks, memoryKindChecks,
	)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(faultMutants(), topologyMutants(), reportedMutants(), inPlaceMutants(), variedMutants())
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{
	"XOPT-03": "the launch ids of several processes meet only in a program that spans them, on a runtime that connects them",
	"XOPT-19": "neither the header nor StableHLO has a form of the operation that calls hlo_output_callbacks, so no client can write a program that has it",
	"XOPT-20": "as XOPT-19",
	"XOPT-21": "as XOPT-19",
}
