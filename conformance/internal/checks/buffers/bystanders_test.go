// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// bystanders are faults that other rules are about: these checks must not fail for them.
func bystanders() []mutant.Mutant {
	var list []mutant.Mutant
	for _, name := range []string{
		"D2H-02", "D2H-02/before the contents", "D2H-05", "D2H-17", "BUF-09/uneven", "COPY-01", "H2D-02/type=f32", "AH2D-12", "RUN-01/dims of one/an execution",
	} {
		list = append(list,
			mutant.Of(name, "refuses to tell the size of a download", func(c *serve.Invocation, a *downloadArgs) {
				mutant.FailIf(c, a.Dst == nil, capi.ErrorCodeInvalidArgument, "dst is null")
			}),
			mutant.After(name, "tells a size of 0 for every download", func(a *downloadArgs) {
				if a.Dst == nil {
					a.DstSize = 0
				}
			}))
	}
	for _, name := range []string{"EVT-10/racing an execution", "H2D-29", "BUF-10/outputs", "COPY-07", "VIEW-07"} {
		list = append(list, mutant.Of(name, "leaves complete events null", func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
			events := a.DeviceCompleteEvents
			mutant.Forward(c, a, func(a *capi.LoadedExecutableExecuteArgs) { a.DeviceCompleteEvents = nil })
			if c.Err() == nil && events != nil {
				clear(mutant.View(events, a.NumDevices))
			}
		}))
	}
	return list
}
