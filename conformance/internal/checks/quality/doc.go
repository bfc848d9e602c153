// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package quality checks what only shows with time, load or bad luck: many threads,
// many rounds, random input, and how fast the plugin is. Speeds are notes; a check of
// speed warns only if the best of many tries is far slower than any plugin needs, so
// that a busy machine changes nothing.
package quality

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Checks returns the checks of the groups THR, LEAK, FAULT, FUZZ and PERF.
func Checks() []check.Check {
	return slices.Concat(threadChecks, leakChecks(), faultChecks, fuzzChecks(), speedChecks)
}

// Mutants returns the faults that the checks find.
func Mutants() []mutant.Mutant {
	return slices.Concat(faultMutants(), argumentMutants(), naturalMutants(), threadMutants(), longerMutants(), onceMutants())
}

// Unobservable lists the rules of these groups that no check can observe, with the reasons.
var Unobservable = map[string]string{
	"FAULT-01": "the checks of the group KV fail each operation of the store in turn",
	"FAULT-05": "which library a plugin needs, and how to hide it, differs from plugin to plugin",
	"FAULT-06": "which environment variables a plugin reads differs from plugin to plugin",
	"FAULT-07": "every check shows it: an exception that leaves the plugin ends the process, and fails the check under way",
	"REPT-01":  "shown by the suite's own tests, which run every check on mutants",
	"REPT-02":  "shown by the suite's own tests, on a plugin that answers UNIMPLEMENTED to everything",
	"REPT-03":  "shown by the suite's own tests, on plugins that crash, hang and exit",
	"REPT-04":  "every run reruns what failed, and reports what differs as FLAKY",
}
