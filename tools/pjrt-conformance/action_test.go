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
	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// The step of the action runs as GitHub would run it: action.yml sets each variable that
// the script reads, and the script writes where GitHub looks.
func TestTheActionChecksAPluginAndKeepsTheReports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite several times: make test-all")
	}
	text, err := os.ReadFile("../../conformance/action.yml")
	require.NoError(t, err)
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct {
			Steps []struct {
				ID, Run string
				Env     map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	script, err := filepath.Abs("../../conformance/action.sh")
	require.NoError(t, err)
	run := func(dir string, inputs map[string]string) (status int, out string) {
		t.Helper()
		env := append(os.Environ(), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
		for _, step := range action.Runs.Steps {
			if step.ID != "check" {
				continue
			}
			assert.Equal(t, `bash "$GITHUB_ACTION_PATH/action.sh"`, step.Run)
			for name, value := range step.Env {
				input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
				switch declared, ok := action.Inputs[input]; {
				case name == "COMMANDS":
					env = append(env, name+"="+filepath.Dir(tested.Path))
				case !assert.True(t, ok, "%s is not an input", value):
				case inputs[input] != "":
					env = append(env, name+"="+inputs[input])
				default:
					assert.False(t, declared.Required, input)
					env = append(env, name+"="+declared.Default)
				}
			}
		}
		cmd := exec.Command("bash", script)
		cmd.Dir, cmd.Env = dir, env
		text, err := cmd.CombinedOutput()
		if err != nil {
			require.ErrorContains(t, err, "exit status", string(text))
		}
		return cmd.ProcessState.ExitCode(), string(text)
	}

	dir := t.TempDir()
	status, out := run(dir, map[string]string{
		"plugin": tested.Library, "arguments": "--run\n^LOAD-0[1-3]$\n--no-device", "options": "cpu_device_count=2\n\nx=y z", "profile": "quick",
	})
	require.Zero(t, status, out)
	for _, name := range []string{"report.json", "junit.xml", "report.html", "report.md", "badge.svg"} {
		assert.FileExists(t, filepath.Join(dir, "conformance-reports", name))
	}
	r, err := report.ReadFile(filepath.Join(dir, "conformance-reports", "report.json"))
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu_device_count=2", "x=y z"}, r.Run.Options)
	verdict, err := os.ReadFile(filepath.Join(dir, "output"))
	require.NoError(t, err)
	assert.Equal(t, "verdict="+string(r.Verdict)+"\n", string(verdict))
	summary, err := os.ReadFile(filepath.Join(dir, "summary"))
	require.NoError(t, err)
	assert.Contains(t, string(summary), "## PJRT conformance")

	status, out = run(t.TempDir(), map[string]string{"plugin": tested.Library, "arguments": "--run\n^NOTHING$"})
	assert.Equal(t, 2, status, out)
}
