// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/purepjrt/purepjrt/capi/internal/spin"
)

// writer writes whole pieces to a file. When write returns, the piece is in the file, so that it
// survives the end of the process, however it ends. The exception: if another thread is writing at
// that moment, that thread writes the piece too, because threads do not wait for each other. A
// client may make calls on thousands of threads at once, and in a Go program each waiting one would
// take a thread of the system.
type writer struct {
	mu      spin.Mutex
	pending []byte // guarded by mu
	err     error  // guarded by mu; the first one

	file  sync.Mutex
	w     io.Writer // guarded by file
	spare []byte    // guarded by file; memory for pending
	close func() error
}

// openOutput opens the file of an output of the Config, which the field is for. Errors say what the
// user calls that field.
func (c *Config) openOutput(field, name string) (*writer, error) {
	switch name {
	case "stderr":
		return &writer{w: os.Stderr}, nil
	case "stdout":
		return &writer{w: os.Stdout}, nil
	}
	name = fileName(name)
	// Not os.Create, which also opens a pipe for reading: it would fill up when nobody else reads.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|withoutWaiting, 0o666)
	if err == nil {
		return &writer{w: f, close: f.Close}, nil
	}
	dir := filepath.Dir(name)
	switch info, e := os.Stat(name); {
	case e == nil && info.Mode().Type() == fs.ModeNamedPipe && !errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: %s is a pipe that nobody reads: start its reader first", c.name(field), name)
	case !isDir(dir):
		return nil, fmt.Errorf("%s: cannot write to %s: there is no directory %s", c.name(field), name, dir)
	}
	return nil, fmt.Errorf("%s: %w", c.name(field), err)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// write writes a piece. It reports a failure once, on stderr, because a full disk must not affect
// the client.
func (w *writer) write(b []byte) {
	w.mu.Lock()
	w.pending = append(w.pending, b...)
	w.mu.Unlock()
	for w.file.TryLock() {
		w.flush()
		w.file.Unlock()
		w.mu.Lock()
		more := len(w.pending) > 0 // added after flush and before Unlock
		w.mu.Unlock()
		if !more {
			return
		}
	}
}

// flush writes the pending pieces.
//
// Precondition: w.file is held.
func (w *writer) flush() {
	w.mu.Lock()
	b, err := w.pending, w.err
	w.pending = w.spare[:0]
	w.mu.Unlock()
	if len(b) > 0 && err == nil {
		if _, err = w.w.Write(b); err != nil {
			fmt.Fprintln(os.Stderr, "pjrt shim: no more output is written:", err)
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
		}
	}
	if w.spare = b; cap(b) > maxSpare {
		w.spare = nil
	}
}

// maxSpare limits the memory that is kept for reuse.
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
