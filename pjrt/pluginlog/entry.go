// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"bytes"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// entry is one message on standard error.
type entry struct {
	text    []byte // the whole message, as written
	level   slog.Level
	time    time.Time // zero if unknown
	message string    // may have several lines
	file    string    // "" if unknown
	line    int
	thread  int // 0 if unknown
}

// entries splits text into messages. A line that does not look like the beginning of a message
// belongs to the one before it, or is itself a message if there is none. Empty lines between
// messages are dropped.
func entries(text []byte, now time.Time) []entry {
	var list []entry
	var last *entry // the message that the next line may belong to
	for line := range bytes.Lines(text) {
		e, begins := parseLine(string(bytes.TrimRight(line, "\r\n")), now)
		if !begins && last != nil {
			last.text = append(last.text, line...)
			last.message += "\n" + e.message
			continue
		}
		last = nil
		if !begins && e.message == "" {
			continue
		}
		e.text = bytes.Clone(line)
		list = append(list, e)
		if begins {
			last = &list[len(list)-1]
		}
	}
	for i := range list {
		list[i].message = strings.TrimRight(list[i].message, "\n")
	}
	return list
}

var (
	// Abseil, after it knows the time zone: I1121 14:03:01.123456 4711 file.cc:12] text
	abseilLine = regexp.MustCompile(`^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})\s+(\d+) (\S+):(\d+)\] ?(.*)$`)
	// Abseil, before it knows the time zone, with seconds since 1970: I0000 00:00:1795224986.123456
	// 4711 file.cc:12] text
	earlyLine = regexp.MustCompile(`^([IWEF])0000 00:00:(\d+)\.(\d{6})\s+(\d+) (\S+):(\d+)\] ?(.*)$`)
	// XLA, before it used Abseil: 2026-11-21 14:03:01.123456: I file.cc:12] text
	tslLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}): ([IWEF]) (\S+):(\d+)\] ?(.*)$`)
	// Messages written without a logger.
	rawLine = regexp.MustCompile(`^(INFO|WARNING|ERROR|FATAL): (.*)$`)
)

// parseLine parses a line, and reports whether it begins a message.
func parseLine(s string, now time.Time) (e entry, begins bool) {
	if m := earlyLine.FindStringSubmatch(s); m != nil {
		seconds, _ := strconv.ParseInt(m[2], 10, 64)
		return entry{level: levelOf(m[1]), time: time.Unix(seconds, int64(number(m[3]))*1000),
			thread: number(m[4]), file: m[5], line: number(m[6]), message: m[7]}, true
	}
	if m := abseilLine.FindStringSubmatch(s); m != nil {
		t := time.Date(now.Year(), time.Month(number(m[2])), number(m[3]),
			number(m[4]), number(m[5]), number(m[6]), number(m[7])*1000, time.Local)
		if t.After(now.AddDate(0, 0, 1)) {
			t = t.AddDate(-1, 0, 0) // the line does not have the year
		}
		return entry{level: levelOf(m[1]), time: t,
			thread: number(m[8]), file: m[9], line: number(m[10]), message: m[11]}, true
	}
	if m := tslLine.FindStringSubmatch(s); m != nil {
		t, _ := time.ParseInLocation("2006-01-02 15:04:05.000000", m[1], time.Local)
		return entry{level: levelOf(m[2]), time: t, file: m[3], line: number(m[4]), message: m[5]}, true
	}
	if m := rawLine.FindStringSubmatch(s); m != nil {
		return entry{level: levelOf(m[1]), message: m[2]}, true
	}
	return entry{level: slog.LevelInfo, message: s}, false
}

// number returns the value of the digits of a match. It does not matter what it returns for numbers
// that do not fit in an int.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// levelOf returns the level for the first letter of a severity.
func levelOf(severity string) slog.Level {
	switch severity[0] {
	case 'W':
		return slog.LevelWarn
	case 'E':
		return slog.LevelError
	case 'F':
		return LevelFatal
	}
	return slog.LevelInfo
}

func (e entry) record(now time.Time) slog.Record {
	t := e.time
	if t.IsZero() {
		t = now
	}
	r := slog.NewRecord(t, e.level, e.message, 0)
	if e.file != "" {
		r.AddAttrs(slog.String("file", e.file), slog.Int("line", e.line))
	}
	if e.thread != 0 {
		r.AddAttrs(slog.Int("thread", e.thread))
	}
	return r
}
