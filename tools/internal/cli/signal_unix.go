// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write beyond the file size limit an error, like a full disk.
// Otherwise a signal would end the process in the middle of a file.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
