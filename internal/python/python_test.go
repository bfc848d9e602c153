// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python/planted"
)

// variables are settings that lead Python to the working directory.
var variables = map[string][]string{
	"none":             nil,
	"empty PYTHONPATH": {"PYTHONPATH="},
	"colon":            {"PYTHONPATH=:"},
	"dot":              {"PYTHONPATH=.:"},
	"home":             {"PYTHONHOME=."},
	"user base":        {"PYTHONUSERBASE=.", "HOME=."},
	"linker":           {"LD_LIBRARY_PATH=:", "LD_PRELOAD=./libpreload.so"},
	"virtual":          {"VIRTUAL_ENV=.venv", "PYENV_DIR=."},
}

func TestNothingOfTheWorkingDirectoryRuns(t *testing.T) {
	dir := planted.Folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libc.so.6"), []byte("not a library"), 0o755))
	t.Chdir(dir)
	t.Setenv("PATH", strings.Join([]string{".", "", "bin", os.Getenv("PATH")}, ":"))
	interpreter, err := Find(Default())
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(interpreter))
	require.NotContains(t, interpreter, dir)
	for name, more := range variables {
		t.Run(name, func(t *testing.T) {
			env := append(os.Environ(), more...)
			out, err := Module(t.Context(), interpreter, env, "pip", "--version").Output()
			require.NoError(t, err)
			assert.Regexp(t, `^pip \d+.* from /`, string(out))
			out, err = Command(t.Context(), interpreter, env, "import json; print(json.dumps(sys.argv))", "a b", "").Output()
			require.NoError(t, err)
			assert.Equal(t, `["-c", "a b", ""]`, strings.TrimSpace(string(out)))
			assert.Empty(t, planted.Taken(t, dir))
		})
	}
}

// What the other tests prove is worth as much as their bait.
func TestPlantedCodeRunsWhereNobodyPreventsIt(t *testing.T) {
	t.Parallel()
	interpreter, err := Find(Default())
	require.NoError(t, err)
	for _, c := range []struct{ env, args, want string }{
		{"A=", "-m pip", "pip.py"},
		{"A=", "-m json.tool", "json.py"},
		{"PYTHONPATH=:", "-c pass", "encodings/__init__.py"},
		{"PYTHONPATH=.", "-c pass", "sitecustomize.py"},
	} {
		dir := planted.Folder(t)
		if c.want == "sitecustomize.py" { // what is imported earlier breaks Python
			for _, name := range []string{"encodings", "os.py", "site.py"} {
				require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
			}
		}
		cmd := exec.CommandContext(t.Context(), interpreter, strings.Fields(c.args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), c.env)
		_ = cmd.Run() // what is planted may break it
		assert.Contains(t, planted.Taken(t, dir), c.want)
	}
}

// A shim, as version managers put it into PATH, runs the virtual environment that it finds above
// the working directory.
func TestAVirtualEnvironmentAboveTheWorkingDirectoryIsNotUsed(t *testing.T) {
	dir := planted.Folder(t)
	real, err := Find(Default())
	require.NoError(t, err)
	shims := t.TempDir()
	shim := `#!/bin/sh
for at in "$PWD" "$(pwd)" "$(dirname "$PWD")"; do
	if [ -x "$at/.venv/bin/python3" ]; then exec "$at/.venv/bin/python3" "$@"; fi
done
exec ` + real + ` "$@"
`
	writeProgram(t, filepath.Join(shims, "python3"), shim)
	t.Setenv("PATH", shims+":"+os.Getenv("PATH"))
	below := filepath.Join(dir, "below")
	require.NoError(t, os.Mkdir(below, 0o755))
	for _, where := range []string{dir, below} {
		t.Chdir(where)
		interpreter, err := Find("python3")
		require.NoError(t, err)
		require.Equal(t, filepath.Join(shims, "python3"), interpreter)
		out, err := Command(t.Context(), interpreter, nil, "print(sys.version_info[0])").Output()
		require.NoError(t, err)
		assert.Equal(t, "3\n", string(out))
		assert.Empty(t, planted.Taken(t, dir))
	}
}

func TestFindRefusesRelativeEntriesOfPath(t *testing.T) {
	dir := planted.Folder(t)
	t.Chdir(dir)
	for _, path := range []string{".", "bin", ":", "./bin:."} {
		for _, debug := range []string{"", "execerrdot=0"} {
			t.Setenv("GODEBUG", debug)
			t.Setenv("PATH", path)
			_, err := Find("python3")
			require.ErrorIs(t, err, exec.ErrDot, path)
		}
	}
	t.Setenv("PATH", ".:/nowhere")
	_, err := Find("no-such-python")
	require.ErrorIs(t, err, exec.ErrNotFound)

	// The user names this one.
	path, err := Find("./python3")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "python3"), path)
	_, err = Find("./python4")
	require.Error(t, err)
}

func TestChildrenGetNoRelativePaths(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"PATH=/a:/b", "A=.", "LD_PRELOAD=/x/y.so:libz.so"}, withoutRelativePaths([]string{
		"PATH=.:/a::b:/b:", "LD_LIBRARY_PATH=:", "A=.", "LD_PRELOAD=./x.so /x/y.so:libz.so", "LD_AUDIT=a/b.so",
	}))
}

func TestPackagesOfTheUserAreImported(t *testing.T) {
	t.Parallel()
	interpreter, err := Find(Default())
	require.NoError(t, err)
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "PYTHONUSERBASE=")
	out, err := Command(t.Context(), interpreter, env, "print(site.getusersitepackages())").Output()
	require.NoError(t, err)
	site := strings.TrimSpace(string(out))
	require.True(t, strings.HasPrefix(site, home), site)
	require.NoError(t, os.MkdirAll(site, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(site, "homemade.py"), []byte("print('made at home')"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(site, "json.py"), []byte("print('mine')"), 0o644))
	out, err = Module(t.Context(), interpreter, env, "homemade").Output()
	require.NoError(t, err)
	assert.Equal(t, "made at home\n", string(out))

	out, err = Command(t.Context(), interpreter, env, "import json, pip; print(*sys.path, sep='\\n')").Output()
	require.NoError(t, err, "the standard library comes first")
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	at := func(suffix string) int {
		for i, line := range lines {
			if strings.HasSuffix(line, suffix) {
				return i
			}
		}
		return -1
	}
	assert.Contains(t, lines, site)
	assert.Less(t, at("lib-dynload"), at(strings.TrimPrefix(site, home)))
	assert.Equal(t, site, lines[at("-packages")], "the user's packages come before those of the system")

	_, err = Module(t.Context(), interpreter, append(env, "PYTHONNOUSERSITE=1"), "homemade").Output()
	require.Error(t, err)

	alone := filepath.Join(t.TempDir(), "alone")
	made, err := Module(t.Context(), interpreter, env, "venv", "--without-pip", alone).CombinedOutput()
	require.NoError(t, err, string(made))
	_, err = Module(t.Context(), filepath.Join(alone, "bin", "python3"), env, "homemade").Output()
	require.Error(t, err, "a virtual environment has its own packages only")
}

// writeProgram writes a program while no process starts: one that does would hold the file open,
// and Linux does not run what is open for writing.
func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}
