// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// attributeMutants are faults in the attributes of devices and topologies, and in the values of
// options.
func attributeMutants() []mutant.Mutant {
	described := func(a *capi.DeviceDescriptionAttributesArgs) any { return a.DeviceDescription }
	ofTopology := func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) []*capi.DeviceDescription {
		return capi.Slice(a.Descriptions, a.NumDescriptions)
	}
	list := slices.Concat(
		mutant.Restless("DDESC-03", described),
		mutant.Restless("TOPO-09", func(a *capi.TopologyDescriptionAttributesArgs) any { return a.Topology }),
		mutant.Differing("DDESC-09", ofTopology, described),
		mutant.InMemory(
			mutant.AfterEach("DEV-17", "has a float where it had a number, when it is asked again",
				func(a *capi.DeviceGetAttributesArgs, n int64) {
					if v := &mutant.View(a.Attributes, a.NumAttributes)[a.NumAttributes-1]; n == 2 {
						v.Type = capi.NamedValueFloat
					}
				}),
			mutant.AfterEach("DEV-17", "lacks the last attribute of the third device, when it is asked again",
				func(a *capi.DeviceGetAttributesArgs, n int64) {
					if n == 6 {
						a.NumAttributes--
					}
				}),
		),
	)
	for _, place := range []struct {
		words string
		of    func(i, n int) bool
	}{
		{"the first of several options", func(i, n int) bool { return n > 1 && i == 0 }},
		{"an option between others", func(i, n int) bool { return i > 0 && i < n-1 }},
		{"the last of several options", func(i, n int) bool { return n > 1 && i == n-1 }},
	} {
		for _, kind := range capi.NamedValueTypeValues() {
			if kind != capi.NamedValueInt64 {
				list = append(list, leavesOut("CLI-05", fmt.Sprintf("ignores %s if its type is %v", place.words, kind),
					func(v *capi.NamedValue, i, n int) bool { return place.of(i, n) && v.Type == kind }))
			}
		}
	}
	return list
}

// leavesOut makes a mutant that does not see some options.
func leavesOut(name, fault string, when func(v *capi.NamedValue, i, n int) bool) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *capi.ClientCreateArgs) {
		mutant.Forward(c, a, func(a *capi.ClientCreateArgs) {
			var kept []capi.NamedValue
			list := capi.Slice(a.CreateOptions, a.NumOptions)
			for i := range list {
				if !when(&list[i], i, len(list)) {
					kept = append(kept, list[i])
				}
			}
			a.CreateOptions, a.NumOptions = mutant.LastingArray(kept)
		})
	}).InMemory()
}
