// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog

import (
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
)

// guardScript waits until the process ends or begins to crash: then a line or
// the end of the file comes through descriptor 4. From then on it passes on what
// is in the captured pipe, descriptor 3, and goes on as long as somebody can
// write there. A crash report is longer than a pipe, and the process would stand
// still if nobody emptied both.
const guardScript = `read -r line <&4
cat <&4 >/dev/null &
exec cat <&3 >&2`

var shell = "/bin/sh" // changed by tests

// guard is a child process that outlives a crash of this one.
type guard struct {
	cmd  *exec.Cmd
	life *os.File // the only end to write of descriptor 4
}

// newGuard starts a guard that rescues the contents of pipe to out. The error is
// os.ErrNotExist if there is no shell.
func newGuard(pipe, out *os.File) (*guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	g := &guard{cmd: exec.Command(shell, "-c", guardScript), life: w}
	g.cmd.Stderr = out
	g.cmd.ExtraFiles = []*os.File{pipe, r}
	// An interrupt from the terminal is for the process that may crash.
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	// Go writes the report of a crash here as well.
	if err := debug.SetCrashOutput(w, debug.CrashOptions{}); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// relax says that reports of crashes no longer go into the pipe.
func (g *guard) relax() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // without a file it cannot fail
}

// stop ends the guard, which does nothing then.
func (g *guard) stop() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait() // killed
	g.life.Close()
}
