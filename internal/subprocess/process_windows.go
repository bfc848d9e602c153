// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attach gives the child files. The variable names them.
func attach(cmd *exec.Cmd, variable string, files []*os.File) error {
	OwnGroup(cmd)
	var names []string
	for _, f := range files {
		h := syscall.Handle(f.Fd())
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return fmt.Errorf("make a pipe inheritable: %w", err)
		}
		names = append(names, strconv.FormatUint(uint64(h), 10))
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, h)
	}
	cmd.Env = append(cmd.Env, variable+"="+strings.Join(names, ","))
	return nil
}

// OwnGroup keeps an interrupt from the console, which is this process's to handle, from a command.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// private keeps a handle from processes that the plugin starts.
func private(h uintptr) {
	_ = syscall.SetHandleInformation(syscall.Handle(h), syscall.HANDLE_FLAG_INHERIT, 0)
}

// Kill ends a child.
func Kill(cmd *exec.Cmd) error {
	_ = cmd.Process.Kill()
	return nil
}

// stopped returns false here, where processes cannot be stopped.
func stopped(int) bool { return false }

// interrogate does nothing here, where no signal asks for stacks.
func interrogate(*exec.Cmd) (time.Duration, bool) { return 0, false }

// exceptions are the exit codes of processes that Windows ends.
var exceptions = map[uint32]string{
	0xC0000005: "access violation",
	0xC000001D: "illegal instruction",
	0xC0000094: "integer division by zero",
	0xC00000FD: "stack overflow",
	0xC0000374: "heap corruption",
	0xC0000409: "stack buffer overrun or fast fail",
}

// signalOf returns the name of the exception that ended the process, or "".
func signalOf(state *os.ProcessState) string { return exceptions[uint32(state.ExitCode())] }
