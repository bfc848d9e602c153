// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package check

import (
	"fmt"
	"syscall"
)

// guardedMemory returns at least size bytes in front of a page that cannot be touched,
// and a function that frees both.
func guardedMemory(size int) ([]byte, func()) {
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("mapping %d bytes: %v", size+page, err))
	}
	if err := syscall.Mprotect(all[size:], syscall.PROT_NONE); err != nil {
		panic(fmt.Sprintf("protecting a page: %v", err))
	}
	return all[:size:size], func() { _ = syscall.Munmap(all) }
}

// guardedFront is like guardedMemory, with the page in front of the bytes.
func guardedFront(size int) ([]byte, func()) {
	page := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("mapping %d bytes: %v", size+page, err))
	}
	if err := syscall.Mprotect(all[:page], syscall.PROT_NONE); err != nil {
		panic(fmt.Sprintf("protecting a page: %v", err))
	}
	return all[page:], func() { _ = syscall.Munmap(all) }
}
