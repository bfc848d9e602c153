// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command pjrt installs PJRT plugins, shows what they can do, and compiles and
// runs StableHLO programs on them, without a C compiler.
//
//	pjrt install cpu                             install XLA's CPU plugin
//	pjrt uninstall cpu                           remove it
//	pjrt list [PLUGIN...] [--json]               list the plugins on this machine
//	pjrt doctor [--json]                         find out what keeps plugins from working
//	pjrt info [PLUGIN] [--json]                  show versions, devices, functions, extensions
//	pjrt compile PROGRAM [--topology NAME]       compile a program, also for absent devices
//	pjrt run PROGRAM [ARG.npy[:TYPE]]...         run a program, compiled or not, and print its results
//	pjrt cache list|size|prune|verify            inspect and clean the cache of compiled programs
//	pjrt trace COMMAND...                        show the calls that a program makes to a plugin
//	pjrt replay SESSION                          repeat the recorded calls of a client
//	pjrt conformance --plugin PLUGIN             check a plugin against the contract
//	pjrt version                                 show the version of this command
//
// Results go to standard output. Errors and progress go to standard error; an error is one line, or
// two if a search found nothing. On a terminal, text fits its width. The exit status is 0 for
// success, 1 for a failure, 2 for a wrong command line and 130 after Ctrl-C.
//
// Programs that use package pjrt/isolate can compile in this command, as the flag --isolate of run
// and compile does.
//
// Package pjrt/trace is linked in: PJRT_TRACE=stderr shows the calls that a
// command makes to a plugin.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/trace"
)

func main() {
	isolate.Main()
	ignoreFileSizeSignal()
	ctx := interruptible()
	stdout, stderr := onTerminal(os.Stdout), onTerminal(os.Stderr)
	status := execute(ctx, os.Args[1:], stdout, stderr)
	finishOutput(stdout)
	finishOutput(stderr)
	if err := trace.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "pjrt: %s\n", oneLine(err.Error()))
	}
	os.Exit(status)
}

// interruption is a signal that asks the command to end.
type interruption struct{ syscall.Signal }

func (i interruption) Error() string { return "interrupted" }

// interruptible returns a context that ends with the first signal. A second one ends the process at once.
func interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		number, _ := s.(syscall.Signal)
		cancel(interruption{number})
	}()
	return ctx
}

// execute runs the command line args and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var helpErr error
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, helpErr = io.WriteString(stdout, helpOf(cmd, columns(stdout)))
	})
	err := cmp.Or(root.ExecuteContext(ctx), helpErr)
	if err == nil {
		return 0
	}
	var status exitStatus
	var usage usageError
	var interrupted interruption
	switch {
	case errors.As(err, &status):
	case errors.As(err, &usage):
		status = 2
	default:
		status = 1
	}
	if errors.As(context.Cause(ctx), &interrupted) {
		status = exitStatus(128 + int(interrupted.Signal)) // as shells do
		if errors.Is(err, context.Canceled) {
			err = interrupted
		}
	}
	if !errors.As(err, new(exitStatus)) {
		printError(stderr, err)
	}
	return int(status)
}

// printError prints an error in one line. If a search found nothing, a second line says where it
// looked.
func printError(w io.Writer, err error) {
	message := err.Error()
	var search *plugins.SearchError
	if errors.As(err, &search) {
		if advice, places, ok := strings.Cut(search.Error(), "; tried "); ok {
			message = strings.Replace(message, search.Error(), advice, 1)
			fmt.Fprintf(w, "pjrt: %s\n      tried %s\n", oneLine(message), oneLine(places))
			return
		}
	}
	fmt.Fprintf(w, "pjrt: %s\n", oneLine(message))
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
				best := max(0, slices.IndexFunc(near, func(name string) bool { return strings.HasPrefix(name, args[0]) }))
				hint = "did you mean " + near[best] + "?"
			}
			return usageError{fmt.Errorf("unknown command %q: %s", args[0], hint)}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = buildVersion()
	root.SetVersionTemplate(versionLine())
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(installCommand(), uninstallCommand(), listCommand(), infoCommand(), doctorCommand(), compileCommand(),
		runCommand(), cacheCommand(), traceCommand(), replayCommand(), versionCommand())
	if c := conformanceCommand(); c != nil {
		root.AddCommand(c)
	}
	addCompletions(root)
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
