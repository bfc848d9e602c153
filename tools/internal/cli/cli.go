// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package cli has what the commands of this module have in common: how they run and end, what their
// errors and their help look like, how they complete the names of plugins, and text that fits the
// terminal it is shown on.
//
// Results go to standard output. Errors and progress go to standard error; an error is one line, or
// two if a search found nothing. The exit status is 0 for success, 1 for a failure, 2 for a wrong
// command line and 128 and its number after a signal, such as 130 after Ctrl-C.
//
// On a terminal, lines break between words, tables that do not fit become lists, and a line is
// overwritten while something takes long. Elsewhere, nothing is wrapped, coloured or overwritten.
package cli

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
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/trace"
)

// New returns the command called name with these commands below it, and with one that shows its
// version.
func New(name, short string, commands ...*cobra.Command) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           name,
		Short:         short,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := "see " + name + " --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				best := max(0, slices.IndexFunc(near, func(name string) bool { return strings.HasPrefix(name, args[0]) }))
				hint = "did you mean " + near[best] + "?"
			}
			return UsageError(fmt.Errorf("unknown command %q: %s", args[0], hint))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(cmd)
			}
			return cmd.Help()
		},
	}
	// Cobra's own flag would print a template, for which the linker keeps every method there is.
	root.Flags().BoolVarP(&version, "version", "v", false, "version for "+name)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return UsageError(fmt.Errorf("%w: see %s --help", err, cmd.CommandPath()))
	})
	root.AddCommand(commands...)
	root.AddCommand(versionCommand(name))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = OnlyCommands, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// Main runs the command line of this process, and ends the process. The first SIGINT, SIGTERM or
// SIGHUP ends the context of the commands, and one that comes half a second later or after that
// ends the process.
func Main(root *cobra.Command) {
	ignoreFileSizeSignal()
	ctx := interruptible()
	stdout, stderr := Output(os.Stdout), Output(os.Stderr)
	status := Execute(ctx, root, os.Args[1:], stdout, stderr)
	Finish(stdout)
	Finish(stderr)
	if err := trace.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", root.Name(), OneLine(err.Error()))
	}
	os.Exit(status)
}

// interruption is a signal that asks the command to end.
type interruption struct{ syscall.Signal }

func (i interruption) Error() string { return "interrupted" }

// echo is how long after the first signal others are part of the same request: timeout(1) sends its
// signal to the command, and then to the command's process group.
const echo = 500 * time.Millisecond

// interruptible returns a context that ends with the first signal. A later one ends the process at
// once.
func interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup makes it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		s := <-signals
		number, _ := s.(syscall.Signal)
		cancel(interruption{number})
		time.Sleep(echo)
		signal.Stop(signals)
	}()
	return ctx
}

// Execute runs a command line, prints its error if there is one, and returns the exit status.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var helpErr error
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, helpErr = io.WriteString(stdout, Help(cmd, helpColumns(stdout)))
	})
	err := cmp.Or(root.ExecuteContext(ctx), helpErr)
	if err == nil {
		return 0
	}
	var status ExitStatus
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
		status = ExitStatus(128 + int(interrupted.Signal)) // as shells do
		if errors.Is(err, context.Canceled) {
			err = interrupted
		}
	}
	if !errors.As(err, new(ExitStatus)) {
		printError(stderr, root.Name(), err)
	}
	return int(status)
}

// printError prints an error in one line. If a search found nothing, a second line says where it
// looked.
func printError(w io.Writer, name string, err error) {
	message := err.Error()
	var search *plugins.SearchError
	if errors.As(err, &search) && len(search.Tried) > 0 {
		advice := plugins.SearchError{Name: search.Name, Advice: search.Advice}
		message = strings.Replace(message, search.Error(), advice.Error(), 1)
		places := strings.Join(search.Tried, ", ")
		for i, c := range search.Rejected {
			where := string(c.Origin)
			if c.Origin == plugins.OriginPluginPath {
				where = cmp.Or(c.Detail, where) // which of its variables
			}
			places += fmt.Sprintf("%s%s (%s: %v)", []string{"; not usable: ", ", "}[min(i, 1)], c.Name, where, c.Err())
		}
		fmt.Fprintf(w, "%s: %s\n%*s  tried %s\n", name, OneLine(message), len(name), "", OneLine(places))
		return
	}
	fmt.Fprintf(w, "%s: %s\n", name, OneLine(message))
}

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// UsageError makes err an error in the command line, whose exit status is 2.
func UsageError(err error) error { return usageError{err} }

// ExitStatus is the error of a command that has already printed its message.
type ExitStatus int

// Error names the status.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Args makes the error of an argument check an error in the command line.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return UsageError(fmt.Errorf("%s: %w: see %s --help", cmd.Name(), err, cmd.CommandPath()))
		}
		return nil
	}
}

// OnlyCommands is the argument check of a command that has only commands below it.
func OnlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageError(fmt.Errorf("%s: there is no command %q: see %s --help", cmd.Name(), args[0], cmd.CommandPath()))
	}
	return nil
}

// OneLine joins the lines of a message, such as a compiler's diagnostics, and quotes what would
// change the state of a terminal.
func OneLine(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return Printable(strings.Join(lines, "; "))
}
