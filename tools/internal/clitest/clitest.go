// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package clitest tests commands that package cli runs.
package clitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// Program is a command that was built for tests.
type Program struct {
	Path    string
	Library string // of the CPU plugin, which is installed once for all tests
}

// Main builds the command in the current folder and calls test with it. It returns the exit status
// of the test binary.
func Main(name string, test func(Program) int) int {
	dir, err := os.MkdirTemp("", name+"-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		p := Program{Path: filepath.Join(dir, name)}
		if p.Library, err = plugins.Install(context.Background(), "cpu", plugins.InstallOptions{Progress: os.Stderr}); err == nil {
			var cache string
			if p.Library, cache, err = replace(p.Library); err == nil {
				defer os.RemoveAll(cache)
				if err = Build(p.Path, "."); err == nil {
					return test(p)
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// replace makes the plugin that PJRT_TEST_CPU chooses the one that is installed, for this process
// and those that it starts: they get a cache whose plugins are those of the user, but for the
// library of the CPU plugin. It returns the path of that, and the cache, which is temporary.
func replace(installed string) (path, cache string, err error) {
	library, err := plugintest.Replacement()
	if library == "" || err != nil {
		return installed, "", err
	}
	builds, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return "", "", err
	}
	// In the file system of the library, which can have a second name there.
	dir, err := os.MkdirTemp(filepath.Join(library, "..", "..", ".."), "test-cache-")
	if err != nil {
		return "", "", err
	}
	real, own := filepath.Dir(installed), filepath.Join(dir, "purepjrt", "plugins", filepath.Base(filepath.Dir(installed)))
	if err := os.MkdirAll(own, 0o755); err != nil {
		return "", dir, err
	}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(real), "*-*"))
	if err != nil {
		return "", dir, err
	}
	for _, other := range others {
		if other != real {
			if err := os.Symlink(other, filepath.Join(filepath.Dir(own), filepath.Base(other))); err != nil {
				return "", dir, err
			}
		}
	}
	path = filepath.Join(own, filepath.Base(installed))
	if err := os.Link(library, path); err != nil {
		return "", dir, err
	}
	if err := os.Setenv("GOCACHE", strings.TrimSpace(string(builds))); err != nil {
		return "", dir, err
	}
	return path, dir, os.Setenv("XDG_CACHE_HOME", dir)
}

// Build builds a command of this module without cgo.
func Build(path, pkg string) error {
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Outcome holds the results of a run of a command.
type Outcome struct {
	Stdout, Stderr string
	Status         int // -1 if a signal ended it
}

// RequireSuccess ends the test if the command failed or wrote to standard error.
func (o Outcome) RequireSuccess(t *testing.T) {
	t.Helper()
	require.Zero(t, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
}

// Launch runs the command in dir. PATH is empty, because a Python that the command finds is asked
// where its packages are, which takes longer than most tests.
func (p *Program) Launch(t *testing.T, dir string, args ...string) Outcome {
	t.Helper()
	c := exec.CommandContext(t.Context(), p.Path, args...)
	c.Env = append(os.Environ(), "PATH=")
	return Run(t, dir, c, nil)
}

// Run runs a command in dir, and calls meanwhile, if it is not nil, with its process.
func Run(t *testing.T, dir string, c *exec.Cmd, meanwhile func(*os.Process)) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	require.NoError(t, c.Start())
	if meanwhile != nil {
		meanwhile(c.Process)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return Outcome{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// Write writes a file in dir.
func Write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
}

// Every visits a command and all commands below it.
func Every(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		Every(c, visit)
	}
}

// HelpFits proves that the help of all commands fits terminals of any width. Words that cannot be
// broken may widen only their own lines.
func HelpFits(t *testing.T, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	Every(root, func(cmd *cobra.Command) {
		for _, columns := range []int{40, 80, 200} {
			help := cli.Help(cmd, columns)
			for line := range strings.Lines(help) {
				line = strings.TrimSuffix(line, "\n")
				words := strings.Fields(line)
				if len(line) > columns && !(len(words) <= 2 || columns == 40 && strings.Contains(line, "--")) {
					t.Errorf("%s at %d columns: %q", cmd.CommandPath(), columns, line)
				}
			}
			for word := range strings.FieldsSeq(cmd.Long) {
				assert.Contains(t, help, word, "no word is broken")
			}
		}
	})
	help := cli.Help(root, 80)
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			assert.Regexp(t, `(?m)^  `+cmd.Name()+` `, help)
		}
	}
}

// FlagsHaveUsageTexts proves that all flags of all commands say what they are for.
func FlagsHaveUsageTexts(t *testing.T, root *cobra.Command) {
	Every(root, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, words := pflag.UnquoteUsage(f)
			assert.NotEmpty(t, words, "%s --%s", cmd.CommandPath(), f.Name)
			assert.Equal(t, strings.ToUpper(value), value, "%s --%s: name the value", cmd.CommandPath(), f.Name)
		})
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		assert.NotContains(t, cmd.Short, ".", cmd.CommandPath())
	})
}
