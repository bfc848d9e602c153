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
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Options are the options of Open. With the zero value the cache keeps everything forever.
type Options struct {
	// MaxBytes limits the total size of the entries on disk. When it is exceeded, the cache removes
	// the entries that have not been used for the longest time. 0 means no limit: an entry takes
	// from kilobytes to gigabytes, so any other default would be too small for some programs,
	// which would be compiled each time without a word.
	MaxBytes int64
	// Logger gets a warning for the first failure of the cache, and one for each damaged entry. Nil
	// means slog.Default().
	Logger *slog.Logger
	// Trial loads the executable of an entry somewhere else first, as an isolate.Compiler does in a
	// child process. If that fails, the entry counts as damaged. Nil means no trial.
	Trial compile.Loader
}

// Cache is a directory of executables. Its methods may be called from any goroutine. It keeps no
// files open, so it needs no Close.
type Cache struct {
	dir      string
	maxBytes int64
	logger   *slog.Logger
	trial    compile.Loader
	limits   limits
	homeless error       // why there is no directory, or nil
	held     atomic.Bool // the last wait for the lock of the directory was in vain
	sweeping sync.Once

	mu      sync.Mutex
	flights map[entryKey]chan struct{} // guarded by mu; closed when the compilation ends
	stats   Stats                      // guarded by mu; without Entries and Bytes
}

// Stats count what a Cache has done since Open, and what is in its directory.
type Stats struct {
	Hits   int // executables loaded from disk
	Misses int // programs compiled
	Stores int // entries written
	// Evictions counts the entries removed because of MaxBytes.
	Evictions int
	// Damaged counts the entries removed because they were damaged, truncated, written by something
	// else, or rejected by the plugin.
	Damaged int
	// Unsupported counts the programs that the plugin could not serialize.
	Unsupported int
	// Failures counts the errors in using the directory, and Err is the first of them.
	Failures int
	Err      error

	Entries int   // in the directory now
	Bytes   int64 // of the entries
}

// DirVariable names the directory that Open uses for an empty name, if it is set: an absolute
// path, so that the working directory has no say in which executables are loaded.
const DirVariable = "PJRT_CACHE_DIR"

// DefaultDir returns the directory that Open uses for an empty name: that of the environment
// variable DirVariable or, if it is empty, purepjrt/executables in the user's cache directory.
func DefaultDir() (string, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("cache: the environment variable %s is %q: want an absolute path", DirVariable, dir)
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("the user's cache directory is %q, which is not an absolute path", dir)
	}
	if err != nil {
		return "", fmt.Errorf("cannot choose a directory for the cache: %w: set %s", err, DirVariable)
	}
	return filepath.Join(dir, "purepjrt", "executables"), nil
}

// Open returns the cache in a directory, and creates the directory if it is missing. "" means
// DefaultDir. An error is a wrong value of opts or of the environment variable DirVariable. If the
// directory cannot be used, or there is none because the process has no HOME, Open returns no
// error: the cache compiles every program and stores none, and Stats says why.
func Open(dir string, opts Options) (*Cache, error) {
	if opts.MaxBytes < 0 {
		return nil, fmt.Errorf("cache: MaxBytes is %d: it cannot be negative", opts.MaxBytes)
	}
	c := &Cache{
		maxBytes: opts.MaxBytes, logger: opts.Logger, trial: opts.Trial, limits: usualLimits,
		flights: make(map[entryKey]chan struct{}),
	}
	var err error
	if dir == "" {
		if dir, err = DefaultDir(); err != nil && os.Getenv(DirVariable) != "" {
			return nil, err
		}
	}
	if err == nil {
		c.dir, err = filepath.Abs(dir) // an error if somebody has removed the working directory
	}
	if err != nil {
		c.homeless = errors.New(err.Error()) // which is never fs.ErrNotExist, the error for what can be created
	}
	if err := c.prepare(); err != nil {
		c.failed(err)
	}
	return c, nil
}

// Dir returns the directory of the cache, or "" if there is none.
func (c *Cache) Dir() string {
	if c == nil {
		return ""
	}
	return c.dir
}

// errNotOpen is the error of a cache that Open did not return. Without a directory it would work in
// that of the process.
var errNotOpen = errors.New("cache: the cache is nil, or was not opened")

func (c *Cache) isOpen() bool { return c != nil && c.flights != nil }

// Compile returns the executable of a program. If the cache has it, Compile loads it and hit is
// true; otherwise Compile compiles the program and stores the executable. Either way the caller
// closes it. opts may be nil. Compile fails only if the compilation does, never because of the
// cache.
//
// If ctx ends first, Compile returns its error. If the program was compiled by then, Compile
// returns the executable, even if there was no time to store it.
func (c *Cache) Compile(
	ctx context.Context, client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions,
) (exe *pjrt.LoadedExecutable, hit bool, err error) {
	if !c.isOpen() {
		return nil, false, errNotOpen
	}
	program.Code = ownCode(ctx, program.Code)
	key, err := abandon.Call(ctx, func() (entryKey, error) { return keyOf(client, program, opts) }, func(entryKey) error { return nil })
	if err != nil {
		return nil, false, err
	}
	if exe := c.load(ctx, client, key, program); exe != nil {
		return exe, true, nil
	}
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return nil, false, err
	}
	landed, first := c.takeOff(key)
	if first {
		defer c.land(key)
	} else {
		select {
		case <-landed:
		case <-ctx.Done():
			return nil, false, abandon.Err(ctx, nil, "another call that compiles the program")
		}
	}
	if first {
		unlock, err := abandon.Call(ctx, func() (func(), error) { return c.lockCompilation(ctx, key) }, func(unlock func()) error {
			unlock()
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		defer unlock()
	}
	// The compilation that this call waited for, or one that finished just before, may have stored
	// an entry. If not, it failed or could not store its executable, and waiting for another one
	// would only take longer.
	if exe := c.load(ctx, client, key, program); exe != nil {
		return exe, true, nil
	}
	return c.compile(ctx, client, key, program, opts, first)
}

// Has reports whether the cache has an intact entry for a program and its options, so that Compile
// would not have to compile. It does not count as a use of the entry.
func (c *Cache) Has(client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) (bool, error) {
	if !c.isOpen() {
		return false, errNotOpen
	}
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

// FromContext returns what [Cache.Compile] is doing in an operation with the context ctx, for a
// pjrt.Observer: the key of the entry (the result of [pjrt.Client.CompileKey]), and whether this is
// a hit, which loads the entry, or a miss, which compiles. An entry that does not load is a hit
// whose End has an error, and is followed by a miss. ok is false for operations of others.
func FromContext(ctx context.Context) (key [32]byte, hit, ok bool) {
	u, ok := ctx.Value(usedKey{}).(used)
	return u.key, u.hit, ok
}

// used is the value of usedKey in the contexts of operations.
type used struct {
	key entryKey
	hit bool
}

type usedKey struct{}

// keyOf returns the key of a compilation, and an error if the client is nil.
func keyOf(client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) (entryKey, error) {
	if client == nil {
		return entryKey{}, errors.New("cache: the client is nil")
	}
	return client.CompileKey(program, opts)
}

// Stats returns the counts of this Cache, and of what is in its directory now. An unreadable
// directory counts as empty.
func (c *Cache) Stats() Stats {
	if !c.isOpen() {
		return Stats{Err: errNotOpen}
	}
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

func (c *Cache) count(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

// failed records an error in using the directory. It logs only the first one, because later ones
// are usually the same.
func (c *Cache) failed(err error) {
	first := false
	c.count(func(s *Stats) {
		if s.Failures++; s.Err == nil {
			s.Err, first = err, true
		}
	})
	if first {
		c.log().Warn("the cache of compiled programs does not work, so programs are compiled each time", "dir", c.dir, "error", err)
	}
}

func (c *Cache) log() *slog.Logger {
	if c.logger != nil {
		return c.logger
	}
	return slog.Default()
}

// takeOff begins the compilation of a key. If another goroutine is compiling it already, takeOff
// returns a channel that is closed when that one is done.
func (c *Cache) takeOff(key entryKey) (landed chan struct{}, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if landed, ok := c.flights[key]; ok {
		return landed, false
	}
	c.flights[key] = make(chan struct{})
	return nil, true
}

func (c *Cache) land(key entryKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.flights[key])
	delete(c.flights, key)
}

// ownCode returns the code of a program for a call that may go on when its caller has left.
func ownCode(ctx context.Context, code []byte) []byte {
	if ctx.Done() == nil {
		return code
	}
	return preempt.Clone(code)
}

// load returns the executable of an entry, or nil if there is no intact one, or if ctx has ended.
func (c *Cache) load(ctx context.Context, client *pjrt.Client, key entryKey, program pjrt.Program) *pjrt.LoadedExecutable {
	exe, err := abandon.Call(ctx, func() (*pjrt.LoadedExecutable, error) { return c.loadNow(ctx, client, key, program), nil },
		(*pjrt.LoadedExecutable).Close)
	if err != nil {
		return nil
	}
	return exe
}

// loadNow is load on a goroutine that may block.
func (c *Cache) loadNow(ctx context.Context, client *pjrt.Client, key entryKey, program pjrt.Program) *pjrt.LoadedExecutable {
	data, file, err := c.read(key)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case errors.Is(err, errDamaged):
		c.removeDamaged(ctx, key, file, err)
		return nil
	case err != nil:
		c.failed(err)
		return nil
	}
	observed := context.WithValue(ctx, usedKey{}, used{key, true})
	exe, err := client.DeserializeAndLoad(observed, data, &pjrt.LoadOptions{Source: program, Trial: c.trial})
	if err != nil {
		// Remove the entry only if the plugin rejected the bytes, not if the client was closed, the
		// context ended or memory ran out.
		if errors.Is(err, pjrt.ErrInvalidArgument) || errors.Is(err, pjrt.ErrInternal) || errors.Is(err, pjrt.ErrDataLoss) ||
			errors.Is(err, pjrt.ErrFailedPrecondition) || errors.Is(err, pjrt.ErrUnknown) {
			c.removeDamaged(ctx, key, file, err)
		}
		return nil
	}
	c.touch(key)
	c.count(func(s *Stats) { s.Hits++ })
	return exe
}

// compile compiles a program and, if keep is true, stores it.
func (c *Cache) compile(
	ctx context.Context, client *pjrt.Client, key entryKey, program pjrt.Program, opts *pjrt.CompileOptions, keep bool,
) (*pjrt.LoadedExecutable, bool, error) {
	exe, err := client.Compile(context.WithValue(ctx, usedKey{}, used{key, false}), program, opts)
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
		// Without time to store it, the executable is still what the caller wants.
		_ = abandon.Do(ctx, func() error { c.store(ctx, key, data); return nil })
	case ctx.Err() != nil:
	case errors.Is(err, pjrt.ErrUnimplemented):
		c.count(func(s *Stats) { s.Unsupported++ })
	default:
		c.failed(fmt.Errorf("serialize %s: %w", exe.Name(), err))
	}
	return exe, false, nil
}
