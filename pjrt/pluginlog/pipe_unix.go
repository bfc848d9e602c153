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

// duplicate returns another descriptor for the same file, which child processes
// do not inherit.
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

// source is a pipe of which text can be seen before it is taken out. Nobody
// closes its end to write while it is peeked at.
type source interface {
	// peek returns all text that is there, and waits for some if known, the length
	// of what is known to be there, is 0. The text is valid until the next call.
	peek(known int) []byte
	// consume takes out the first n bytes of what peek returned.
	consume(n int)
	// drain writes all that is there, and is still to come, to w.
	drain(w io.Writer)
	close()
}

// openSource opens the best source that the system has; changed by tests.
var openSource = newSource

// readAhead is a source for systems that can only see what they take out: it
// keeps in memory what was not consumed.
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
