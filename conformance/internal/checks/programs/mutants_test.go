// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/reference"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// unproven are the checks that no mutant fails, with the reasons.
var unproven = map[string]string{}

// baseOf is the plugin that a mutant is made of.
func baseOf(t *testing.T, m *mutant.Mutant, real *capi.Table) *capi.Table {
	t.Helper()
	if m.Base == mutant.CPU {
		return real
	}
	table, err := reference.New()
	require.NoError(t, err)
	return table
}

// pathOf is the file of the plugin that a mutant is made of; the in-memory one
// has none.
func pathOf(m *mutant.Mutant, path string) string {
	if m.Base == mutant.CPU {
		return path
	}
	return ""
}

// behind runs a check on a table that a mutant made.
func behind(t *testing.T, c *check.Check, path string, table *serve.Table) check.Result {
	t.Helper()
	env := &check.Env{Table: table.Capi(), Path: path}
	if path != "" {
		env.Options = fourDevices
	}
	r := check.Run(t.Context(), c, env)
	// What a fault left behind may hold the client.
	if err := env.Close(); err != nil {
		t.Log(err)
	}
	assert.NoError(t, table.Close())
	return r
}

func TestTheModelHasNoFault(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	real, err := capi.Open(path)
	require.NoError(t, err)
	tried := make(map[string]bool)
	sample := checktest.NewSample(Checks)
	for _, m := range Mutants() {
		if m.Sound == nil || tried[m.Check] {
			continue
		}
		tried[m.Check] = true
		c := checkByName(m.Check)
		if c.Profile > check.Quick || !sample.Takes(c) {
			continue
		}
		t.Run(m.Check, func(t *testing.T) {
			table, err := m.Sound(baseOf(t, &m, real))
			require.NoError(t, err)
			r := behind(t, c, pathOf(&m, path), table)
			assert.Equal(t, check.Pass, r.Verdict, "%q %s", r.Failures, r.Skip)
		})
	}
}

func TestMutantsAreFound(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	real, err := capi.Open(path)
	require.NoError(t, err)
	tried := slices.DeleteFunc(Mutants(), func(m mutant.Mutant) bool { return checkByName(m.Check).Profile > check.Quick })
	result := func(t *testing.T, m *mutant.Mutant) check.Result {
		table, err := m.Table(baseOf(t, m, real))
		require.NoError(t, err)
		return behind(t, checkByName(m.Check), pathOf(m, path), table)
	}
	waiting := checktest.Waiting(t, tried, func(i int) check.Result { return result(t, &tried[i]) })
	sample := checktest.NewSample(Checks)
	for i, m := range tried {
		if !sample.TakesMutant(&m) {
			continue
		}
		t.Run(m.Name(), func(t *testing.T) {
			var r check.Result
			if m.Waits {
				t.Parallel()
				r = <-waiting[i]
			} else {
				r = result(t, &m)
			}
			assert.True(t, r.Verdict.Failed(), "%s %s", r.Verdict, r.Skip)
			for _, f := range r.Failures {
				assert.NotContains(t, f, "panic")
			}
			t.Logf("%.200q %q", r.Failures, r.Notes)
		})
	}
}

func TestEveryCheckHasAMutant(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for _, m := range Mutants() {
		found[m.Check] = true
	}
	for i := range Checks {
		name := Checks[i].Name()
		reason, listed := unproven[name]
		assert.True(t, found[name] != (listed && reason != ""), "%s: has a mutant: %v, listed as unproven: %v", name, found[name], listed)
	}
	for name := range unproven {
		assert.NotPanics(t, func() { checkByName(name) }, "%s", strings.TrimSpace(name))
	}
}
