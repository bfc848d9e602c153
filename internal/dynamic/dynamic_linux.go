// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dynamic

import (
	"debug/elf"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
)

// checkProgram looks at the program only once. A Go program without cgo always names a dynamic
// linker, since purego imports the C library.
var checkProgram = sync.OnceValue(func() error { return checkExecutable("/proc/self/exe") })

// checkExecutable returns ErrStatic for a Go program that names no dynamic linker. If another
// program is at path, it is the linker itself, whose argument the Go program was. What cannot be
// read is no error.
func checkExecutable(path string) error {
	exe, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer exe.Close()
	for _, p := range exe.Progs {
		if p.Type == elf.PT_INTERP {
			return nil
		}
	}
	if exe.Section(".go.buildinfo") == nil {
		return nil
	}
	return ErrStatic
}

// unmapped matches the linker's message about a library whose pages the system refuses to map.
var unmapped = regexp.MustCompile(`^(\S+): failed to map segment`)

func unmappedReason(message string) string {
	m := unmapped.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	if reason := noexecReason(m[1]); reason != "" {
		return reason + ": mount it with exec, or move the library"
	}
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err == nil && space.Cur < 1<<62 {
		return "the limit on address space (ulimit -v) is too low for it"
	}
	return ""
}

// noexec is ST_NOEXEC of statfs(2).
const noexec = 0x8

func noexecReason(path string) string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil || fs.Flags&noexec == 0 {
		return ""
	}
	return "the file system of " + filepath.Dir(path) + " is mounted noexec, so that no code in it runs"
}
