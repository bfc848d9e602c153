// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import "fmt"

// Permuted has the numbers of devices in collective permutes: the first that is negative, and each
// that is greater than all before it. So it has the first one that is wrong, however many devices
// there are.
type Permuted struct {
	list     []int64
	negative bool
	bound    int64 // more than any that is not negative
}

// Add adds a number.
func (p *Permuted) Add(n int64) {
	switch {
	case n < 0 && !p.negative:
		p.negative = true
	case n >= p.bound:
		p.bound = max(n, n+1)
	default:
		return
	}
	p.list = append(p.list, n)
}

// Check returns an error if there are fewer devices. XLA's plugin for CPUs ends the process when a
// program for one device executes a permute from another, and takes memory for each number up to
// that of the other. libtpu ends it in more cases. devices is 0 if their number is not certain.
func (p *Permuted) Check(devices int) error {
	if devices <= 0 {
		return nil
	}
	for _, n := range p.list {
		if n < 0 || n >= int64(devices) {
			return fmt.Errorf("a collective permute in the program is from or to number %d, but the compile options are for %d, and "+
				"the process may end: set Replicas or Partitions", n, devices)
		}
	}
	return nil
}
