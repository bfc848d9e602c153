// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes writing past the file size limit an error, like a
// full disk, where the signal would end the process with half a file written.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
