// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"strings"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// bystanders are faults that other rules are about: these checks must not fail for them.
func bystanders() []mutant.Mutant {
	var list []mutant.Mutant
	for _, rule := range []string{"SER-06", "SER-07", "SER-08"} {
		list = append(list, mutant.After(rule, "serializes executables to no bytes",
			func(a *capi.ExecutableSerializeArgs) { a.SerializedBytesSize = 0 }))
	}
	for _, check := range []string{"EXE-22", "EXE-24"} {
		list = append(list, mutant.After(check, "has optimized programs of no bytes",
			func(a *capi.ExecutableOptimizedProgramArgs) { a.Program.CodeSize = 0 }))
	}
	name := capi.CString("executable")
	for _, rule := range []string{"EXE-01", "EXE-02"} {
		list = append(list, mutant.After(rule, "gives all programs one name",
			func(a *capi.ExecutableNameArgs) { a.ExecutableName, a.ExecutableNameSize = name, 10 }).InMemory())
	}
	// Not DON-07: without complete events as well as with them, executions that use a buffer which
	// another thread donates sometimes wait for each other for ever in XLA's CPU plugin.
	for _, check := range []string{"RUN-02", "RUN-07", "RUN-18", "RUN-20", "RUN-23", "RUN-26", "DON-01", "LEX-06", "MULTI-01"} {
		list = append(list, mutant.Of(check, "leaves complete events null", func(c *serve.Invocation, a *execution) {
			events := a.DeviceCompleteEvents
			mutant.Forward(c, a, func(a *execution) { a.DeviceCompleteEvents = nil })
			if c.Err() == nil && events != nil {
				clear(mutant.View(events, a.NumDevices))
			}
		}))
	}
	for _, check := range []string{"CMP-16", "EXE-07", "EXE-10", "RUN-01", "RUN-05", "RUN-20", "DON-01"} {
		m := onCompile(check, "compiles no text", func(c *compilation) {
			if code := c.code(); strings.HasPrefix(code, "module") {
				c.Fail(capi.ErrorCodeInternal, "the program is not a portable artifact")
				return
			}
			c.Forward()
		})
		m.NoText = "INTERNAL: the program is not a portable artifact"
		list = append(list, m)
	}
	return list
}

func TestFaultsThatOtherRulesAreAboutAreNoFindings(t *testing.T) { suite.RunTolerated(t) }
