// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// loadedLibrary returns the path and contents of the C math library that this process has mapped
// or, if that is part of libc, of the C library.
func loadedLibrary(t *testing.T) (string, []byte) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) == 6 && strings.Contains(filepath.Base(f[5]), "libc.so") {
			path := f[5]
			if m := filepath.Join(filepath.Dir(path), "libm.so.6"); fileExists(m) {
				path = m
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			return path, data
		}
	}
	t.Fatalf("no C library among the mappings:\n%s", maps)
	return "", nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestEachFileThatIsNotAPluginHasItsOwnError(t *testing.T) {
	dir := t.TempDir()
	libPath, lib := loadedLibrary(t)
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o755))
		return path
	}
	otherMachine := bytes.Clone(lib)
	binary.LittleEndian.PutUint16(otherMachine[18:], uint16(elf.EM_S390))
	program := bytes.Clone(lib)
	binary.LittleEndian.PutUint16(program[16:], uint16(elf.ET_EXEC))
	needy := bytes.Clone(lib)
	at := bytes.Index(needy, []byte("\x00libc.so.6\x00"))
	require.Positive(t, at)
	copy(needy[at+1:], "libq.so.9")

	cases := map[string]struct {
		path string
		want error
		text string
	}{
		"no file":            {filepath.Join(dir, "absent.so"), fs.ErrNotExist, "plugin " + filepath.Join(dir, "absent.so") + ": no such file or directory"},
		"empty path":         {"", fs.ErrInvalid, "the path is empty"},
		"directory":          {dir, capi.ErrNotLibrary, "not a regular file (d"},
		"text":               {put("text.so", []byte("this is no library\n")), capi.ErrNotLibrary, "bad magic number"},
		"empty":              {put("empty.so", nil), capi.ErrNotLibrary, "EOF"},
		"truncated":          {put("half.so", lib[:len(lib)/2]), capi.ErrNotLibrary, ""},
		"header only":        {put("header.so", lib[:64]), capi.ErrNotLibrary, ""},
		"other machine":      {put("machine.so", otherMachine), capi.ErrNotLibrary, "it is for EM_S390"},
		"program":            {put("program.so", program), capi.ErrNotLibrary, "an ELF file of type ET_EXEC"},
		"missing dependency": {put("needy.so", needy), capi.ErrMissingDependency, "libq.so.9: install it"},
		"no entry point":     {libPath, capi.ErrNoEntryPoint, "it does not export GetPjrtApi"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			table, err := capi.Open(c.path)
			require.Nil(t, table)
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			assert.NotContains(t, err.Error(), "\n")
			var oe *capi.OpenError
			require.ErrorAs(t, err, &oe)
			assert.Equal(t, c.path, oe.Path)
		})
	}
	var missing *capi.MissingDependencyError
	_, err := capi.Open(cases["missing dependency"].path)
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, "libq.so.9", missing.Library)
}

// Every prefix of a library must give an error, not a crash.
func TestNoTruncationOfALibraryCrashes(t *testing.T) {
	_, lib := loadedLibrary(t)
	path := filepath.Join(t.TempDir(), "cut.so")
	for n := 0; n < len(lib); n += 1 + len(lib)/40 {
		require.NoError(t, os.WriteFile(path, lib[:n], 0o755))
		_, err := capi.Open(path)
		require.ErrorIs(t, err, capi.ErrNotLibrary, "%d of %d bytes", n, len(lib))
	}
}

// The dynamic linker keeps errors by thread, so a goroutine that changes threads before reading the
// error would find none.
func TestTheMissingLibraryIsNamedOnABusyMachine(t *testing.T) {
	_, lib := loadedLibrary(t)
	needy := bytes.Clone(lib)
	copy(needy[bytes.Index(needy, []byte("\x00libc.so.6\x00"))+1:], "libq.so.9")
	path := filepath.Join(t.TempDir(), "needy.so")
	require.NoError(t, os.WriteFile(path, needy, 0o755))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	for range 200 {
		_, err := capi.Open(path)
		require.ErrorIs(t, err, capi.ErrMissingDependency)
	}
	close(stop)
	wg.Wait()
}
