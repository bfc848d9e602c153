// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package trace_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/trace"
)

// childPlugin names the plugin that a child process uses. The child is this test binary, so that
// the variables are set when the program starts.
const childPlugin = "TRACE_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPlugin); path != "" {
		if err := work(context.Background(), path); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		if os.Getenv("TRACE_TEST_CLOSE") != "" {
			fmt.Println(trace.Findings(), "findings", trace.Close())
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// best stands for the path of the best plugin.
const best = "best"

// work compiles and runs a small program.
func work(ctx context.Context, path string) error {
	open := pjrt.Open
	if path == best {
		open = func(string) (*pjrt.Plugin, error) { return plugins.Load(ctx, "") }
	}
	plugin, err := open(path)
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`module {
		func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.add %a, %a : tensor<3xf32>
			return %0 : tensor<3xf32>
		}
	}`)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	for i := range 3 {
		in, err := client.BufferFromHost(ctx, pjrt.ArrayOf([]float32{1, 2, float32(i)}, 3), nil)
		if err != nil {
			return err
		}
		out, err := exe.Execute(ctx, []*pjrt.Buffer{in}, nil)
		if err != nil {
			return err
		}
		got, err := pjrt.ToSlice[float32](ctx, out[0])
		if err != nil {
			return err
		}
		fmt.Println(got)
		in.Close()
		out[0].Close()
	}
	return nil
}

// child runs work in a process with these environment variables.
func child(t *testing.T, variables ...string) (string, error) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), childPlugin+"="+plugintest.Path(t, "cpu")), variables...)
	out, err := c.Output()
	return string(out), err
}

const results = "[2 4 0]\n[2 4 2]\n[2 4 4]\n"

func TestTheEnvironmentSaysWhatToWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	out, err := child(t, "TRACE_TEST_CLOSE=1", "PJRT_TRACE="+file("trace"), "PJRT_VALIDATE="+file("findings"), "PJRT_RECORD="+file("session"), "PJRT_SUMMARY="+file("summary"))
	require.NoError(t, err, out)
	assert.Equal(t, results+"0 findings <nil>\n", out)
	text := func(name string) string {
		b, err := os.ReadFile(file(name))
		require.NoError(t, err)
		return string(b)
	}
	for _, want := range []string{" #1 ", "PJRT_Client_Compile(client=0x", "PJRT_LoadedExecutable_Execute(", "PJRT_Client_Destroy(client=0x"} {
		assert.Contains(t, text("trace"), want)
	}
	assert.Regexp(t, `\A[^\n]* calls, nothing found\n\z`, text("findings"))
	assert.Contains(t, text("summary"), "PJRT_LoadedExecutable_Execute")
	session, err := recording.Open(file("session"))
	require.NoError(t, err)
	assert.True(t, session.Complete)
}

func TestWithoutCloseTheFilesAreUsable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace.txt")
	out, err := child(t, "PJRT_TRACE="+file)
	require.NoError(t, err)
	assert.Equal(t, results, out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "# ", "the summary is written when the client is closed")
	assert.Equal(t, 1, strings.Count(string(text), " all\n"))
}

func TestFaultsReachTheProgram(t *testing.T) {
	t.Parallel()
	out, err := child(t, "PJRT_FAULTS=LoadedExecutable_Execute:fail=RESOURCE_EXHAUSTED,after=2")
	require.Error(t, err)
	assert.Contains(t, out, "[2 4 0]\n[2 4 2]\nerror: ")
	assert.Contains(t, out, "RESOURCE_EXHAUSTED")
}

func TestInvalidVariablesAreErrorsOfOpen(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"PJRT_TRACE_FORMAT=xml":                             "PJRT_TRACE_FORMAT",
		"PJRT_TRACE=/no/such/dir/x":                         "there is no directory",
		"PJRT_RECORD=" + filepath.Join(t.TempDir(), "x.gz"): "sessions are written uncompressed",
	} {
		cpu := plugintest.Path(t, "cpu")
		for _, path := range []string{cpu, best} {
			out, err := child(t, variable, childPlugin+"="+path, plugins.NamesAndLibraryPaths+"=first:"+cpu+",second:"+cpu)
			require.Error(t, err)
			assert.Contains(t, out, "error: ")
			assert.Contains(t, out, want)
			assert.NotContains(t, out, "none of the plugins works", "no other plugin is tried")
		}
	}
}

func TestWithoutVariablesNothingIsWatched(t *testing.T) {
	t.Parallel()
	out, err := child(t, "TRACE_TEST_CLOSE=1")
	require.NoError(t, err)
	assert.Equal(t, results+"0 findings <nil>\n", out)
}

// startVariable is set in the process in which the next test does its work.
const startVariable = "TRACE_TEST_START"

// Only plugins that are opened after Start are watched, so each run needs a process of its own.
func TestAProgramCanStartWatching(t *testing.T) {
	if os.Getenv(startVariable) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestAProgramCanStartWatching$", "-test.v")
		c.Env = append(os.Environ(), startVariable+"=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestAProgramCanStartWatching")
		return
	}
	dir := t.TempDir()
	require.ErrorContains(t, trace.Start(trace.Config{TraceOnly: []string{"Nothing"}}), "not a PJRT function")
	require.NoError(t, trace.Start(trace.Config{Trace: filepath.Join(dir, "t.jsonl"), TraceFormat: shim.FormatJSON, Validate: filepath.Join(dir, "v")}))
	require.ErrorContains(t, trace.Start(trace.Config{}), "call Close first")
	path := plugintest.Path(t, "cpu")
	require.NoError(t, work(t.Context(), path))
	assert.Zero(t, trace.Findings())
	require.NoError(t, trace.Close())
	require.NoError(t, trace.Close(), "a second call does nothing")
	text, err := os.ReadFile(filepath.Join(dir, "t.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(text), `"function":"PJRT_LoadedExecutable_Execute"`))
	require.NoError(t, work(t.Context(), path), "the plugin still works")
	after, err := os.ReadFile(filepath.Join(dir, "t.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, len(text), len(after))
}
