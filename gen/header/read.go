// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"io"
	"os"
)

// readFile reads a header. The file may be a pipe or a device, or may be written at the
// same time.
func readFile(file string) ([]byte, error) {
	// Opening a pipe that nobody writes to waits for ever, so look first.
	if info, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	} else if err := regular(file, info); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	if err := regular(file, before); err != nil {
		return nil, err
	}
	if before.Size() > maxSize {
		return nil, &Error{Path: file, Line: 1, Col: 1,
			Msg: fmt.Sprintf("the file has %d bytes, more than the %d that a header may have: is it a header?", before.Size(), maxSize)}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	after, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	if err := unchanged(file, before, after, len(text)); err != nil {
		return nil, err
	}
	return text, nil
}

func regular(file string, info os.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("cannot read header %s: it is a directory", file)
	case !info.Mode().IsRegular():
		return fmt.Errorf("cannot read header %s: it is a %s, not a file", file, kindOf(info.Mode()))
	}
	return nil
}

func kindOf(m os.FileMode) string {
	switch {
	case m&os.ModeNamedPipe != 0:
		return "pipe"
	case m&os.ModeSocket != 0:
		return "socket"
	default:
		return "device"
	}
}

// unchanged returns an error if a file changed while n bytes of it were read: what was
// read may be neither its older nor its newer content.
func unchanged(file string, before, after os.FileInfo, n int) error {
	if before.Size() == after.Size() && before.ModTime().Equal(after.ModTime()) && int64(n) == after.Size() {
		return nil
	}
	return fmt.Errorf("cannot read header %s: it changed while it was read: try again when nothing is writing to it", file)
}
