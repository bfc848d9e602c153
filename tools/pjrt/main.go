// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command pjrt installs PJRT plugins, shows what they can do, and compiles and
// runs StableHLO programs on them, without a C compiler.
//
//	pjrt install cpu                             install XLA's CPU plugin
//	pjrt list [PLUGIN...] [--json]               list the plugins on this machine
//	pjrt info [PLUGIN] [--json]                  show versions, devices, functions, extensions
//	pjrt compile PROGRAM [--topology NAME]       compile a program, also for absent devices
//	pjrt run PROGRAM [ARG.npy[:TYPE]]...         compile a program, run it, print its results
//	pjrt replay SESSION                          repeat the recorded calls of a client
//	pjrt conformance --plugin PLUGIN             check a plugin against the contract
//	pjrt version                                 show the version of this command
//
// Results go to standard output. Errors and progress go to standard error; an error is one line. The exit status is 0
// for success, 1 for a failure and 2 for a wrong command line.
//
// Programs of package pjrt/isolate can compile in this command, as the flag --isolate of run and compile does.
//
// Package pjrt/trace is linked in: PJRT_TRACE=stderr shows the calls that a
// command makes to a plugin.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/trace"
)

func main() {
	isolate.Main()
	ignoreFileSizeSignal()
	// Now a second signal ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err := trace.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "pjrt: %s\n", oneLine(err.Error()))
	}
	os.Exit(status)
}

// execute runs the command line args and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "pjrt: %s\n", oneLine(err.Error()))
	var usage usageError
	if errors.As(err, &usage) {
		return 2
	}
	return 1
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "pjrt",
		Short:         "Install and inspect PJRT plugins, and run StableHLO programs on them",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := "see pjrt --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + near[0] + "?"
			}
			return usageError{fmt.Errorf("unknown command %q: %s", args[0], hint)}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(installCommand(), listCommand(), infoCommand(), compileCommand(),
		runCommand(), replayCommand(), conformanceCommand(), versionCommand())
	return root
}

// usageError is an error in the command line. Its exit status is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitStatus is the error of a command that has already printed its message.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usage makes the error of an argument check a usageError.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%s: %w: see %s --help", cmd.Name(), err, cmd.CommandPath())}
		}
		return nil
	}
}

// oneLine joins the lines of a message, such as a compiler's diagnostics.
func oneLine(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
