// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"debug/macho"
	"errors"
	"fmt"
	"runtime"
)

var cpus = map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}

// checkImage checks that the file of size bytes can be a shared library for this platform.
func checkImage(path string, size int64) error {
	want := cpus[runtime.GOARCH]
	fat, err := macho.OpenFat(path)
	switch {
	case err == nil:
		defer fat.Close()
		for _, a := range fat.Arches {
			if a.Cpu == want {
				return checkMacho(a.File, want, int64(a.Size), size-int64(a.Offset))
			}
		}
		return fmt.Errorf("%w: it has no part for %s", ErrNotLibrary, want)
	case !errors.Is(err, macho.ErrNotFat):
		return fmt.Errorf("%w: %v", ErrNotLibrary, err)
	}
	f, err := macho.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNotLibrary, err)
	}
	defer f.Close()
	return checkMacho(f, want, size, size)
}

func checkMacho(f *macho.File, want macho.Cpu, size, available int64) error {
	if f.Cpu != want {
		return fmt.Errorf("%w: it is for %s, and this program for %s", ErrNotLibrary, f.Cpu, want)
	}
	if f.Type != macho.TypeDylib && f.Type != macho.TypeBundle {
		return fmt.Errorf("%w: it is a Mach-O file of type %s", ErrNotLibrary, f.Type)
	}
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok && s.Filesz > 0 && s.Offset+s.Filesz > uint64(min(size, available)) {
			return fmt.Errorf("%w: it is truncated: its contents end at byte %d, and the file has %d bytes",
				ErrNotLibrary, s.Offset+s.Filesz, available)
		}
	}
	return nil
}
