// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package attack

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python/planted"
)

// place makes a folder with a pipe that nothing writes to, and a home of its own in it.
func place(t *testing.T, name string) (dir string, env []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, pipe := range []string{"pipe", "pipe.so", "pipe.json", "pipe.npy", "pipe.jsonl", "pipe.bin", "pipe.mlir"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, pipe), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "add.mlir"), []byte("func.func @main() { return }"), 0o600))
	return dir, []string{"HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "PIP_CONFIG_FILE=" + os.DevNull}
}

// A pipe without a writer would keep a command that opens it for ever.
func TestPipesInPlacesOfFilesAreErrors(t *testing.T) {
	t.Parallel()
	dir, env := place(t, "pipes")
	for _, args := range []string{
		"info ./pipe.so", "info ./pipe.json", "list ./pipe.so", "doctor ./pipe.so", "run --plugin ./pipe.so add.mlir", "compile --plugin ./pipe.json add.mlir",
		"replay pipe.jsonl", "replay pipe", "run pipe", "run pipe.mlir", "run add.mlir pipe.npy", "compile pipe.mlir", "compile --option topology=@pipe add.mlir",
		"cache list --dir pipe", "cache verify --dir pipe", "trace --shim ./pipe.so true",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			v := attacked(t, dir, env, strings.Fields(args)...)
			if strings.HasPrefix(args, "list ") {
				assert.NotContains(t, v.stdout, " usable")
				return
			}
			assert.NotZero(t, v.status, v.stdout)
		})
	}
	t.Run("XLA_FLAGS", func(t *testing.T) {
		t.Parallel()
		v := attacked(t, dir, append(env, "XLA_FLAGS=pipe"), "doctor")
		assert.Contains(t, v.stdout+v.stderr, ", not a regular file")
	})
}

// Names with the signs of patterns, spaces, and line feeds are names like others.
func TestFoldersWithStrangeNamesAreUsed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a [1] *?", "line\nfeed", "-rf", "\x1b]0;owned\x07", strings.Repeat("long", 60), "%s%n", "$(touch owned)", "`touch owned`;touch owned"} {
		t.Run(strings.ToValidUTF8(name[:min(len(name), 12)], ""), func(t *testing.T) {
			t.Parallel()
			dir, env := place(t, name)
			for _, args := range []string{"list", "cache", "cache list", "cache verify", "cache prune --max-size 1", "doctor", "uninstall cpu"} {
				v := attacked(t, dir, env, strings.Fields(args)...)
				assert.False(t, strings.ContainsAny(v.stdout+v.stderr, "\x1b\x07"), "%s: %q", args, v.stdout+v.stderr)
			}
			v := attacked(t, dir, append(env, "PIP_FIND_LINKS="+dir), "install", "cpu")
			assert.NotContains(t, v.stderr, "downloaded 0 wheels")
			_, err := os.Stat(filepath.Join(dir, "owned"))
			assert.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// What lies in the folder in which a command runs is neither run nor loaded, whatever variables
// point there.
func TestNothingOfTheFolderIsRun(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"list", "doctor", "install cpu", "info nothing", "trace git status", "version"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			dir := planted.Folder(t)
			env := []string{
				"PATH=.::bin:" + os.Getenv("PATH"), "PYTHONPATH=.:", "PYTHONHOME=.", "PYTHONSTARTUP=sitecustomize.py", "VIRTUAL_ENV=.venv",
				"LD_LIBRARY_PATH=.:", "CUDA_HOME=.", "XDG_CACHE_HOME=" + t.TempDir(), "PIP_CONFIG_FILE=" + os.DevNull,
			}
			attacked(t, dir, env, strings.Fields(args)...)
			require.Empty(t, planted.Taken(t, dir))
		})
	}
}
