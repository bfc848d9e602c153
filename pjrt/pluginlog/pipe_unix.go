// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// duplicate returns another descriptor for the same file. Child processes do not inherit it.
func duplicate(fd int) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	d, err := syscall.Dup(fd)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(d)
	return os.NewFile(uintptr(d), "standard error"), nil
}

func writeAll(fd int, p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Write(fd, p[done:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return done, os.NewSyscallError("write", err)
		}
		done += n
	}
	return done, nil
}

// source is a pipe whose text can be read before it is removed. Its write end stays open while peek
// is in use.
type source interface {
	// peek returns all text in the pipe. known is the length of the text that the caller has seen;
	// if it is 0, peek waits for text. The result is valid until the next call.
	peek(known int) []byte
	// consume removes the first n bytes that peek returned.
	consume(n int)
	// drain copies the rest of the pipe to w, until no process can write to the pipe.
	drain(w io.Writer)
	close()
}

// openSource opens the best source that the system has. Tests replace it.
var openSource = newSource

// readAhead is a source for systems without tee. It reads the pipe, and keeps in memory what was
// not consumed.
type readAhead struct {
	chunks chan []byte // closed at the end
	data   []byte
}

func newReadAhead(r io.Reader) *readAhead {
	s := &readAhead{chunks: make(chan []byte)}
	go func() {
		defer close(s.chunks)
		for {
			p := make([]byte, 4096)
			n, err := r.Read(p)
			if n > 0 {
				s.chunks <- p[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *readAhead) peek(known int) []byte {
	if known == 0 && len(s.data) == 0 {
		s.data = append(s.data, <-s.chunks...)
	}
	for {
		select {
		case p := <-s.chunks:
			if p == nil {
				return s.data
			}
			s.data = append(s.data, p...)
		default:
			return s.data
		}
	}
}

func (s *readAhead) consume(n int) { s.data = append(s.data[:0], s.data[n:]...) }

func (s *readAhead) drain(w io.Writer) {
	_, _ = w.Write(s.data)
	for p := range s.chunks {
		_, _ = w.Write(p)
	}
}

func (s *readAhead) close() {}
