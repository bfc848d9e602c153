// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
)

// hold holds the lock of a file, as another process does that was stopped.
func hold(t testing.TB, path string) *flock.Flock {
	t.Helper()
	l := flock.New(path)
	require.NoError(t, l.Lock())
	t.Cleanup(func() { _ = l.Unlock() })
	return l
}

// programLock returns the file that a process locks while it compiles scale(by).
func programLock(t testing.TB, c *cache.Cache, client *pjrt.Client, by float32) string {
	t.Helper()
	key, err := client.CompileKey(scale(by), nil)
	require.NoError(t, err)
	return filepath.Join(c.Dir(), fmt.Sprintf("%x.pjrtexe.lock", key))
}

// within compiles scale(by), and fails if that takes so long that it must wait for something that
// does not come. Without a limit of the cache itself, that is the end of the context.
func within(t testing.TB, c *cache.Cache, client *pjrt.Client, by float32) (hit bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exe, hit, err := c.Compile(ctx, client, scale(by), nil)
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "it waited for the lock")
	require.NoError(t, exe.Close())
	return hit
}

func TestALockOfTheDirectoryIsNotWaitedForWithoutEnd(t *testing.T) {
	c, log := open(t, t.TempDir(), 0)
	client := newClient(t)
	cache.Limit(c, time.Hour, time.Millisecond, time.Hour)
	other := hold(t, filepath.Join(c.Dir(), "lock"))
	assert.False(t, within(t, c, client, 2))
	cache.Limit(c, time.Hour, time.Hour, time.Hour)
	assert.False(t, within(t, c, client, 3), "after a wait in vain, it waits no more")
	s := c.Stats()
	assert.Equal(t, [3]int{2, 0, 2}, [3]int{s.Misses, s.Stores, s.Failures})
	require.ErrorContains(t, s.Err, "the cache is locked: another process holds "+filepath.Join(c.Dir(), "lock"))
	assert.Contains(t, log.String(), "the cache is locked")
	assert.Empty(t, leftover(t, c.Dir()), "what it could not store is gone")

	cache.Limit(c, time.Hour, 0, time.Hour)
	_, err := c.Prune(0)
	require.ErrorContains(t, err, "the cache is locked")
	require.ErrorContains(t, c.Remove(cache.Entry{Path: filepath.Join(c.Dir(), zeros+".pjrtexe")}), "the cache is locked")

	require.NoError(t, other.Unlock())
	assert.False(t, within(t, c, client, 2))
	assert.True(t, within(t, c, client, 2), "it is stored as soon as nobody holds the lock")
}

func TestACompilationWaitsForNoLockLongerThanItsContext(t *testing.T) {
	c, log := open(t, t.TempDir(), 0)
	client := newClient(t)
	cache.Limit(c, time.Hour, time.Hour, time.Hour)
	hold(t, filepath.Join(c.Dir(), "lock"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	exe, hit, err := c.Compile(ctx, client, scale(2), nil)
	if err == nil { // the program was compiled in time, and could not be stored
		defer exe.Close()
		require.Error(t, ctx.Err(), "it waited for the lock")
	}
	assert.False(t, hit)
	assert.Zero(t, c.Stats().Stores)
	assert.Empty(t, log.String(), "the end of a context is no failure of the cache")
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// leftover returns the names in a directory of what is neither an entry nor the lock of it all.
func leftover(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, n := range list {
		if filepath.Ext(n.Name()) != ".pjrtexe" && n.Name() != "lock" {
			names = append(names, n.Name())
		}
	}
	return names
}

func TestALockOfAProgramIsNotWaitedForWithoutEnd(t *testing.T) {
	c, log := open(t, t.TempDir(), 0)
	client := newClient(t)
	cache.Limit(c, time.Millisecond, time.Hour, 0)
	path := programLock(t, c, client, 2)
	require.NoError(t, os.WriteFile(path, []byte(`process 12 on "far"`), 0o600))
	hold(t, path)
	assert.False(t, within(t, c, client, 2))
	assert.Contains(t, log.String(), "compiles a program for too long")
	assert.Contains(t, log.String(), "process 12 on ")
	assert.Contains(t, log.String(), path)
	assert.True(t, within(t, c, client, 2), "it was stored, though another process holds the lock")
	s := c.Stats()
	assert.Equal(t, [4]int{1, 1, 1, 0}, [4]int{s.Hits, s.Misses, s.Stores, s.Failures})

	cache.Limit(c, time.Hour, time.Hour, 0)
	assert.False(t, within(t, c, client, 3), "the lock is of one program")
	assert.Equal(t, []string{filepath.Base(path)}, leftover(t, c.Dir()), "its own lock is gone")
}

// lines is a writer that hands over each write.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestAWaitForAnotherProcessIsLoggedAndEndsWithTheEntry(t *testing.T) {
	client := newClient(t)
	from, _ := open(t, t.TempDir(), 0)
	run(t, from, client, 2, nil)
	key, err := client.CompileKey(scale(2), nil)
	require.NoError(t, err)
	executable, err := from.Lookup(key)
	require.NoError(t, err)

	log := make(lines, 10)
	c, err := cache.Open(t.TempDir(), cache.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	cache.Limit(c, time.Hour, time.Hour, 0)
	hold(t, programLock(t, c, client, 2))
	hit := make(chan bool)
	go func() {
		defer close(hit) // if it fails
		hit <- within(t, c, client, 2)
	}()
	assert.Contains(t, <-log, "waits for another process")
	other, _ := open(t, c.Dir(), 0)
	require.NoError(t, other.Store(t.Context(), key, executable))
	assert.True(t, <-hit, "the entry is read, though another process still holds the lock")
}

func TestTheLockOfAProgramSaysWhoHoldsIt(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	path := programLock(t, c, client, 2)
	var says []byte
	w := onCompile(func() { says, _ = os.ReadFile(path) })
	defer pjrt.Observe(w)()
	run(t, c, client, 2, nil)
	assert.Contains(t, string(says), fmt.Sprintf("process %d on ", os.Getpid()))
	assert.NoFileExists(t, path)
}

// onCompile is called when a program is about to be compiled.
type onCompile func()

func (do onCompile) Start(ctx context.Context, op pjrt.Operation) context.Context {
	if op.Kind == pjrt.OperationCompile {
		do()
	}
	return ctx
}

func (onCompile) End(context.Context, pjrt.Operation) {}
