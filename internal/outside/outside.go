// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package outside opens, reads and writes files that somebody else named, and reads from readers
// that somebody else wrote. What they do wrong becomes an error: it neither keeps a caller waiting
// for ever nor panics in the standard library.
package outside

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotFile is the error for names of directories, pipes, devices and sockets.
var ErrNotFile = errors.New("it is not a regular file")

type notFile struct{ of fs.FileMode }

// Error says what it is instead.
func (e *notFile) Error() string {
	kind := "of another kind"
	switch {
	case e.of&fs.ModeDir != 0:
		kind = "a directory"
	case e.of&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case e.of&fs.ModeDevice != 0:
		kind = "a device"
	case e.of&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "it is " + kind + ", not a regular file"
}

// Unwrap returns ErrNotFile.
func (e *notFile) Unwrap() error { return ErrNotFile }

// Open opens a file for reading, or a pipe. A pipe that nothing writes to is empty: Open does not
// wait for a writer. Devices, sockets and folders are errors.
func Open(name string) (*os.File, error) {
	f, _, err := open(name, fs.ModeNamedPipe)
	return f, err
}

// OpenRegular opens a regular file for reading, and says how large it is. All else is an error, a
// pipe too. What the name stands for may change, so it is the open file that is looked at.
func OpenRegular(name string) (f *os.File, size int64, err error) { return open(name, 0) }

// open opens a regular file, or one of the given type.
func open(name string, also fs.FileMode) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && info.Mode().Type() != also {
		err = &fs.PathError{Op: "open", Path: name, Err: &notFile{info.Mode().Type()}}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ReadFile reads what Open opens.
func ReadFile(name string) ([]byte, error) {
	f, size, err := open(name, fs.ModeNamedPipe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A program has hundreds of megabytes, which io.ReadAll would copy again and again.
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), err
}

// ReadRegular reads what OpenRegular opens. A file of more than limit bytes is an error, even if it
// grows while it is read, or says that it has none, as files of the kernel do.
func ReadRegular(name string, limit int64) ([]byte, error) {
	f, _, err := OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than %d bytes", limit)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
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
