// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

// recorded returns the file of a recorded session.
func recorded(t *testing.T) string {
	t.Helper()
	f, path := &fake{}, filepath.Join(t.TempDir(), "session.jsonl")
	s, table := watch(t, shim.Config{Record: path}, serveFake(t, f))
	session(t, f, table)
	err := (&capi.Call[capi.BufferDimensionsArgs]{}).Do(table)
	require.ErrorIs(t, err, capi.ErrorCodeNotFound)
	require.NoError(t, s.Close())
	return path
}

func replay(t *testing.T, path string, f *fake, o recording.Options) *recording.Report {
	t.Helper()
	session, err := recording.Open(path)
	require.NoError(t, err)
	f.eager = true
	report, err := recording.Replay(t.Context(), session, serveFake(t, f), o)
	require.NoError(t, err)
	return report
}

func TestASessionGivesTheSameAgain(t *testing.T) {
	path := recorded(t)
	report := replay(t, path, &fake{}, recording.Options{})
	assert.Equal(t, 16, report.Calls)
	assert.Empty(t, report.Skipped)
	assert.Empty(t, report.Differences)
	assert.Empty(t, report.Notes)
	assert.NoError(t, report.Err())
	assert.GreaterOrEqual(t, report.Compared, 2)
}

func TestAnotherPluginsResultsDiffer(t *testing.T) {
	path := recorded(t)
	report := replay(t, path, &fake{offset: 0.5}, recording.Options{})
	require.Len(t, report.Differences, 1)
	d := report.Differences[0]
	assert.Equal(t, "PJRT_Buffer_ToHostBuffer", d.Function)
	assert.Equal(t, "3 of 3 numbers of the F32 array differ, most of all number 0: it was 1, and is 1.5", d.What)
	assert.Error(t, report.Err())
	assert.Empty(t, replay(t, path, &fake{offset: 0.5}, recording.Options{Absolute: 0.6}).Differences, "within the tolerance of the options")
	assert.Empty(t, replay(t, path, &fake{offset: 0.5}, recording.Options{Relative: 0.6}).Differences)
}

func TestOtherErrorsAreDifferences(t *testing.T) {
	path := recorded(t)
	session, err := recording.Open(path)
	require.NoError(t, err)
	rules, err := shim.ParseFaults("Client_BufferFromHostBuffer:fail=RESOURCE_EXHAUSTED;Buffer_Dimensions:fail=INTERNAL")
	require.NoError(t, err)
	_, table := watch(t, shim.Config{Faults: rules}, serveFake(t, &fake{eager: true}))
	report, err := recording.Replay(t.Context(), session, table, recording.Options{})
	require.NoError(t, err)
	var what []string
	for _, d := range report.Differences {
		what = append(what, d.Function+": "+d.What)
	}
	require.Len(t, what, 2, "%v", what)
	assert.Contains(t, what[0], "PJRT_Client_BufferFromHostBuffer: it succeeded, and now fails with RESOURCE_EXHAUSTED")
	assert.Contains(t, what[1], "PJRT_Buffer_Dimensions: it failed with NOT_FOUND (no such buffer), and now fails with INTERNAL")
	require.NotEmpty(t, report.Skipped)
	for _, s := range report.Skipped {
		assert.Contains(t, s.Why, "did not do so this time")
	}
}

func TestASessionMayBeCompressed(t *testing.T) {
	path := recorded(t)
	zipped := path + ".gz"
	out, err := os.Create(zipped)
	require.NoError(t, err)
	z := gzip.NewWriter(out)
	_, err = z.Write([]byte(read(t, path)))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, out.Close())
	assert.Empty(t, replay(t, zipped, &fake{}, recording.Options{}).Differences)
	require.NoError(t, os.WriteFile(zipped, []byte("no gzip"), 0o600))
	_, err = recording.Open(zipped)
	require.ErrorIs(t, err, recording.ErrDamaged)
}

func TestAReplayCanBeStopped(t *testing.T) {
	session, err := recording.Open(recorded(t))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = recording.Replay(ctx, session, serveFake(t, &fake{eager: true}), recording.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestDamagedRecordingsAreErrors(t *testing.T) {
	whole := read(t, recorded(t))
	lines := strings.SplitAfter(whole, "\n")
	upload := -1
	for i, l := range lines {
		if strings.Contains(l, "BufferFromHostBuffer") {
			upload = i
		}
	}
	require.Positive(t, upload)
	change := func(from, to string) string {
		require.Contains(t, whole, from)
		return strings.Replace(whole, from, to, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "it is empty"},
		"another file":       {"#!/bin/sh\necho\n", "line 1: it does not belong to a recorded session"},
		"a trace":            {`{"call":1}` + "\n", "line 1: it does not belong to a recorded session"},
		"one short line":     {"x", "line 1 does not belong to a recorded session"},
		"a newer format":     {change(`"version":1`, `"version":2`), "line 1: the session has version 2 of the format"},
		"no API version":     {change(`,"api":[0,81]`, ""), "line 1: the API version is missing"},
		"cut off":            {whole[:len(whole)-30], "it ends in the middle of line"},
		"a lost line":        {strings.Join(append(append([]string{}, lines[:3]...), lines[4:]...), ""), "there should be"},
		"more at the end":    {whole + lines[1], "there is more after the end"},
		"a strange line":     {change(lines[2], "{}\n"), "line 3: it is neither a call nor data"},
		"no JSON":            {change(lines[2], "{\n"), "line 3: "},
		"a strange name":     {change("PJRT_Client_Create\"", "PJRT_Client_Creat\""), `line 3: there is no function "PJRT_Client_Creat"`},
		"a strange size":     {change(`"size":88`, `"size":99999999`), "line 3: 99999999 is not a valid size"},
		"changed data":       {change(`"bytes":{"base64":"AACAPwAAAEAAAEBA"`, `"bytes":{"base64":"AACAPwAAAEAAAEBB"`), "have the checksum"},
		"data without a sum": {change(`"crc":"`, `"src":"`), "bytes without base64 and crc"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := recording.Read(strings.NewReader(c.text))
			require.ErrorIs(t, err, recording.ErrDamaged)
			assert.ErrorContains(t, err, c.want)
			assert.Nil(t, s)
		})
	}
	_, err := recording.Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAKilledProcessLeavesAUsableRecording(t *testing.T) {
	whole := read(t, recorded(t))
	s, err := recording.Read(strings.NewReader(whole[:strings.LastIndex(whole, `{"end"`)]))
	require.NoError(t, err)
	assert.False(t, s.Complete)
	report, err := recording.Replay(t.Context(), s, serveFake(t, &fake{eager: true}), recording.Options{})
	require.NoError(t, err)
	assert.Empty(t, report.Differences)
}

func FuzzASessionWithNonsenseNeverCrashes(f *testing.F) {
	f.Add(`{"create_options":[{"struct_size":56,"name":"x","name_size":1,"type":1,"value":7,"value_size":1}],"num_options":1}`)
	f.Add(`{"create_options":7,"num_options":"x"}`)
	f.Add(`{"create_options":[null,{"struct_size":99999}],"num_options":3}`)
	f.Add(`{"client":"PJRT_Client#1","num_options":18446744073709551615}`)
	plugin := serveFake(f, &fake{eager: true})
	f.Fuzz(func(t *testing.T, in string) {
		text := `{"format":"purepjrt session","version":1,"api":[0,81]}` + "\n" +
			`{"call":1,"function":"PJRT_Client_Create","size":88,"in":` + strings.ReplaceAll(in, "\n", " ") + `,"out":{"client":"PJRT_Client#1"},"ns":1}` + "\n"
		s, err := recording.Read(strings.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, recording.ErrDamaged)
			return
		}
		if _, err = recording.Replay(t.Context(), s, plugin, recording.Options{}); err != nil {
			require.ErrorIs(t, err, recording.ErrDamaged)
		}
	})
}

func TestAReplayDoesNotWaitForever(t *testing.T) {
	session, err := recording.Open(recorded(t))
	require.NoError(t, err)
	// Nobody calls release, so the events of uploads never become ready.
	for patience := 50 * time.Millisecond; ; patience *= 2 {
		report, err := recording.Replay(t.Context(), session, serveFake(t, &fake{}), recording.Options{Patience: patience})
		if patience < time.Minute && (err != nil || len(report.Differences) > 1) {
			continue // on a busy machine other calls may take as long
		}
		require.NoError(t, err)
		require.Len(t, report.Differences, 1)
		assert.Contains(t, report.Differences[0].What, fmt.Sprintf("was ready, and now is not after %v", patience))
		return
	}
}
