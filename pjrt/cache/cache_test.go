// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// TestMain checks that the tests left no objects in the plugin.
func TestMain(m *testing.M) {
	code := m.Run()
	// The plugin releases some objects on its own threads.
	gone := collecting.Until(func() bool { return len(pjrt.Live()) == 0 })
	if live := pjrt.Live(); code == 0 && !gone {
		fmt.Fprintf(os.Stderr, "objects left in the plugin after all tests: %v\n", live)
		code = 1
	}
	os.Exit(code)
}

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t)
}

// open returns a cache in a directory, and the buffer that it logs to.
func open(t testing.TB, dir string, maxBytes int64) (*cache.Cache, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	c, err := cache.Open(dir, cache.Options{MaxBytes: maxBytes, Logger: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	return c, log
}

// scale returns a program that multiplies by a number.
func scale(by float32) pjrt.Program {
	return pjrt.Program{Code: fmt.Appendf(nil, `module @scale {
  func.func @main(%%a: tensor<2xf32>) -> tensor<2xf32> {
    %%0 = stablehlo.constant dense<%e> : tensor<2xf32>
    %%1 = stablehlo.multiply %%a, %%0 : tensor<2xf32>
    return %%1 : tensor<2xf32>
  }
}`, by)}
}

// run compiles scale(by) through the cache, executes it, and reports whether it was a hit.
func run(t testing.TB, c *cache.Cache, client *pjrt.Client, by float32, opts *pjrt.CompileOptions) bool {
	t.Helper()
	ctx := context.Background()
	exe, hit, err := c.Compile(ctx, client, scale(by), opts)
	require.NoError(t, err)
	defer exe.Close()
	x, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: dtype.F32, Dims: []int64{2}, Data: dtype.Bytes([]float32{1, 10})}, nil)
	require.NoError(t, err)
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	got, err := outs[0].ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, dtype.Bytes([]float32{by, 10 * by}), got.Data)
	return hit
}

// entries returns the files of executables in a directory.
func entries(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pjrtexe"))
	require.NoError(t, err)
	return files
}

func TestAProgramIsCompiledOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c, log := open(t, dir, 0)
	client := newClient(t)
	assert.False(t, run(t, c, client, 2, nil))
	assert.True(t, run(t, c, client, 2, nil))
	has, err := c.Has(client, scale(2), nil)
	require.NoError(t, err)
	assert.True(t, has)

	// A new client and a new Cache, as after a restart.
	client.Close()
	again, _ := open(t, dir, 0)
	assert.True(t, run(t, again, newClient(t), 2, nil))

	size := fileSize(t, entries(t, dir)[0])
	assert.Equal(t, cache.Stats{Hits: 1, Misses: 1, Stores: 1, Entries: 1, Bytes: size}, c.Stats())
	assert.Equal(t, cache.Stats{Hits: 1, Entries: 1, Bytes: size}, again.Stats())
	assert.Empty(t, log.String())
	assert.Equal(t, dir, c.Dir())
}

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

func TestEverythingThatAffectsTheExecutableIsPartOfTheKey(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	run(t, c, client, 2, nil)
	for name, miss := range map[string]func() bool{
		"program": func() bool { return !run(t, c, client, 3, nil) },
		"options": func() bool { return !run(t, c, client, 2, &pjrt.CompileOptions{Optimization: "O1"}) },
		"flag": func() bool {
			return !run(t, c, client, 2, &pjrt.CompileOptions{Flags: map[string]any{"xla_cpu_enable_fast_math": true}})
		},
		"XLA_DEBUG_OPTIONS": func() bool {
			t.Setenv("XLA_DEBUG_OPTIONS", "xla_cpu_enable_fast_min_max: true")
			return !run(t, c, client, 2, nil)
		},
		"XLA_FLAGS": func() bool {
			t.Setenv("XLA_DEBUG_OPTIONS", "")
			t.Setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=false")
			return !run(t, c, client, 2, nil)
		},
		"devices": func() bool {
			t.Setenv("XLA_DEBUG_OPTIONS", "")
			t.Setenv("XLA_FLAGS", "")
			two, err := client.Plugin().NewClient(context.Background(), &pjrt.ClientOptions{Create: []pjrt.Attribute{
				{Name: "cpu_device_count", Value: int64(2)},
			}})
			require.NoError(t, err)
			defer two.Close()
			return !run(t, c, two, 2, nil)
		},
	} {
		assert.True(t, miss(), name)
	}
	t.Setenv("XLA_DEBUG_OPTIONS", "")
	t.Setenv("XLA_FLAGS", "")
	assert.True(t, run(t, c, client, 2, nil), "the first entry is still there")
	assert.True(t, run(t, c, client, 2, &pjrt.CompileOptions{Replicas: 1, Partitions: 1}), "equivalent options have the same key")
}

func TestAFileOfFlagsIsPartOfTheKey(t *testing.T) {
	client := newClient(t)
	file := filepath.Join(t.TempDir(), "flags")
	t.Setenv("XLA_FLAGS", file)
	_, err := client.CompileKey(scale(1), nil)
	require.ErrorContains(t, err, "is the name of a file, which cannot be read")
	keys := make(map[[32]byte]bool)
	for _, content := range []string{"--xla_cpu_enable_fast_math", "", "--xla_cpu_enable_fast_math"} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		key, err := client.CompileKey(scale(1), nil)
		require.NoError(t, err)
		keys[key] = true
	}
	assert.Len(t, keys, 2)
}

func TestDamagedEntriesAreCompiledAgain(t *testing.T) {
	client := newClient(t)
	for name, damage := range map[string]func(path string, content []byte) error{
		"empty":             func(p string, b []byte) error { return os.WriteFile(p, nil, 0o600) },
		"header only":       func(p string, b []byte) error { return os.WriteFile(p, b[:48], 0o600) },
		"cut off":           func(p string, b []byte) error { return os.WriteFile(p, b[:len(b)/2], 0o600) },
		"last byte missing": func(p string, b []byte) error { return os.WriteFile(p, b[:len(b)-1], 0o600) },
		"one byte more":     func(p string, b []byte) error { return os.WriteFile(p, append(b, 0), 0o600) },
		"flip in magic":     flip(3),
		"flip in key":       flip(10),
		"flip in length":    flip(41),
		"huge length":       flip(47),
		"flip in code":      flip(1000),
		"flip in checksum":  flip(-1),
		"foreign":           func(p string, b []byte) error { return os.WriteFile(p, []byte(strings.Repeat("foreign ", 100)), 0o600) },
		"directory":         func(p string, b []byte) error { return errorsOf(os.Remove(p), os.Mkdir(p, 0o700)) },
		"writable by others": func(p string, b []byte) error {
			if runtime.GOOS == "windows" {
				return flip(100)(p, b)
			}
			return os.Chmod(p, 0o666)
		},
		"link": func(p string, b []byte) error {
			return errorsOf(os.Rename(p, p+".moved"), os.Symlink(p+".moved", p))
		},
		"another program's": func(p string, b []byte) error {
			other, _ := open(t, t.TempDir(), 0)
			run(t, other, client, 9, nil)
			b, err := os.ReadFile(entries(t, other.Dir())[0])
			return errorsOf(err, os.WriteFile(p, b, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, log := open(t, t.TempDir(), 0)
			run(t, c, client, 2, nil)
			path := entries(t, c.Dir())[0]
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, damage(path, content))
			has, err := c.Has(client, scale(2), nil)
			require.NoError(t, err)
			assert.False(t, has)
			assert.False(t, run(t, c, client, 2, nil), "compiled, not loaded")
			assert.Contains(t, log.String(), "is not used")
			assert.True(t, run(t, c, client, 2, nil), "an intact entry was stored again")
			s := c.Stats()
			assert.Equal(t, [4]int{1, 2, 2, 1}, [4]int{s.Hits, s.Misses, s.Stores, s.Damaged})
			require.NoError(t, s.Err)
		})
	}
}

func flip(at int) func(string, []byte) error {
	return func(path string, content []byte) error {
		if at < 0 {
			at += len(content)
		}
		content[at] ^= 0x40
		return os.WriteFile(path, content, 0o600)
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// An entry can be intact and still fail to load, if the plugin changed in a way that the key does
// not show.
func TestAnEntryThatThePluginRejectsIsCompiledAgain(t *testing.T) {
	c, log := open(t, t.TempDir(), 0)
	client := newClient(t)
	key, err := client.CompileKey(scale(2), nil)
	require.NoError(t, err)
	entry := compile.Executable{Code: []byte("intact, but not an executable")}
	cache.Store(c, key, entry.Encode())
	has, err := c.Has(client, scale(2), nil)
	require.NoError(t, err)
	assert.True(t, has)
	assert.False(t, run(t, c, client, 2, nil))
	assert.Contains(t, log.String(), "does not belong here")
	assert.Equal(t, 1, c.Stats().Damaged)
	assert.True(t, run(t, c, client, 2, nil))
}

func TestTheOldestEntriesGoFirst(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, dir, 0)
	client := newClient(t)
	// Factors of 1 and 2 would make smaller executables.
	for _, by := range []float32{3, 4, 5, 6} {
		run(t, c, client, by, nil)
	}
	size := fileSize(t, entries(t, dir)[0])
	// Program 3 was used again, so the oldest are 4 and 6.
	ages := map[float32]time.Duration{3: 4, 4: 3, 5: 1, 6: 2}
	for by, age := range ages {
		key, err := client.CompileKey(scale(by), nil)
		require.NoError(t, err)
		when := time.Now().Add(-time.Hour * (age + 1))
		require.NoError(t, os.Chtimes(filepath.Join(dir, fmt.Sprintf("%x", key)+".pjrtexe"), when, when))
	}
	assert.True(t, run(t, c, client, 3, nil))

	limited, _ := open(t, dir, 3*size+size/2)
	assert.False(t, run(t, limited, client, 7, nil))
	for by, want := range map[float32]bool{3: true, 4: false, 5: true, 6: false, 7: true} {
		has, err := c.Has(client, scale(by), nil)
		require.NoError(t, err)
		assert.Equal(t, want, has, "program %v", by)
	}
	s := limited.Stats()
	assert.Equal(t, [2]int{2, 3}, [2]int{s.Evictions, s.Entries})
	assert.LessOrEqual(t, s.Bytes, 3*size+size/2)

	tiny, _ := open(t, dir, 100)
	assert.False(t, run(t, tiny, client, 8, nil), "an executable larger than the cache is not stored")
	assert.Equal(t, 3, tiny.Stats().Entries)

	removed, err := c.Prune(size + size/2)
	require.NoError(t, err)
	assert.Equal(t, 2, removed)
	removed, err = c.Prune(0)
	require.NoError(t, err)
	assert.Equal(t, 1, removed)
	assert.Empty(t, entries(t, dir))
	_, err = c.Prune(-1)
	require.ErrorContains(t, err, "cannot be negative")
}

// planted makes files as an earlier version, a killed process or somebody else may have left them,
// and returns the names of those that are not the cache's.
func planted(t testing.TB, dir string) (others []string) {
	t.Helper()
	const entry, half = zeros + ".pjrtexe", "PJRTEXE\x01half"
	old := time.Now().Add(-2 * time.Hour)
	for _, f := range []struct {
		name, content string
		age           time.Time
		others        bool
	}{
		{entry + ".12.tmp", "", old, false},
		{entry + ".13.tmp", half, old, false},
		{entry + ".14.tmp", half, time.Now(), true}, // being written
		{entry + ".lock", "process 12", old, false},
		{"tmp-123", half, old, false},
		{"tmp-124", half, time.Now(), true},
		{"tmp-125", "x", old, true},
		{"tmp-126", "", old, true},
		{"tmp-", half, old, true},
		{"tmp-old", half, old, true},
		{"tmp-important.db", "data", old, true},
		{"tmp-127.db", half, old, true},
		{entry + ".tmp", half, old, true},
		{entry + "..tmp", half, old, true},
		{entry + ".x.tmp", half, old, true},
		{"x.pjrtexe.12.tmp", half, old, true},
		{"x.pjrtexe", half, old, true},
		{"x.lock", "", old, true},
		{"notes.txt", "x", old, true},
	} {
		path := filepath.Join(dir, f.name)
		require.NoError(t, os.WriteFile(path, []byte(f.content), 0o600))
		require.NoError(t, os.Chtimes(path, f.age, f.age))
		if f.others {
			others = append(others, f.name)
		}
	}
	for _, name := range []string{"tmp-200", entry + ".200.tmp"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
		others = append(others, name)
	}
	if runtime.GOOS != "windows" { // where not everyone may make links
		for _, name := range []string{"tmp-300", entry + ".300.tmp"} {
			require.NoError(t, os.Symlink(filepath.Join(dir, "tmp-123"), filepath.Join(dir, name)))
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others
}

// names returns the names in a directory.
func names(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, n := range list {
		names = append(names, n.Name())
	}
	return names
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	for name, clean := range map[string]func(c *cache.Cache){
		"stored": func(c *cache.Cache) { cache.Store(c, [32]byte{1}, []byte("x")) },
		"pruned": func(*cache.Cache) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			others := planted(t, dir)
			c, _ := open(t, dir, 0)
			clean(c)
			_, err := c.Prune(0)
			require.NoError(t, err)
			assert.ElementsMatch(t, append(others, "lock"), names(t, dir))
			assert.Zero(t, c.Stats().Entries)
			require.NoError(t, c.Stats().Err)
		})
	}
}

func TestTheFirstStoreRemovesWhatKilledProcessesLeft(t *testing.T) {
	dir := t.TempDir()
	others := planted(t, dir)
	held := zeros[1:] + "1.pjrtexe.lock" // of a compilation that takes long
	hold(t, filepath.Join(dir, held))
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, held), old, old))
	c, _ := open(t, dir, 0)
	cache.Store(c, [32]byte{1}, []byte("x"))
	assert.Equal(t, 1, c.Stats().Stores)
	assert.ElementsMatch(t, append(others, held, "lock", "01"+zeros[2:]+".pjrtexe"), names(t, dir))
}

// Commands that only look use these. A folder that they are pointed at by mistake stays as it is.
func TestReadingChangesNothing(t *testing.T) {
	client := newClient(t)
	dir := t.TempDir()
	planted(t, dir)
	before := names(t, dir)
	c, _ := open(t, dir, 0)
	look := func() {
		c.Stats()
		list, err := c.Entries()
		require.NoError(t, err)
		assert.Empty(t, list)
		list, err = c.Verify(t.Context())
		require.NoError(t, err)
		assert.Empty(t, list)
		has, err := c.Has(client, scale(2), nil)
		require.NoError(t, err)
		assert.False(t, has)
		_, err = c.Lookup([32]byte{})
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	look()
	assert.Equal(t, before, names(t, dir))
	require.NoError(t, os.RemoveAll(dir))
	look()
	removed, err := c.Prune(0)
	require.NoError(t, err)
	assert.Zero(t, removed)
	require.NoError(t, c.Remove(cache.Entry{Path: filepath.Join(dir, zeros+".pjrtexe")}))
	assert.NoDirExists(t, dir)
}

func TestAFolderInThePlaceOfAnEntryStays(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	run(t, c, client, 2, nil)
	path := entries(t, c.Dir())[0]
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	kept := filepath.Join(path, "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	assert.False(t, run(t, c, client, 2, nil))
	assert.FileExists(t, kept)
	require.ErrorContains(t, c.Stats().Err, path)
}

func TestADirectoryThatCannotBeUsedDoesNotPreventCompiling(t *testing.T) {
	client := newClient(t)
	base := t.TempDir()
	file := filepath.Join(base, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cases := map[string]string{"a file": file, "below a file": filepath.Join(file, "sub")}
	if runtime.GOOS != "windows" {
		open := filepath.Join(base, "open")
		require.NoError(t, os.Mkdir(open, 0o700))
		require.NoError(t, os.Chmod(open, 0o777))
		cases["writable by others"] = open
	}
	for name, dir := range cases {
		t.Run(name, func(t *testing.T) {
			c, log := open(t, dir, 0)
			for range 3 {
				assert.False(t, run(t, c, client, 2, nil))
			}
			s := c.Stats()
			assert.Equal(t, [3]int{3, 0, 0}, [3]int{s.Misses, s.Stores, s.Entries})
			require.Error(t, s.Err)
			assert.Greater(t, s.Failures, 1)
			assert.Equal(t, 1, strings.Count(log.String(), "does not work"), "logged once")
			_, err := c.Has(client, scale(2), nil)
			require.Error(t, err)
			_, err = c.Prune(0)
			require.Error(t, err)
		})
	}
}

func TestADirectoryThatVanishesIsCreatedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	c, _ := open(t, dir, 0)
	client := newClient(t)
	run(t, c, client, 2, nil)
	require.NoError(t, os.RemoveAll(dir))
	assert.False(t, run(t, c, client, 2, nil))
	assert.True(t, run(t, c, client, 2, nil))
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // access control lists are inherited there
	}
	dir := filepath.Join(t.TempDir(), "x")
	c, _ := open(t, dir, 0)
	run(t, c, newClient(t), 2, nil)
	for _, path := range append(entries(t, dir), filepath.Join(dir, "lock"), dir) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, path)
	}
}

func TestManyGoroutinesCompileAProgramOnce(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	const n = 16
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { run(t, c, client, float32(i%2+1), nil) })
	}
	wg.Wait()
	s := c.Stats()
	assert.Equal(t, [3]int{n - 2, 2, 2}, [3]int{s.Hits, s.Misses, s.Stores})
}

func TestGoroutinesHammerASmallCache(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, dir, 0)
	client := newClient(t)
	run(t, c, client, 1, nil)
	size := fileSize(t, entries(t, dir)[0])
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			mine, _ := open(t, dir, 2*size+size/2)
			for i := range 12 {
				run(t, mine, client, float32((g+i)%5+1), nil)
				if i%5 == g {
					if _, err := mine.Prune(size); err != nil {
						t.Error(err)
					}
				}
			}
			if s := mine.Stats(); s.Err != nil || s.Damaged > 0 {
				t.Errorf("%+v", s)
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, c.Stats().Bytes, 3*size)
}

func TestErrorsOfTheCompilationAreReturned(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	ctx := context.Background()
	_, _, err := c.Compile(ctx, client, pjrt.Program{Code: []byte("module @x {")}, nil)
	require.ErrorContains(t, err, "PJRT_Client_Compile: ")
	_, _, err = c.Compile(ctx, client, pjrt.Program{}, nil)
	require.ErrorContains(t, err, "the program is empty")
	_, _, err = c.Compile(ctx, client, scale(1), &pjrt.CompileOptions{Replicas: -1})
	require.ErrorContains(t, err, "neither can be negative")
	_, _, err = c.Compile(ctx, nil, scale(1), nil)
	require.ErrorContains(t, err, "the client is nil")
	_, err = c.Has(nil, scale(1), nil)
	require.ErrorContains(t, err, "the client is nil")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = c.Compile(ended, client, scale(1), nil)
	require.ErrorIs(t, err, context.Canceled)
	run(t, c, client, 1, nil)
	_, _, err = c.Compile(ended, client, scale(1), nil)
	require.ErrorIs(t, err, context.Canceled)
	client.Close()
	_, _, err = c.Compile(ctx, client, scale(1), nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	s := c.Stats()
	assert.Equal(t, [3]int{1, 0, 1}, [3]int{s.Misses, s.Damaged, s.Entries}, "none of these errors removes the entry")
	_, err = cache.Open(t.TempDir(), cache.Options{MaxBytes: -1})
	require.ErrorContains(t, err, "cannot be negative")
}

func TestTheDefaultDirectory(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("HOME", base)
	t.Setenv("LocalAppData", base)
	dir, err := cache.DefaultDir()
	require.NoError(t, err)
	c, err := cache.Open("", cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, dir, c.Dir())
	assert.True(t, strings.HasPrefix(dir, base) && strings.HasSuffix(dir, filepath.Join("purepjrt", "executables")), dir)
}

// Services of the system have no HOME, unless something sets it.
func TestWithoutADirectoryProgramsAreCompiled(t *testing.T) {
	client := newClient(t)
	for name, set := range map[string]func(t *testing.T) (dir string){
		"no HOME": func(*testing.T) string { return "" },
		"a relative HOME": func(t *testing.T) string {
			t.Setenv("HOME", "here")
			t.Setenv("LocalAppData", "here")
			return ""
		},
		"a relative XDG_CACHE_HOME": func(t *testing.T) string {
			t.Setenv("XDG_CACHE_HOME", "here")
			return ""
		},
		"no working directory": func(t *testing.T) string {
			if runtime.GOOS == "windows" {
				return "" // which keeps it
			}
			gone := filepath.Join(t.TempDir(), "gone")
			require.NoError(t, os.Mkdir(gone, 0o700))
			t.Chdir(gone)
			require.NoError(t, os.Remove(gone))
			return "here"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, variable := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", cache.DirVariable} {
				t.Setenv(variable, "")
			}
			dir := set(t)
			c, log := open(t, dir, 0)
			assert.Empty(t, c.Dir())
			for range 2 {
				assert.False(t, run(t, c, client, 2, nil))
			}
			s := c.Stats()
			require.Error(t, s.Err)
			assert.Equal(t, [3]int{2, 0, 0}, [3]int{s.Misses, s.Stores, s.Entries})
			assert.Equal(t, 1, strings.Count(log.String(), "does not work"), log.String())
			_, err := c.Entries()
			require.Error(t, err)
			_, err = c.Has(client, scale(2), nil)
			require.Error(t, err)
			_, err = c.Prune(0)
			require.Error(t, err)
			assert.NoDirExists(t, "here")
		})
	}
}

// watcher notes what the cache says of the operations of one program.
type watcher struct {
	mu   sync.Mutex
	said []string
}

func (w *watcher) Start(ctx context.Context, op pjrt.Operation) context.Context {
	if key, hit, ok := cache.FromContext(ctx); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, fmt.Sprintf("%s %v %x", op.Kind, hit, key))
	}
	return ctx
}

func (*watcher) End(context.Context, pjrt.Operation) {}

func TestObserversLearnTheKeyAndTheHit(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := newClient(t)
	key, err := client.CompileKey(scale(2), nil)
	require.NoError(t, err)
	var w watcher
	defer pjrt.Observe(&w)()
	assert.False(t, run(t, c, client, 2, nil))
	assert.True(t, run(t, c, client, 2, nil))
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	exe, hit, err := c.Compile(ending, client, scale(2), nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.True(t, hit)
	assert.Equal(t, []string{fmt.Sprintf("compile false %x", key), fmt.Sprintf("load true %x", key), fmt.Sprintf("load true %x", key)}, w.said)
	_, _, ok := cache.FromContext(context.Background())
	assert.False(t, ok)
}
