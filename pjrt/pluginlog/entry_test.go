// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinesOfLogs(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 3, 5, 0, time.Local)
	at := func(year int, month time.Month, day, hour, minute, second, micro int) time.Time {
		return time.Date(year, month, day, hour, minute, second, micro*1000, time.Local)
	}
	cases := map[string]struct {
		line   string
		want   entry
		begins bool
	}{
		"early Abseil": {
			"I0000 00:00:1795224986.790253    5361 parse_flags_from_env.cc:214] For env var XLA_FLAGS found arguments:",
			entry{level: slog.LevelInfo, time: time.Unix(1795224986, 790253000), message: "For env var XLA_FLAGS found arguments:",
				file: "parse_flags_from_env.cc", line: 214, thread: 5361}, true},
		"Abseil": {
			"W1121 14:03:01.000042     9 a-b/c.h:7] x: [y] z",
			entry{level: slog.LevelWarn, time: at(2026, 11, 21, 14, 3, 1, 42), message: "x: [y] z", file: "a-b/c.h", line: 7, thread: 9}, true},
		"Abseil in the year before": {
			"E1231 23:59:59.999999 12 f.cc:1] late",
			entry{level: slog.LevelError, time: at(2025, 12, 31, 23, 59, 59, 999999), message: "late", file: "f.cc", line: 1, thread: 12}, true},
		"old XLA": {
			"2024-02-29 01:02:03.000004: F external/xla/xla/a.cc:45] Check failed: a == b (1 vs. 2)",
			entry{level: LevelFatal, time: at(2024, 2, 29, 1, 2, 3, 4), message: "Check failed: a == b (1 vs. 2)",
				file: "external/xla/xla/a.cc", line: 45}, true},
		"no text":        {"I1121 14:03:01.000042 9 f.cc:7] ", entry{level: slog.LevelInfo, time: at(2026, 11, 21, 14, 3, 1, 42), file: "f.cc", line: 7, thread: 9}, true},
		"no logger":      {"WARNING: All log messages", entry{level: slog.LevelWarn, message: "All log messages"}, true},
		"another thing":  {"free(): invalid pointer", entry{level: slog.LevelInfo, message: "free(): invalid pointer"}, false},
		"almost a line":  {"I1121 14:03:01 9 f.cc:7] x", entry{level: slog.LevelInfo, message: "I1121 14:03:01 9 f.cc:7] x"}, false},
		"huge numbers":   {"I0000 00:00:99999999999999999999.000000 99999999999999999999 f.cc:1] x", entry{}, true},
		"no such minute": {"I9999 99:99:99.000000 1 f.cc:1] x", entry{}, true},
		"nothing":        {"", entry{level: slog.LevelInfo}, false},
		"not text":       {"\x00\xff\xfe", entry{level: slog.LevelInfo, message: "\x00\xff\xfe"}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, begins := parseLine(c.line, now)
			assert.Equal(t, c.begins, begins)
			if c.want.message == "" && c.want.file == "" && c.begins {
				assert.Equal(t, "x", got.message) // the other fields may have any value
				return
			}
			assert.True(t, c.want.time.Equal(got.time), "%v, not %v", got.time, c.want.time)
			c.want.time, got.time = time.Time{}, time.Time{}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestMessagesOfSeveralLines(t *testing.T) {
	text := "free words\n" +
		"\n" +
		"more words\n" +
		"I0000 00:00:1.000000 1 f.cc:1] first\n" +
		"  second\n" +
		"\n" +
		"third\n" +
		"\n" +
		"WARNING: w\r\n" +
		"F0000 00:00:2.000000 1 f.cc:2] end\n" +
		"*** Check failure stack trace: ***\n" +
		"    @ 0x1  f"
	var got [][2]string
	var whole string
	for _, e := range entries([]byte(text), time.Now()) {
		got = append(got, [2]string{e.level.String(), e.message})
		whole += string(e.text)
	}
	assert.Equal(t, [][2]string{
		{"INFO", "free words"},
		{"INFO", "more words"},
		{"INFO", "first\n  second\n\nthird"},
		{"WARN", "w"},
		{"ERROR+4", "end\n*** Check failure stack trace: ***\n    @ 0x1  f"},
	}, got)
	assert.Equal(t, "free words\n"+text[len("free words\n\n"):], whole, "only an empty line is dropped")
	assert.Empty(t, entries(nil, time.Now()))
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte("I0000 00:00:1.000000 1 f.cc:1] a\nb\n"))
	f.Add([]byte("2024-02-29 01:02:03.000004: F a.cc:45] x\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		total := 0
		for _, e := range entries(text, time.Now()) {
			require.NotEmpty(t, e.text)
			total += len(e.text)
			_ = e.record(time.Now())
		}
		assert.LessOrEqual(t, total, len(text))
	})
}

func TestQuietSetsOnlyUnsetVariables(t *testing.T) {
	for _, v := range Variables(0) {
		t.Setenv(v.Name, "") // restores it after the test
		require.NoError(t, os.Unsetenv(v.Name))
	}
	t.Setenv("TPU_MIN_LOG_LEVEL", "")
	require.NoError(t, Quiet(slog.LevelError))
	assert.Equal(t, "2", os.Getenv("TF_CPP_MIN_LOG_LEVEL"))
	assert.Equal(t, "ERROR", os.Getenv("GRPC_VERBOSITY"))
	assert.Empty(t, os.Getenv("TPU_MIN_LOG_LEVEL"), "an empty value is a user's setting too")
	require.NoError(t, Quiet(slog.LevelDebug))
	assert.Equal(t, "2", os.Getenv("TF_CPP_MIN_LOG_LEVEL"), "set already")
}

func TestLevelsOfVariables(t *testing.T) {
	for level, want := range map[slog.Level]string{
		slog.LevelDebug: "0", slog.LevelInfo: "0", slog.LevelInfo + 1: "1", slog.LevelWarn: "1",
		slog.LevelError: "2", LevelFatal: "3",
	} {
		assert.Equal(t, Variable{"TF_CPP_MIN_LOG_LEVEL", want}, Variables(level)[0], "%v", level)
	}
}
