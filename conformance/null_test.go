// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// REPT-02: a plugin that answers UNIMPLEMENTED to everything keeps the rules of tables
// and errors, and no other binding rule.
func TestAPluginThatDoesNothingKeepsTheRulesOfItsTableOnly(t *testing.T) {
	t.Parallel()
	table, err := (&serve.Plugin{}).Serve()
	require.NoError(t, err)
	defer table.Close()
	env := &check.Env{Table: table.Capi()}
	var kept []string
	failed := 0
	for _, c := range suite.Checks() {
		if c.Profile > check.Quick {
			continue
		}
		r := check.Run(t.Context(), &c, env)
		require.NotEqual(t, check.BrokenCheck, r.Verdict, "%s: %q", c.Name(), r.Failures)
		switch {
		case !rules.ByID(c.Rule).Severity.Binding():
		case r.Verdict == check.Pass:
			kept = append(kept, c.Name())
		case r.Verdict.Failed():
			failed++
		}
	}
	assert.Equal(t, []string{"LOAD-04", "LOAD-05", "LOAD-06", "LOAD-08", "ERR-01"}, kept)
	assert.Greater(t, failed, 300)
}

// The checks cover all of upstream's tests of behaviour that any plugin can show.
func TestEveryUpstreamTestOfTheABIIsCovered(t *testing.T) {
	t.Parallel()
	covered := Covered()
	checked := func(id string) bool { return covered[id] > 0 }
	platform := 0
	for _, c := range rules.Upstream() {
		switch c.ABI {
		case "Y":
			assert.True(t, c.Covered(checked), "%s %s: %v", c.ID, c.Test, c.Rules)
		case "P":
			if c.Covered(checked) {
				platform++
			}
		}
	}
	assert.GreaterOrEqual(t, platform, 116)
}

// A rule without a check says why.
func TestEveryRuleThatBindsHasACheckOrAReason(t *testing.T) {
	t.Parallel()
	covered := Covered()
	reasons := suite.Unobservable()
	for _, r := range rules.All() {
		if r.Severity != rules.Should && covered[r.ID] == 0 {
			assert.NotEmpty(t, reasons[r.ID], "%s has no check, and no reason why not", r.ID)
		}
	}
}
