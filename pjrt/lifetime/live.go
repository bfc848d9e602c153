// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	kind string
	n    atomic.Int64
}

func (c *counter) add(d int64) { c.n.Add(d) }

var counters sync.Map // of *counter, by kind

func counterOf(kind string) *counter {
	if c, ok := counters.Load(kind); ok {
		return c.(*counter)
	}
	c, _ := counters.LoadOrStore(kind, &counter{kind: kind})
	return c.(*counter)
}

// Live returns how many C objects exist, by kind. It leaves out kinds without objects. A closed object counts as long
// as calls or children keep it.
func Live() map[string]int {
	live := make(map[string]int)
	counters.Range(func(kind, c any) bool {
		if n := c.(*counter).n.Load(); n != 0 {
			live[kind.(string)] = int(n)
		}
		return true
	})
	return live
}
