// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// childTest is the environment variable that names the test for a child process to run.
const childTest = "PJRT_CHILD_TEST"

// inChild reports whether the rest of the test should run: only in a child process, so that
// a test that ends its process does not end the others. In the parent, inChild runs the
// child, with more environment variables, and fails the test if the child failed.
func inChild(t *testing.T, environment ...string) bool {
	t.Helper()
	if os.Getenv(childTest) == t.Name() {
		return true
	}
	out, err := runChild(t, environment...)
	if err != nil || !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Errorf("in a child process: %v\n%s\n...\n%s", err, firstLines(out, 80), lastLines(out, 200))
	}
	return false
}

// emulator is the environment variable with the command that runs this test binary, if the
// machine cannot run it directly.
const emulator = "PJRT_TEST_EMULATOR"

// self is the command that runs this test binary again.
func self(ctx context.Context, arguments ...string) *exec.Cmd {
	words := append(strings.Fields(os.Getenv(emulator)), os.Args[0])
	return exec.CommandContext(ctx, words[0], append(words[1:], arguments...)...)
}

// runChild runs the test in a child process.
func runChild(t *testing.T, environment ...string) (output string, err error) {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	cmd := self(t.Context(), "-test.run=^"+strings.Join(parts, "$/^")+"$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(append(os.Environ(), childTest+"="+t.Name()), environment...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// allStacks returns the stacks of all goroutines.
func allStacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}
