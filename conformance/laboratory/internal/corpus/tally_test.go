// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestAFlakyProgramFailsOnlyIfItsRuleBinds(t *testing.T) {
	for severity, want := range map[rules.Severity]report.Counts{rules.Must: {Fail: 1}, rules.Should: {Warn: 1}} {
		x := report.Result{Check: "DIFF-01/gone", Rule: "DIFF-01", Severity: severity, Verdict: report.Flaky}
		p := Spec{}.Tally([]report.Result{x})
		require.Len(t, p.Sets, 1)
		assert.Equal(t, want, p.Sets[0].Counts, "%s", severity)
	}
}
