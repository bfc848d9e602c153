// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package callbench

import (
	"slices"
	"testing"
	"time"
)

// compare runs the ways in turns and reports for each, as a sub-benchmark, the
// median time per operation, its ratio to the way called base, and allocations.
func compare(b *testing.B, ways []struct {
	name string
	run  func(n int)
}, base string,
) {
	const rounds, batch = 15, 20000
	times := make([][]float64, len(ways))
	for range rounds {
		for i, w := range ways {
			start := time.Now()
			w.run(batch)
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/batch)
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return times[i][len(times[i])/2]
	}
	baseline := 0.0
	for i, w := range ways {
		if w.name == base {
			baseline = median(i)
		}
	}
	for i, w := range ways {
		ns := median(i)
		b.Run(w.name, func(b *testing.B) {
			allocs := testing.AllocsPerRun(100, func() { w.run(1) })
			b.ReportMetric(ns, "ns/call")
			b.ReportMetric(ns/baseline, "x-"+base)
			b.ReportMetric(allocs, "allocs/call")
			b.ReportMetric(0, "ns/op") // hides the time of this closure, which means nothing
		})
	}
}
