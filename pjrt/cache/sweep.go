// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/purepjrt/purepjrt/internal/outside"
)

const (
	// tempSuffix ends the name of a file that is being written, after the name of its entry and a
	// number. Somebody who names a folder of his own as a cache has no files with such names.
	tempSuffix = ".tmp"
	// oldTempPrefix begins the names that earlier versions gave, before a number.
	oldTempPrefix = "tmp-"
	// staleAfter is the age after which a file with such a name must be left over from a process
	// that died.
	staleAfter = time.Hour
)

// sweep removes half-written files and locks of killed processes. The caller holds the lock of the
// directory. What the cache did not make stays: folders, links, and files with other names.
func (c *Cache) sweep() {
	names, _ := os.ReadDir(c.dir)
	for _, n := range names {
		info, err := n.Info()
		if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) <= staleAfter {
			continue
		}
		path := filepath.Join(c.dir, n.Name())
		switch {
		case isTemp(n.Name()), isOldTemp(n.Name()) && beginsAsEntry(path):
			_ = os.Remove(path)
		case isLock(n.Name()):
			removeFree(path)
		}
	}
}

// isTemp reports whether a file has the name of an entry that is being written.
func isTemp(name string) bool {
	rest, ok := strings.CutSuffix(name, tempSuffix)
	number := filepath.Ext(rest)
	return ok && len(number) > 1 && areDigits(number[1:]) && isEntry(strings.TrimSuffix(rest, number))
}

// isOldTemp is isTemp for earlier versions. Other programs may give such names too.
func isOldTemp(name string) bool {
	number, ok := strings.CutPrefix(name, oldTempPrefix)
	return ok && number != "" && areDigits(number)
}

func areDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// isLock reports whether a file has the name of the lock of an entry.
func isLock(name string) bool {
	entry, ok := strings.CutSuffix(name, lockSuffix)
	return ok && isEntry(entry)
}

// beginsAsEntry reports whether the file has the first bytes of an entry.
func beginsAsEntry(path string) bool {
	f, _, err := outside.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(magic))
	_, err = io.ReadFull(f, start)
	return err == nil && bytes.Equal(start, []byte(magic))
}

// removeFree removes the lock of an entry unless a process holds it.
func removeFree(path string) {
	l := flock.New(path, flock.SetFlag(os.O_RDWR)) // which does not make the file
	if got, err := l.TryLock(); err != nil || !got {
		return
	}
	if isThere(l, path) {
		release(l, path)
		return
	}
	_ = l.Unlock()
}

// removeFile removes a file that another process may have removed already.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
