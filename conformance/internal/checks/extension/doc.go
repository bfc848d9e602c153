// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package extension checks the rules of the extensions that a plugin may have: the groups
// whose names begin with X, except the group of the chain itself, which package library
// checks.
package extension

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of this package, extension by extension.
func Checks() []check.Check {
	return slices.Concat(
		of(capi.ExtensionTypeLayouts, layoutChecks),
		of(capi.ExtensionTypeMemoryDescriptions, memoryDescriptionChecks),
		of(capi.ExtensionTypeFFI, ffiChecks),
		of(capi.ExtensionTypeGPUCustomCall, gpuChecks),
		of(capi.ExtensionTypeProfiler, profilerChecks),
		of(capi.ExtensionTypeStream, streamChecks),
		of(capi.ExtensionTypeTriton, tritonChecks),
		of(capi.ExtensionTypeRawBuffer, rawBufferChecks),
		of(capi.ExtensionTypePhaseCompile, phaseChecks),
		of(capi.ExtensionTypeCallback, callbackChecks),
		of(capi.ExtensionTypeShardings, shardingChecks),
		of(capi.ExtensionTypeABIVersion, abiChecks),
		of(capi.ExtensionTypeCrossHostTransfers, transferChecks),
		of(capi.ExtensionTypeHostMemoryAllocator, hostMemoryChecks),
		of(capi.ExtensionTypeExecutableMetadata, metadataChecks),
		of(capi.ExtensionTypeMultiSlice, sliceChecks),
		of(capi.ExtensionTypeXLATransform, transformChecks),
		of(capi.ExtensionTypeTPUTopology, topologyChecks),
		of(capi.ExtensionTypeTPUExecutable, tpuExecutableChecks),
		of(capi.ExtensionTypeMegascale, megascaleChecks),
		of(capi.ExtensionTypeCustomPartitioner, partitionerChecks),
		unregisteredChecks,
	)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(cpuMutants(), memoryMutants(), standInMutants(), compilerMutants(), transferMutants(),
		naturalLayoutMutants(), naturalFFIMutants(), naturalMemoryMutants(), unsteadyMutants(),
		naturalStandInMutants(), naturalTPUMutants(), laterMutants())
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{
	"XXMD-02": "the args state no size, so a plugin that was built with other args cannot say so",
	"XCOL-01": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-02": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-03": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-04": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XTRI-01": "a module that a Triton compiler takes depends on the version of Triton that the plugin was built with, which nothing tells",
}

// of makes the checks of an extension skip plugins without it.
func of(x capi.ExtensionType, list []check.Check) []check.Check {
	list = slices.Clone(list)
	for i := range list {
		run := list[i].Run
		list[i].Run = func(t *check.T) {
			if t.Table().Extension(x) == nil {
				t.SkipUnimplf("the plugin does not offer the extension %v", x)
			}
			run(t)
		}
	}
	return list
}
