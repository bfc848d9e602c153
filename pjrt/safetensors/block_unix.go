// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package safetensors

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// block is memory that Go's collector does not know, which several buffers share.
type block struct {
	data  []byte
	file  bool // it is a mapped file
	users atomic.Int64
}

// newBlock allocates a block for its caller, who releases it.
func newBlock(size int) (*block, error) {
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes for the arrays: %w", size, err)
	}
	inHugePages(data)
	b := &block{data: data}
	b.users.Store(1)
	return b, nil
}

// mapFile maps a file for its caller, who releases the block. Who writes to it gets a copy of the
// page.
func mapFile(f *os.File) (*block, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w; load it without the option Map", f.Name(), err)
	}
	b := &block{data: data, file: true}
	b.users.Store(1)
	return b, nil
}

// release gives the memory back when nobody uses it any more.
func (b *block) release() {
	if b.users.Add(-1) == 0 {
		_ = syscall.Munmap(b.data) // it cannot fail: nobody else unmaps this memory
	}
}
