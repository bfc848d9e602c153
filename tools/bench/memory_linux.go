// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// peak returns the most memory in bytes that a process has had at once: its resident pages, with
// those of mapped files. It returns 0 if the process has ended.
func peak(p *os.Process) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kilobytes, _ := strconv.ParseFloat(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 64)
			return kilobytes * kib
		}
	}
	return 0
}

// peakOfEnded returns the same for a command that has ended.
func peakOfEnded(c *exec.Cmd) float64 {
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * kib
}
