// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// list runs pjrt list with additional environment variables.
func list(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, append([]string{"list", "--no-python"}, args...)...)
	c.Env = append(os.Environ(), env...)
	return finish(t, t.TempDir(), c)
}

func TestListShowsPluginsAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "pjrt_plugin_broken.so", "text")
	write(t, dir, "pjrt_plugin_empty.so", "")
	got := list(t, []string{"PJRT_PLUGIN_PATH=" + dir})
	got.requireSuccess(t)
	rows := map[string][]string{}
	for line := range strings.Lines(got.stdout) {
		if fields := strings.Fields(line); len(fields) > 0 {
			rows[fields[0]] = append(rows[fields[0]], line)
		}
	}
	require.Contains(t, rows, "NAME")
	assert.Contains(t, strings.Join(rows["cpu"], ""), library)
	assert.Regexp(t, `cpu +cpu +usable +`+regexp.QuoteMeta(installedAge(t))+` +cache`, got.stdout)
	assert.Regexp(t, `broken +broken +broken +- +PJRT_PLUGIN_PATH +`+dir, got.stdout)
	assert.Contains(t, got.stdout, "\n\n")
	assert.Contains(t, got.stdout, "broken: "+filepath.Join(dir, "pjrt_plugin_broken.so")+": it is a text file, not a library\n")

	got = list(t, []string{"PJRT_PLUGIN_PATH=" + dir}, "--usable")
	got.requireSuccess(t)
	assert.NotContains(t, got.stdout, "broken")
	assert.Contains(t, got.stdout, library)
}

func TestListAsJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "x.json", `{"library_path": "`+library+`", "create_options": {"cpu_device_count": 2}, "priority": 7}`)
	write(t, dir, "pjrt_plugin_broken.so", "text")
	got := list(t, []string{"PJRT_NAMES_AND_LIBRARY_PATHS=mine:" + filepath.Join(dir, "x.json")}, "mine", filepath.Join(dir, "pjrt_plugin_broken.so"), "--json")
	got.requireSuccess(t)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &all))
	require.Len(t, all, 2)
	want := map[string]any{
		"name": "mine", "platform": "mine", "path": library, "origin": "PJRT_NAMES_AND_LIBRARY_PATHS", "detail": filepath.Join(dir, "x.json"),
		"priority": 7.0, "experimental": false, "fail_quietly": false, "usable": true, "tried": true,
		"api": fmt.Sprintf("0.%d", known(t).minor), "options": map[string]any{"cpu_device_count": 2.0},
	}
	assert.Equal(t, want, all[0])
	assert.Equal(t, "broken", all[1]["name"])
	assert.Equal(t, false, all[1]["usable"])
	assert.Contains(t, all[1]["problem"], "it is a text file")

	got = list(t, nil, "cpu", "--json")
	got.requireSuccess(t)
	assert.Contains(t, got.stdout, `"usable": true`)
}

func TestListOfAMissingPlugin(t *testing.T) {
	t.Parallel()
	list(t, nil, "nobody-has-it").requireFailure(t, 1, "plugin not found: nobody-has-it; the known plugins are ")
	list(t, nil, "--jsn").requireFailure(t, 2, "unknown flag: --jsn")
}

func TestAConfigurationFileIsAPlugin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "two.json", `{"library_path": "`+library+`", "create_options": {"cpu_device_count": 2}}`)
	got := launch(t, dir, "info", "./two.json", "--json")
	require.Zero(t, got.status, got.stderr) // the plugin logs the option to stderr
	var r struct {
		Path   string `json:"path"`
		Client struct {
			Devices []any `json:"devices"`
		} `json:"client"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	assert.Equal(t, library, r.Path)
	assert.Len(t, r.Client.Devices, 2, "the options of the file reach the client")

	work := workplace(t)
	write(t, work, "bad.json", `{"library_path": "`+library+`", "create_options": {"cpu_device_count": "2"}}`)
	launch(t, work, "run", "--plugin", "./bad.json", "add.mlir", "f32.npy", "f32.npy").requireFailure(t, 1, "cpu_device_count")
	write(t, dir, "odd.json", `{"library": "x"}`)
	launch(t, dir, "info", "./odd.json").requireFailure(t, 1, `odd.json: unknown key "library"`)
}

func TestAFlagThatEndsTheProcessIsRefused(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), command, "info", "cpu")
	c.Env = append(os.Environ(), "XLA_FLAGS=--xla_cpu_enable_fast_mat=true")
	finish(t, t.TempDir(), c).requireFailure(t, 1, "XLA_FLAGS: no known version of XLA has a flag xla_cpu_enable_fast_mat; did you mean xla_cpu_enable_fast_math")
}
