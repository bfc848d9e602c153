// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package worker

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attach gives the worker its ends of the pipes and a process group of its own:
// an interrupt typed at the terminal is the driver's to handle.
func attach(cmd *exec.Cmd, files []*os.File) error {
	var names []string
	for _, f := range files {
		names = append(names, strconv.Itoa(3+len(cmd.ExtraFiles)))
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	cmd.Env = append(cmd.Env, pipesVariable+"="+strings.Join(names, ","))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

// private keeps a descriptor from processes that the plugin starts.
func private(fd uintptr) { syscall.CloseOnExec(int(fd)) }

// kill ends the worker and the processes that it started.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}

// bury ends what a worker that is gone started and left behind. The id of its
// process group is not given to another process while one of the group lives.
func bury(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// stopped reports whether the process stands still as if after SIGSTOP, where
// the system says so.
func stopped(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The state is the letter behind the name, which stands in parentheses.
	_, state, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	return strings.HasPrefix(state, "T")
}

// interrogate makes the Go runtime of the worker say what every goroutine is
// doing, and end.
func interrogate(cmd *exec.Cmd) (time.Duration, bool) {
	return 2 * time.Second, cmd.Process.Signal(syscall.SIGQUIT) == nil
}

// signalOf returns the name of the signal that ended the process, or nothing.
func signalOf(state *os.ProcessState) string {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return signalName(w.Signal())
	}
	return ""
}
