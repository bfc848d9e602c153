// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

func TestTheListOfFlags(t *testing.T) {
	t.Parallel()
	flags := xlaflags.All()
	assert.Greater(t, len(flags), 400)
	types := make(map[xlaflags.Type]int)
	for i, f := range flags {
		types[f.Type]++
		assert.Equal(t, f.Type == xlaflags.Enum, len(f.Values) > 0, f.Name)
		if i > 0 {
			assert.Less(t, flags[i-1].Name, f.Name)
		}
		got, ok := xlaflags.Lookup("--" + f.Name)
		assert.True(t, ok)
		assert.Equal(t, f, got)
	}
	assert.Len(t, types, 7, "there are seven types of flags: %v", types)
	f, ok := xlaflags.Lookup("xla_step_marker_location")
	assert.True(t, ok)
	assert.Equal(t, []string{"STEP_MARK_AT_ENTRY", "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP", "STEP_MARK_NONE", "STEP_MARK_AT_SECOND_LEVEL_WHILE_LOOP"}, f.Values)
	f, ok = xlaflags.Lookup("xla_disable_hlo_passes")
	assert.True(t, ok && f.Repeated)
	_, ok = xlaflags.Lookup("xla_no_such_flag")
	assert.False(t, ok)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                                   "",
		"--xla_cpu_enable_fast_math":         "",
		"--xla_cpu_enable_fast_mat":          "XLA_FLAGS: no known version of XLA has a flag xla_cpu_enable_fast_mat; did you mean xla_cpu_enable_fast_math",
		"--xla_backend_optimization_level=x": "xla_backend_optimization_level takes an int32, not \"x\"",
		"--xla_cpu_parallel_codegen_split_count=32":      "",
		"--xla_cpu_parallel_codegen_split_count=1000000": "xla_cpu_parallel_codegen_split_count takes 1 to 65536, not 1000000",
		"--xla_cpu_parallel_codegen_split_count=-1":      "takes 1 to 65536, not -1",
		"/no/such/file": "is the name of a file, which cannot be read",
	} {
		err := xlaflags.Check(value)
		if want == "" {
			assert.NoError(t, err, value)
			continue
		}
		require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, value)
		assert.ErrorContains(t, err, want)
	}
}

func TestParseDebugOptions(t *testing.T) {
	t.Parallel()
	got, err := xlaflags.ParseDebugOptions(`
		xla_cpu_enable_fast_math: true, xla_backend_optimization_level:-1;  # a comment: "
		xla_dump_to: "/a \"b\"" '\x41\t' xla_gpu_autotune_gemm_rtol: 2.5e-1
		xla_step_marker_location: STEP_MARK_NONE
		xla_disable_hlo_passes: "a" xla_disable_hlo_passes: ["b", 'c'] xla_gpu_ptx_file: []
		xla_gpu_disable_async_collectives: [ALLREDUCE, 2]
		xla_cpu_enable_fast_min_max: 0`)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"xla_cpu_enable_fast_math": true, "xla_backend_optimization_level": int64(-1), "xla_dump_to": "/a \"b\"A\t",
		"xla_gpu_autotune_gemm_rtol": 0.25, "xla_step_marker_location": "STEP_MARK_NONE", "xla_disable_hlo_passes": "a,b,c",
		"xla_gpu_ptx_file": "", "xla_gpu_disable_async_collectives": "ALLREDUCE,ALLGATHER", "xla_cpu_enable_fast_min_max": false,
	}, got)
	for text, want := range map[string]string{
		"xla_no_such_flag: true":               "no known version of XLA has a flag xla_no_such_flag",
		"xla_dump_to":                          "is followed by \"\", not by a colon",
		"xla_dump_to true":                     "is followed by \"true\"",
		"xla_dump_to: ":                        "has no value",
		"xla_dump_to: x":                       "takes a string, not x",
		"xla_dump_to: \"x":                     "has no end",
		"xla_dump_to: \"x\n\"":                 "has no end",
		"xla_dump_to: \"x\\":                   "has no end",
		`xla_dump_to: "\q"`:                    "has an unknown escape",
		"xla_dump_to: [\"x\"]":                 "not a list",
		"xla_cpu_enable_fast_math: \"true\"":   "takes true or false, not \"true\"",
		"xla_cpu_enable_fast_math: maybe":      "takes true or false, not \"maybe\"",
		"xla_disable_hlo_passes: [\"a\" \"b\"": "has \"\" instead of a comma or a bracket",
		"xla_disable_hlo_passes: [,]":          "has no value before \",\"",
		"xla_disable_hlo_passes: [\"a,b\"]":    "which contains a comma",
		"{":                                    "expected the name of a flag, not \"{\"",
		"xla_backend_extra_options: {}":        "cannot be set in this way",
	} {
		_, err := xlaflags.ParseDebugOptions(text)
		require.ErrorContains(t, err, want, text)
		require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, text)
	}
}
