// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// stats counts the calls of a function.
type stats struct {
	name                        string
	calls, errors, nanos, worst atomic.Int64
}

func (s *stats) add(d time.Duration, failed bool) {
	s.calls.Add(1)
	s.nanos.Add(int64(d))
	if failed {
		s.errors.Add(1)
	}
	for {
		old := s.worst.Load()
		if int64(d) <= old || s.worst.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// table holds the stats of all functions.
type table struct {
	mu  sync.Mutex
	all []*stats // guarded by mu
}

// of returns the stats of a function, which all plugins share.
func (t *table) of(name string) *stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.all {
		if s.name == name {
			return s
		}
	}
	s := &stats{name: name}
	t.all = append(t.all, s)
	return s
}

// list returns the called functions, those that took the longest first.
func (t *table) list() []*stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*stats
	for _, s := range t.all {
		if s.calls.Load() > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *stats) int {
		return cmp.Or(cmp.Compare(b.nanos.Load(), a.nanos.Load()), cmp.Compare(a.name, b.name))
	})
	return list
}

// appendSummary appends a readable table, with a prefix before each line.
func appendSummary(b []byte, list []*stats, prefix string) []byte {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "calls\terrors\ttotal\tmean\tlongest\t  function\n")
	var calls, failures, nanos int64
	row := func(calls, errors, nanos, worst int64, name string) {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t  %s\n", calls, errors, short(nanos), short(nanos/max(calls, 1)), short(worst), name)
	}
	for _, s := range list {
		row(s.calls.Load(), s.errors.Load(), s.nanos.Load(), s.worst.Load(), s.name)
		calls, failures, nanos = calls+s.calls.Load(), failures+s.errors.Load(), nanos+s.nanos.Load()
	}
	fmt.Fprintf(w, "%d\t%d\t%s\t\t\t  all\n", calls, failures, short(nanos))
	w.Flush()
	for _, line := range bytes.Split(bytes.TrimRight(text.Bytes(), "\n"), []byte("\n")) {
		b = append(b, prefix...)
		b = append(b, bytes.TrimRight(line, " ")...)
		b = append(b, '\n')
	}
	return b
}

// short formats a duration with three digits.
func short(nanos int64) string {
	d := time.Duration(nanos)
	switch {
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	case d >= time.Microsecond:
		d = d.Round(10 * time.Nanosecond)
	}
	return d.String()
}
