// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	kind string
	n    atomic.Int64 // objects and spares

	mu     sync.Mutex
	places map[*place]bool // guarded by mu; of families whose parent is open
}

func (c *counter) add(d int64) { c.n.Add(d) }

// note makes objects leave out the spare of p.
func (c *counter) note(p *place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = make(map[*place]bool)
	}
	c.places[p] = true
}

func (c *counter) forget(p *place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.places, p)
}

// objects returns how many objects exist. It is exact if none is made or destroyed meanwhile.
func (c *counter) objects() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n.Load()
	for p := range c.places {
		if p.isFull() {
			n--
		}
	}
	return int(max(n, 0))
}

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
		if n := c.(*counter).objects(); n != 0 {
			live[kind.(string)] = n
		}
		return true
	})
	return live
}
