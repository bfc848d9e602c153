// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// What the checks of this package make of a plugin, they destroy.
func TestChecksLeaveNothingBehind(t *testing.T) {
	passed := 0
	for i := range suite.Checks {
		c := &suite.Checks[i]
		p, err := pjrttest.Start(pjrttest.Options{Devices: 4})
		require.NoError(t, err)
		p.Program("add_one", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return x + 1 }))
		p.Program("long", pjrttest.Signature{}, pjrttest.Identity)
		env := &check.Env{Table: p.Table(), Topology: "2x3"}
		if check.Run(t.Context(), c, env).Verdict == check.Pass {
			passed++
		}
		assert.NoError(t, env.Close(), c.Name())
		assert.Empty(t, p.Live(), c.Name())
		_ = p.Close()
	}
	assert.Greater(t, passed, 60)
}
