// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestFailedChecksOfNumbersAreWrongNumbers(t *testing.T) {
	t.Parallel()
	const found = "f32[4]: element 3 of 4: expected 4, got 0"
	result := func(name, subject string, v report.Verdict, failure string) report.Result {
		return report.Result{
			Check: name, Rule: name, Severity: rules.Must, Subject: subject, Verdict: v, Failures: []string{failure},
		}
	}
	plugin := callers.Plugin{
		Minor: 81, Extensions: withProfiler, Wrong: map[string]callers.Mode{"PJRT_Buffer_CopyToMemory": callers.Unimplemented},
	}
	plugin.Add(&report.Report{Results: []report.Result{
		result("RUN-02", "LoadedExecutable_Execute", check.Fail, found),
		result("H2D-01", "Client_BufferFromHostBuffer, data", check.Pass, ""),
		result("COPY-01", "Buffer_CopyToMemory", check.Fail, found),
		result("BUF-02", "Buffer_Dimensions", check.Fail, "expected 4, got 3"),
	}})
	assert.Equal(t, map[string]callers.Mode{
		"PJRT_Buffer_CopyToMemory": callers.Unimplemented, "PJRT_LoadedExecutable_Execute": callers.Miscomputes,
	}, plugin.Wrong)
	out := profile(t, "jax@0.10.2").Predict(plugin)
	assert.Equal(t, callers.Wrong, out.Verdict)
	assert.Equal(t, "LoadedExecutable_Execute makes wrong numbers: RUN-02: "+found, out.Actions[3].Causes[0].String())
}
