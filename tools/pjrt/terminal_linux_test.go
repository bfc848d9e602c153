// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func TestOutputFitsATerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the command 24 times: make test-all")
	}
	_, env := home(t)
	env = append(env, "TERM=xterm")
	for _, args := range []string{"list", "install", "doctor", "--help", "run --help", "nosuch", "info cup", "version"} {
		for _, columns := range []uint16{40, 80, 200} {
			shown, _ := tested.OnPTY(t, columns, env, strings.Fields(args)...)
			require.NotEmpty(t, shown)
			for line := range strings.Lines(shown) {
				line = strings.TrimSuffix(line, "\n")
				if cli.TextWidth(line) > int(columns) {
					assert.LessOrEqual(t, len(strings.Fields(line)), 2, "%s at %d: only a long word may stick out: %q", args, columns, line)
				}
			}
		}
	}
}

func TestColoursAreForTerminalsOnly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the command several times: make test-all")
	}
	_, env := home(t)
	shown, _ := tested.OnPTY(t, 80, append(env, "TERM=xterm"), "doctor")
	assert.Contains(t, shown, "\x1b[32mok")
	for _, variable := range []string{"NO_COLOR=1", "TERM=dumb"} {
		shown, _ = tested.OnPTY(t, 80, append(env, "TERM=xterm", variable), "doctor")
		assert.NotContains(t, shown, "\x1b[")
	}
}

func TestJSONIsNotBrokenOnATerminal(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	shown, status := tested.OnPTY(t, 40, env, "doctor", "--json")
	require.Zero(t, status)
	diagnosis(t, outcome{stdout: shown})
}

// Nobody can make files in /sys, not even root.
func TestEveryCommandWorksWithACacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	env := []string{"XDG_CACHE_HOME=/sys", "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "PJRT_NAMES_AND_LIBRARY_PATHS=cpu:" + library}
	for _, use := range uses.Lines {
		o := tested.Within(t, dir, env, `exec "$@"`, use)
		if use == "install cpu" || use == "uninstall cpu" {
			assert.Equal(t, 1, o.Status, use)
			assert.Regexp(t, `^pjrt: [^\n]*\n$`, o.Stderr, use)
			continue
		}
		assert.Zero(t, o.Status, "%s: %s", use, o.Stderr)
	}
}
