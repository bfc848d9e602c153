// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// The sizes that checks assume for each age are the ones that a plugin of that age has.
func TestPluginsOfEveryAgeKeepTheRulesOfExtensions(t *testing.T) {
	for _, minor := range []int{57, 59, 60, 61, 80, 93, 110} {
		p, err := pjrttest.Start(pjrttest.Options{Devices: 4, Minor: minor})
		require.NoError(t, err)
		env := &check.Env{Table: p.Table()}
		for i := range suite.Checks {
			if c := &suite.Checks[i]; c.Rule == "XCH-06" {
				r := check.Run(t.Context(), c, env)
				assert.Equal(t, check.Pass, r.Verdict, "API 0.%d: %q %s", minor, r.Failures, r.Skip)
			}
		}
		assert.NoError(t, env.Close())
		assert.NoError(t, p.Close())
	}
}

// The checks of this package destroy what they make.
func TestChecksLeaveNothingBehind(t *testing.T) {
	assert.Greater(t, suite.RunForLeaks(t), 60)
}
