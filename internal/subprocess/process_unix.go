// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package subprocess

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attach gives the child files and its own process group. The variable names the files.
func attach(cmd *exec.Cmd, variable string, files []*os.File) error {
	var names []string
	for _, f := range files {
		names = append(names, strconv.Itoa(3+len(cmd.ExtraFiles)))
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	cmd.Env = append(cmd.Env, variable+"="+strings.Join(names, ","))
	OwnGroup(cmd)
	return nil
}

// OwnGroup gives a command a process group of its own, so that [Kill] also ends what it starts. An
// interrupt from the terminal is this process's to handle.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// private keeps a descriptor from processes that the plugin starts.
func private(fd uintptr) { syscall.CloseOnExec(int(fd)) }

// Kill ends a child and the processes that it started. The id of its process group is not reused
// while a process of the group lives.
func Kill(cmd *exec.Cmd) error {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
	return nil
}

// stopped reports whether the process is stopped, as by SIGSTOP, if the system shows that.
func stopped(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The state is the letter after the name, which is in parentheses.
	_, state, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	return strings.HasPrefix(state, "T")
}

// interrogate asks the Go runtime for the stacks of all goroutines, and returns how long that may
// take.
func interrogate(cmd *exec.Cmd) (time.Duration, bool) {
	return 2 * time.Second, cmd.Process.Signal(syscall.SIGQUIT) == nil
}

// signalOf returns the name of the signal that ended the process, or "".
func signalOf(state *os.ProcessState) string {
	w, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return ""
	}
	if name := unix.SignalName(w.Signal()); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(w.Signal()))
}
