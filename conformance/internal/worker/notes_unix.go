// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package worker

import (
	"os"
	"syscall"
)

// newNotebook makes the nameless file behind a notebook.
func newNotebook() *os.File {
	f, err := os.CreateTemp("", "pjrt-notes-")
	if err != nil {
		return nil // deaths then have no notes
	}
	os.Remove(f.Name())
	if err := f.Truncate(noteSlots * noteSize); err != nil {
		f.Close()
		return nil
	}
	return f
}

// openNotebook makes f this process's notebook.
func openNotebook(f *os.File) {
	defer f.Close()
	m, err := syscall.Mmap(int(f.Fd()), 0, noteSlots*noteSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err == nil {
		notebook.memory = m
	}
}
