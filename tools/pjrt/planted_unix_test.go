// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python/planted"
)

// Each command that starts a program, in a folder in which others have put programs, modules and
// plugins.
func TestCommandsRunNothingOfTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	where := workplace(t)
	add := []string{filepath.Join(where, "add.mlir"), filepath.Join(where, "f32.npy"), filepath.Join(where, "f32.npy")}
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string // a regular expression for the output
	}{
		"install":     {[]string{"install", "tpu@0.0.2"}, 1, "PIP_NO_INDEX is set, and there is no wheel of libtpu 0.0.2 in PIP_FIND_LINKS"},
		"doctor":      {[]string{"doctor", "--json"}, 0, `"subject": "python",\s+"state": "ok",\s+"finding": "/[^"]+, pip \d`},
		"list":        {[]string{"list"}, 0, `(?m)^cpu `},
		"run":         {append([]string{"run"}, add...), 0, `\[2\. 4\. 6\. 8\.\]`},
		"run isolate": {append([]string{"run", "--isolate"}, add...), 0, `\[2\. 4\. 6\. 8\.\]`},
		"trace":       {[]string{"trace", "--shim", library, "git", "status"}, 1, "relative to current directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := planted.Folder(t)
			_, env := home(t)
			env = append(env, "PATH="+strings.Join([]string{".", "", "bin", os.Getenv("PATH")}, ":"), "PIP_CONFIG_FILE="+os.DevNull,
				"PIP_NO_INDEX=1", "PYTHONPATH=.:", "PYTHONHOME=.", "VIRTUAL_ENV=.venv", "LD_LIBRARY_PATH=.:", "CUDA_HOME=.")
			command := exec.CommandContext(t.Context(), command, c.args...)
			command.Env = env
			o := finish(t, dir, command)
			assert.Equal(t, c.status, o.status, o.stderr)
			assert.Regexp(t, c.want, o.stdout+o.stderr)
			assert.NotContains(t, o.stdout, dir)
			require.Empty(t, planted.Taken(t, dir))
		})
	}
}
