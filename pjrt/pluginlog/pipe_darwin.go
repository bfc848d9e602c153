// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"errors"
	"os"
	"syscall"
)

// pipeSize is the capacity of a pipe.
const pipeSize = 64 << 10

// newPipe returns both ends of a pipe in blocking mode, and its size.
func newPipe() (r *os.File, w, size int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		return nil, -1, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	return os.NewFile(uintptr(p[0]), "captured standard error"), p[1], pipeSize, nil
}

// redirect makes to a duplicate of the descriptor from. Child processes inherit it.
func redirect(from, to int) error {
	for {
		err := syscall.Dup2(from, to)
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("dup2", err)
		}
	}
}

func newSource(pipe *os.File, size int) (source, error) { return newReadAhead(pipe), nil }
