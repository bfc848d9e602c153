// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asNobody runs do on a thread with another user's access to files, so that permissions apply to
// root too. The thread ends with do.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		do()
		done <- nil
	}()
	require.NoError(t, <-done)
}

func TestInstallIntoAReadOnlyCache(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode fs.FileMode
		want string
	}{
		"not writable": {0o555, "cannot install toy: the plugin directory cannot be used (XDG_CACHE_HOME or HOME moves it): "},
		"not readable": {0o000, "; set XDG_CACHE_HOME or HOME to a directory of this user, or let the owner of "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			require.NoError(t, os.MkdirAll(b.dir, 0o755))
			for dir := filepath.Dir(b.dir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
				require.NoError(t, os.Chmod(dir, 0o755))
			}
			require.NoError(t, os.Chmod(b.dir, c.mode))
			var err error
			asNobody(t, func() { _, err = b.install(t.Context()) })
			require.ErrorIs(t, err, fs.ErrPermission)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, b.dir)
			assertOneLine(t, err)
			assert.Empty(t, b.runs(), "nothing is downloaded if it cannot be stored")
			require.NoError(t, os.Chmod(b.dir, 0o755))
			b.requireNothingLeft()
		})
	}
}

func TestInstalledPluginInAReadOnlyCacheIsFound(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	for dir := b.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	require.NoError(t, os.Chmod(b.dir, 0o555))
	defer os.Chmod(b.dir, 0o755)
	var again string
	asNobody(t, func() { again, err = b.install(t.Context()) })
	require.NoError(t, err)
	assert.Equal(t, library, again)
}

// onNoexec is a variable with the path of a library on a file system without execution.
const onNoexec = "PLUGINS_TEST_NOEXEC"

func TestAPluginOnANoexecFileSystem(t *testing.T) {
	if path := os.Getenv(onNoexec); path != "" {
		f := testFinder(t, nil)
		for _, origin := range []Origin{OriginPath, OriginCache} {
			c := Candidate{Name: "toy", Path: path, Origin: origin}
			f.inspect(&c)
			fmt.Println(origin, c.Problem, c.Remedy())
		}
		return
	}
	dir := t.TempDir()
	library := put(t, aPlugin.bytes(), dir, "toy.so")
	mounted := filepath.Join(dir, "noexec")
	require.NoError(t, os.Mkdir(mounted, 0o755))
	c := exec.CommandContext(t.Context(), "sh", "-c",
		`mount -t tmpfs -o noexec tmpfs "$1" && cp "$2" "$1" && echo mounted && exec "$0" -test.run='^TestAPluginOnANoexecFileSystem$'`,
		executable(t), mounted, library)
	c.Env = append(os.Environ(), onNoexec+"="+filepath.Join(mounted, "toy.so"))
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := c.CombinedOutput()
	if !strings.Contains(string(out), "mounted") {
		t.Skipf("this user cannot mount: %v: %s", err, out)
	}
	require.NoError(t, err, string(out))
	why := mounted + "/toy.so: the file system of " + mounted + " is mounted noexec, so that no code in it runs: "
	assert.Contains(t, string(out), "path "+why+"mount it with exec, or move the library")
	assert.Contains(t, string(out), "cache "+why+"mount it with exec, or set XDG_CACHE_HOME or HOME")
}
