// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// handOver makes this process run the suite's command, and returns only an error.
func handOver(path string, args []string) error {
	err := syscall.Exec(path, append([]string{filepath.Base(path)}, args...), os.Environ())
	return cli.UsageError(fmt.Errorf("conformance: start %s: %w", path, err)) // nothing was run
}
