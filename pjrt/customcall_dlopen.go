// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pjrt

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime"

	"github.com/ebitengine/purego"
)

// openLibrary loads a library and returns what finds its symbols.
func openLibrary(path string) (find func(symbol string) (uintptr, error), err error) {
	if err := checkWhole(path); err != nil {
		return nil, err
	}
	// What went wrong is kept for each thread, and asked for in a second call.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	return func(symbol string) (uintptr, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return purego.Dlsym(h, symbol)
	}, nil
}

// checkWhole returns an error for an ELF file that is cut off: the dynamic linker
// dies when it touches what is missing.
func checkWhole(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // a name that the linker looks for in its directories
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	if !isELF(path) {
		return nil // the linker says better what it is
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is damaged or cut off: %w", path, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; p.Type == elf.PT_LOAD && (end < p.Off || end > uint64(info.Size())) {
			return fmt.Errorf("%s is cut off: it has %d bytes and should have %d", path, info.Size(), end)
		}
	}
	return nil
}

func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, len(elf.ELFMAG))
	_, err = f.Read(magic)
	return err == nil && string(magic) == elf.ELFMAG
}
