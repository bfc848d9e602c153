// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"debug/elf"
	"fmt"
	"runtime"
)

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// checkImage checks that the file of size bytes can be a shared library for this platform. The
// dynamic linker would accept a truncated library, which then kills the process with SIGBUS when it
// touches a missing page.
func checkImage(path string, size int64) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNotLibrary, err)
	}
	defer f.Close()
	if f.Type != elf.ET_DYN {
		return fmt.Errorf("%w: it is an ELF file of type %s", ErrNotLibrary, f.Type)
	}
	if want, ok := machines[runtime.GOARCH]; ok && f.Machine != want {
		return fmt.Errorf("%w: it is for %s, and this program for %s", ErrNotLibrary, f.Machine, want)
	}
	for _, p := range f.Progs {
		if p.Filesz > 0 && (p.Off > uint64(size) || p.Filesz > uint64(size)-p.Off) {
			return fmt.Errorf("%w: it is truncated: its contents end at byte %d, and the file has %d bytes", ErrNotLibrary, p.Off+p.Filesz,
				size)
		}
	}
	return nil
}
