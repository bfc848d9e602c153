// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/internal/ownership"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// shimVariable names the library of the shim.
const shimVariable = "LIBPJRT_SHIM"

const shimModule = "github.com/purepjrt/purepjrt"

func traceCommand() *cobra.Command {
	var t tracing
	cmd := &cobra.Command{
		Use:   "trace [flags] COMMAND [ARG]...",
		Short: "Run a program and show the calls that it makes to a plugin",
		Long: `Trace runs COMMAND, a client of PJRT such as a Python program that uses JAX, with
the library libpjrt_shim.so between it and a plugin. When COMMAND has ended, trace
prints how often it called each function of the plugin, how many of these calls
failed, how long they took, which misuse was found, and which objects were still alive.
All of that goes to standard error; the program keeps its own output.

--out also writes each call to a file: as text, as a JSON object on each line if
its name ends in .jsonl, or as a trace for Perfetto and chrome://tracing if it
ends in .json.

JAX finds the plugin under the name traced: trace sets JAX_PLATFORMS and
PJRT_NAMES_AND_LIBRARY_PATHS. Other clients must be told to load the library; its
path is in LIBPJRT_SHIM.

A Go program that uses package pjrt needs no library: it imports pjrt/trace, as this
command does, and shows the same with PJRT_SUMMARY=stderr.

Trace uses the library that --shim or LIBPJRT_SHIM names, or the one beside this
command. Otherwise it builds the library in the user's cache directory, from the sources that
this command was built from, which needs Go and a C compiler.

The exit status is that of COMMAND.`,
		Example: "  pjrt trace python train.py\n  pjrt trace --plugin cuda13 --out calls.json python train.py\n",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // the flags of COMMAND are its own
	f.StringVar(&t.plugin, "plugin", "", "the plugin to call: a `NAME` or the path of a library (default the preferred one)")
	f.StringVar(&t.out, "out", "", "the `FILE` to write each call to")
	f.StringVar(&t.shim, "shim", "", "the `LIBRARY` to put in front of the plugin")
	return cmd
}

// tracing holds the flags of the trace command.
type tracing struct{ plugin, out, shim string }

func (t *tracing) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	program, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	candidate, err := plugins.Find(ctx, t.plugin)
	if err != nil {
		return err
	}
	library, err := t.library(ctx, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pjrt-trace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	summary, findings := filepath.Join(dir, "summary"), filepath.Join(dir, "findings")

	c := exec.CommandContext(ctx, program, args[1:]...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	c.Stdin, c.Stdout, c.Stderr = stdin, cli.Verbatim(stdout), cli.Verbatim(stderr)
	c.Env = append(os.Environ(),
		plugins.NamesAndLibraryPaths+"=traced:"+library, plugins.JAXPlatformsVariable+"=traced", shimVariable+"="+library,
		"PJRT_SHIM_PLUGIN="+candidate.Path, "PJRT_SHIM_SUMMARY="+summary, "PJRT_SHIM_VALIDATE="+findings)
	if t.out != "" {
		out, err := filepath.Abs(t.out) // the program may change its directory
		if err != nil {
			return err
		}
		c.Env = append(c.Env, "PJRT_SHIM_TRACE="+out)
	}
	began := time.Now()
	runErr := c.Run()
	if err := printTrace(stderr, time.Since(began), summary, findings); err != nil {
		return err
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(runErr, &exit) && exit.ExitCode() > 0:
		return cli.ExitStatus(exit.ExitCode())
	case runErr != nil:
		return fmt.Errorf("%s: %w", args[0], runErr)
	}
	return nil
}

// printTrace prints what the shim wrote.
func printTrace(w io.Writer, took time.Duration, summary, findings string) error {
	text, err := os.ReadFile(summary)
	if err != nil || len(text) == 0 {
		_, err := fmt.Fprintln(w, "pjrt: the program made no calls to the plugin named traced, "+
			"or ended without running C's exit functions")
		return err
	}
	found, _ := os.ReadFile(findings) // it is empty if the process was killed
	table := strings.TrimRight(string(text), "\n")
	if cli.TerminalOf(w) != nil {
		table = narrowSummary(table, cli.Columns(w))
	}
	_, err = fmt.Fprintf(w, "\n%s\n%sthe program took %v\n", table, found, brief(took))
	return err
}

// narrowSummary fits the table of calls to a terminal: it leaves out the mean and the longest time,
// and, if that is not enough, the errors and the common prefix of all function names.
func narrowSummary(text string, columns int) string {
	for _, keep := range []func(calls, errors, total, function string) string{
		func(calls, errors, total, function string) string {
			return fmt.Sprintf("%7s %7s %10s  %s", calls, errors, total, function)
		},
		func(calls, _, total, function string) string {
			return fmt.Sprintf("%7s %10s  %s", calls, total, strings.TrimPrefix(function, "PJRT_"))
		},
	} {
		if widest(text) <= columns {
			break
		}
		var rows []string
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) != 6 && len(f) != 4 { // the last row has no mean
				rows = append(rows, strings.TrimSuffix(line, "\n"))
				continue
			}
			rows = append(rows, keep(f[0], f[1], f[2], f[len(f)-1]))
		}
		text = strings.Join(rows, "\n")
	}
	return text
}

// widest returns the number of columns of the longest line.
func widest(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, cli.TextWidth(strings.TrimSuffix(line, "\n")))
	}
	return n
}

// library returns the path of the shim's library, and builds it if necessary.
func (t *tracing) library(ctx context.Context, stderr io.Writer) (string, error) {
	if named := cmp.Or(t.shim, os.Getenv(shimVariable)); named != "" {
		if _, err := os.Stat(named); err != nil {
			return "", fmt.Errorf("the library to put in front of the plugin: %w", err)
		}
		if err := ownership.CheckCode(named); err != nil {
			fmt.Fprintf(stderr, "pjrt: warning: %v\n", err)
		}
		return filepath.Abs(named)
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), shimFile())
		if _, err := os.Stat(beside); err == nil {
			return beside, ownership.CheckCode(beside)
		}
	}
	source, err := ownModule()
	if err != nil {
		return "", shimHint(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("trace: %w", err)
	}
	path := filepath.Join(cache, "purepjrt", "shim", source.key(), shimFile())
	if _, err := os.Stat(path); err == nil && source.sum != "" {
		return path, ownership.CheckCode(path)
	}
	stop := cli.Busy(stderr, "building "+shimFile())
	defer stop()
	if err := buildShim(ctx, source, path); err != nil {
		return "", err
	}
	return path, ownership.CheckCode(path)
}

func shimHint(err error) error {
	return fmt.Errorf("trace needs %s, which Go and a C compiler build (go build -buildmode=c-shared %s/tools/pjrtshim): "+
		"put it beside this command, or name it with --shim: %w", shimFile(), shimModule, err)
}

// module is the module that this command was built from: a version with the sum of its content, or
// the root of a checkout.
type module struct{ version, sum, root string }

// ownModule returns the module that this command was built from, so that no other module that has
// its name, such as one in the current folder, is built and loaded.
func ownModule() (module, error) {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == shimModule && info.Main.Sum != "" {
		return module{version: info.Main.Version, sum: info.Main.Sum}, nil
	}
	_, file, _, _ := runtime.Caller(0) // tools/pjrt/trace.go in the checkout, unless built with -trimpath
	if !filepath.IsAbs(file) {
		return module{}, errors.New("this command was built in a checkout with -trimpath, and does not know where that is")
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	return module{root: root}, ownership.CheckCode(filepath.Join(root, "go.mod"))
}

// key returns a name for the library that a module gives. The library of a version is kept; that of
// a checkout, whose sources change, is built each time.
func (m module) key() string {
	sum := sha256.Sum256([]byte(m.version + m.sum + m.root))
	return fmt.Sprintf("%x", sum[:16])
}

// buildShim builds the library under a temporary name, and then renames it.
func buildShim(ctx context.Context, m module, path string) error {
	goCommand, err := exec.LookPath("go") // fails if the PATH has it in a relative folder
	if err != nil {
		return shimHint(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return shimHint(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(path), ".build-")
	if err != nil {
		return shimHint(err)
	}
	defer os.RemoveAll(work)
	built := filepath.Join(work, shimFile())
	dir := m.root
	if dir == "" {
		dir = work
		// The go command checks the content against the database of sums, or go.sum.
		sum := fmt.Sprintf("%s %s %s\n", shimModule, m.version, m.sum)
		if err := os.WriteFile(filepath.Join(work, "go.sum"), []byte(sum), 0o600); err != nil {
			return shimHint(err)
		}
		for _, args := range [][]string{{"mod", "init", "shim"}, {"get", shimModule + "/tools/pjrtshim@" + m.version}} {
			if err := runGo(ctx, goCommand, dir, args); err != nil {
				return shimHint(err)
			}
		}
	}
	build := []string{"build", "-buildmode=c-shared", "-o", built, shimModule + "/tools/pjrtshim"}
	if err := runGo(ctx, goCommand, dir, build); err != nil {
		return shimHint(err)
	}
	return os.Rename(built, path)
}

func runGo(ctx context.Context, goCommand, dir string, args []string) error {
	c := exec.CommandContext(ctx, goCommand, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off") // no workspace of a folder above
	output, err := c.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("go %s: %w: %s", args[0], err, cli.OneLine(string(output)))
	}
	return nil
}

// releaseVersion returns the version that this command was installed as, or latest if it was built
// in a checkout, whose revision others may not have.
func releaseVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return "latest"
}

// shimFile is the file name of the shim's library.
func shimFile() string {
	switch runtime.GOOS {
	case "darwin":
		return "libpjrt_shim.dylib"
	case "windows":
		return "pjrt_shim.dll"
	}
	return "libpjrt_shim.so"
}
