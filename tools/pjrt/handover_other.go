// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// handOver runs the suite's command, and makes its exit status that of this command. Ctrl-C reaches
// both processes, and this one waits for the other.
func handOver(path string, args []string) error {
	c := exec.Command(path, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return cli.ExitStatus(exit.ExitCode())
	}
	if err != nil {
		return cli.UsageError(fmt.Errorf("conformance: start %s: %w", path, err)) // nothing was run
	}
	return nil
}
