// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// A rule that one of upstream's tests states, about what a plugin shows through the C interface,
// has a check, or a reason why it has none, whether it binds or not.
func TestRulesOfUpstreamTestsHaveACheckOrAReason(t *testing.T) {
	t.Parallel()
	covered, reasons := Covered(), suite.Unobservable()
	seen := 0
	for _, c := range rules.Upstream() {
		if c.ABI == "N" {
			continue
		}
		for _, r := range c.Rules {
			if !strings.Contains(r, "-") {
				continue // a group
			}
			seen++
			assert.True(t, covered[r] > 0 || reasons[r] != "", "%s %s states %s", c.ID, c.Test, r)
		}
	}
	assert.Greater(t, seen, 400)
}
