// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog

import (
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"time"
)

// guardScript waits until the process ends or begins to crash: then it reads the end of the file or
// a line from descriptor 4. After that it passes on everything in the captured pipe, descriptor 3,
// until no process can write there any more. It reads both pipes, because a crash report does not
// fit in a pipe, and the process would block.
//
// It ignores the signals that systemd, Kubernetes and shells send to all processes of a service or
// a job, and says so on its standard output: this process may handle them, and have last words long
// afterwards. The guard still ends with this process and with the children that can write to the
// captured pipe, since both are ends of pipes for it. It ignores SIGPIPE because this process may
// not wait to hear what it says.
const guardScript = `trap '' HUP INT PIPE QUIT TERM USR1 USR2
echo 2>/dev/null
exec >/dev/null
read -r line <&4
cat <&4 >/dev/null &
exec cat <&3 >&2`

// Tests change these.
var (
	shell = "/bin/sh"
	// startup is how long newGuard waits until the shell ignores signals. If it takes longer, the
	// guard works all the same, unless a signal comes before that.
	startup = time.Second
)

// guard is a child process that survives a crash of this one.
type guard struct {
	cmd  *exec.Cmd
	life *os.File // the only write end of descriptor 4
}

// newGuard starts a guard that copies the contents of pipe to out if this process ends. The error
// is os.ErrNotExist if there is no shell.
func newGuard(pipe, out *os.File) (*guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	ready, says, err := os.Pipe()
	if err != nil {
		w.Close()
		return nil, err
	}
	defer ready.Close()
	g := &guard{cmd: exec.Command(shell, "-c", guardScript), life: w}
	g.cmd.Stdout, g.cmd.Stderr = says, out
	g.cmd.ExtraFiles = []*os.File{pipe, r}
	// An interrupt from the terminal must not end the guard.
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = g.cmd.Start()
	says.Close()
	if err != nil {
		w.Close()
		return nil, err
	}
	_ = ready.SetReadDeadline(time.Now().Add(startup)) // pipes have deadlines
	_, _ = ready.Read(make([]byte, 1))
	// Go writes crash reports here too.
	if err := debug.SetCrashOutput(w, debug.CrashOptions{}); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// relax tells Go that crash reports no longer go to the guard.
func (g *guard) relax() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // without a file it cannot fail
}

// stop kills the guard before it can copy anything.
func (g *guard) stop() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait() // killed
	g.life.Close()
}
