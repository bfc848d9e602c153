// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/ownership"
)

// prepare creates the directory and checks it.
func (c *Cache) prepare() error {
	if c.homeless != nil {
		return c.homeless
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return c.check()
}

// check checks that no other user can write to the directory. The error is fs.ErrNotExist if there
// is none.
func (c *Cache) check() error {
	if c.homeless != nil {
		return c.homeless
	}
	info, err := os.Stat(c.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", c.dir)
	}
	return ownership.CheckTree(c.dir, c.dir)
}

// path returns the file of an entry.
func (c *Cache) path(key entryKey) string { return filepath.Join(c.dir, entryName(key)) }

// read returns the executable of an entry and the FileInfo of its file. The error is
// fs.ErrNotExist, errDamaged, or one about the directory.
func (c *Cache) read(key entryKey) ([]byte, fs.FileInfo, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	// Opening a pipe would block, and a link may lead elsewhere.
	info, err := os.Lstat(c.path(key))
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, fmt.Errorf("%w: it is not a regular file", errDamaged)
	}
	if err := ownership.Check(info); err != nil {
		return nil, info, fmt.Errorf("%w: %w", errDamaged, err)
	}
	f, err := os.Open(c.path(key))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	content, err := readEntry(key, f, info.Size())
	return content, info, err
}

// store writes an entry and then removes others if the directory is too large.
func (c *Cache) store(ctx context.Context, key entryKey, executable []byte) {
	size := int64(len(executable) + frameSize)
	if c.maxBytes > 0 && size > c.maxBytes {
		return // storing it would remove every entry, itself included
	}
	if err := c.put(ctx, key, executable); err != nil && ctx.Err() == nil {
		c.failed(err)
	}
}

// put writes an entry that fits, counts it, and removes others if the directory is too large. The
// first one also removes what killed processes left.
func (c *Cache) put(ctx context.Context, key entryKey, executable []byte) error {
	if err := c.prepare(); err != nil {
		return err
	}
	// Before the lock, because writing a large executable takes longer than others wait for it.
	temp, err := c.write(key, executable)
	if err != nil {
		return err
	}
	err = c.locked(ctx, func() error {
		if err := os.Rename(temp, c.path(key)); err != nil {
			return err
		}
		if err := syncDir(c.dir); err != nil {
			return err
		}
		c.sweeping.Do(c.sweep)
		_, err := c.shrink(c.maxBytes, key)
		return err
	})
	if err != nil {
		_ = os.Remove(temp) // unless it has its name already
		return err
	}
	c.count(func(s *Stats) { s.Stores++ })
	return nil
}

// write writes an entry to a file with a name of its own, from which it is renamed. So other
// processes see all of the entry or none of it, and a crash of the machine does not leave half of
// it.
func (c *Cache) write(key entryKey, executable []byte) (temp string, err error) {
	f, err := os.CreateTemp(c.dir, entryName(key)+".*"+tempSuffix) // with mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	header, sum := frame(key, executable)
	for _, part := range [][]byte{header, executable, sum} {
		if _, err := f.Write(part); err != nil {
			return "", err
		}
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// touch sets the time of an entry's file to now, because it records the last use. In a read-only
// directory the time stays as it was.
func (c *Cache) touch(key entryKey) {
	now := time.Now()
	_ = os.Chtimes(c.path(key), now, now)
}

// removeDamaged removes a damaged entry, unless another process has replaced it. If a folder has
// the name of the entry, the cache did not make it, and removes it only if it is empty.
func (c *Cache) removeDamaged(ctx context.Context, key entryKey, found fs.FileInfo, why error) {
	c.log().Warn("an entry in the cache of compiled programs is not used", "entry", c.path(key), "error", why)
	c.count(func(s *Stats) { s.Damaged++ })
	err := c.locked(ctx, func() error {
		now, err := os.Lstat(c.path(key))
		if err != nil || !os.SameFile(now, found) && now.Mode()&fs.ModeSymlink == 0 {
			return nil // it is gone
		}
		return removeFile(c.path(key))
	})
	if err != nil && ctx.Err() == nil {
		c.failed(err)
	}
}

// file is an entry on disk.
type file struct {
	path string
	size int64
	used time.Time
}

// list returns the entries of the directory.
func (c *Cache) list() ([]file, error) {
	if c.homeless != nil {
		return nil, c.homeless
	}
	names, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, n := range names {
		if !isEntry(n.Name()) {
			continue
		}
		info, err := n.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed meanwhile, or not a regular file
		}
		files = append(files, file{filepath.Join(c.dir, n.Name()), info.Size(), info.ModTime()})
	}
	return files, nil
}

// Prune removes files left by killed processes, and then the entries that have not been used for
// the longest time until the rest takes at most maxBytes. It returns the number of entries removed.
// Prune(0) empties the cache.
func (c *Cache) Prune(maxBytes int64) (removed int, err error) {
	if !c.isOpen() {
		return 0, errNotOpen
	}
	if maxBytes < 0 {
		return 0, fmt.Errorf("cache: maxBytes is %d: it cannot be negative", maxBytes)
	}
	err = c.locked(context.Background(), func() error {
		removed, err = c.shrinkAll(maxBytes)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return removed, fmt.Errorf("cache: %w", err)
	}
	return removed, nil
}

// shrink removes entries, but never the one of key, until no more than limit
// bytes are left; 0 means no limit. The caller holds the lock.
func (c *Cache) shrink(limit int64, key entryKey) (removed int, err error) {
	if limit == 0 {
		return 0, nil
	}
	return c.evict(limit, c.path(key))
}

func (c *Cache) shrinkAll(limit int64) (removed int, err error) {
	c.sweep()
	return c.evict(limit, "")
}

func (c *Cache) evict(limit int64, spare string) (removed int, err error) {
	files, err := c.list()
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, f := range files {
		total += f.size
	}
	slices.SortFunc(files, func(a, b file) int {
		if d := a.used.Compare(b.used); d != 0 {
			return d
		}
		return strings.Compare(a.path, b.path)
	})
	for _, f := range files {
		if total <= limit {
			break
		}
		if f.path == spare {
			continue
		}
		if err := removeFile(f.path); err != nil {
			return removed, err
		}
		total -= f.size
		removed++
	}
	c.count(func(s *Stats) { s.Evictions += removed })
	return removed, nil
}
