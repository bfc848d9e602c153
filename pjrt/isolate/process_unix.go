// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package isolate

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// attach gives the child its ends of the pipes, and its own process group: an interrupt from the terminal is the
// program's to handle. The variable names the pipes.
func attach(cmd *exec.Cmd, variable string, files []*os.File) error {
	var names []string
	for _, f := range files {
		names = append(names, strconv.Itoa(3+len(cmd.ExtraFiles)))
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	cmd.Env = append(cmd.Env, variable+"="+strings.Join(names, ","))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

// private keeps a descriptor from processes that the plugin starts.
func private(fd uintptr) { syscall.CloseOnExec(int(fd)) }

// kill ends the child and the processes that it started. The id of its process group is not reused while a process
// of the group lives.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
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
