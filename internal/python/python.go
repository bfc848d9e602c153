// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package python starts Python such that the working directory decides neither which interpreter is
// started nor what it imports.
//
// Left alone, "python3 -m pip" imports pip.py of the working directory, and every interpreter
// imports from the relative entries of PYTHONPATH. An interpreter found in PATH may also be a
// script that looks for a virtual environment in the working directory and above it.
package python

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/subprocess"
)

//go:embed begin.py
var begin string

// Default returns the command that starts Python 3 on most machines: python3, or python on Windows.
func Default() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

// Find returns the absolute path of an interpreter. A command without a path separator is looked
// for in PATH, whose relative entries do not count: if the command is in such an entry only, the
// error is [exec.ErrDot].
func Find(command string) (string, error) {
	if filepath.Base(command) != command {
		path, err := exec.LookPath(command)
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
			return path, nil
		}
	}
	_, err := exec.LookPath(command)
	if err == nil { // GODEBUG=execerrdot=0 asks for it, but nobody can ask for it here
		err = &exec.Error{Name: command, Err: exec.ErrDot}
	}
	return "", err
}

// Command returns a command that runs a program, given as text, with an interpreter that [Find]
// returned. It imports the packages of the interpreter's environment, of the system and of the
// user, and ignores the variables of Python (PYTHONPATH and its like) but for PYTHONUSERBASE and
// PYTHONNOUSERSITE.
//
// env is its environment; nil means that of this process. Relative paths that lead to programs and
// libraries are left out. Other relative paths, and those in args, mean nothing to it: it works in
// a directory in which other users cannot put files.
//
// The command ends with ctx, and so do the processes that it started, in so far as
// [subprocess.Kill] reaches them. If [Run] runs it, it also ends with this process.
func Command(ctx context.Context, interpreter string, env []string, program string, args ...string) *exec.Cmd {
	if env == nil {
		env = os.Environ()
	}
	cmd := exec.CommandContext(ctx, interpreter, append([]string{"-I", "-c", begin + program}, args...)...)
	cmd.Dir = directory(interpreter)
	// Scripts that choose an interpreter begin their search at PWD.
	cmd.Env = append(withoutRelativePaths(env), "PWD="+cmd.Dir)
	subprocess.OwnGroup(cmd)
	cmd.Cancel = func() error { return subprocess.Kill(cmd) }
	cmd.WaitDelay = lastOutput
	return cmd
}

// lastOutput is how long a process that the command started may hold its output open when the
// command has ended.
const lastOutput = time.Second

// searched lists the variables with directories in which the system looks for programs and
// libraries.
var searched = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH",
}

// loaded lists the variables with libraries that every process loads. A name without a slash is
// looked for in directories.
var loaded = []string{"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"}

// withoutRelativePaths returns env without the relative paths that lead to programs and libraries.
// The interpreter may change its directory, as scripts in front of it do.
func withoutRelativePaths(env []string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		var paths []string
		switch upper := strings.ToUpper(name); {
		case slices.Contains(searched, upper):
			paths = slices.DeleteFunc(filepath.SplitList(value), func(p string) bool { return !filepath.IsAbs(p) })
		case slices.Contains(loaded, upper):
			paths = strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == ':' })
			paths = slices.DeleteFunc(paths, func(p string) bool { return !filepath.IsAbs(p) && strings.Contains(p, "/") })
		default:
			kept = append(kept, v)
			continue
		}
		if len(paths) > 0 {
			kept = append(kept, name+"="+strings.Join(paths, string(filepath.ListSeparator)))
		}
	}
	return kept
}

// Module is like [Command] for a module that is a program, as with python -m.
func Module(ctx context.Context, interpreter string, env []string, module string, args ...string) *exec.Cmd {
	const run = `import runpy; runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)`
	return Command(ctx, interpreter, env, run, append([]string{module}, args...)...)
}

// directory returns a directory in which only those put files who could replace the interpreter as
// well.
func directory(interpreter string) string {
	if runtime.GOOS == "windows" {
		return filepath.Dir(interpreter) // every user may write to the root of a disk
	}
	return "/"
}
