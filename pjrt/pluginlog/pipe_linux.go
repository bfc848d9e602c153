// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	wantedPipeSize = 1 << 20 // the default limit for users

	setPipeSize   = 1031 // F_SETPIPE_SZ
	getPipeSize   = 1032 // F_GETPIPE_SZ
	spliceNoBlock = 2    // SPLICE_F_NONBLOCK
)

// newPipe returns both ends of a pipe in blocking mode, and its size.
func newPipe() (r *os.File, w, size int, err error) {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
		return nil, -1, 0, os.NewSyscallError("pipe2", err)
	}
	// If this fails, the default size is good enough.
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(p[0]), setPipeSize, wantedPipeSize)
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(p[0]), getPipeSize, 0)
	if errno != 0 {
		n = 4096 // the minimum of POSIX
	}
	return os.NewFile(uintptr(p[0]), "captured standard error"), p[1], int(n), nil
}

// redirect makes to a duplicate of the descriptor from. Child processes inherit it.
func redirect(from, to int) error {
	for {
		err := syscall.Dup3(from, to, 0)
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EBUSY) {
			continue
		}
		return os.NewSyscallError("dup3", err)
	}
}

// teeSource reads the contents of a pipe without removing them, by copying them to another pipe.
type teeSource struct {
	pipe    *os.File
	copy    *os.File
	copyEnd int // the write end
	size    int // of each
	data    []byte
}

func newSource(pipe *os.File, size int) (source, error) {
	r, w, n, err := newPipe()
	if err != nil {
		return nil, err
	}
	s := &teeSource{pipe: pipe, copy: r, copyEnd: w, size: size, data: make([]byte, size)}
	// Some sandboxes lack tee, and a smaller copy would not work.
	if _, err := s.tee(spliceNoBlock); n < size || !errors.Is(err, syscall.EAGAIN) {
		s.close()
		return newReadAhead(pipe), nil
	}
	return s, nil
}

func (s *teeSource) tee(flags int) (int, error) {
	for {
		n, err := syscall.Tee(int(s.pipe.Fd()), s.copyEnd, s.size, flags)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return int(n), err
	}
}

func (s *teeSource) peek(known int) []byte {
	flags := 0
	if known > 0 {
		flags = spliceNoBlock
	}
	n, err := s.tee(flags)
	for err != nil {
		time.Sleep(quiet) // the kernel is short of memory
		n, err = s.tee(flags)
	}
	n, _ = io.ReadFull(s.copy, s.data[:n]) // cannot fail: the text is in the pipe
	return s.data[:n]
}

func (s *teeSource) consume(n int) { _, _ = io.ReadFull(s.pipe, s.data[:n]) }

func (s *teeSource) drain(w io.Writer) { _, _ = io.Copy(w, s.pipe) }

func (s *teeSource) close() {
	s.copy.Close()
	_ = syscall.Close(s.copyEnd)
}
