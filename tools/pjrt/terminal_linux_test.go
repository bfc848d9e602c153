// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/purepjrt/purepjrt/conformance"
	findings "github.com/purepjrt/purepjrt/conformance/report"
)

// openPTY makes a terminal of some width. What is written to it can be read from master; the read
// ends with EIO when no process has the terminal open any more.
func openPTY(t *testing.T, columns uint16) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return master, terminal
}

// onPTY runs the command on a terminal of some width and returns what it showed.
func onPTY(t *testing.T, columns uint16, env []string, args ...string) (shown string, status int) {
	t.Helper()
	master, slave := openPTY(t, columns)
	c := exec.CommandContext(t.Context(), command, args...)
	c.Env = env
	c.Stdout, c.Stderr = slave, slave
	require.NoError(t, c.Start())
	require.NoError(t, slave.Close())
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(master)
		read <- string(text)
	}()
	_ = c.Wait()
	select {
	case shown = <-read:
	case <-time.After(time.Minute):
		t.Fatal("a child of the command still has the terminal open")
	}
	return strings.ReplaceAll(shown, "\r\n", "\n"), c.ProcessState.ExitCode()
}

func TestOutputFitsATerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the command 24 times: make test-all")
	}
	_, env := home(t)
	env = append(env, "TERM=xterm")
	for _, args := range []string{"list", "install", "doctor", "--help", "run --help", "nosuch", "info cup", "version"} {
		for _, columns := range []uint16{40, 80, 200} {
			shown, _ := onPTY(t, columns, env, strings.Fields(args)...)
			require.NotEmpty(t, shown)
			for line := range strings.Lines(shown) {
				line = strings.TrimSuffix(line, "\n")
				if printed(line) > int(columns) {
					assert.LessOrEqual(t, len(strings.Fields(line)), 2, "%s at %d: only a long word may stick out: %q", args, columns, line)
				}
			}
		}
	}
}

func TestColoursAreForTerminalsOnly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the command several times: make test-all")
	}
	_, env := home(t)
	shown, _ := onPTY(t, 80, append(env, "TERM=xterm"), "doctor")
	assert.Contains(t, shown, "\x1b[32mok")
	for _, variable := range []string{"NO_COLOR=1", "TERM=dumb"} {
		shown, _ = onPTY(t, 80, append(env, "TERM=xterm", variable), "doctor")
		assert.NotContains(t, shown, "\x1b[")
	}
}

func TestJSONIsNotBrokenOnATerminal(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	shown, status := onPTY(t, 40, env, "doctor", "--json")
	require.Zero(t, status)
	diagnosis(t, outcome{stdout: shown})
}

// A bar is one line that is overwritten. A line that wraps could not be.
func TestProgressOfChecksIsOneLine(t *testing.T) {
	for _, columns := range []uint16{20, 40, 80, 200} {
		master, terminal := openPTY(t, columns)
		p := newProgress(&screen{file: terminal})
		require.NotNil(t, p.terminal)
		result := &findings.Result{Check: strings.Repeat("long/", 40)}
		p.show(conformance.Progress{Phase: "probe"})
		p.show(conformance.Progress{Phase: "plan", Plan: &conformance.Plan{Checks: 770, Compiles: 812, First: time.Second, Compile: time.Minute}})
		p.show(conformance.Progress{Phase: "check", Total: 770, Elapsed: time.Second})
		p.show(conformance.Progress{Phase: "check", Done: 385, Failed: 2, Waived: 3, Total: 770, Elapsed: 20 * time.Second, Result: result})
		p.bar.Write()
		p.show(conformance.Progress{Phase: "rerun", Total: 2, Elapsed: 30 * time.Second})
		p.end()
		require.NoError(t, terminal.Close())
		shown, _ := io.ReadAll(master)
		assert.NotContains(t, string(shown), "\n")
		for line := range strings.SplitSeq(string(shown), "\r") {
			assert.Less(t, printed(line), int(columns), "%q", line)
		}
		if columns < 80 {
			continue
		}
		assert.Contains(t, string(shown), "inspecting the plugin")
		assert.Contains(t, string(shown), "770 checks, about 812 programs to compile (1m0s at 1s each)")
		assert.Regexp(t, `385 / 770 checks, 2 failed, 3 waived \[-+>_+\] 20s, about 20s to go`, string(shown))
		assert.Contains(t, string(shown), "0 / 2 failed checks again, 0 differ")
		assert.Equal(t, columns == 200, strings.Contains(string(shown), "long/"))
	}
}

// Nobody can make files in /sys, not even root.
func TestEveryCommandWorksWithACacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	env := []string{"XDG_CACHE_HOME=/sys", "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "PJRT_NAMES_AND_LIBRARY_PATHS=cpu:" + library}
	for _, use := range uses {
		o := useWithin(t, dir, env, `exec "$@"`, use)
		if strings.HasPrefix(use, "cache ") || use == "install cpu" || use == "uninstall cpu" {
			assert.Equal(t, 1, o.status, use)
			assert.Regexp(t, `^pjrt: [^\n]*\n$`, o.stderr, use)
			continue
		}
		assert.Zero(t, o.status, "%s: %s", use, o.stderr)
	}
}
