// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
