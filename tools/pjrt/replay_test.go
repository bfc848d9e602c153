// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// testSession is a session that was recorded on the CPU plugin: 1 2 3 plus itself.
const testSession = "testdata/session.jsonl"

func TestReplayMakesTheCallsAgain(t *testing.T) {
	plugintest.Path(t, "cpu")
	stdout, stderr, code := runCLI(t, "replay", testSession)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `^\d+ calls made again, 0 skipped; \d+ results compared, 0 differ; \d+ notes\n$`, stdout)
}

func TestReplayShowsWhatDiffers(t *testing.T) {
	plugintest.Path(t, "cpu")
	text, err := os.ReadFile(testSession)
	require.NoError(t, err)
	// What the array held when it was recorded is made another.
	changed := strings.Replace(string(text), `"base64":"AAAAQAAAgEAAAMBA","crc":"6f3dca32"`, `"base64":"AAAAQAAAgEAAAOBA","crc":"17a0d272"`, 1)
	require.NotEqual(t, string(text), changed)
	file := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	stdout, stderr, code := runCLI(t, "replay", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "PJRT_Buffer_ToHostBuffer: 1 of 3 numbers of the F32 array differ, most of all number 2: it was 7, and is 6")
	assert.Contains(t, stderr, "1 result differs from the recorded one")

	stdout, _, code = runCLI(t, "replay", "--json", file)
	assert.Equal(t, 1, code)
	var report struct{ Differences []replayLine }
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Differences, 1)
	_, _, code = runCLI(t, "replay", "--relative", "0.5", file)
	assert.Zero(t, code)
}

func TestReplayRefusesWhatItCannotRead(t *testing.T) {
	_, stderr, code := runCLI(t, "replay", "testdata/none.jsonl")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "none.jsonl")
	_, stderr, code = runCLI(t, "replay", "replay.go")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "the recording is damaged: line 1: it is not that of a recorded session")
	_, stderr, code = runCLI(t, "replay", testSession, "--plugin", "/no/such/plugin.so")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "/no/such/plugin.so")
	_, _, code = runCLI(t, "replay")
	assert.Equal(t, 2, code)
	_, _, code = runCLI(t, "replay", testSession, "--relative", "-1")
	assert.Equal(t, 2, code)
}
