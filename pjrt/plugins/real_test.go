// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheInstalledPluginIsListed(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	all, err := plugins.List(t.Context(), plugins.ListOptions{NoPython: true})
	require.NoError(t, err)
	var found []plugins.Candidate
	for _, c := range all {
		if c.Origin == plugins.OriginCache && c.Name == "cpu" {
			found = append(found, c)
		}
	}
	require.Len(t, found, 1)
	assert.Equal(t, path, found[0].Path)
	assert.True(t, found[0].Usable(), "%v", found[0].Err())
	assert.Equal(t, "0.81", found[0].API)
	assert.Equal(t, "0.0.1", found[0].Version)

	c := plugins.Inspect(path)
	assert.True(t, c.Usable(), "%v", c.Err())
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	assert.NotContains(t, string(maps), path, "listing loads nothing")
}

func TestDefaultIsOfTheVariable(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	t.Setenv("PJRT_PLATFORMS", "host")
	c, err := plugins.Default(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "cpu", c.Platform)
	_, err = os.Stat(c.Path)
	require.NoError(t, err)
	t.Setenv("PJRT_PLATFORMS", "cpu,nothing")
	_, err = plugins.Default(t.Context())
	require.ErrorContains(t, err, "PJRT_PLATFORMS=cpu,nothing: nothing is not usable")
	require.ErrorIs(t, err, plugins.ErrNotFound)
	t.Setenv("PJRT_PLATFORMS", "mine")
	t.Setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "mine:"+path)
	c, err = plugins.Default(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "mine", c.Name)
}

const childPlugin = "PLUGINS_TEST_COMPILE"

// A process with that variable compiles a program and does nothing else. TestMain
// is taken by the child processes of another test.
func init() {
	path := os.Getenv(childPlugin)
	if path == "" {
		return
	}
	if err := compile(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// compile makes the plugin read XLA_FLAGS.
func compile(path string) error {
	p, err := pjrt.Open(path)
	if err != nil {
		return err
	}
	client, err := p.NewClient(context.Background(), nil)
	if err != nil {
		return err
	}
	program := pjrt.Program{Code: []byte("func.func @main() -> tensor<i32> {\n%0 = stablehlo.constant dense<1> : tensor<i32>\nreturn %0 : tensor<i32>\n}")}
	_, err = client.Compile(context.Background(), program, nil)
	return err
}

// What the check refuses ends a process that compiles, and what it lets pass does
// not.
func TestTheCheckOfXLAFlagsIsRight(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	for _, value := range []string{
		"--xla_cpu_enable_fast_math=TRUE --xla_gpu_autotune_level=' 1'",
		"--xla_backend_optimization_level=+1 word --nope",
		"--xla_gpu_detect_nan=warning",
		"--xla_step_marker_location=STEP_MARK_AT_ENTRY",
		"--xla_gpu_auto_spmd_partitioning_memory_budget_ratio=1e400",
		"--nope",
		"--xla_enable_dumping=true",   // of a later version
		"--xla_detailed_logging=true", // of an earlier one
		"--xla_dump_to",
		"-xla_dump_to=/x",
		"--xla_cpu_enable_fast_math=yes",
		"--xla_backend_optimization_level=0x1",
		"--xla_step_marker_location=1",
		"/no/such/file",
	} {
		t.Run(value, func(t *testing.T) {
			t.Setenv("XLA_FLAGS", value)
			refused := plugins.CheckXLAFlags(path)
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), childPlugin+"="+path, "PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1")
			var output bytes.Buffer
			child.Stdout, child.Stderr = &output, &output
			err := child.Run()
			if refused == nil {
				require.NoError(t, err, "the check let it pass: %s", output.String())
				return
			}
			require.Error(t, err, "the check refused it: %v", refused)
			assert.NotEqual(t, 3, child.ProcessState.ExitCode(), "it is the plugin that ends the process: %s", output.String())
			assert.True(t, strings.Contains(output.String(), "XLA_FLAGS") || strings.Contains(output.String(), "flag"), output.String())
		})
	}
}
