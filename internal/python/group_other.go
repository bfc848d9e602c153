// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix && !windows

package python

import "os/exec"

// setGroup does nothing here, where there are no process groups.
func setGroup(*exec.Cmd) {}
