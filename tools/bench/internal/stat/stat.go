// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package stat has the statistics of the benchmark.
//
// Other processes make a batch of work slower, never faster, and they do so for a while. So each program does several
// short batches in a round, in turns with the others, of which Low takes a fast one; ratios are taken within the round;
// and what is said is the median of the rounds, with the quartiles.
package stat

import (
	"math"
	"slices"
)

// Low returns a sample that few are below: the second smallest of five to nine, the smallest of fewer. The smallest
// itself may be a mistake of the clock. It panics without samples.
func Low(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	return s[len(s)/5]
}

// Quartiles are three places of a sorted list. They are numbers of the list or means of neighbours.
type Quartiles struct {
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
}

// QuartilesOf panics without samples.
func QuartilesOf(samples []float64) Quartiles {
	s := slices.Sorted(slices.Values(samples))
	at := func(q float64) float64 {
		place := q * float64(len(s)-1)
		i, fraction := math.Modf(place)
		if fraction == 0 {
			return s[int(i)]
		}
		return s[int(i)]*(1-fraction) + s[int(i)+1]*fraction
	}
	return Quartiles{at(0.25), at(0.5), at(0.75)}
}

// Ratios divides the elements of a by those of b, which has as many.
func Ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

// Worse reports whether now is worse, that is larger, than before by more than the spread of both: the middle halves do
// not meet, and the medians differ by more than tolerance, a fraction of before's.
func Worse(before, now Quartiles, tolerance float64) bool {
	return now.Q1 > before.Q3 && now.Median > before.Median*(1+tolerance)
}
