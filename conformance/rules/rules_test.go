// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rules_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestEveryRuleIsWhole(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`^[A-Z0-9]+-\d{2}$`)
	since := regexp.MustCompile(`^(base|ext( v\d)?|0\.\d+)$`)
	count := map[rules.Severity]int{}
	seen := map[string]bool{}
	for _, r := range rules.All() {
		require.Regexp(t, id, r.ID)
		require.False(t, seen[r.ID], "%s is there twice", r.ID)
		seen[r.ID] = true
		count[r.Severity]++
		assert.Regexp(t, since, r.Since, r.ID)
		assert.NotEmpty(t, r.Text, r.ID)
		assert.NotEmpty(t, r.Subject, r.ID)
		assert.NotEmpty(t, r.How, r.ID)
		assert.NotEmpty(t, r.Fault, r.ID)
		assert.NotEqual(t, string(r.Basis), r.Basis.String(), r.ID)
		require.NotNil(t, rules.GroupByName(r.Group()), r.ID)
		assert.LessOrEqual(t, r.Minor(), rules.Newest, r.ID)
		assert.Same(t, r, rules.ByID(r.ID))
	}
	assert.Equal(t, map[rules.Severity]int{rules.Must: 293, rules.Should: 124, rules.Opt: 280, rules.Robust: 60}, count)
	assert.Len(t, rules.Groups(), 62)
	assert.Nil(t, rules.ByID("LOAD-99"))
}

func TestMinorIsTheNumberAfterThePoint(t *testing.T) {
	t.Parallel()
	for since, want := range map[string]int{"base": 0, "ext": 0, "ext v3": 0, "0.84": 84, "0.109": 109} {
		assert.Equal(t, want, (&rules.Rule{Since: since}).Minor(), since)
	}
	assert.Equal(t, "H2D", rules.ByID("H2D-04").Group())
	assert.True(t, strings.HasPrefix(rules.GroupByName("H2D").Level, "L"))
}

func TestEveryUpstreamCaseNamesRulesThatExist(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	seen := map[string]bool{}
	for _, c := range rules.Upstream() {
		require.False(t, seen[c.ID], "%s is there twice", c.ID)
		seen[c.ID] = true
		count[c.ABI]++
		assert.NotEmpty(t, c.Asserts, c.ID)
		for _, r := range c.Rules {
			assert.True(t, rules.ByID(r) != nil || rules.GroupByName(r) != nil, "%s names %s", c.ID, r)
		}
		if c.ABI == "Y" {
			assert.True(t, c.Covered(func(string) bool { return true }), c.ID)
		}
		assert.False(t, c.Covered(func(string) bool { return false }), c.ID)
	}
	assert.Equal(t, map[string]int{"Y": 208, "P": 127, "N": 156}, count)
}
