// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package python

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// actAsParent makes the test binary run an interpreter, which its value names.
const actAsParent = "PYTHON_TEST_PARENT"

func TestMain(m *testing.M) {
	if interpreter := os.Getenv(actAsParent); interpreter != "" {
		_, said, err := Run(Command(context.Background(), interpreter, nil, holdOpen, os.Args[1]))
		panic(said + err.Error()) // it is to be killed
	}
	os.Exit(m.Run())
}

// holdOpen is a program that opens a named pipe, says so, and hangs.
const holdOpen = `
import time
with open(sys.argv[1], "w") as f:
    f.write("open\n")
    f.flush()
    time.sleep(1000)
`

// held is a named pipe that processes hold open.
type held struct {
	path string
	file *os.File
	text *bufio.Reader
}

func newHeld(t *testing.T) *held {
	t.Helper()
	h := &held{path: filepath.Join(t.TempDir(), "held")}
	require.NoError(t, unix.Mkfifo(h.path, 0o600))
	return h
}

// await waits until a process has opened the pipe.
func (h *held) await(t *testing.T) {
	t.Helper()
	var err error
	h.file, err = os.Open(h.path)
	require.NoError(t, err)
	t.Cleanup(func() { h.file.Close() })
	require.NoError(t, h.file.SetReadDeadline(time.Now().Add(time.Minute)))
	h.text = bufio.NewReader(h.file)
	line, err := h.text.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open\n", line)
}

// requireReleased waits until all processes that held the pipe open have ended.
func (h *held) requireReleased(t *testing.T) {
	t.Helper()
	_, err := io.ReadAll(h.text)
	require.NoError(t, err, "a process lives")
}

// script writes a program of the shell.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	writeProgram(t, path, "#!/bin/sh\n"+text+"\n")
	return path
}

func TestACommandEndsWithAKilledParent(t *testing.T) {
	t.Parallel()
	real, err := Find(Default())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	for name, front := range map[string]string{"alone": "", "below a script": `exec 9>"$4"; "` + real + `" "$@"; true`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			interpreter, h := real, newHeld(t)
			if front != "" {
				interpreter = script(t, front)
			}
			parent := exec.CommandContext(t.Context(), self, h.path)
			parent.Env = append(os.Environ(), actAsParent+"="+interpreter)
			require.NoError(t, parent.Start())
			h.await(t)
			require.NoError(t, parent.Process.Kill())
			require.Error(t, parent.Wait())
			h.requireReleased(t)
		})
	}
}

func TestACommandEndsWithItsContextAndWhatItStarted(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	wrapper := script(t, `exec 9>"$4"; sleep 1000 & echo open >&9; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := Run(Command(ctx, wrapper, nil, "", h.path))
		done <- err
	}()
	h.await(t)
	cancel()
	require.ErrorContains(t, <-done, "killed")
	h.requireReleased(t)
}

// The pipe is for the interpreter alone, and a script may take it away.
func TestACommandWithoutItsPipeRuns(t *testing.T) {
	t.Parallel()
	real, err := Find(Default())
	require.NoError(t, err)
	out, said, err := Run(Command(t.Context(), script(t, `exec "`+real+`" "$@" </dev/null`), nil,
		"print(*os.environ)"))
	require.NoError(t, err, said)
	assert.Contains(t, out, "PATH")
	assert.NotContains(t, out, lifeline)
}

func TestEndlessOutputEndsACommand(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"1", "2"} {
		path := script(t, "trap '' PIPE; while :; do yes hello; done >&"+to)
		_, _, err := Run(Command(t.Context(), path, nil, ""))
		var tooMuch *OutputError
		require.ErrorAs(t, err, &tooMuch)
		assert.Equal(t, path, tooMuch.Path)
		require.ErrorContains(t, err, `prints more than 1048576 bytes, so it is not Python, or is broken; the output begins "hello\nhello`)
		assert.Less(t, len(err.Error()), 1000)
	}
}

func TestReasonIsWhatPythonAndPipSay(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"": "", "\n \n": "",
		"Traceback (most recent call last):\n  File x\nRuntimeError: the moon is full\n\n[notice] A new release\n": "RuntimeError: the moon is full",
		"WARNING: one\nERROR: two\nERROR: three\n": "three",
		"ERROR: one\ntwo\nhint: three\n":           "one two",
		"Configuration file could not be loaded.\nNo section headers.\nfile: 'pip.conf'\n'[global'\n": "Configuration file could not be loaded. No section headers. file: 'pip.conf' '[global'",
		"\nUsage:   \n  pip download\n\nmaybe is not a valid value\n":                                 "maybe is not a valid value",
		"error: the-moon\n\n× The moon is full\n\nhint: Wait.\n":                                      "× The moon is full",
		"1\n2\n3\n4\n5\n6\n": "2 3 4 5 6",
	} {
		assert.Equal(t, want, Reason(output), output)
	}
}
