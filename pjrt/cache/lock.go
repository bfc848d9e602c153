// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

const (
	// lockName is the file whose lock a process holds while it changes which entries there are.
	lockName = "lock"
	// lockSuffix ends the name of the file whose lock a process holds while it compiles the program
	// of an entry, after the name of that entry. With one file for several programs, a process
	// would wait for compilations that do not concern it.
	lockSuffix = ".lock"
	// lockRetry is the time between attempts to get a lock.
	lockRetry = 10 * time.Millisecond
)

// limits say how long a Cache waits for the locks of others. A process that holds one may be
// stopped, and then never gives it back.
type limits struct {
	// compile is for the lock of a program. Waiting costs nothing while the other process compiles:
	// compiling here would take as long. So the limit is longer than almost every compilation, and
	// a compilation that takes even longer is at worst delayed by that much.
	compile time.Duration
	// change is for the lock of the directory, which is held for milliseconds.
	change time.Duration
	// notice is when the Cache logs which process it waits for.
	notice time.Duration
}

var usualLimits = limits{compile: 10 * time.Minute, change: 5 * time.Second, notice: 10 * time.Second}

// errHeld says that a lock was not to be had in time.
var errHeld = errors.New("the cache is locked")

// errStored says that what others held the lock for is done.
var errStored = errors.New("the entry is stored")

// lockCompilation waits until no other process is compiling the program of the key, so that this
// one finds its entry, or until the entry is there, whoever holds the lock. The only error is from
// ctx: if locking fails, or takes longer than the limit, the program may be compiled twice.
//
// The holder removes the file before it gives back the lock. So whoever gets the lock of a file
// that is no longer there begins again.
func (c *Cache) lockCompilation(ctx context.Context, key entryKey) (unlock func(), err error) {
	without := func() {}
	if c.prepare() != nil {
		return without, nil // the next use of the directory reports the error
	}
	path := c.path(key) + lockSuffix
	deadline := time.Now().Add(c.limits.compile)
	stored := func() bool {
		_, err := os.Lstat(c.path(key))
		return err == nil
	}
	// On a file system that cannot tell files apart, every lock looks like that of a removed file.
	for range 100 {
		l, err := c.lock(ctx, path, time.Until(deadline), stored)
		switch {
		case errors.Is(err, errStored):
			return without, nil
		case errors.Is(err, errHeld):
			c.log().Warn("another process compiles a program for too long, so this one compiles it too", "error", err)
			return without, nil
		case err != nil:
			return without, abandon.Err(ctx, nil, "another process that compiles the program")
		case isThere(l, path):
			sign(path)
			return func() { release(l, path) }, nil
		}
		_ = l.Unlock()
	}
	return without, nil
}

// isThere reports whether a locked file still has its name.
func isThere(l *flock.Flock, path string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, now)
}

// release removes a locked file and gives back the lock. Windows removes no file that is open, so
// there it happens afterwards, and only if no other process has opened the file.
func release(l *flock.Flock, path string) {
	if runtime.GOOS != "windows" {
		_ = os.Remove(path)
		_ = l.Unlock()
		return
	}
	_ = l.Unlock()
	_ = os.Remove(path)
}

// sign writes into a locked file who holds the lock. Without it, those who wait know less.
func sign(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return
	}
	defer f.Close()
	host, _ := os.Hostname()
	_, _ = fmt.Fprintf(f, "process %d on %q", os.Getpid(), host)
}

// holder says who holds the lock of a file.
func holder(path string) string {
	if text, err := outside.ReadRegular(path, 1000); err == nil && len(text) > 0 {
		return string(text)
	}
	return "another process"
}

// lock gets the lock of a file in the directory. The error is errHeld if that takes longer than
// limit, and errStored if it need not be waited for any more.
func (c *Cache) lock(ctx context.Context, path string, limit time.Duration, stored func() bool) (*flock.Flock, error) {
	// Opening a pipe would block, and a link may lead elsewhere.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: remove it", path)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	for begun, told := time.Now(), false; ; {
		got, err := l.TryLock()
		waited := time.Since(begun)
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock: %w", err)
		case got:
			return l, nil
		case stored():
			return nil, errStored
		case waited >= limit:
			return nil, fmt.Errorf("%w: %s holds %s", errHeld, holder(path), path)
		case waited >= c.limits.notice && !told:
			told = true
			c.log().Warn("the cache of compiled programs waits for another process", "lock", path, "holder", holder(path), "limit", limit)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock: %w", ctx.Err())
		case <-time.After(lockRetry):
		}
	}
}

// locked runs do while no other process and no other Cache may change the directory. Readers need
// no lock. After a wait in vain it waits no more, until it gets the lock: a program that compiles
// many others would otherwise wait for each.
func (c *Cache) locked(ctx context.Context, do func() error) error {
	if err := c.check(); err != nil {
		return err
	}
	limit := c.limits.change
	if c.held.Load() {
		limit = 0
	}
	l, err := c.lock(ctx, filepath.Join(c.dir, lockName), limit, func() bool { return false })
	c.held.Store(errors.Is(err, errHeld))
	if err != nil {
		return err
	}
	defer func() { _ = l.Unlock() }()
	return do()
}
