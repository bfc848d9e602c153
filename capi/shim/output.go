// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/purepjrt/purepjrt/capi/internal/spin"
)

// writer writes whole pieces to a file. A piece is in the file when write returns,
// so that it survives the end of the process, however that comes, unless another
// thread is just writing, which then takes it along: threads do not wait for each
// other. The calls of a client can be on thousands of threads at once, and in a Go
// program each that waits takes a thread of the system.
type writer struct {
	mu      spin.Mutex
	pending []byte // guarded by mu
	err     error  // guarded by mu; the first that came up

	file  sync.Mutex
	w     io.Writer // guarded by file
	spare []byte    // guarded by file; memory for pending
	close func() error
}

// openWriter opens what a Config names.
func openWriter(name string) (*writer, error) {
	switch name {
	case "stderr":
		return &writer{w: os.Stderr}, nil
	case "stdout":
		return &writer{w: os.Stdout}, nil
	}
	name = fileName(name)
	f, err := os.Create(name)
	if err != nil {
		if dir := filepath.Dir(name); !isDir(dir) {
			return nil, fmt.Errorf("cannot write to %s: there is no directory %s", name, dir)
		}
		return nil, err
	}
	return &writer{w: f, close: f.Close}, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// write writes a piece. A failure is reported once, on stderr: the client must
// not suffer from a full disk of its watcher.
func (w *writer) write(b []byte) {
	w.mu.Lock()
	w.pending = append(w.pending, b...)
	w.mu.Unlock()
	for w.file.TryLock() {
		w.flush()
		w.file.Unlock()
		w.mu.Lock()
		more := len(w.pending) > 0 // that came too late for flush, and before Unlock
		w.mu.Unlock()
		if !more {
			return
		}
	}
}

// flush writes what is pending.
//
// Precondition: w.file is held.
func (w *writer) flush() {
	w.mu.Lock()
	b, err := w.pending, w.err
	w.pending = w.spare[:0]
	w.mu.Unlock()
	if len(b) > 0 && err == nil {
		if _, err = w.w.Write(b); err != nil {
			fmt.Fprintln(os.Stderr, "pjrt shim: writing stops:", err)
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
		}
	}
	if w.spare = b; cap(b) > maxSpare {
		w.spare = nil
	}
}

// maxSpare bounds the memory that is kept for later.
const maxSpare = 1 << 20

// finish closes the file.
func (w *writer) finish() error {
	w.file.Lock()
	defer w.file.Unlock()
	w.flush()
	w.mu.Lock()
	err := w.err
	w.mu.Unlock()
	if w.close != nil {
		if e := w.close(); err == nil {
			err = e
		}
	}
	w.w, w.close = io.Discard, nil
	return err
}
