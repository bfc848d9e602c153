// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		assert.Equal(t, c.want, wrapLine(c.line, c.columns))
	}
}

func TestProseIsReflowedAndListsKeepTheirColumns(t *testing.T) {
	t.Parallel()
	const text = "Prose of two\nlines.\n\n  name   what it\n         means\n  other  x\n"
	assert.Equal(t, "Prose of two lines.\n\n  name   what it means\n  other  x\n", reflow(text, 80))
	assert.Equal(t, "Prose of two\nlines.\n\n  name   what\n    it means\n  other  x\n", reflow(text, 13))
}

func TestWrappedCommandsCanBePasted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "  a --flag b c", wrapCommand("  a --flag b c", 20))
	assert.Equal(t, "  a --flag \\\n    b c", wrapCommand("  a --flag b c", 13))
	assert.Equal(t, "  a 'b c' \\\n    d", wrapCommand("  a 'b c' d", 10), "not within quotes")
}

func TestASummaryOfCallsFitsTheTerminal(t *testing.T) {
	t.Parallel()
	const text = "  calls  errors     total      mean   longest  function\n" +
		"      2       1   98.68ms   49.34ms   98.68ms  PJRT_Client_Compile\n" +
		"      1       0  425.25µs  425.25µs  425.25µs  PJRT_LoadedExecutable_Destroy\n" +
		"      3       1     99.1ms                     all"
	assert.Equal(t, text, narrowSummary(text, 80))
	assert.Equal(t, "  calls  errors      total  function\n      2       1    98.68ms  PJRT_Client_Compile\n"+
		"      1       0   425.25µs  PJRT_LoadedExecutable_Destroy\n      3       1     99.1ms  all", narrowSummary(text, 60))
	assert.Equal(t, "  calls      total  function\n      2    98.68ms  Client_Compile\n"+
		"      1   425.25µs  LoadedExecutable_Destroy\n      3     99.1ms  all", narrowSummary(text, 45))
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 575_300_000: "575 MB", 2_662_000_000: "2.66 GB", 999_600: "1 MB"} {
		assert.Equal(t, want, size(n))
	}
	for text, want := range map[string]int64{"0": 0, "12": 12, "500MB": 5e8, "2 GB": 2e9, "1.5k": 1500, "1KiB": 1024, "3GiB": 3 << 30} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "MB", "-1", "1XB", "1e99", "many"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}

// every visits a command and all commands below it.
func every(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		every(c, visit)
	}
}

// Words that cannot be broken may widen only their own lines.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	root := rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	every(root, func(cmd *cobra.Command) {
		for _, columns := range []int{40, 80, 200} {
			help := helpOf(cmd, columns)
			for line := range strings.Lines(help) {
				line = strings.TrimSuffix(line, "\n")
				words := strings.Fields(line)
				if len(line) > columns && !(len(words) <= 2 || columns == 40 && strings.Contains(line, "--")) {
					t.Errorf("%s at %d columns: %q", cmd.CommandPath(), columns, line)
				}
			}
			for word := range strings.FieldsSeq(cmd.Long) {
				assert.Contains(t, help, word, "no word is broken")
			}
		}
	})
	help := helpOf(root, 80)
	for _, name := range []string{"completion", "uninstall", "doctor", "cache", "trace"} {
		assert.Regexp(t, `(?m)^  `+name+` `, help)
	}
}

func TestATableIsNotWrappedWithoutATerminal(t *testing.T) {
	t.Parallel()
	rows := table{{"NAME", "WHAT"}, {"a", strings.Repeat("long ", 40)}, {"bbb", "x"}}
	var text bytes.Buffer
	require.NoError(t, rows.write(&text))
	assert.Equal(t, 3, strings.Count(text.String(), "\n"))
	text.Reset()
	require.NoError(t, rows[:1:1].writeLists(&text))
	assert.Empty(t, text.String())
	require.NoError(t, table{{"NAME", "WHAT", "SIZE"}, {"a", "x", "1"}, {"b", "y", "2"}}.writeLists(&text))
	assert.Equal(t, "a\n  what  x\n  size  1\n\nb\n  what  y\n  size  2\n", text.String())
}

func TestEveryFlagHasAUsageText(t *testing.T) {
	t.Parallel()
	every(rootCommand(), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, words := pflag.UnquoteUsage(f)
			assert.NotEmpty(t, words, "%s --%s", cmd.CommandPath(), f.Name)
			assert.Equal(t, strings.ToUpper(value), value, "%s --%s: name the value", cmd.CommandPath(), f.Name)
		})
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		assert.NotContains(t, fmt.Sprint(cmd.Short), ".", cmd.CommandPath())
	})
}
