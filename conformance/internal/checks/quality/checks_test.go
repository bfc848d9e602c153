// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// quick is the checks that take no more than a second or so. Longer ones do the
// same for longer.
func quick() []check.Check {
	return slices.DeleteFunc(Checks(), func(c check.Check) bool { return c.Profile > check.Quick })
}

var suite = &checktest.Suite{
	Checks: quick(),
	Mutants: slices.DeleteFunc(Mutants(), func(m mutant.Mutant) bool {
		return !slices.ContainsFunc(quick(), func(c check.Check) bool { return c.Name() == m.Check })
	}),
	Plugins: []checktest.Plugin{{
		Name: "cpu", Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}},
	}, {
		Name: checktest.Memory,
	}},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) {
	suite.RunMutants(t, nil)
}

func TestEveryCheckHasAMutant(t *testing.T) {
	t.Parallel()
	checked, killed := map[string]bool{}, map[string]bool{}
	for _, c := range Checks() {
		assert.NoError(t, c.Validate())
		checked[c.Rule] = true
	}
	for _, m := range Mutants() {
		killed[m.Check] = true
	}
	for _, c := range Checks() {
		assert.True(t, killed[c.Name()], "no mutant for %s", c.Name())
	}
	for _, r := range rules.All() {
		switch r.Group() {
		case "THR", "LEAK", "FAULT", "FUZZ", "PERF", "REPT":
			assert.False(t, checked[r.ID] && Unobservable[r.ID] != "", "%s has a check, and a reason why not", r.ID)
		}
	}
}
