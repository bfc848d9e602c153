// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// A check that passes on a plugin with the fault that it is for finds nothing.
func TestTheChecksFindTheFaultsOfMutants(t *testing.T) {
	patience = time.Second
	checks := make(map[string]*check.Check)
	for i := range Checks {
		checks[Checks[i].Name()] = &Checks[i]
	}
	real, err := open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	for _, m := range Mutants() {
		c := checks[m.Check]
		require.NotNil(t, c, "a mutant for %s, which is no check", m.Check)
		if m.Base != mutant.CPU || c.Profile > check.Quick {
			continue // the suite's own test has them all
		}
		t.Run(m.Name(), func(t *testing.T) {
			if m.Check != "BUF-18" && m.Check != "BUF-25" {
				t.Parallel() // those two look at the memory of the process
			}
			assert.True(t, kill(t, real.Table, &m, c).Verdict.Failed())
		})
	}
}

func kill(t *testing.T, real *capi.Table, m *mutant.Mutant, c *check.Check) check.Result {
	t.Helper()
	table, err := m.Table(real)
	require.NoError(t, err)
	env := &check.Env{Table: table.Capi(), Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}}
	r := check.Run(t.Context(), c, env)
	t.Log(r.Verdict, r.Duration, r.Skip, r.Failures)
	busy := func(note string) bool { return strings.Contains(note, "does not return") }
	if r.Verdict != check.Timeout && !slices.ContainsFunc(r.Notes, busy) {
		_ = env.Close()
		assert.NoError(t, table.Close())
	}
	return r
}

// Every check has a mutant.
func TestEveryCheckHasAMutant(t *testing.T) {
	t.Parallel()
	has := make(map[string]bool)
	for _, m := range Mutants() {
		has[m.Check] = true
	}
	for _, c := range Checks {
		assert.True(t, has[c.Name()], "%s", c.Name())
	}
}
