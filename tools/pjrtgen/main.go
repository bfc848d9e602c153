// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Pjrtgen reads PJRT's C headers: it generates the Go binding from them, says
// what they declare, and compares two of them.
//
//	pjrtgen generate                   the Go binding from the headers
//	pjrtgen check                      fail when generated files are out of date
//	pjrtgen facts [-I DIR]... HEADER   what a header declares, as JSON
//
// It runs no C compiler and needs no system headers. An error of a header is
// printed as file:line:column: what. The exit status is 0 on success and 1 on
// an error; commands that compare say which others they use.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	err := newRoot().Execute()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "pjrtgen:", err)
	var status *exitError
	if errors.As(err, &status) {
		os.Exit(status.code)
	}
	os.Exit(1)
}

// exitError is an error that decides the exit status.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "pjrtgen",
		Short:         "Read, compare and bind PJRT's C headers",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newGenerateCommand(), newCheckCommand(), newFactsCommand())
	return root
}
