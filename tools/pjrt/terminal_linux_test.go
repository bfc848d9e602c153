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
)

// onPTY runs the command on a terminal of some width and returns what it showed.
func onPTY(t *testing.T, columns uint16, env []string, args ...string) (shown string, status int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer master.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), command, args...)
	c.Env = env
	c.Stdout, c.Stderr = slave, slave
	require.NoError(t, c.Start())
	require.NoError(t, slave.Close())
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // it ends with EIO when no process has the terminal any more
		read <- string(text)
	}()
	_ = c.Wait()
	select {
	case shown = <-read:
	case <-time.After(time.Minute):
		t.Fatal("a child of the command still has the terminal")
	}
	return strings.ReplaceAll(shown, "\r\n", "\n"), c.ProcessState.ExitCode()
}

func TestOutputFitsATerminal(t *testing.T) {
	t.Parallel()
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
