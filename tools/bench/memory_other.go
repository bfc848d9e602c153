// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package main

import (
	"os"
	"os/exec"
)

// peak returns 0, since it is not known how much memory a process has had.
func peak(*os.Process) float64 { return 0 }

// peakOfEnded returns 0, as peak does.
func peakOfEnded(*exec.Cmd) float64 { return 0 }
