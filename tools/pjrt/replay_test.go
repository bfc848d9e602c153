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

	"github.com/purepjrt/purepjrt/internal/subprocess"
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
	// What is skipped registers the handlers of LAPACK, which are functions of the recorded
	// process.
	assert.Regexp(t, `^\d{3,} calls repeated, \d{2} skipped; \d{3,} results compared, 0 differ; \d+ notes\n$`, o.stdout)
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

// A recording may say anything. What follows from that, a crash of the plugin too, is an error of
// the command.
func TestReplayOfAHostileRecordingIsAnError(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	text, err := os.ReadFile(record(t, dir))
	require.NoError(t, err)
	change := func(pattern, to string) string {
		p := regexp.MustCompile(pattern)
		require.True(t, p.Match(text), pattern)
		return p.ReplaceAllString(string(text), to)
	}
	const first = `{"format":"purepjrt session","version":1,"api":[0,81]}` + "\n"
	for name, c := range map[string]struct{ session, stderr string }{
		"a null client": {session: change(`("function":"PJRT_Client_BufferFromHostBuffer".*?)"client":"[^"]*"`, `$1"client":null`),
			stderr: "client is null"},
		"another type": {session: change(`"type":11,"dims":\[4\]`, `"type":12,"dims":[4]`), stderr: "the array has 16 bytes, but its shape needs 32"},
		"more dimensions": {session: change(`"dims":\[4\],"num_dims":1`, `"dims":[4],"num_dims":100000000`),
			stderr: "num_dims says that there are 100000000, but there are 1"},
		"more memory than there is": {session: change(`PJRT_Buffer_OpaqueDeviceMemoryDataPointer","size":32,"in":\{"buffer":("[^"]*")`,
			`PJRT_Buffer_ToHostBuffer","size":56,"in":{"src":$1,"host_layout":null,"dst":true,"dst_size":8589934592`),
			stderr: "the recording asks for 8589934592 bytes of memory"},
		"a device for a client": {session: change(`"in":\{"client":"PJRT_Client#1"`, `"in":{"client":"PJRT_Device#1"`), stderr: "PJRT_Device#1 is not a PJRT_Client"},
		"a null program": {session: change(`("function":"PJRT_Client_Compile".*?)"program":\{.*?"format_size":\d+\},`, `$1"program":null,`),
			stderr: "PJRT_Client_Compile ends the process (SIGSEGV"},
		"a null client that failed": {session: first + `{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{},"ns":1}` + "\n" +
			`{"call":2,"function":"PJRT_Client_PlatformName","size":40,"in":{"client":null},"error":{"code":3,"message":""},"ns":1}` + "\n",
			stderr: "call 2, line 3, PJRT_Client_PlatformName ends the process (SIGSEGV"},
		"endless values": {session: first + `{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{"a":[` + strings.Repeat("[],", 2_000_000) + `[]]}}` + "\n",
			stderr: "so many small values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			require.NoError(t, os.WriteFile(file, []byte(c.session), 0o600))
			o := launch(t, dir, "replay", file)
			assert.Equal(t, 1, o.status, "%s\n%s", o.stdout, o.stderr)
			assert.Contains(t, o.stderr, c.stderr)
			assert.NotContains(t, o.stderr, "goroutine ")
		})
	}
	launch(t, dir, "replay", ".").requireFailure(t, 1, "is not a regular file")
	launch(t, dir, "replay", "--memory", "-1", "session.jsonl").requireFailure(t, 2, "--memory")
}

func TestReplayKeepsItsChildWithinItsMemory(t *testing.T) {
	t.Parallel()
	if !subprocess.CanLimitMemory {
		t.Skip("this system limits no memory")
	}
	dir := workplace(t)
	record(t, dir)
	o := launch(t, dir, "replay", "--memory", "16", "session.jsonl")
	assert.Equal(t, 1, o.status)
	// Either Go's runtime or the dynamic linker runs out of memory first.
	assert.Regexp(t, "ends the process|failed to map", o.stderr)
}
