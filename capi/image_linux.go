// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"debug/elf"
	"fmt"
	"runtime"
)

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// checkImage finds out whether the file of size bytes can be a shared library
// of this platform. A truncated library would pass the dynamic linker's own
// check and kill the process with SIGBUS when the missing pages are touched.
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
		return fmt.Errorf("%w: it is for %s, this program for %s", ErrNotLibrary, f.Machine, want)
	}
	for _, p := range f.Progs {
		if p.Filesz > 0 && (p.Off > uint64(size) || p.Filesz > uint64(size)-p.Off) {
			return fmt.Errorf("%w: it is truncated: its contents reach byte %d, the file has %d", ErrNotLibrary, p.Off+p.Filesz, size)
		}
	}
	return nil
}
