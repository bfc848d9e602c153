// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func cpu(t *testing.T) *capi.Table {
	t.Helper()
	table, err := capi.Open(plugintest.Path(t, trial.CPU))
	require.NoError(t, err)
	return table
}

func TestTheCPUPluginComputesWhatIsExpected(t *testing.T) {
	t.Parallel()
	env := &check.Env{Table: cpu(t)}
	waived := checktest.Waived(env.Table, plugintest.Path(t, trial.CPU))
	fails := func(name string) bool {
		return slices.ContainsFunc(waived, func(f *report.WaiverFile) bool {
			return slices.ContainsFunc(f.Waivers, func(w report.Waiver) bool { return w.Covers(name) })
		})
	}
	ran := 0
	for _, c := range Checks() {
		// All programs of one operation take the same path: a few suffice here, and the
		// suite runs them all.
		few := c.Profile == check.Smoke || c.Rule != "RUN-02" || fails(c.Name()) || ran%8 == 0
		if testing.Short() {
			few = c.Profile == check.Smoke || fails(c.Name())
		}
		if c.Profile > check.Quick || c.Hostile {
			continue
		}
		if ran++; !few {
			continue
		}
		checktest.Judge(t, waived, driver.Found(&c, check.Run(t.Context(), &c, env)))
	}
	assert.Greater(t, ran, 200)
	assert.NoError(t, env.Close())
}

func TestChecksAreWellFormed(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range Checks() {
		assert.NoError(t, c.Validate())
		assert.False(t, names[c.Name()], "%s occurs twice", c.Name())
		names[c.Name()] = true
	}
	for _, m := range Mutants() {
		assert.True(t, names[m.Check], "there is no check %s for %s", m.Check, m.Fault)
	}
	killed := map[string]bool{}
	for _, m := range Mutants() {
		killed[m.Check] = true
	}
	for name := range names {
		assert.True(t, killed[name], "no mutant for %s", name)
	}
}

// Every mutant runs in the suite's own test of mutants; these confuse operations, which
// says most about the checks.
func TestChecksSeeConfusedOperations(t *testing.T) {
	t.Parallel()
	base := cpu(t)
	byName := map[string]check.Check{}
	for _, c := range Checks() {
		byName[c.Name()] = c
	}
	every := 8
	if testing.Short() {
		every = 80
	}
	for i, m := range Mutants() {
		c := byName[m.Check]
		if c.Profile > check.Quick || i%every != 0 && (testing.Short() || !strings.HasPrefix(m.Check, "DIFF")) {
			continue
		}
		table, err := m.Table(base)
		require.NoError(t, err)
		env := &check.Env{Table: table.Capi()}
		r := check.Run(t.Context(), &c, env)
		assert.True(t, r.Verdict.Failed(), "%s: %v", m.Name(), r)
		assert.NoError(t, env.Close())
		assert.NoError(t, table.Close())
	}
}
