// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"strings"
	"sync"
)

// tail keeps the last bytes that were written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	text  []byte
	lost  int64 // bytes that were dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) >= t.limit {
		t.lost += int64(len(t.text) + len(p) - t.limit)
		t.text = append(t.text[:0], p[len(p)-t.limit:]...)
		return n, nil
	}
	// The slice grows to twice the limit, so that each byte is moved only once.
	if len(t.text)+len(p) > 2*t.limit {
		drop := len(t.text) + len(p) - t.limit
		t.lost += int64(drop)
		t.text = append(t.text[:0], t.text[drop:]...)
	}
	t.text = append(t.text, p...)
	return n, nil
}

// String returns what was kept, as valid UTF-8.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text[max(0, len(t.text)-t.limit):]), "\uFFFD")
}

// Written returns how many bytes were written.
func (t *tail) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost + int64(len(t.text))
}
