// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package clitest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// OpenPTY makes a terminal of some width. What is written to it can be read from master; the read
// ends with EIO when no process has the terminal open any more.
func OpenPTY(t *testing.T, columns uint16) (master, terminal *os.File) {
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

// OnPTY runs the command on a terminal of some width and returns what it showed.
func (p *Program) OnPTY(t *testing.T, columns uint16, env []string, args ...string) (shown string, status int) {
	t.Helper()
	master, slave := OpenPTY(t, columns)
	c := exec.CommandContext(t.Context(), p.Path, args...)
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
