// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
)

// Hang is a function that did not return in several checks. Later checks do not wait for it.
type Hang struct {
	Function string        `json:"function"` // its C name
	Checks   []string      `json:"checks"`   // that waited in vain
	Limit    time.Duration `json:"limit"`    // how long a call may still take; 0: the function is not called
}

// words says why a check cannot go on.
func (h *Hang) words() string {
	text := fmt.Sprintf("it needs %s, which did not return in %s", h.Function, strings.Join(h.Checks, ", "))
	if h.Limit > 0 {
		return fmt.Sprintf("%s, and here not within %v", text, h.Limit)
	}
	return text + ", and is not called any more"
}

// calling knows which calls of the plugin have not returned.
type calling struct {
	mu    sync.Mutex
	last  int
	calls map[int]openCall // guarded by mu
}

// openCall is a call that has not returned.
type openCall struct {
	function string
	began    time.Time
}

// enter notes that a call begins, and returns the function that notes its end.
func (c *calling) enter(f *capi.Function) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = make(map[int]openCall)
	}
	c.last++
	n := c.last
	c.calls[n] = openCall{f.Name, time.Now()}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, n)
	}
}

// since returns the functions whose calls have not returned for so long.
func (c *calling) since(age time.Duration) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make(map[string]bool)
	for _, x := range c.calls {
		if time.Since(x.began) >= age {
			names[x.function] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// hang returns what is known about a function that does not return, or nil.
func (e *Env) hang(function string) *Hang {
	for i := range e.Hangs {
		if e.Hangs[i].Function == function {
			return &e.Hangs[i]
		}
	}
	return nil
}

// overdue returns a function that is known not to return, and that once more does not.
func (e *Env) overdue() *Hang {
	for i := range e.Hangs {
		h := &e.Hangs[i]
		if h.Limit > 0 && slices.Contains(e.calling.since(h.Limit), h.Function) {
			return h
		}
	}
	return nil
}

// hangError is the error of a call that was not made, because the function does not return.
type hangError struct{ hang *Hang }

func (e *hangError) Error() string { return e.hang.words() }

// enter notes that a call of f begins, and returns the function that notes its end. The error says
// that f must not be called: then the check is blocked, and its context has ended.
func (t *T) enter(f *capi.Function) (leave func(), err error) {
	if h := t.env.hang(f.Name); h != nil && h.Limit == 0 {
		t.mu.Lock()
		ending := t.ending
		t.mu.Unlock()
		if !ending { // otherwise it would only destroy something
			t.block(h)
		}
		return nil, &hangError{h}
	}
	return t.env.calling.enter(f), nil
}

// block ends the check's context. What the check finds from now on does not count, since it lacks
// the answer of a call.
func (t *T) block(h *Hang) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blocked == nil {
		t.blocked = h
		t.cancel()
	}
}
