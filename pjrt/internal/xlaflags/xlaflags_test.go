// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

func TestTheListIsSortedAndComplete(t *testing.T) {
	t.Parallel()
	names := xlaflags.Names()
	assert.Greater(t, len(names), 400)
	assert.True(t, slices.IsSorted(names))
	assert.Len(t, slices.Compact(slices.Clone(names)), len(names), "each once")
	for _, f := range xlaflags.List() {
		assert.True(t, strings.HasPrefix(f.Name, "xla_") || strings.HasPrefix(f.Name, "legacy_"), f.Name)
		assert.Contains(t, []string{
			xlaflags.Bool, xlaflags.Int32, xlaflags.Int64, xlaflags.Float, xlaflags.String, xlaflags.Enum, xlaflags.Message,
		}, f.Kind, f.Name)
		assert.Equal(t, f.Kind == xlaflags.Enum, len(f.Values()) > 0, f.Name)
	}
	names[0] = "changed"
	assert.NotEqual(t, "changed", xlaflags.Names()[0])
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"xla_dump_to", "xla_gpu_cuda_data_dir", "xla_fuel", "xla_cpu_enable_fast_math"} {
		f, ok := xlaflags.Lookup(name)
		assert.True(t, ok)
		assert.Equal(t, name, f.Name)
		assert.True(t, xlaflags.Known(name))
	}
	for _, name := range []string{"", "xla_dump_t", "xla_dump_to2", "--xla_dump_to", "zzz", "\x00"} {
		assert.False(t, xlaflags.Known(name), name)
	}
}

func TestSuggestNamesTheNearest(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "xla_dump_to", xlaflags.Suggest("xla_dmup_to")[0])
	assert.LessOrEqual(t, len(xlaflags.Suggest("xla_gpu_enable_x")), 3)
	assert.Empty(t, xlaflags.Suggest("quite_another_thing"))
	assert.Empty(t, xlaflags.Suggest(strings.Repeat("x", 1<<20)), "it takes no time")
	assert.Less(t, len(xlaflags.Unknown(strings.Repeat("x", 1<<20)).Error()), 400)
}

// The expected results were observed with a plugin of XLA.
func TestReadSplitsAsXLADoes(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"":                               nil,
		"--a":                            {"--a"},
		" \n--a=1\t--b=":                 {"--a=1", "--b="},
		`--a="x y" --b`:                  {"--a=x y", "--b"},
		`--a='x y' --b`:                  {"--a=x y", "--b"},
		`--a="x\" --c" --b`:              {`--a=x" --c`, "--b"},
		`--a='x\' --b`:                   {`--a=x\`, "--b"},
		`--a=\"x --b`:                    {`--a=\"x`, "--b"},
		`--a="never closed --b`:          {"--a=never closed --b"},
		`--a="x\`:                        {`--a=x\`},
		`--a="x"y --b`:                   {"--a=x"},
		`--a=x"y z" --b`:                 {`--a=x"y`},
		"--a word --b":                   {"--a"},
		"--a # comment\n--b":             {"--a"},
		"--a true":                       {"--a"},
		"--a=b=c,--d":                    {"--a=b=c,--d"},
		"-a":                             {"-a"},
		"- --":                           {"-", "--"},
		"--a\v--b\f--c":                  {"--a", "--b", "--c"},
		"--a=1 --a=2":                    {"--a=1", "--a=2"},
		"--a=" + strings.Repeat(" ", 99): {"--a="},
	} {
		words, err := xlaflags.Read(value)
		require.NoError(t, err, value)
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		assert.Equal(t, want, got, "%q", value)
	}
}

func TestReadTakesAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "flags")
	require.NoError(t, os.WriteFile(file, []byte("\n  --a=1\n--b\n"), 0o644))
	words, err := xlaflags.Read(file)
	require.NoError(t, err)
	assert.Equal(t, []xlaflags.Word{{Name: "a", Value: "1", HasValue: true, Text: "--a=1"}, {Name: "b", Text: "--b"}}, words)

	big := filepath.Join(dir, "big")
	require.NoError(t, os.WriteFile(big, make([]byte, 1<<20+1), 0o644))
	for value, want := range map[string]string{
		filepath.Join(dir, "missing"): "is the name of a file, which cannot be read",
		" " + file:                    "is the name of a file", // the space is part of the name
		"   ":                         "is the name of a file",
		"xla_dump_to=/tmp":            "does not begin with a dash",
		dir:                           "it is a directory, not a regular file",
		big:                           "has more than 1048576 bytes",
	} {
		_, err := xlaflags.Read(value)
		require.ErrorContains(t, err, want, value)
		assert.ErrorContains(t, xlaflags.Check(value), want)
	}
}

func TestCheckRefusesWhatEndsTheProcess(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"--xla_cpu_enable_fast_math --xla_dump_to=":                         "",
		"--xla_cpu_enable_fast_math=TRUE --xla_fuel=x=1":                    "",
		"--xla_gpu_autotune_level=' 1' --xla_backend_optimization_level=+5": "",
		"--xla_cmd_buffer_trace_cache_size=99999999999":                     "",
		"--xla_gpu_autotune_gemm_rtol=1e400":                                "",
		"--xla_gpu_autotune_gemm_rtol=INF":                                  "",
		"--xla_step_marker_location=STEP_MARK_AT_ENTRY":                     "",
		"--xla_gpu_detect_nan=warning":                                      "",
		"--xla_gpu_enable_command_buffer=+FUSION":                           "",
		"--xla_disable_hlo_passes=a,b word --nope":                          "", // it comes after the end of the list
		"--nope":                               "no known version of XLA has a flag nope",
		"--xla_cpu_enable_fast_mat":            "did you mean xla_cpu_enable_fast_math",
		"--XLA_dump_to=x":                      "no known version of XLA has a flag XLA_dump_to",
		"--help":                               "no known version",
		"-xla_dump_to=x":                       `"-xla_dump_to=x" is not a flag`,
		"---xla_dump_to=x":                     "is not a flag",
		"--":                                   `"--" is not a flag`,
		"--xla_dump_to":                        "XLA flag xla_dump_to needs a value: --xla_dump_to=STRING",
		"--xla_backend_optimization_level":     "needs a value",
		"--xla_backend_optimization_level=x":   `xla_backend_optimization_level takes an int32, not "x"`,
		"--xla_backend_optimization_level=0x5": "takes an int32",
		"--xla_backend_optimization_level=99999999999":             "takes an int32",
		"--xla_cmd_buffer_trace_cache_size=9999999999999999999999": "takes an int64",
		"--xla_cpu_enable_fast_math=maybe":                         `takes true or false, not "maybe"`,
		"--xla_cpu_enable_fast_math=' true'":                       "takes true or false",
		"--xla_cpu_enable_fast_math=":                              "takes true or false",
		"--xla_gpu_autotune_gemm_rtol=1x":                          "takes a float",
		"--xla_step_marker_location=2":                             "takes one of STEP_MARK_AT_ENTRY,",
		"--xla_step_marker_location=":                              "takes one of",
		"--xla_step_marker_location=BOGUS":                         `not "BOGUS"`,
	} {
		err := xlaflags.Check(value)
		if want == "" {
			assert.NoError(t, err, value)
			continue
		}
		assert.ErrorContains(t, err, want, value)
	}
}

func TestCheckCanBeOverridden(t *testing.T) {
	t.Setenv(xlaflags.Override, "0")
	err := xlaflags.Check("--xla_of_tomorrow")
	require.ErrorContains(t, err, "PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1")
	t.Setenv(xlaflags.Override, "1")
	require.NoError(t, xlaflags.Check("--xla_of_tomorrow"))
	require.NoError(t, xlaflags.Check("/no/such/file"))
}

func TestWithAddsAFlag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ value, setting, want string }{
		{"", "/x", "--d=/x"},
		{"--a=1 word", "/x", "--d=/x --a=1 word"},
		{" --a", "/x y", `--d="/x y" --a`},
		{"", `/x "y\`, `--d="/x \"y\\"`},
		{"--a", "", "--d= --a"},
	} {
		got, ok := xlaflags.With(c.value, "d", c.setting)
		require.True(t, ok)
		assert.Equal(t, c.want, got)
		words, err := xlaflags.Read(got)
		require.NoError(t, err)
		assert.Equal(t, c.setting, words[0].Value, "reads back")
	}
	for _, value := range []string{"--d=/y", "--a --d", "file"} {
		_, ok := xlaflags.With(value, "d", "/x")
		assert.False(t, ok, value)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`--xla_dump_to="a\"b" --x='`)
	f.Fuzz(func(t *testing.T, value string) {
		if xlaflags.IsFile(value) {
			return
		}
		words, err := xlaflags.Read(value)
		require.NoError(t, err)
		for _, w := range words {
			_ = w.Check()
		}
		if got, ok := xlaflags.With(value, "added", value); ok {
			words, err = xlaflags.Read(got)
			require.NoError(t, err)
			require.Equal(t, value, words[0].Value)
		}
	})
}
