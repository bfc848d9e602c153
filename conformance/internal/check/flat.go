// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

// Flat does an action n times and fails the check if the process grows by more than
// limit bytes each time. It measures at four points: a process that grows as much in
// each quarter leaks; one that fills a pool or a cache does not. If the memory of the
// process cannot be read, Flat does the action once.
func (t *T) Flat(n int, limit float64, what string, action func()) {
	if _, err := ResidentBytes(); err != nil {
		t.Notef("losses of memory were not measured: %v", err)
		action()
		return
	}
	size := func() float64 {
		bytes, err := ResidentBytes()
		if err != nil {
			t.SkipEnvf("%v", err)
		}
		return float64(bytes)
	}
	action()
	least, before := 0.0, size()
	for range 10 { // the first garbage collections of a process take memory themselves
		last := before
		if before = size(); before <= last {
			break
		}
	}
	for quarter := range 4 {
		for range n / 4 {
			action()
		}
		after := size()
		slope := (after - before) / float64(n/4)
		if before = after; quarter == 0 || slope < least {
			least = slope
		}
	}
	t.Notef("%s, %d times: in the best quarter the process grew by %.0f bytes each time", what, n, least)
	if least > limit {
		t.Errorf("%s: expected the process not to grow, got at least %.0f bytes more each time in every quarter of %d times", what, least, n)
	}
}
