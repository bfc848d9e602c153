// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// childVariable is the environment variable with the test for a child process to run.
const childVariable = "REALPLUGIN_CHILD"

// A child prints survived when it reaches the end of its test.
const survived = "the child survived"

// inChild reports whether this process is the child of t.
func inChild(t *testing.T) bool { return os.Getenv(childVariable) == t.Name() }

// child runs only the test t again, in a separate process, and returns its output and how it ended.
func child(t *testing.T, environment ...string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run="+strings.Join(parts, "/"), "-test.v", "-test.timeout=3m")
	cmd.Env = append(append(os.Environ(), childVariable+"="+t.Name()), environment...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// isolated runs the rest of the test in a separate process. In the parent it returns false if the
// child has passed, and fails the test otherwise.
func isolated(t *testing.T, environment ...string) bool {
	t.Helper()
	if inChild(t) {
		return true
	}
	out, err := child(t, environment...)
	if err != nil || !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Fatalf("in a separate process: %v\n%s", err, out)
	}
	t.Log(out)
	return false
}
