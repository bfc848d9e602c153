// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package ffi

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime"

	"github.com/ebitengine/purego"
)

// openLibrary loads a library and returns a function that finds its symbols.
func openLibrary(path string) (find func(symbol string) (uintptr, error), err error) {
	if err := checkWhole(path); err != nil {
		return nil, err
	}
	// The dynamic linker keeps the last error of each thread, so the call that reads it
	// must run on the same thread.
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

// checkWhole returns an error for an ELF file that is truncated. The process would end
// when the dynamic linker touches a page beyond the end of the file.
func checkWhole(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // the path may be a name that the dynamic linker finds in its directories
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if !isELF(path) {
		return nil // the dynamic linker's error says more
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is damaged or truncated: %w", path, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; p.Type == elf.PT_LOAD && (end < p.Off || end > uint64(info.Size())) {
			return fmt.Errorf("%s is truncated: it has %d bytes but needs %d", path, info.Size(), end)
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
