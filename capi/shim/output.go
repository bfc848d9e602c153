// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// writer writes whole pieces to a file, each at once, so that what was written
// survives the end of the process, however it comes.
type writer struct {
	mu    sync.Mutex
	w     io.Writer // guarded by mu
	close func() error
	err   error // guarded by mu; the first that came up
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
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if _, w.err = w.w.Write(b); w.err != nil {
		fmt.Fprintln(os.Stderr, "pjrt shim: writing stops:", w.err)
	}
}

// finish closes the file.
func (w *writer) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.err
	if w.close != nil {
		if e := w.close(); err == nil {
			err = e
		}
	}
	w.w, w.close = io.Discard, nil
	return err
}
