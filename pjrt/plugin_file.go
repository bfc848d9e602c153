// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// pluginFile is the file that a plugin was loaded from. Its path may lead to another file later:
// package managers replace the plugin of a running program.
type pluginFile struct {
	path string      // "" if there is none
	info os.FileInfo // nil if it could not be examined
}

// fileAt examines the file at a path. A name for which the loader searches says nothing about where
// the file is.
func fileAt(path string) pluginFile {
	if isBare(path) {
		return pluginFile{path: path}
	}
	path = absolute(path)
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	return pluginFile{path, info}
}

// stays reports whether the path still leads to the same file, with the same contents.
func (f pluginFile) stays() bool {
	info, err := os.Stat(f.path)
	if err != nil || f.info == nil {
		return f.info == nil
	}
	return os.SameFile(info, f.info) && info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime())
}

// identity tells versions of the file apart by its size, its time and samples of its content. It
// does not read all of it, because plugins have hundreds of megabytes, and it cannot rely on a
// build ID, because not all plugins have one. A file that was replaced has an identity that no
// other has.
func (f pluginFile) identity() string {
	if f.info == nil {
		return unreadable // the loader could read it, so the plugin's attributes must suffice
	}
	sum, err := f.sample()
	switch {
	case !f.stays():
		return fmt.Sprintf("replaced %x %x", rand.Uint64(), rand.Uint64())
	case err != nil:
		return unreadable
	}
	return fmt.Sprintf("%d %d %x", f.info.Size(), f.info.ModTime().UnixNano(), sum)
}

// unreadable stands for the identity of a file that cannot be read.
const unreadable = "unreadable"

// sample returns a digest of a few pages of the file.
func (f pluginFile) sample() ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const samples, sampleSize = 128, 4 << 10 // a page each: another build moves code and data everywhere
	h := sha256.New()
	size := f.info.Size()
	page := make([]byte, sampleSize)
	add := func(at int64) {
		n, _ := file.ReadAt(page, at)
		h.Write(page[:n])
	}
	for i := range int64(samples) {
		at := int64(0)
		if size > sampleSize {
			at = (size - sampleSize) / (samples - 1) * i
		}
		add(at)
	}
	add(max(size-sampleSize, 0))
	return h.Sum(nil), nil
}

// absolute returns a path that stays the same when the program changes its directory. A name
// without a separator stays as it is: the loader searches for it.
func absolute(path string) string {
	if isBare(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// file returns the path of the file that has the code of the plugin, or "" if it is not known.
func (p *Plugin) file() string {
	switch {
	case !isBare(p.path):
		return p.path
	case p.inLibrary():
		return p.library
	case p.path != "":
		return ""
	}
	path, _ := os.Executable()
	return path
}

// inLibrary reports whether the code of the plugin is in a library, and not part of the program.
func (p *Plugin) inLibrary() bool {
	return p.library != "" && !p.table.Reentrant()
}

// isBare reports whether a path names no folder, so that the loader searches for the file.
func isBare(path string) bool { return path == "" || filepath.Base(path) == path }
