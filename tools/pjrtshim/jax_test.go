// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build jax

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// python is the variable with the path of a Python interpreter that has JAX. make jax sets it.
const python = "PJRT_JAX_PYTHON"

// library builds the shim.
func library(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libpjrt_shim.so")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// run runs a Python program and returns what it prints.
func run(t *testing.T, variables []string, args ...string) []byte {
	t.Helper()
	exe := os.Getenv(python)
	require.NotEmpty(t, exe, "%s must name a Python with JAX: run make jax", python)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, exe, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PJRT_") && !strings.HasPrefix(v, "JAX_") && !strings.HasPrefix(v, "XLA_") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, variables...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Run(), "%s", &stderr)
	return stdout.Bytes()
}

// jax returns the variables that make library JAX's only platform.
func jax(library string) []string {
	return []string{"PJRT_NAMES_AND_LIBRARY_PATHS=watched:" + library, "JAX_PLATFORMS=watched"}
}

// answer is what programs.py prints.
type answer struct {
	Platform string
	Devices  int
	Results  map[string]any
}

func TestJAXComputesTheSameThroughTheShim(t *testing.T) {
	plugin, shim, dir := plugintest.Path(t, "cpu"), library(t), t.TempDir()
	program := filepath.Join("testdata", "programs.py")
	file := func(name string) string { return filepath.Join(dir, name) }

	var direct, through answer
	require.NoError(t, json.Unmarshal(run(t, jax(plugin), program), &direct))
	out := run(t, append(jax(shim), "PJRT_SHIM_PLUGIN="+plugin, "PJRT_SHIM_TRACE="+file("trace.jsonl"),
		"PJRT_SHIM_VALIDATE="+file("findings"), "PJRT_SHIM_RECORD="+file("session.jsonl")), program)
	require.NoError(t, json.Unmarshal(out, &through))

	assert.Equal(t, 4, direct.Devices)
	require.Greater(t, len(direct.Results), 15)
	assert.Equal(t, direct, through)

	t.Run("the trace has every call", func(t *testing.T) {
		calls, summary := readTrace(t, file("trace.jsonl"))
		seen, succeeded := make(map[string]int), make(map[string]int)
		for number, c := range calls {
			seen[c.Function]++
			if c.Error == nil {
				succeeded[c.Function]++
			}
			assert.NotZero(t, c.Thread, "call %d", number)
			assert.True(t, c.Args != nil && (c.Results != nil) != (c.Error != nil), "call %d", number)
		}
		for i := range uint64(len(calls)) {
			require.Contains(t, calls, i+1)
		}
		for name, s := range summary {
			assert.Equal(t, s.Calls, seen[name], name)
		}
		assert.Len(t, summary, len(seen))
		for name, atLeast := range map[string]int{
			"PJRT_Plugin_Initialize": 1, "PJRT_Client_Create": 1, "PJRT_Client_Destroy": 1, "PJRT_Client_Devices": 1,
			"PJRT_Client_Compile": 15, "PJRT_LoadedExecutable_Execute": 15, "PJRT_Client_BufferFromHostBuffer": 10,
			"PJRT_Buffer_Destroy": 10, "PJRT_Buffer_CopyToDevice": 0, "PJRT_Event_OnReady": 10,
		} {
			assert.GreaterOrEqual(t, seen[name], atLeast, name)
		}
		// Every object is destroyed, so a call that is missing from the trace would show.
		assert.Equal(t, succeeded["PJRT_Client_Compile"], seen["PJRT_LoadedExecutable_Destroy"])
	})
	t.Run("the validator finds nothing", func(t *testing.T) {
		findings, err := os.ReadFile(file("findings"))
		require.NoError(t, err)
		assert.Regexp(t, `^pjrt validate: \d+ calls, nothing found\n$`, string(findings))
	})
	t.Run("the session can be replayed", func(t *testing.T) {
		session, err := recording.Open(file("session.jsonl"))
		require.NoError(t, err)
		assert.True(t, session.Complete)
		table, err := capi.Open(plugin)
		require.NoError(t, err)
		report, err := recording.Replay(t.Context(), session, table, recording.Options{})
		require.NoError(t, err)
		assert.Empty(t, report.Differences)
		assert.Greater(t, report.Compared, 500)
		for _, s := range report.Skipped {
			// This call passes an address in the process to the program.
			assert.Equal(t, "PJRT_FFI_UserData_Add", s.Function, s.Why)
		}
	})
}

func TestATraceForPerfettoIsValid(t *testing.T) {
	plugin, shim, dir := plugintest.Path(t, "cpu"), library(t), t.TempDir()
	file := filepath.Join(dir, "trace.json")
	run(t, append(jax(shim), "PJRT_SHIM_PLUGIN="+plugin, "PJRT_SHIM_TRACE="+file),
		"-c", "import jax, jax.numpy as n; print(jax.jit(lambda a: a + 1)(n.ones(3)))")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var events []struct {
		Name, Ph string
		Ts, Dur  *float64
		Pid, Tid *int
	}
	require.NoError(t, json.Unmarshal(text, &events))
	require.Greater(t, len(events), 50)
	complete := 0
	for _, e := range events {
		require.NotNil(t, e.Pid, e.Name)
		require.NotNil(t, e.Tid, e.Name)
		if e.Ph == "X" {
			complete++
			require.NotNil(t, e.Ts, e.Name)
			require.NotNil(t, e.Dur, e.Name)
			assert.GreaterOrEqual(t, *e.Dur, 0.0)
		}
	}
	assert.Equal(t, len(events)-2, complete, "all but the name of the process and the summary")
}

func TestFaultsReachJAX(t *testing.T) {
	plugin, shim := plugintest.Path(t, "cpu"), library(t)
	out := run(t, append(jax(shim), "PJRT_SHIM_PLUGIN="+plugin, "PJRT_SHIM_FAULTS=PJRT_LoadedExecutable_Execute:fail=RESOURCE_EXHAUSTED,message=no room,after=1,times=1"), "-c", `
import jax, numpy as np
f = jax.jit(lambda a: a + 1)
x = np.ones(3)
for _ in range(3):
    try:
        print(np.asarray(f(x)).sum())
    except Exception as e:
        print(e)
`)
	assert.Equal(t, "6.0\nRESOURCE_EXHAUSTED: no room\n6.0\n", string(out))
}

func TestVariablesThatThePythonProgramSetsTakeEffect(t *testing.T) {
	plugin, shim := plugintest.Path(t, "cpu"), library(t)
	file := filepath.Join(t.TempDir(), "summary")
	run(t, append(jax(shim), "PJRT_SHIM_PLUGIN="+plugin), "-c", `
import os, sys
os.environ["PJRT_SHIM_SUMMARY"] = sys.argv[1]
import jax
jax.devices()
`, file)
	summary, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(summary), "PJRT_Client_Devices")
}

func TestJAXSaysWhyTheShimCannotStart(t *testing.T) {
	shim := library(t)
	for name, c := range map[string]struct{ variable, want string }{
		"no plugin":     {"A=b", "PJRT_SHIM_PLUGIN is not set"},
		"a bad path":    {"PJRT_SHIM_PLUGIN=/no/such/plugin.so", "/no/such/plugin.so"},
		"a bad setting": {"PJRT_SHIM_FAULTS=PJRT_Nothing:delay=1s", "is not a PJRT function"},
	} {
		t.Run(name, func(t *testing.T) {
			out := run(t, append(jax(shim), c.variable), "-c", "import jax\ntry:\n  jax.devices()\nexcept Exception as e:\n  print(e)")
			assert.Contains(t, string(out), c.want)
			assert.Contains(t, string(out), "FAILED_PRECONDITION")
		})
	}
}

func TestTheValidatorNamesWhatAWrongClientDoes(t *testing.T) {
	shim := library(t)
	for _, name := range []string{"cpu", "cpu@0.81"} {
		t.Run(name, func(t *testing.T) { testWrongClient(t, name, shim) })
	}
}

func testWrongClient(t *testing.T, name, shim string) {
	plugin, dir := plugintest.Path(t, name), t.TempDir()
	slots := make(map[string]uintptr)
	for _, f := range capi.Functions(capi.SectionCore) {
		slots[f.Name] = f.Offset
	}
	text, err := json.Marshal(slots)
	require.NoError(t, err)
	file := filepath.Join(dir, "findings")
	out := run(t, []string{"PJRT_SHIM_PLUGIN=" + plugin, "PJRT_SHIM_VALIDATE=" + file, "PJRT_SHIM_VALIDATE_REFUSE=1"},
		filepath.Join("testdata", "wrong.py"), shim, string(text))
	var handles map[string]string
	require.NoError(t, json.Unmarshal(out, &handles))
	findings, err := os.ReadFile(file)
	require.NoError(t, err)
	// Since API 0.107, a client may read an error through the error's own functions, unseen.
	assert.Equal(t, name == "cpu@0.81", strings.Contains(string(findings), "error not read: call #9 PJRT_Error_Destroy: "))
	for _, want := range []string{
		"use after destroy: call #7 PJRT_Buffer_ElementType: PJRT_Buffer " + handles["used"] + " was destroyed by call #6 PJRT_Buffer_Destroy; it was made by call #4 PJRT_Client_BufferFromHostBuffer\n",
		"double destroy: call #8 PJRT_Buffer_Destroy: PJRT_Buffer " + handles["used"] + " was destroyed by call #6 ",
		"struct size: call #11 PJRT_Client_PlatformName: struct_size 20 ",
		"host memory: call #13 PJRT_Client_BufferFromHostBuffer lent 65536 bytes at " + handles["changed"] + ",",
		"wrong owner: call #18 PJRT_Client_BufferFromHostBuffer: device is PJRT_Device " + handles["device"] + " of ",
		"client destroyed too early: call #22 PJRT_Client_Destroy: ",
		"still has PJRT_Buffer " + handles["left"] + " (made by call #21 ",
		"leak: never destroyed: PJRT_Event " + handles["leaked"] + " (made by call #21 ",
	} {
		assert.Contains(t, string(findings), want)
	}
}

// tracedCall is a line of a trace in JSON.
type tracedCall struct {
	Call     uint64
	Function string
	Thread   uint64
	Args     map[string]any
	Results  map[string]any
	Error    map[string]any
	Summary  map[string]struct{ Calls int }
}

// readTrace returns the calls of a trace by number, and its summary.
func readTrace(t *testing.T, path string) (map[uint64]tracedCall, map[string]struct{ Calls int }) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	calls := make(map[uint64]tracedCall)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c tracedCall
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c), "%s", lines.Bytes())
		if c.Summary != nil {
			return calls, c.Summary
		}
		require.NotContains(t, calls, c.Call)
		calls[c.Call] = c
	}
	t.Fatal("the trace has no summary")
	return nil, nil
}
