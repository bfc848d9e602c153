// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Options are the options of Open. The zero value keeps everything for ever.
type Options struct {
	// MaxBytes is the size of all entries on disk. When it is exceeded, the
	// entries that have not been used for the longest time are removed. 0 means
	// no limit.
	MaxBytes int64
	// Logger gets a warning about the first failure of the cache, and one about
	// each damaged entry. Nil means slog.Default().
	Logger *slog.Logger
}

// Cache is a directory of executables. Its methods may be called from any
// goroutine. It holds nothing open, and so needs no Close.
type Cache struct {
	dir      string
	maxBytes int64
	logger   *slog.Logger

	mu      sync.Mutex
	flights map[pjrt.CompileKey]chan struct{} // guarded by mu; closed when the compilation is over
	stats   Stats                             // guarded by mu; without Entries and Bytes
}

// Stats are what a Cache has done since Open, and what is in its directory.
type Stats struct {
	Hits   int // executables loaded from disk
	Misses int // programs compiled
	Stores int // entries written
	// Evictions are the entries removed because of MaxBytes.
	Evictions int
	// Damaged are the entries removed because they were damaged, cut off, foreign
	// or refused by the plugin.
	Damaged int
	// Unsupported are the programs that a plugin could not serialize.
	Unsupported int
	// Failures counts what went wrong with the directory, and Err is the first of
	// it.
	Failures int
	Err      error

	Entries int   // in the directory now
	Bytes   int64 // of the entries
}

// DefaultDir returns the directory that Open uses for an empty name:
// purepjrt/executables in the user's cache directory.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory for a cache: %w", err)
	}
	return filepath.Join(dir, "purepjrt", "executables"), nil
}

// Open returns the cache in a directory, which is made if missing; "" means
// DefaultDir. A directory that cannot be used is no error: the cache compiles
// then, and Stats says why.
func Open(dir string, opts Options) (*Cache, error) {
	if opts.MaxBytes < 0 {
		return nil, fmt.Errorf("cache: MaxBytes is %d; it cannot be negative", opts.MaxBytes)
	}
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	c := &Cache{dir: dir, maxBytes: opts.MaxBytes, logger: opts.Logger, flights: make(map[pjrt.CompileKey]chan struct{})}
	if err := c.prepare(); err != nil {
		c.failed(err)
	} else {
		c.sweep()
	}
	return c, nil
}

// Dir returns the directory of the cache.
func (c *Cache) Dir() string { return c.dir }

// Compile returns the executable of a program: from the cache, with hit true, or
// compiled and then put into the cache. It is the caller's to close either way.
// opts may be nil. The error is that of the compilation; the cache adds none of
// its own.
//
// When ctx ends first Compile returns its error. An executable that was compiled
// by then is returned, whether or not there was time to keep it.
func (c *Cache) Compile(ctx context.Context, client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) (exe *pjrt.LoadedExecutable, hit bool, err error) {
	key, err := keyOf(client, program, opts)
	if err != nil {
		return nil, false, err
	}
	if exe := c.load(ctx, client, key, program); exe != nil {
		return exe, true, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	landed, first := c.takeOff(key)
	if first {
		defer c.land(key)
	} else {
		select {
		case <-landed:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	if first {
		unlock, err := c.lockCompilation(ctx, key)
		if err != nil {
			return nil, false, err
		}
		defer unlock()
	}
	// The one that was waited for, or one that finished just before, may have left
	// an entry. If not, it failed or could not keep what it compiled, and waiting
	// for the next one would only take longer.
	if exe := c.load(ctx, client, key, program); exe != nil {
		return exe, true, nil
	}
	return c.compile(ctx, client, key, program, opts, first)
}

// Has reports whether the cache has a sound entry for a program and its options,
// so that Compile would not have to compile. It does not count as a use.
func (c *Cache) Has(client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) (bool, error) {
	key, err := keyOf(client, program, opts)
	if err != nil {
		return false, err
	}
	_, _, err = c.read(key)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, os.ErrNotExist), errors.Is(err, errDamaged):
		return false, nil
	}
	return false, err
}

// keyOf returns the key of a compilation, and an error for a client that is
// none.
func keyOf(client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) (pjrt.CompileKey, error) {
	if client == nil {
		return pjrt.CompileKey{}, errors.New("cache: the client is nil")
	}
	return client.CompileKey(program, opts)
}

// Stats returns what the cache has done, and what is in its directory now. An
// unreadable directory counts as empty.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	s := c.stats
	c.mu.Unlock()
	entries, _ := c.list()
	s.Entries = len(entries)
	for _, e := range entries {
		s.Bytes += e.size
	}
	return s
}

// count changes the statistics.
func (c *Cache) count(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

// failed notes what went wrong with the directory. Only the first time is logged:
// the next ones are as a rule the same.
func (c *Cache) failed(err error) {
	first := false
	c.count(func(s *Stats) {
		if s.Failures++; s.Err == nil {
			s.Err, first = err, true
		}
	})
	if first {
		c.log().Warn("the cache of compiled programs does not work; they are compiled each time", "dir", c.dir, "error", err)
	}
}

func (c *Cache) log() *slog.Logger {
	if c.logger != nil {
		return c.logger
	}
	return slog.Default()
}

// takeOff begins the compilation of a key, unless another goroutine is at it:
// then it returns the channel that is closed when that one is done.
func (c *Cache) takeOff(key pjrt.CompileKey) (landed chan struct{}, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if landed, ok := c.flights[key]; ok {
		return landed, false
	}
	c.flights[key] = make(chan struct{})
	return nil, true
}

func (c *Cache) land(key pjrt.CompileKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.flights[key])
	delete(c.flights, key)
}

// load returns the executable of an entry, or nil when there is none that is
// sound.
func (c *Cache) load(ctx context.Context, client *pjrt.Client, key pjrt.CompileKey, program pjrt.Program) *pjrt.LoadedExecutable {
	data, file, err := c.read(key)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case errors.Is(err, errDamaged):
		c.removeDamaged(key, file, err)
		return nil
	case err != nil:
		c.failed(err)
		return nil
	}
	exe, err := client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{Source: program})
	if err != nil {
		// Only what the plugin says of the bytes speaks against the entry: not that
		// the client was closed, the context ended or memory ran out.
		if errors.Is(err, pjrt.ErrInvalidArgument) || errors.Is(err, pjrt.ErrInternal) || errors.Is(err, pjrt.ErrDataLoss) ||
			errors.Is(err, pjrt.ErrFailedPrecondition) || errors.Is(err, pjrt.ErrUnknown) {
			c.removeDamaged(key, file, err)
		}
		return nil
	}
	c.touch(key)
	c.count(func(s *Stats) { s.Hits++ })
	return exe
}

// compile compiles a program and keeps it.
func (c *Cache) compile(ctx context.Context, client *pjrt.Client, key pjrt.CompileKey, program pjrt.Program, opts *pjrt.CompileOptions, keep bool) (*pjrt.LoadedExecutable, bool, error) {
	exe, err := client.Compile(ctx, program, opts)
	if err != nil {
		return nil, false, err
	}
	c.count(func(s *Stats) { s.Misses++ })
	if !keep {
		return exe, false, nil
	}
	data, err := exe.Serialize(ctx)
	switch {
	case err == nil:
		c.store(key, data)
	case ctx.Err() != nil:
	case errors.Is(err, pjrt.ErrUnimplemented):
		c.count(func(s *Stats) { s.Unsupported++ })
	default:
		c.failed(fmt.Errorf("serialize %s: %w", exe.Name(), err))
	}
	return exe, false, nil
}
