// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinesBreakBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"one two three", 8, "one two\nthree"},
		{"  one two three", 8, "  one\n    two\n  three"},
		{"  key  one two three", 14, "  key  one two\n       three"},
		{"a  b  " + strings.Repeat("word ", 8), 30, "a  b  word word word word word\n      word word word"},
		{"\x1b[31ma\x1b[0m  b  " + strings.Repeat("word ", 8), 30, "\x1b[31ma\x1b[0m  b  word word word word word\n      word word word"},
		{"first  second column and " + strings.Repeat("x", 10) + "  last column", 40, "first  second column and xxxxxxxxxx\n       last column"},
		{"averylongwordthatdoesnotfit x", 10, "averylongwordthatdoesnotfit\nx"},
		{"\x1b[31mred\x1b[0m blue", 8, "\x1b[31mred\x1b[0m blue"},
		{"größe größe", 11, "größe größe"},
	} {
		assert.Equal(t, c.want, Wrap(c.line, c.columns))
	}
}

func TestProseIsReflowedAndListsKeepTheirColumns(t *testing.T) {
	t.Parallel()
	const text = "Prose of two\nlines.\n\n  name   what it\n         means\n  other  x\n"
	assert.Equal(t, "Prose of two lines.\n\n  name   what it means\n  other  x\n", Reflow(text, 80))
	assert.Equal(t, "Prose of two\nlines.\n\n  name   what\n    it means\n  other  x\n", Reflow(text, 13))
}

func TestWrappedCommandsCanBePasted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "  a --flag b c", WrapCommand("  a --flag b c", 20))
	assert.Equal(t, "  a --flag \\\n    b c", WrapCommand("  a --flag b c", 13))
	assert.Equal(t, "  a 'b c' \\\n    d", WrapCommand("  a 'b c' d", 10), "not within quotes")
}

func TestATableIsNotWrappedWithoutATerminal(t *testing.T) {
	t.Parallel()
	rows := Table{{"NAME", "WHAT"}, {"a", strings.Repeat("long ", 40)}, {"bbb", "x"}}
	var text bytes.Buffer
	require.NoError(t, rows.Write(&text))
	assert.Equal(t, 3, strings.Count(text.String(), "\n"))
	text.Reset()
	require.NoError(t, rows[:1:1].writeLists(&text))
	assert.Empty(t, text.String())
	require.NoError(t, Table{{"NAME", "WHAT", "SIZE"}, {"a", "x", "1"}, {"b", "y", "2"}}.writeLists(&text))
	assert.Equal(t, "a\n  what  x\n  size  1\n\nb\n  what  y\n  size  2\n", text.String())
}

func TestWhatChangesTheTerminalIsQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain größe 日本 🙂 \u00a0": "plain größe 日本 🙂 \u00a0",
		"\x1b[31m\x07\x7f\b\r":    `\x1b[31m\x07\x7f\x08\x0d`,
		"\u009b\u202e\u2066":      `\x9b\u202e\u2066`,
		"\u2028 \U000e0041":       `\u2028 \U000e0041`,
		"a\xffb":                  "a\uFFFDb",
	} {
		assert.Equal(t, want, Printable(text))
	}
	assert.Equal(t, "a\n\tb", Printable("a\n\tb"))
	assert.Equal(t, `a\n\tb\x1b`, Cell("a\n\tb\x1b"))
	const hostile = "\x1b\u009b\u202e\U000e0041\x7f"
	text, err := json.Marshal(hostile)
	require.NoError(t, err)
	quoted := PrintableJSON(string(text))
	assert.NotContains(t, quoted, "\u009b")
	assert.Equal(t, quoted, Printable(quoted))
	var back string
	require.NoError(t, json.Unmarshal([]byte(quoted), &back))
	assert.Equal(t, hostile, back)
}
