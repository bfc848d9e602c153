// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNoiseHidesNoLeakAndAFilledPoolIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes  growth
		steady bool // above 350 bytes a round
		mean   float64
	}{
		"a kilobyte a round":             {growth{0, 1024, 2048, 3072}, true, 1024},
		"a kilobyte a round, with noise": {growth{0, 1365, 2042, 3200}, true, 3200. / 3},
		"one quarter without growth":     {growth{0, 1500, 1400, 3072}, true, 1024},
		"a pool is filled at first":      {growth{0, 3000, 3010, 3000}, false, 1000},
		"a pool is filled late":          {growth{0, 5, 10, 3000}, false, 1000},
		"noise alone":                    {growth{0, 600, 100, 400}, false, 400. / 3},
		"it shrinks":                     {growth{3000, 2000, 1500, 1000}, false, -2000. / 3},
	} {
		assert.Equal(t, c.steady, c.sizes.steady(350), name)
		assert.InDelta(t, c.mean, c.sizes.mean(), 1e-9, name)
	}
}
