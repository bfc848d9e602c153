// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLowIsAFastSampleButNotTheFastestOfMany(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		samples []float64
		want    float64
	}{
		"one":                             {[]float64{5}, 5},
		"four: the fastest":               {[]float64{4, 3, 2, 9}, 2},
		"seven: the second":               {[]float64{7, 100, 1, 90, 8, 9, 70}, 7},
		"half of them disturbed":          {[]float64{10, 900, 11, 950, 10.5, 800, 12}, 10.5},
		"a clock that lied in one sample": {[]float64{0, 10, 10, 10, 10, 10, 10}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := append([]float64(nil), c.samples...)
			assert.Equal(t, c.want, low(c.samples))
			assert.Equal(t, before, c.samples, "the samples stay in their order")
		})
	}
}

func TestQuartilesAreNumbersOfTheListOrBetweenNeighbours(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Quartiles{3, 3, 3}, quartilesOf([]float64{3}))
	assert.Equal(t, Quartiles{2, 3, 4}, quartilesOf([]float64{5, 1, 4, 2, 3}))
	assert.Equal(t, Quartiles{1.75, 2.5, 3.25}, quartilesOf([]float64{4, 3, 2, 1}))
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	t.Parallel()
	// If the machine is ten times slower in the second round, no ratio changes.
	assert.Equal(t, []float64{1.5, 1.5}, ratiosOf([]float64{15, 150}, []float64{10, 100}))
}

func TestWorseMeansBeyondTheSpreadAndTheTolerance(t *testing.T) {
	t.Parallel()
	before := Quartiles{0.9, 1, 1.1}
	for name, c := range map[string]struct {
		now  Quartiles
		want bool
	}{
		"the same":                          {before, false},
		"better":                            {Quartiles{0.4, 0.5, 0.6}, false},
		"slower, but the spreads overlap":   {Quartiles{1.05, 1.3, 1.4}, false},
		"beyond the spread":                 {Quartiles{1.15, 1.2, 1.3}, true},
		"barely beyond the spread":          {Quartiles{1.101, 1.102, 1.2}, true},
		"a wide spread with a worse median": {Quartiles{0.9, 1.5, 3}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, worseThan(before, c.now, 0.1))
		})
	}
	assert.False(t, worseThan(Quartiles{1, 1, 1}, Quartiles{1.05, 1.05, 1.05}, 0.1), "by less than the tolerance")
}
