// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"os"
	"syscall"
)

// inHugePages asks for huge pages: memory is then filled some ten times as fast, since it is not
// the kernel's work per page that takes the time.
func inHugePages(data []byte) {
	_ = syscall.Madvise(data, syscall.MADV_HUGEPAGE) // a kernel without them does without
}

// discard gives back the memory of an array that is at an offset in a block which others still use.
func (b *block) discard(at, size int) {
	if b.file {
		return // the kernel takes back pages of files when it needs them
	}
	page := os.Getpagesize()
	first, end := (at+page-1)&^(page-1), (at+size)&^(page-1)
	if first < end {
		_ = syscall.Madvise(b.data[first:end], syscall.MADV_DONTNEED) // else it goes with the block
	}
}
