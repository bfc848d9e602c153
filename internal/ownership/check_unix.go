// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package ownership

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func check(info fs.FileInfo) error {
	// A link has no mode of its own.
	if mode := info.Mode().Perm(); mode&0o022 != 0 && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("other users can write to it (mode %#o), and so decide what code runs: use chmod go-w to make it safe", mode)
	}
	return checkOwner(info)
}

// checkFolder is check for a folder above a file.
func checkFolder(info fs.FileInfo) error {
	if info.Mode()&fs.ModeSticky != 0 {
		return checkOwner(info)
	}
	return check(info)
}

func checkOwner(info fs.FileInfo) error {
	// Root can change the whole system anyway.
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%w %d, who could decide what code runs", ErrForeign, s.Uid)
	}
	return nil
}
