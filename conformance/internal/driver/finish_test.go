// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// A check that fails because some process could not load the library is run alone before it is
// judged, and no other is.
func TestChecksThatFailWhileALibraryLoadsAreToldApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result report.Result
		want   bool
	}{
		"its process":              {report.Result{Verdict: check.Crash, Calls: []string{"dlopen"}}, true},
		"its table":                {report.Result{Verdict: check.Crash, Calls: []string{"GetPjrtApi"}}, true},
		"the rule about loading":   {report.Result{Verdict: check.Fail, Rule: "LOAD-03"}, true},
		"a process that it starts": {report.Result{Verdict: check.BrokenCheck, Failures: []string{"starting a process: " + session.Opening + "died"}}, true},
		"a panic":                  {report.Result{Verdict: check.BrokenCheck, Failures: []string{"panic: index out of range"}}, false},
		"a call":                   {report.Result{Verdict: check.Crash, Calls: []string{"PJRT_Client_Create", "dlopen"}}, false},
		"a plain failure":          {report.Result{Verdict: check.Fail, Failures: []string{session.Opening}}, false},
	} {
		assert.Equal(t, c.want, failedLoading(&c.result), name)
	}
}
