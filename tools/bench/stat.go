// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"math"
	"slices"
)

// Other processes make a batch of work slower, never faster, and they do so for a while. So in each
// round every program, in turn with the others, does several short batches, of which low takes a
// fast one; ratios are taken within a round; and the result is the median of the rounds, with the
// quartiles.

// low returns a sample with few others below it: the second smallest of five to nine, the smallest
// of fewer. The smallest of many may be an error of the clock. low panics without samples.
func low(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	return s[len(s)/5]
}

// Quartiles are three points of a sorted list. They are numbers in the list or means of neighbours.
type Quartiles struct {
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
}

// quartilesOf returns the quartiles of samples. It panics without samples.
func quartilesOf(samples []float64) Quartiles {
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

// ratiosOf divides the elements of a by those of b, which has the same length.
func ratiosOf(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

// worseThan reports whether now is worse, that is larger, than before by more than the spread of both:
// the middle halves do not overlap, and the medians differ by more than tolerance, a fraction of
// before's.
func worseThan(before, now Quartiles, tolerance float64) bool {
	return now.Q1 > before.Q3 && now.Median > before.Median*(1+tolerance)
}
