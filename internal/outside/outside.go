// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package outside opens files and reads from readers that somebody else named or wrote. What they
// do wrong becomes an error: it neither keeps a caller waiting for ever nor panics in the standard
// library.
package outside

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file for reading, or a pipe. A pipe that nothing writes to is empty: Open does not
// wait for a writer. Devices, sockets and folders are errors.
func Open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeNamedPipe:
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is neither a regular file nor a pipe")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads what Open opens.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// A program has hundreds of megabytes, which io.ReadAll would copy again and again.
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), err
}

// idleReads is how many times in a row a reader may give nothing, as in package bufio.
const idleReads = 100

// Reader returns a reader that reads from r. Its error is io.ErrNoProgress if r gives nothing again
// and again, and says so if r is nil or counts wrongly.
func Reader(r io.Reader) io.Reader { return &reader{r: r} }

type reader struct {
	r    io.Reader
	idle int
}

func (r *reader) Read(p []byte) (int, error) {
	if r.r == nil {
		return 0, errors.New("the reader is nil")
	}
	n, err := r.r.Read(p)
	if err := counted(n, len(p)); err != nil {
		return 0, err
	}
	if n > 0 || err != nil || len(p) == 0 {
		r.idle = 0
		return n, err
	}
	if r.idle++; r.idle == idleReads {
		return 0, io.ErrNoProgress
	}
	return 0, nil
}

// CountError is the error of a reader that cannot have read as many bytes as it says.
type CountError struct{ Read, Room int }

// Error says what the reader said, and how many bytes there was room for.
func (e *CountError) Error() string {
	return fmt.Sprintf("the reader says that it read %d bytes where there was room for %d", e.Read, e.Room)
}

func counted(n, room int) error {
	if n < 0 || n > room {
		return &CountError{n, room}
	}
	return nil
}

// ReaderAt returns a reader that reads from r. It has an error wherever it reads less than asked,
// as r should, and says so if r is nil or counts wrongly. A file needs none of this, and is
// returned as it is.
func ReaderAt(r io.ReaderAt) io.ReaderAt {
	if f, ok := r.(*os.File); ok {
		return f
	}
	return readerAt{r}
}

type readerAt struct{ r io.ReaderAt }

func (r readerAt) ReadAt(p []byte, offset int64) (int, error) {
	if r.r == nil {
		return 0, errors.New("the reader is nil")
	}
	n, err := r.r.ReadAt(p, offset)
	if err := counted(n, len(p)); err != nil {
		return 0, err
	}
	if n < len(p) && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// Writer returns a writer that writes to w. It has an error if w is nil, or writes less than asked
// without one.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ w io.Writer }

func (w writer) Write(p []byte) (int, error) {
	if w.w == nil {
		return 0, errors.New("the writer is nil")
	}
	n, err := w.w.Write(p)
	if n < 0 || n > len(p) {
		return 0, fmt.Errorf("the writer says that it wrote %d of %d bytes", n, len(p))
	}
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	return n, err
}
