// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package client holds the checks of what a plugin says about itself before there are
// buffers: clients, devices, memories and topologies.
package client

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of the groups CLI, KV, DDESC, DEV, MEM and TOPO.
func Checks() []check.Check {
	return slices.Concat(clientChecks, lifeChecks, exitChecks, lookupChecks, storeChecks, descriptionChecks,
		deviceChecks, statsChecks, memoryChecks, topologyChecks, serializedChecks, shapeChecks)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(createMutants(), lookupMutants(), storeMutants(), descriptionMutants(), deviceMutants(), memoryMutants(),
		topologyMutants(), newerMutants(), subtleMutants(), againMutants(), attributeMutants(), exitMutants())
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{}
