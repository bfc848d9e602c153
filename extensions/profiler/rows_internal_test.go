// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventsThatOverlapAreInRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	at := func(name string, from, to int64) Event { return Event{Name: name, Offset: from, Duration: to - from} }
	for name, c := range map[string]struct {
		events []Event
		want   [][]string
	}{
		"nothing":                 {nil, [][]string{nil}},
		"beside":                  {[]Event{at("a", 0, 2), at("b", 2, 3)}, [][]string{{"a", "b"}}},
		"within":                  {[]Event{at("a", 0, 9), at("b", 1, 3), at("c", 3, 9)}, [][]string{{"a", "b", "c"}}},
		"in any order":            {[]Event{at("b", 1, 3), at("a", 0, 9)}, [][]string{{"a", "b"}}},
		"the longer one first":    {[]Event{at("b", 0, 3), at("a", 0, 9)}, [][]string{{"a", "b"}}},
		"overlap":                 {[]Event{at("a", 0, 4), at("b", 3, 5), at("c", 4, 6)}, [][]string{{"a", "c"}, {"b"}}},
		"overlap within":          {[]Event{at("a", 0, 9), at("b", 1, 4), at("c", 3, 5)}, [][]string{{"a", "b"}, {"c"}}},
		"three at once":           {[]Event{at("a", 0, 4), at("b", 1, 5), at("c", 2, 6)}, [][]string{{"a"}, {"b"}, {"c"}}},
		"without a time":          {[]Event{{Name: "x", Occurrences: 3}, at("a", 0, 1)}, [][]string{{"a"}}},
		"an instant at the end":   {[]Event{at("a", 0, 4), at("b", 4, 4)}, [][]string{{"a", "b"}}},
		"an instant in the first": {[]Event{at("a", 0, 4), at("b", 2, 2)}, [][]string{{"a", "b"}}},
	} {
		l := &Line{Events: c.events}
		var got [][]string
		for _, row := range l.rows() {
			var names []string
			for _, e := range row {
				names = append(names, e.Name)
			}
			got = append(got, names)
		}
		assert.Equal(t, c.want, got, name)
	}
}

// firstFit places intervals as rows does, by trying row after row.
func firstFit(intervals [][2]int64) (list []int) {
	var open [][]int64
	for _, x := range intervals {
		n := 0
		for ; n < len(open); n++ {
			for len(open[n]) > 0 && open[n][len(open[n])-1] <= x[0] {
				open[n] = open[n][:len(open[n])-1]
			}
			if len(open[n]) == 0 || open[n][len(open[n])-1] >= x[1] {
				break
			}
		}
		if n == len(open) {
			open = append(open, nil)
		}
		open[n] = append(open[n], x[1])
		list = append(list, n)
	}
	return list
}

func TestAnIntervalIsOnTheFirstRowThatHasRoomForIt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		intervals := make([][2]int64, random.IntN(60))
		for i := range intervals {
			start := random.Int64N(40) - 20
			intervals[i] = [2]int64{start, start + random.Int64N(30)}
		}
		slices.SortStableFunc(intervals, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
		var r rows
		var got []int
		for _, x := range intervals {
			got = append(got, r.place(x[0], x[1]))
		}
		require.Equal(t, firstFit(intervals), got, "%v", intervals)
	}
}

// To try each row for each interval would take 45 thousand million steps.
func TestManyIntervalsMayOverlap(t *testing.T) {
	t.Parallel()
	const n = 300_000
	var r rows
	for i := range int64(n) {
		require.EqualValues(t, i, r.place(i, n+i))
	}
	assert.Zero(t, r.place(n, n+1), "the first row is free again")
}
