// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package programs checks what a plugin does with programs: compiling them,
// what it says of executables, running them with every option, donation, and
// several devices.
package programs

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Checks are the checks of the groups CMP, COPT, EXE, LEX, SER, RUN, XOPT, CDS,
// CTX, DON and MULTI.
var Checks = slices.Concat(
	compileChecks, malformedChecks, operationChecks, aheadChecks,
	optionChecks, executableChecks, memoryStatsChecks, optimizedChecks,
	loadedChecks, serializationChecks, elsewhereChecks,
	executeChecks, argumentChecks, queueChecks, orderChecks, scalarChecks, inPlaceChecks,
	executeOptionChecks, callbackChecks, streamChecks, contextChecks,
	donationChecks, dependencyChecks,
	multiChecks, collectiveChecks, exchangeChecks(), shardingFamily(), sampleChecks(),
	customCallChecks, memoryKindChecks,
)

// one makes a check of the Quick profile.
func one(rule string, run func(*check.T)) check.Check {
	return check.Check{Rule: rule, Run: run}
}

// hostile makes a check that runs in a process of its own.
func hostile(rule, variant string, run func(*check.T)) check.Check {
	return check.Check{Rule: rule, Variant: variant, Hostile: true, Run: run}
}

// Unobservable are the rules of these groups that no check can look at, with
// the reasons.
var Unobservable = map[string]string{
	"XOPT-03": "the launch ids of several processes meet only in a program that spans them, on a runtime that connects them",
	"XOPT-19": "neither the header nor StableHLO has a form of the operation that calls hlo_output_callbacks, so no client can write a program that has it",
	"XOPT-20": "as XOPT-19",
	"XOPT-21": "as XOPT-19",
}
