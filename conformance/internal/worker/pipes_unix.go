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

// attach gives the worker its ends of the pipes and a process group of its own: the
// driver handles an interrupt that is typed at the terminal.
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

// bury ends processes that a dead worker started and left behind. The system does not
// reuse the id of its process group while one of the group lives.
func bury(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// stopped reports whether the process is stopped, as by SIGSTOP, if the system shows
// that.
func stopped(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The state is the letter after the name, which is in parentheses.
	_, state, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	return strings.HasPrefix(state, "T")
}

// interrogate makes the worker's Go runtime print what every goroutine is doing, and
// end the process.
func interrogate(cmd *exec.Cmd) (time.Duration, bool) {
	return 2 * time.Second, cmd.Process.Signal(syscall.SIGQUIT) == nil
}

// signalOf returns the name of the signal that ended the process, or "".
func signalOf(state *os.ProcessState) string {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return signalName(w.Signal())
	}
	return ""
}
