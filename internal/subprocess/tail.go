// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import (
	"io"
	"strings"
	"sync"
)

// Tail keeps the last bytes that were written to it, and passes everything on.
type Tail struct {
	Limit int
	Next  io.Writer // may be nil

	mu   sync.Mutex
	text []byte // guarded by mu
	lost int64  // how many bytes were dropped; guarded by mu
}

// Write never fails: a child must not stop because its output is not read.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.text = append(t.text, p...)
	// The slice grows to twice the limit, so that each byte is moved only once.
	if drop := len(t.text) - t.Limit; drop > t.Limit {
		t.lost += int64(drop)
		t.text = append(t.text[:0], t.text[drop:]...)
	}
	t.mu.Unlock()
	if t.Next != nil {
		_, _ = t.Next.Write(p)
	}
	return len(p), nil
}

// Reset forgets what was written.
func (t *Tail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text, t.lost = t.text[:0], 0
}

// String returns what was kept, as valid UTF-8.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text[max(0, len(t.text)-t.Limit):]), "\uFFFD")
}

// Written returns how many bytes were written.
func (t *Tail) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost + int64(len(t.text))
}
