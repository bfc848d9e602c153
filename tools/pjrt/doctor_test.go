// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
)

// within runs the command with only the given environment variables.
func within(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, args...)
	c.Env = env
	return finish(t, t.TempDir(), c)
}

// home returns variables for a user whose cache has the CPU plugin.
func home(t *testing.T) (dir string, env []string) {
	t.Helper()
	return tested.Home(t)
}

func diagnosis(t *testing.T, o outcome) map[string]finding {
	t.Helper()
	var list []finding
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &list), o.stderr)
	found := make(map[string]finding)
	for _, f := range list {
		found[f.Subject] = f
	}
	return found
}

func TestDoctorFindsWhatIsWrongAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir, env := home(t)
	o := within(t, env, "doctor", "--json")
	require.Zero(t, o.status, o.stdout)
	found := diagnosis(t, o)
	assert.Equal(t, fine, found["plugin cpu"].State, "%v", found["plugin cpu"])
	assert.Contains(t, found["plugin cpu"].Finding, fmt.Sprintf("usable: API %s, makes a client, ", installedAge(t)))
	assert.Equal(t, "cpu is used when no plugin is named", found["default"].Finding)
	assert.Equal(t, fine, found["plugins"].State)
	assert.Regexp(t, `^\d+ known faults in valid programs, of which package pjrt refuses \d+; pjrt doctor cpu lists them$`, found["faults of cpu"].Finding)
	assert.Contains(t, within(t, env, "doctor", "cpu").stdout, "A sort that is not stable ends the process")

	left := filepath.Join(dir, "purepjrt", "plugins", ".cpu-0.0.1.part-1")
	require.NoError(t, os.Mkdir(left, 0o755))
	env = append(env, "PJRT_NAMES_AND_LIBRARY_PATHS=mine:/no/such.so", "XLA_FLAGS=--xla_no_such_flag=1", "PATH=/nowhere", "PIP_NO_INDEX=1")
	o = within(t, env, "doctor", "--json")
	assert.Equal(t, 1, o.status)
	found = diagnosis(t, o)
	for subject, want := range map[string]finding{
		"plugin mine": {State: wrong, Finding: "no such file", Remedy: "PJRT_NAMES_AND_LIBRARY_PATHS"},
		"plugin cpu":  {State: warning, Finding: "xla_no_such_flag"},
		"XLA_FLAGS":   {State: warning, Finding: "xla_no_such_flag", Remedy: "remove it"},
		"python":      {State: warning, Finding: "not found", Remedy: "install Python 3 with pip"},
		"leftover":    {State: warning, Finding: left, Remedy: "the next pjrt install"},
		"variables":   {State: fine, Finding: "PIP_NO_INDEX, PJRT_NAMES_AND_LIBRARY_PATHS, XLA_FLAGS"},
	} {
		got := found[subject]
		assert.Equal(t, want.State, got.State, subject)
		assert.Contains(t, got.Finding, want.Finding)
		assert.Contains(t, got.Remedy, want.Remedy)
	}

	o = within(t, env, "doctor")
	assert.Regexp(t, `(?m)^ERROR plugin mine +.*no such file.*\n +-> repair or remove it; it comes from PJRT_NAMES_AND_LIBRARY_PATHS`, o.stdout)
	assert.NotContains(t, o.stdout, "\x1b", "no colours without a terminal")
	help := launch(t, t.TempDir(), "doctor", "--help")
	for _, key := range []string{"subject", "state", "finding", "remedy"} {
		assert.Regexp(t, `(?m)^  `+key+` `, help.stdout)
	}
}

func TestDoctorFindsDamagedPlugins(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(library)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		size int64
		want string
	}{
		"size": {info.Size() + 1, fmt.Sprintf("has %d bytes, and not %d", info.Size(), info.Size()+1)},
		"hash": {info.Size(), ", and not sha256=AAAA"},
	} {
		dir := t.TempDir()
		installed := filepath.Join(dir, "purepjrt", "plugins", filepath.Base(filepath.Dir(library)))
		require.NoError(t, os.MkdirAll(installed, 0o755))
		base := filepath.Base(library)
		write(t, installed, "RECORD", fmt.Sprintf("%s,sha256=AAAA,%d\n", base, c.size))
		if err := os.Link(library, filepath.Join(installed, base)); err != nil {
			content, err := os.ReadFile(library)
			require.NoError(t, err)
			write(t, installed, base, string(content))
		}
		env := []string{"XDG_CACHE_HOME=" + dir, "HOME=" + dir, "PATH=/nowhere"}
		o := within(t, env, "doctor", "--json", "--try=none", "cpu")
		assert.Equal(t, 1, o.status, name)
		got := diagnosis(t, o)["plugin cpu"]
		assert.Equal(t, wrong, got.State)
		assert.Regexp(t, "^the installed library is damaged: ", got.Finding)
		assert.Contains(t, got.Finding, c.want)
		assert.Equal(t, "pjrt install --force cpu", got.Remedy)
	}
}

func TestCacheCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, command := range []string{"list", "size", "verify", "prune"} {
		o := launch(t, dir, "cache", command, "--dir", "compiled")
		o.requireSuccess(t)
		assert.Equal(t, "compiled: 0 programs, 0 B: there is no such directory\n", o.stdout)
		assert.NoDirExists(t, filepath.Join(dir, "compiled"))
	}
	mine := filepath.Join(dir, "mine", "tmp-important.db")
	require.NoError(t, os.Mkdir(filepath.Dir(mine), 0o700))
	require.NoError(t, os.WriteFile(mine, []byte("data"), 0o600))
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(mine, old, old))
	for _, command := range []string{"list", "size", "verify"} {
		launch(t, dir, "cache", command, "--dir", "mine").requireSuccess(t)
		list, err := os.ReadDir(filepath.Dir(mine))
		require.NoError(t, err)
		assert.Len(t, list, 1, "a command that looks changes nothing")
	}
	launch(t, dir, "cache", "prune", "--dir", "mine").requireSuccess(t)
	assert.FileExists(t, mine)

	plugin, err := pjrt.Open(library)
	require.NoError(t, err)
	client, err := plugin.NewClient(t.Context(), nil)
	require.NoError(t, err)
	defer client.Close()
	c, err := cache.Open(filepath.Join(dir, "compiled"), cache.Options{})
	require.NoError(t, err)
	for _, n := range []string{"1", "2"} {
		program := pjrt.Program{Code: []byte("func.func @main() -> tensor<i32> {\n %0 = stablehlo.constant dense<" + n + "> : tensor<i32>\n return %0 : tensor<i32>\n}")}
		exe, _, err := c.Compile(t.Context(), client, program, nil)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
	}
	o := launch(t, dir, "cache", "list", "--dir", "compiled")
	o.requireSuccess(t)
	assert.Regexp(t, `(?m)^[0-9a-f]{12} +\d+(\.\d+)? kB +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ of cpu \(`, o.stdout)
	o = launch(t, dir, "cache", "size", "--dir", "compiled")
	o.requireSuccess(t)
	assert.Regexp(t, `: 2 programs, \S+ kB\n$`, o.stdout)

	list, err := c.Entries()
	require.NoError(t, err)
	require.NoError(t, os.Truncate(list[0].Path, list[0].Bytes-1))
	o = launch(t, dir, "cache", "verify", "--dir", "compiled")
	assert.Equal(t, 1, o.status)
	assert.Regexp(t, `^[0-9a-f]{12}: damaged entry: its length is wrong\n.*: 2 programs, 1 damaged\n$`, o.stdout)
	o = launch(t, dir, "cache", "verify", "--remove", "--dir", "compiled")
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, "removed: damaged entry")
	o = launch(t, dir, "cache", "prune", "--to", "1GB", "--dir", "compiled")
	o.requireSuccess(t)
	assert.Regexp(t, `: 0 programs removed, 1 left, `, o.stdout)
	o = launch(t, dir, "cache", "prune", "--dir", "compiled")
	o.requireSuccess(t)
	assert.Regexp(t, `: 1 program removed, 0 left, 0 B\n$`, o.stdout)

	write(t, dir, "file", "")
	launch(t, dir, "cache", "size", "--dir", "file").requireFailure(t, 1, "file")
	launch(t, dir, "cache", "prune", "--to", "much").requireFailure(t, 2, "--to much: ")
	launch(t, dir, "cache", "empty").requireFailure(t, 2, `there is no command "empty"`)
}

func TestUninstall(t *testing.T) {
	t.Parallel()
	dir, env := home(t)
	o := within(t, env, "uninstall", "cpu")
	o.requireSuccess(t)
	assert.Regexp(t, `^cpu: removed, `, o.stdout)
	assert.FileExists(t, library, "only the link to the other cache is gone")
	within(t, env, "uninstall", "cpu").requireFailure(t, 1, "cannot uninstall cpu: it is not installed")
	within(t, env, "uninstall", "cup").requireFailure(t, 1, `unknown plugin "cup": did you mean cpu? `)
	within(t, env, "uninstall").requireFailure(t, 2, "uninstall: requires at least 1 arg")
	left, err := filepath.Glob(filepath.Join(dir, "purepjrt", "plugins", ".*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Installed plugins must keep working when little else does.
func TestAPoorEnvironment(t *testing.T) {
	t.Parallel()
	dir, env := home(t)
	where := workplace(t)
	add := []string{"run", filepath.Join(where, "add.mlir"), filepath.Join(where, "f32.npy"), filepath.Join(where, "f32.npy")}
	works := func(env []string, args ...string) {
		t.Helper()
		o := within(t, env, args...)
		require.Zero(t, o.status, o.stderr)
		assert.Contains(t, o.stdout, "[2. 4. 6. 8.]")
	}
	noPython := []string{"XDG_CACHE_HOME=" + dir, "HOME=" + dir, "PATH=/nowhere"}
	works(noPython, add...)
	within(t, noPython, "install", "tpu@0.0.2").requireFailure(t, 1, "cannot find python3: install Python 3 with pip")

	noHome := []string{"PATH=" + os.Getenv("PATH")}
	within(t, noHome, "install", "cpu").requireFailure(t, 1, "cache directory")
	within(t, noHome, "cache", "list").requireFailure(t, 1, "set PJRT_CACHE_DIR")
	o := within(t, noHome, append([]string{"run", "--plugin", "cpu"}, add[1:]...)...)
	o.requireFailure(t, 1, "plugin not found: cpu; set HOME or XDG_CACHE_HOME, then run: pjrt install cpu")
	works(noHome, append([]string{"run", "--plugin", library}, add[1:]...)...)
	assert.Equal(t, warning, diagnosis(t, within(t, append(noHome, "PJRT_PLUGIN_PATH_CPU="+library), "doctor", "--json"))["plugins"].State)

	if runtime.GOOS == "linux" {
		readOnly := []string{"XDG_CACHE_HOME=/sys", "HOME=" + dir, "PATH=" + os.Getenv("PATH")} // for root too
		within(t, readOnly, "install", "cpu").requireFailure(t, 1, "cannot be used (XDG_CACHE_HOME or HOME moves it)")
		within(t, readOnly, "cache", "list").requireSuccess(t)
		works(readOnly, append([]string{"run", "--plugin", library}, add[1:]...)...)
		assert.Equal(t, warning, diagnosis(t, within(t, append(readOnly, "PJRT_PLUGIN_PATH_CPU="+library), "doctor", "--json"))["plugins"].State)
	}
	if os.Getuid() == 0 {
		return // root may write to everything else
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "purepjrt", "plugins"), 0o555))
	works(env, add...)
	within(t, env, "install", "tpu@0.0.2").requireFailure(t, 1, "cannot be used (XDG_CACHE_HOME or HOME moves it)")
}

func TestInstallDistinguishesNoIndexFromNoNetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"XDG_CACHE_HOME=" + dir, "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "PIP_RETRIES=0", "PIP_CONFIG_FILE=" + os.DevNull}
	for want, more := range map[string]string{
		"PIP_NO_INDEX is set, and there is no wheel of " + cpuPackage(t) + " in PIP_FIND_LINKS": "PIP_NO_INDEX=1",
		"the package index cannot be reached":                                                   "PIP_INDEX_URL=http://127.0.0.1:1/simple",
	} {
		o := within(t, append(env, more), "install", "cpu")
		assert.Equal(t, 1, o.status)
		assert.Regexp(t, `^cpu: downloading `+regexp.QuoteMeta(cpuPackage(t))+` \(.*\)\npjrt: cannot install cpu: [^\n]*\n$`, o.stderr)
		assert.Contains(t, o.stderr, want)
	}
}

// When its reader goes away, the command ends silently, as other commands do.
func TestOutputIntoHead(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"info --functions", "--help"} {
		c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `"$0" "$@" | head -n 1`, command}, strings.Fields(args)...)...)
		o := finish(t, t.TempDir(), c)
		o.requireSuccess(t)
		assert.Equal(t, 1, strings.Count(o.stdout, "\n"))
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", `"$0" run --help >/dev/full`, command)
	finish(t, t.TempDir(), c).requireFailure(t, 1, "no space left on device")
}

func TestTraceWithoutItsLibrary(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	poor := append(env[:2:2], "PATH=/nowhere")
	within(t, poor, "trace", "/bin/true").requireFailure(t, 1, "put it beside this command, or name it with --shim")
	within(t, env, "trace", "--shim", "/no/such.so", "true").requireFailure(t, 1, "the library to put in front of the plugin: stat /no/such.so")
	within(t, env, "trace", "no-such-program").requireFailure(t, 1, `trace: exec: "no-such-program"`)
	within(t, env, "trace").requireFailure(t, 2, "requires at least 1 arg")
	// The program never calls the plugin. Its exit status becomes that of pjrt trace.
	o := within(t, env, "trace", "--shim", library, "sh", "-c", "test -n \"$LIBPJRT_SHIM\" && echo hello && exit 3")
	assert.Equal(t, outcome{"hello\n", "pjrt: the program made no calls to the plugin named traced, or ended without running C's exit functions\n", 3}, o)
}

func TestTracePassesOnAnInterrupt(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	ready := filepath.Join(t.TempDir(), "ready")
	c := exec.CommandContext(t.Context(), command, "trace", "--shim", library, "sh", "-c", "touch "+ready+"; exec sleep 60")
	c.Env = env
	o := finishAfter(t, t.TempDir(), c, func(p *os.Process) {
		assert.Eventually(t, func() bool { _, err := os.Stat(ready); return err == nil }, time.Minute, 10*time.Millisecond)
		_ = p.Signal(os.Interrupt)
	})
	assert.Equal(t, 130, o.status, o.stderr)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	for args, want := range map[string]string{
		"install ": "tpu@0.0.11\tlibtpu 0.0.11\n", "uninstall ": "cpu\t" + cpuPackage(t) + "\n",
		"info ": "cpu\t", "run --plugin ": "cpu\t", "run --fill r": "random\n", "run --fill ": "iota\n",
	} {
		o := within(t, env, append([]string{"__complete"}, strings.Split(args, " ")...)...)
		require.Zero(t, o.status)
		assert.Contains(t, o.stdout, want, args)
	}
}
