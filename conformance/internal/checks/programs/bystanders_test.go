// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
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
	return list
}

func TestFaultsThatOtherRulesAreAboutAreNoFindings(t *testing.T) { suite.RunTolerated(t) }
