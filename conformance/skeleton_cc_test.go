// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package conformance

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// skeleton builds the plugin of the document for authors of plugins with the command that the
// document shows.
func skeleton(t *testing.T, flags ...string) string {
	t.Helper()
	const at = "bin/skeleton.so"
	text, err := os.ReadFile("../pjrt/docs/writing-a-plugin.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "$ cc ")
	require.True(t, ok)
	command, _, _ := strings.Cut(rest, "\n")
	require.Contains(t, command, at)
	out := filepath.Join(t.TempDir(), "skeleton.so")
	script := fmt.Sprintf("exec %s %s %s", cmp.Or(os.Getenv("CC"), "gcc"), strings.Join(flags, " "), strings.ReplaceAll(command, at, out))
	cc := exec.Command("sh", "-c", script)
	cc.Dir = ".."
	said, err := cc.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Empty(t, string(said))
	return out
}

// Whoever follows the document has a plugin that passes smoke, in which little is skipped.
func TestTheSkeletonPassesSmoke(t *testing.T) {
	t.Parallel()
	o := Options{Plugin: skeleton(t, "-Wall", "-Werror"), Profile: Smoke, TimeoutFactor: 10} // of a busy machine
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, report.Conformant, r.Verdict)
	passed := 0
	for i := range r.Results {
		x := &r.Results[i]
		assert.True(t, x.Verdict == report.Pass || x.Verdict.Skipped(), x.Details())
		if x.Verdict == report.Pass {
			passed++
		}
	}
	assert.GreaterOrEqual(t, passed, 100)
	assert.Empty(t, r.Problems)
}
