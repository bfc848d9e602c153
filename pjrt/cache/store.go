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

	"github.com/gofrs/flock"

	"github.com/purepjrt/purepjrt/internal/ownership"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

const (
	lockName = "lock"
	// tempPrefix begins the names of files that are being written.
	tempPrefix = "tmp-"
	// staleAfter is the age after which such a file must be left over from a process that died.
	staleAfter = time.Hour
)

// prepare creates the directory and checks that no other user can write to it.
func (c *Cache) prepare() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
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
	if err := c.prepare(); err != nil {
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

// put writes an entry that fits, counts it, and removes others if the directory is too large.
func (c *Cache) put(ctx context.Context, key entryKey, executable []byte) error {
	err := c.locked(ctx, func() error {
		if err := c.write(key, executable); err != nil {
			return err
		}
		_, err := c.shrink(c.maxBytes, key)
		return err
	})
	if err == nil {
		c.count(func(s *Stats) { s.Stores++ })
	}
	return err
}

// write writes the file of an entry. Other processes see all of the file or none of it, and a crash
// of the machine does not leave half of it.
func (c *Cache) write(key entryKey, executable []byte) (err error) {
	f, err := os.CreateTemp(c.dir, tempPrefix) // with mode 0600
	if err != nil {
		return err
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
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), c.path(key)); err != nil {
		return err
	}
	return syncDir(c.dir)
}

// touch sets the time of an entry's file to now, because it records the last use. In a read-only
// directory the time stays as it was.
func (c *Cache) touch(key entryKey) {
	now := time.Now()
	_ = os.Chtimes(c.path(key), now, now)
}

// removeDamaged removes a damaged entry, unless another process has replaced it.
func (c *Cache) removeDamaged(ctx context.Context, key entryKey, found fs.FileInfo, why error) {
	c.log().Warn("an entry in the cache of compiled programs is not used", "entry", c.path(key), "error", why)
	c.count(func(s *Stats) { s.Damaged++ })
	err := c.locked(ctx, func() error {
		now, err := os.Lstat(c.path(key))
		if err != nil || !os.SameFile(now, found) && now.Mode()&fs.ModeSymlink == 0 {
			return nil // it is gone
		}
		return os.RemoveAll(c.path(key))
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
	if err := c.prepare(); err != nil {
		return 0, fmt.Errorf("cache: %w", err)
	}
	err = c.locked(context.Background(), func() error {
		removed, err = c.shrinkAll(maxBytes)
		return err
	})
	if err != nil {
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

// removeFile removes a file that another process may have removed already.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes half-written files of killed processes.
func (c *Cache) sweep() {
	names, _ := os.ReadDir(c.dir)
	for _, n := range names {
		info, err := n.Info()
		if err == nil && strings.HasPrefix(n.Name(), tempPrefix) && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(c.dir, n.Name()))
		}
	}
}

// lockRetry is the time between attempts to get a lock.
const lockRetry = 10 * time.Millisecond

// lockCompilation waits until no other process is compiling the program of the key, so that this
// one finds its entry. There are 256 lock files for all keys, because removing an unused lock file
// would race with its next user. The only error is from ctx: if locking fails, the program may be
// compiled twice.
func (c *Cache) lockCompilation(ctx context.Context, key entryKey) (unlock func(), err error) {
	if err := c.prepare(); err != nil {
		return func() {}, nil // the next use of the directory reports the error
	}
	unlock, err = c.lock(ctx, fmt.Sprintf("compile-%02x.lock", key[0]))
	if err != nil {
		return func() {}, abandon.Err(ctx, nil, "another process that compiles the program")
	}
	return unlock, nil
}

// lock gets the lock with a file name in the directory.
func (c *Cache) lock(ctx context.Context, name string) (unlock func(), err error) {
	path := filepath.Join(c.dir, name)
	// Opening a pipe would block, and a link may lead elsewhere.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: remove it", path)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { _ = l.Unlock() }, nil
}

// locked runs do while no other process and no other Cache may change the directory. Readers need
// no lock.
func (c *Cache) locked(ctx context.Context, do func() error) error {
	if err := c.prepare(); err != nil {
		return err
	}
	unlock, err := c.lock(ctx, lockName)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}
