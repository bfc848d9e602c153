// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix

package safetensors

import (
	"os"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt"
)

// block is memory that several buffers share. The garbage collector frees it.
type block struct {
	data  []byte
	users atomic.Int64
}

func newBlock(size int) (*block, error) {
	return &block{data: pjrt.AlignedSlice[uint8](size)}, nil
}

// mapFile returns no block, so that the file is read.
func mapFile(*os.File) (*block, error) { return nil, nil }

func (b *block) release() { b.users.Add(-1) }

func (b *block) discard(int, int) {}
