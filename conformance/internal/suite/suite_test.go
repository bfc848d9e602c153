// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package suite

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestTheSuiteIsWellFormed(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	profiles := make(map[check.Profile]int)
	checks := Checks()
	for i := range checks {
		c := &checks[i]
		assert.NoError(t, c.Validate())
		assert.False(t, names[c.Name()], "there are two checks %s", c.Name())
		names[c.Name()] = true
		profiles[c.Profile]++
	}
	proven := make(map[string]bool)
	for _, m := range Mutants() {
		assert.True(t, names[m.Check], "mutant %s: there is no such check", m.Name())
		proven[m.Check] = true
	}
	for name := range names {
		assert.True(t, proven[name], "nothing shows that check %s can fail: it has no mutant", name)
	}
	assert.Greater(t, profiles[check.Smoke], 20)
	assert.Greater(t, profiles[check.Quick], profiles[check.Smoke])
}

// Whatever else the suite does, it must find the faults that users of real plugins met.
func TestFaultsThatUsersReportedAreMutants(t *testing.T) {
	t.Parallel()
	reported := make(map[string]bool)
	for _, m := range Mutants() {
		if m.Reported != "" {
			assert.Regexp(t, `^[\w-]+(/[\w-]+)?#\d+$`, m.Reported, m.Name())
			reported[m.Reported] = true
		}
	}
	for _, where := range []string{
		"tt-xla#3451", "tt-xla#3458", "tt-xla#3849", "tt-xla#4236", "tt-xla#4594", "tt-xla#4970", "tt-xla#5059", "tt-xla#5622",
		"zml#748", "jax#27062", "jax#38004", "iree#19223", "iree#20907", "aws-neuron-sdk#1095",
	} {
		assert.True(t, reported[where], "no mutant has the fault of %s", where)
	}
}

func TestWhatCannotBeSeenHasNoCheck(t *testing.T) {
	t.Parallel()
	covered := make(map[string]bool)
	for _, c := range Checks() {
		covered[c.Rule] = true
	}
	for id, why := range Unobservable() {
		assert.NotNil(t, rules.ByID(id), id)
		assert.NotEmpty(t, why, id)
		assert.False(t, covered[id], "%s is said to be unobservable, but there is a check", id)
	}
}

func TestSmokeNamesRulesThatBind(t *testing.T) {
	t.Parallel()
	for id := range smoke {
		if r := rules.ByID(id); assert.NotNil(t, r, id) {
			assert.Equal(t, rules.Must, r.Severity, id)
		}
	}
}
