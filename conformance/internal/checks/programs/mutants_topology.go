// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// larger gives the topology of an empty name eight devices, twice as many as a client of
// the in-memory plugin has.
func larger(real *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return serve.Wrap(real, append(faults, serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionCreateArgs) {
		mutant.Forward(c, a, func(a *capi.TopologyDescriptionCreateArgs) {
			if a.TopologyNameSize == 0 {
				a.TopologyName, a.TopologyNameSize = capi.StringData("2x4")
			}
		})
	}))...)
}

// topologyMutants returns faults that show on a topology with more devices than the client
// has.
func topologyMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Of("LEX-16", "loads what is for a device that it has not for one that it has",
			func(c *serve.Invocation, a *capi.ClientLoadArgs) {
				if c.Forward(); c.Err() != nil {
					c.FailWith(nil)
					a.LoadedExecutable = compileInstead(c.Table(), a.Client, check.AddOne)
				}
			}).InMemory().On(larger),
	}
}
