// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"io"
	"strings"
	"sync"
)

// tail keeps the last bytes that were written to it, and passes everything on.
type tail struct {
	limit int
	next  io.Writer // may be nil

	mu   sync.Mutex
	text []byte // guarded by mu
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*t.limit {
		t.text = append(t.text[:0], t.text[len(t.text)-t.limit:]...)
	}
	t.mu.Unlock()
	if t.next != nil {
		_, _ = t.next.Write(p) // the child must not stop because its output is not read
	}
	return len(p), nil
}

// reset forgets what was written.
func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = t.text[:0]
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text[max(0, len(t.text)-t.limit):]), "\uFFFD")
}
