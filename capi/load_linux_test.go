// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// unmappable is a variable with the path of a library that the system refuses to map.
const unmappable = "CAPI_TEST_UNMAPPABLE"

func TestOpenSaysWhyALibraryCannotBeMapped(t *testing.T) {
	if path := os.Getenv(unmappable); path != "" {
		_, err := capi.Open(path)
		require.ErrorContains(t, err, "failed to map segment")
		os.Stdout.WriteString(err.Error())
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	if err := exec.CommandContext(t.Context(), self, "-test.run=^$").Run(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated program cannot start itself")
	}
	path, library := loadedLibrary(t)
	dir := t.TempDir()
	mounted, large := filepath.Join(dir, "noexec"), filepath.Join(dir, "large.so")
	require.NoError(t, os.Mkdir(mounted, 0o755))
	require.NoError(t, os.WriteFile(large, enlarged(t, library), 0o755))
	for name, c := range map[string]struct{ library, before, want string }{
		"noexec": {filepath.Join(mounted, "x.so"), "mount -t tmpfs -o noexec tmpfs " + mounted + " && cp " + path + " " + mounted + "/x.so",
			"the file system of " + mounted + " is mounted noexec"},
		"address space": {large, "ulimit -v 67108864", "the limit on address space (ulimit -v) is too low"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := `echo as told; exec "$0" "$@"`
			c2 := exec.CommandContext(t.Context(), "sh", "-c", c.before+" && "+script, self, "-test.run=^TestOpenSaysWhyALibraryCannotBeMapped$")
			c2.Env = append(os.Environ(), unmappable+"="+c.library)
			if name == "noexec" {
				c2.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			}
			out, err := c2.CombinedOutput()
			if !strings.Contains(string(out), "as told") {
				t.Skipf("this user may not do that: %v: %s", err, out)
			}
			require.NoError(t, err, string(out))
			assert.Contains(t, string(out), c.want)
		})
	}
}

// enlarged returns a library that needs 128 GiB of address space.
func enlarged(t *testing.T, library []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(library))
	require.NoError(t, err)
	last := -1
	for i, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			last = i
		}
	}
	const headers, header, size = 64, 56, 40 // of 64-bit ELF: where they begin, how long one is, and where in it p_memsz is
	library = bytes.Clone(library)
	binary.LittleEndian.PutUint64(library[headers+last*header+size:], 128<<30)
	return library
}
