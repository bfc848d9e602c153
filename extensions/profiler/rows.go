// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"container/heap"
	"math"
)

// rows puts intervals on rows, on each of which they lie beside or within each other: each on the
// first row that has room for it. It takes steps in proportion to n log n, however many intervals
// overlap. The zero value has no rows.
type rows struct {
	open [][]int64 // the ends of the intervals that a row is in, innermost last
	ends endings   // of all open intervals
	// room is a tree of maxima over the rows, the root at 1 and the rows in the second half. A row
	// has room for intervals that begin at the last start and end by its value.
	room []int64
}

// ending is the end of an interval on a row.
type ending struct {
	at  int64
	row int
}

// endings is a heap with the earliest end in front.
type endings []ending

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].at < e[j].at }
func (e endings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *endings) Pop() (x any) {
	last := len(*e) - 1
	x, *e = (*e)[last], (*e)[:last]
	return x
}

// place returns the number of the row for an interval. Intervals are placed in the order of their
// starts, and of those that start together the longer ones first.
func (r *rows) place(start, end int64) int {
	for len(r.ends) > 0 && r.ends[0].at <= start {
		row := heap.Pop(&r.ends).(ending).row
		r.open[row] = r.open[row][:len(r.open[row])-1]
		r.update(row)
	}
	row := r.first(end)
	if row == len(r.open) {
		r.open = append(r.open, nil)
	}
	r.open[row] = append(r.open[row], end)
	heap.Push(&r.ends, ending{end, row})
	r.update(row)
	return row
}

// first returns the first row that has room until end, or the number of the next one.
func (r *rows) first(end int64) int {
	if len(r.room) == 0 || r.room[1] < end {
		return len(r.open)
	}
	i := 1
	for leaves := len(r.room) / 2; i < leaves; {
		if i *= 2; r.room[i] < end {
			i++
		}
	}
	return min(i-len(r.room)/2, len(r.open))
}

// update stores how much room a row has.
func (r *rows) update(row int) {
	leaves := len(r.room) / 2
	if row >= leaves {
		r.grow()
		return
	}
	i := leaves + row
	r.room[i] = r.roomOf(row)
	for i /= 2; i > 0; i /= 2 {
		r.room[i] = max(r.room[2*i], r.room[2*i+1])
	}
}

// roomOf returns the end of the innermost interval that a row is in.
func (r *rows) roomOf(row int) int64 {
	if n := len(r.open[row]); n > 0 {
		return r.open[row][n-1]
	}
	return math.MaxInt64
}

// grow doubles the tree, so that growing costs little for each row.
func (r *rows) grow() {
	leaves := max(len(r.room), 1)
	r.room = make([]int64, 2*leaves)
	for row := range leaves {
		r.room[leaves+row] = math.MinInt64
		if row < len(r.open) {
			r.room[leaves+row] = r.roomOf(row)
		}
	}
	for i := leaves - 1; i > 0; i-- {
		r.room[i] = max(r.room[2*i], r.room[2*i+1])
	}
}
