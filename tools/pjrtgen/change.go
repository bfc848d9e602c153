// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// change is a set of files to be written and removed together. Whatever can fail
// for lack of space or permission is done before the first file changes; if a step
// fails after that, the earlier steps are undone.
type change struct {
	files []changedFile
	dirs  []string // directories made for them, the outermost first
}

// changedFile is one file before and after.
type changedFile struct {
	path   string
	staged string // a temporary file with its new content; empty if it is removed
	backup string // a temporary file with its old content, while the change is made
}

// put prepares to write content to the file at path, unless the file already has
// that content.
func (c *change) put(path string, content []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write %s: it exists and is not a file", path)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := c.mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pjrtgen-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	c.files = append(c.files, changedFile{path: path, staged: f.Name()})
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// mkdir makes a directory and those above it that are missing.
func (c *change) mkdir(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	for _, d := range slices.Backward(missing) {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		c.dirs = append(c.dirs, d)
	}
	return nil
}

// remove prepares to remove the file at path.
func (c *change) remove(path string) { c.files = append(c.files, changedFile{path: path}) }

// apply makes the change.
func (c *change) apply() error {
	for i := range c.files {
		if err := c.files[i].apply(); err != nil {
			errs := []error{fmt.Errorf("nothing was changed: %w", err)}
			for j := i; j >= 0; j-- {
				errs = append(errs, c.files[j].undo())
			}
			return errors.Join(errs...)
		}
	}
	for _, f := range c.files {
		if f.backup != "" {
			_ = os.Remove(f.backup) // at worst a temporary file remains
		}
	}
	c.files, c.dirs = nil, nil
	return nil
}

// apply moves the old content out of the way and the new content into its place.
func (f *changedFile) apply() error {
	backup, err := os.CreateTemp(filepath.Dir(f.path), ".pjrtgen-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	name := backup.Name()
	if err := errors.Join(backup.Close(), os.Remove(name)); err != nil {
		return err
	}
	switch err := os.Rename(f.path, name); {
	case err == nil:
		f.backup = name
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if f.staged == "" {
		return nil
	}
	return os.Rename(f.staged, f.path)
}

// undo puts the old content back.
func (f *changedFile) undo() error {
	if f.backup != "" {
		return os.Rename(f.backup, f.path)
	}
	if f.staged != "" {
		if _, err := os.Stat(f.staged); err != nil { // it is in place, and there was no file before
			return os.Remove(f.path)
		}
	}
	return nil
}

// discard removes the temporary files and directories of a change that was not made.
func (c *change) discard() {
	for _, f := range c.files {
		if f.staged != "" {
			_ = os.Remove(f.staged)
		}
	}
	for _, d := range slices.Backward(c.dirs) {
		_ = os.Remove(d) // only if it is empty
	}
}
