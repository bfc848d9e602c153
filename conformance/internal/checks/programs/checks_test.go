// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

var fourDevices = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}

func checkByName(name string) *check.Check {
	for i := range Checks {
		if Checks[i].Name() == name {
			return &Checks[i]
		}
	}
	panic("no check " + name)
}

var suite = &checktest.Suite{
	Checks: slices.DeleteFunc(slices.Clone(Checks), func(c check.Check) bool {
		return c.Profile > check.Quick && os.Getenv("PROGRAMS_TEST_PROFILE") == ""
	}),
	Plugins: []checktest.Plugin{{Name: "cpu", Options: fourDevices}},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t) }

func TestEveryRuleHasACheckOrAReason(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	covered := map[string]bool{}
	for i := range Checks {
		c := &Checks[i]
		require.NoError(t, c.Validate())
		assert.False(t, names[c.Name()], "two checks are called %s", c.Name())
		names[c.Name()] = true
		covered[c.Rule] = true
	}
	groups := map[string]bool{}
	for _, g := range []string{"CMP", "COPT", "EXE", "LEX", "SER", "RUN", "XOPT", "CDS", "CTX", "DON", "MULTI"} {
		groups[g] = true
	}
	for _, r := range rules.All() {
		if !groups[r.Group()] {
			continue
		}
		reason, listed := Unobservable[r.ID]
		assert.True(t, covered[r.ID] != listed, "rule %s: %s (has a check: %v, listed: %v)", r.ID, r.Text, covered[r.ID], listed)
		assert.True(t, !listed || reason != "", "%s", r.ID)
	}
	for id := range Unobservable {
		assert.NotNil(t, rules.ByID(id), "%s", id)
	}
}
