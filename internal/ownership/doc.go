// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ownership finds files and directories that other users can change. Whoever can
// change a library or a compiled program decides what code this process runs.
package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrForeign is wrapped by the errors about what another user owns. It begins their text.
var ErrForeign = errors.New("it belongs to user")

// Check returns an error if a user other than this one and root owns the file or directory,
// which is an [ErrForeign], or can write to it. The error says what to do.
//
// On Windows it relies on the access control lists that files inherit from the user's
// directory, and accepts everything.
func Check(info fs.FileInfo) error { return check(info) }

// CheckTree checks a file and the directories around it up to top: whoever can write to a
// directory can replace what is in it. If the file is reached through links, CheckTree also
// checks the file that they lead to, and its directory. file may be top itself.
func CheckTree(top, file string) error {
	rest, err := filepath.Rel(top, file)
	if err != nil || !filepath.IsLocal(rest) {
		return fmt.Errorf("%s is not in %s", file, top)
	}
	for path := file; ; path = filepath.Dir(path) {
		if err := checkPath(path); err != nil {
			return err
		}
		if path == filepath.Clean(top) {
			break
		}
	}
	if rest == "." {
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	return checkPath(filepath.Dir(real))
}

// CheckCode checks a library or an executable that is about to be loaded or started, and every
// folder above it, up to the root. If the file is reached through links, CheckCode also checks the
// file that they lead to, and the folders above that. In a folder that is sticky, such as /tmp,
// others can make files, but not replace those of this user.
func CheckCode(file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	for _, start := range []string{file, real} {
		if err := checkPath(start); err != nil {
			return err
		}
		for dir := filepath.Dir(start); ; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err != nil {
				return err
			}
			if err := checkFolder(info); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

// checkPath checks what is at a path, and what a link there leads to.
func checkPath(path string) error {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := stat(path)
		if err != nil {
			return err
		}
		if err := Check(info); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
