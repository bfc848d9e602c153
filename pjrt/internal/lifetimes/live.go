// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes

import (
	"sync"
	"sync/atomic"
	"weak"
)

type counter struct {
	kind string
	n    atomic.Int64 // objects and spares

	mu     sync.Mutex
	places map[weak.Pointer[place]]bool // guarded by mu; of families whose parent is open
}

func (c *counter) add(d int64) { c.n.Add(d) }

// note makes objects leave out the spare of p.
func (c *counter) note(p *place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = make(map[weak.Pointer[place]]bool)
	}
	c.places[weak.Make(p)] = true
}

func (c *counter) forget(p *place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.places, weak.Make(p))
}

// objects returns how many objects exist. It is exact if none is made or destroyed meanwhile.
func (c *counter) objects() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n.Load()
	for w := range c.places {
		if p := w.Value(); p != nil && p.isFull() {
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

// Live returns how many C objects exist, by kind. It leaves out kinds without objects. A closed
// object counts as long as calls or children keep it.
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
