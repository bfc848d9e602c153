// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package python

import (
	"os/exec"
	"syscall"
)

// setGroup gives a command a process group of its own, so that it can be ended together with what
// it starts: the interpreter may run below a script. An interrupt from the terminal is this
// process's to handle.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
