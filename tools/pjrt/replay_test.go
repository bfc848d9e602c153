// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record runs a program, records it and returns the file with its session.
func record(t *testing.T, dir string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, "run", "add.mlir", "f32.npy", "f32.npy")
	c.Env = append(os.Environ(), "PJRT_RECORD=session.jsonl", "PJRT_VALIDATE=findings")
	finish(t, dir, c).requireSuccess(t)
	findings, err := os.ReadFile(filepath.Join(dir, "findings"))
	require.NoError(t, err)
	assert.Regexp(t, `^[^\n]* calls, nothing found\n$`, string(findings))
	return filepath.Join(dir, "session.jsonl")
}

func TestReplayMakesTheCallsAgain(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	o := launch(t, dir, "replay", record(t, dir), "--plugin", library)
	require.Zero(t, o.status, o.stderr)
	assert.Regexp(t, `^\d+ calls repeated, 0 skipped; \d+ results compared, 0 differ; \d+ notes\n$`, o.stdout)
}

func TestReplayShowsWhatDiffers(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	text, err := os.ReadFile(record(t, dir))
	require.NoError(t, err)
	// The program gets the argument 1 2 3 8 instead of the recorded one.
	upload := regexp.MustCompile(`"data contents":\{"base64":"AACAPwAAAEAAAEBAAACAQA==","crc":"[0-9a-f]{8}"`)
	require.Len(t, upload.FindAll(text, -1), 2)
	changed := strings.Replace(string(text), string(upload.Find(text)), `"data contents":{"base64":"AACAPwAAAEAAAEBAAAAAQQ==","crc":"c723bc89"`, 1)
	write(t, dir, "changed.jsonl", changed)
	o := launch(t, dir, "replay", "changed.jsonl")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stdout, ": 1 of 4 numbers of the F32 array differ, most of all number 3: it was 8, and is 12\n")
	assert.Contains(t, o.stderr, "2 results differ from the recorded ones")

	o = launch(t, dir, "replay", "--json", "changed.jsonl")
	assert.Equal(t, 1, o.status)
	var report struct{ Differences []replayLine }
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &report))
	assert.Len(t, report.Differences, 2)
	assert.Zero(t, launch(t, dir, "replay", "--relative", "2", "changed.jsonl").status)
}

func TestReplayRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	launch(t, dir, "replay", "none.jsonl").requireFailure(t, 1, "none.jsonl")
	launch(t, dir, "replay", "add.mlir").requireFailure(t, 1, "the recording is damaged: line 1: it does not belong to a recorded session")
	write(t, dir, "empty.jsonl", `{"format":"purepjrt session","version":1,"api":[0,81]}`+"\n")
	launch(t, dir, "replay", "empty.jsonl", "--plugin", "/no/such/plugin.so").requireFailure(t, 1, "/no/such/plugin.so")
	launch(t, dir, "replay").requireFailure(t, 2, "accepts 1 arg")
	launch(t, dir, "replay", "empty.jsonl", "--relative", "-1").requireFailure(t, 2, "must not be negative")
}

func TestTheCommandsCallsCanBeTraced(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	c := exec.CommandContext(t.Context(), command, "run", "add.mlir", "f32.npy", "f32.npy")
	c.Env = append(os.Environ(), "PJRT_TRACE=stderr")
	o := finish(t, dir, c)
	assert.Zero(t, o.status)
	assert.Contains(t, o.stderr, "PJRT_LoadedExecutable_Execute(")
	assert.Contains(t, o.stderr, " all\n")
}
