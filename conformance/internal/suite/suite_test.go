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
	assert.Greater(t, profiles[check.Smoke], 20)
	assert.Greater(t, profiles[check.Quick], profiles[check.Smoke])
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
