// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package checktest

import (
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// RunCoverage fails for every rule of the groups that has no check, unless
// unobservable says why.
func RunCoverage(t *testing.T, checks []check.Check, unobservable map[string]string, groups ...string) {
	t.Helper()
	checked := make(map[string]bool)
	for i := range checks {
		checked[checks[i].Rule] = true
	}
	for _, r := range rules.All() {
		if !slices.Contains(groups, r.Group()) {
			continue
		}
		_, excused := unobservable[r.ID]
		switch {
		case !checked[r.ID] && !excused:
			t.Errorf("rule %s has no check: %s: %s", r.ID, r.Subject, r.Text)
		case checked[r.ID] && excused:
			t.Errorf("rule %s has a check, and is said to be unobservable", r.ID)
		}
	}
}
