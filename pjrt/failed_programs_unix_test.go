// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package pjrt_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// The names of the files follow from the program, so others may have put something there before.
func TestWhatIsPlantedWhereFailedProgramsAreSavedIsReplaced(t *testing.T) {
	client := newClient(t)
	dir := t.TempDir()
	t.Setenv("PJRT_SAVE_FAILED_PROGRAMS", dir)
	const wrong = "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %planted : tensor<f32> }"
	fail := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := client.Compile(ctx, pjrt.Program{Code: []byte(wrong)}, nil)
		require.ErrorContains(t, err, "undeclared SSA value", "the plugin's own error, soon")
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	}
	saved := func() []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.Len(t, files, 3)
		return files
	}
	fail()
	victim := filepath.Join(t.TempDir(), "victim")
	for name, plant := range map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink(victim, path) },
		"dangling link": func(path string) error { return os.Symlink(victim+"2", path) },
		"pipe":          func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"file of all":   func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 999)), 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
			for _, path := range saved() {
				require.NoError(t, os.Remove(path))
				require.NoError(t, plant(path))
			}
			fail()
			for _, path := range saved() {
				info, err := os.Lstat(path)
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o600), info.Mode(), path)
				assert.NotEqual(t, int64(999), info.Size())
			}
			kept, err := os.ReadFile(victim)
			require.NoError(t, err)
			assert.Equal(t, "precious", string(kept))
			assert.NoFileExists(t, victim+"2")
		})
	}
	t.Run("folder", func(t *testing.T) {
		for _, path := range saved() {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}
		fail()
		for _, path := range saved() {
			assert.DirExists(t, path)
		}
	})
}
