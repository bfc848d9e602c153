// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestTheListOfFlags(t *testing.T) {
	t.Parallel()
	flags := pjrt.Flags()
	assert.Greater(t, len(flags), 400)
	types := make(map[pjrt.FlagType]int)
	for i, f := range flags {
		types[f.Type]++
		assert.Equal(t, f.Type == pjrt.FlagEnum, len(f.Values) > 0, f.Name)
		if i > 0 {
			assert.Less(t, flags[i-1].Name, f.Name)
		}
		got, ok := pjrt.LookupFlag("--" + f.Name)
		assert.True(t, ok)
		assert.Equal(t, f, got)
	}
	assert.Len(t, types, 7, "only the types that there are: %v", types)
	f, ok := pjrt.LookupFlag("xla_step_marker_location")
	assert.True(t, ok)
	assert.Equal(t, []string{"STEP_MARK_AT_ENTRY", "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP", "STEP_MARK_NONE", "STEP_MARK_AT_SECOND_LEVEL_WHILE_LOOP"}, f.Values)
	f, ok = pjrt.LookupFlag("xla_disable_hlo_passes")
	assert.True(t, ok && f.Repeated)
	_, ok = pjrt.LookupFlag("xla_no_such_flag")
	assert.False(t, ok)
}

func TestFlagValues(t *testing.T) {
	client := newClient(t)
	for name, c := range map[string]struct {
		flag  string
		value any
		want  any // what is sent
	}{
		"bool":            {"xla_cpu_enable_fast_math", true, true},
		"bool as text":    {"xla_cpu_enable_fast_math", "TRUE", true},
		"bool as digit":   {"xla_cpu_enable_fast_math", "0", false},
		"int":             {"xla_backend_optimization_level", 1, int64(1)},
		"int as text":     {"xla_backend_optimization_level", "2", int64(2)},
		"int32":           {"xla_backend_optimization_level", int32(3), int64(3)},
		"int64":           {"xla_gpu_all_gather_combine_threshold_bytes", int64(1) << 40, int64(1) << 40},
		"float":           {"xla_gpu_autotune_gemm_rtol", 0.5, 0.5},
		"float32":         {"xla_gpu_autotune_gemm_rtol", float32(0.25), 0.25},
		"float as int":    {"xla_gpu_autotune_gemm_rtol", 1, 1.0},
		"float as text":   {"xla_gpu_autotune_gemm_rtol", "1.5", 1.5},
		"string":          {"xla_dump_hlo_module_re", "true", "true"},
		"enum":            {"xla_step_marker_location", "STEP_MARK_NONE", "STEP_MARK_NONE"},
		"enum, any case":  {"xla_step_marker_location", "step_mark_none", "STEP_MARK_NONE"},
		"enum by number":  {"xla_step_marker_location", "2", "STEP_MARK_NONE"},
		"list of strings": {"xla_disable_hlo_passes", []string{"a", "b"}, "a,b"},
		"list of enums":   {"xla_gpu_disable_async_collectives", "allreduce, 2", "ALLREDUCE,ALLGATHER"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &pjrt.CompileOptions{Flags: map[string]any{c.flag: c.value}}
			b, err := pjrt.EncodeOptions(o)
			require.NoError(t, err)
			got, err := pjrt.DecodeCompileOptions(b)
			require.NoError(t, err)
			assert.Equal(t, map[string]any{c.flag: c.want}, got.Flags)
			assert.Equal(t, map[string]any{c.flag: c.value}, o.Flags, "the caller's map is left alone")
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, o)
			require.NoError(t, err)
			exe.Close()
		})
	}
}

func TestMisuseOfFlags(t *testing.T) {
	client := newClient(t)
	for want, flags := range map[string]map[string]any{
		"no known version of XLA has a flag xla_cpu_enable_fast_mth; did you mean xla_cpu_enable_fast_math? (Allow": {"xla_cpu_enable_fast_mth": true},
		"no known version of XLA has a flag nothing_like_it (AllowUnknownFlags passes it on all the same)":          {"nothing_like_it": true},
		"XLA flag --xla_dump_to: leave out the dashes":                                                              {"--xla_dump_to": "x"},
		"has no name": {"": true},
		"xla_backend_optimization_level takes an int32, not a value of type bool":                                  {"xla_backend_optimization_level": true},
		"xla_backend_optimization_level takes an int32; 1099511627776 is beyond":                                   {"xla_backend_optimization_level": 1 << 40},
		"xla_backend_optimization_level takes an int32, not \"1099511627776\"":                                     {"xla_backend_optimization_level": "1099511627776"},
		"xla_cpu_enable_fast_math takes true or false, not \"yes\"":                                                {"xla_cpu_enable_fast_math": "yes"},
		"xla_cpu_enable_fast_math takes true or false, not a value of type int64":                                  {"xla_cpu_enable_fast_math": 1},
		"xla_gpu_autotune_gemm_rtol takes a float, not \"x\"":                                                      {"xla_gpu_autotune_gemm_rtol": "x"},
		"xla_dump_to takes a string, not a value of type bool":                                                     {"xla_dump_to": true},
		"xla_step_marker_location takes one of STEP_MARK_AT_ENTRY, STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP":              {"xla_step_marker_location": "9"},
		"xla_gpu_disable_async_collectives takes a list of NOOP, ALLREDUCE":                                        {"xla_gpu_disable_async_collectives": "x"},
		"xla_disable_hlo_passes has the element \"a,b\", which has a comma":                                        {"xla_disable_hlo_passes": []string{"a,b"}},
		"xla_dump_to has a value of type map[string]int; use a bool, an integer, a float, a string or a list of s": {"xla_dump_to": map[string]int{}},
		"xla_cpu_parallel_codegen_split_count takes 1 to 65536, not -1":                                            {"xla_cpu_parallel_codegen_split_count": -1},
		"xla_fuel can only be set in the environment variable XLA_FLAGS":                                           {"xla_fuel": "a=1"},
		"xla_backend_extra_options cannot be set for one compilation":                                              {"xla_backend_extra_options": "a=b"},
	} {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Flags: flags})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		assert.ErrorContains(t, err, want)
	}
	_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)},
		&pjrt.CompileOptions{Flags: map[string]any{"xla_of_tomorrow": true}, AllowUnknownFlags: true})
	require.ErrorContains(t, err, "PJRT_Client_Compile: INVALID_ARGUMENT: No such compile option: 'xla_of_tomorrow'")
	b, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Flags: map[string]any{"xla_tpu_of_its_own": 3}})
	require.NoError(t, err, "a platform may have flags of its own")
	o, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"xla_tpu_of_its_own": int64(3)}, o.Flags)
}

func TestCheckXLAFlags(t *testing.T) {
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
		err := pjrt.CheckXLAFlags(value)
		if want == "" {
			assert.NoError(t, err, value)
			continue
		}
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, value)
		assert.ErrorContains(t, err, want)
	}
}

func TestParseDebugOptions(t *testing.T) {
	t.Parallel()
	got, err := pjrt.ParseDebugOptions(`
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
		`xla_dump_to: "\q"`:                    "has an escape that is none",
		"xla_dump_to: [\"x\"]":                 "not a list",
		"xla_cpu_enable_fast_math: \"true\"":   "takes true or false, not \"true\"",
		"xla_cpu_enable_fast_math: maybe":      "takes true or false, not \"maybe\"",
		"xla_disable_hlo_passes: [\"a\" \"b\"": "stands \"\", not a comma or a bracket",
		"xla_disable_hlo_passes: [,]":          "has no value where \",\" stands",
		"xla_disable_hlo_passes: [\"a,b\"]":    "which has a comma in it",
		"{":                                    "\"{\" stands where the name",
		"xla_backend_extra_options: {}":        "cannot be set like this",
	} {
		_, err := pjrt.ParseDebugOptions(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestFlagsOfTheEnvironmentAreAdded(t *testing.T) {
	t.Setenv("XLA_DEBUG_OPTIONS", `xla_dump_to: "env" xla_cpu_enable_fast_math: true`)
	b, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Flags: map[string]any{"xla_dump_to": "mine"}})
	require.NoError(t, err)
	o, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"xla_dump_to": "mine", "xla_cpu_enable_fast_math": true}, o.Flags)
	t.Setenv("XLA_DEBUG_OPTIONS", "nonsense")
	_, err = pjrt.EncodeOptions(nil)
	require.ErrorContains(t, err, "environment variable XLA_DEBUG_OPTIONS: no known version of XLA has a flag nonsense")
}

func FuzzFlagText(f *testing.F) {
	f.Add(`xla_dump_to: "a" xla_disable_hlo_passes: ["b", 'c'] # x`)
	f.Add("--xla_dump_to='/a b' --xla_fuel=x=1")
	f.Fuzz(func(t *testing.T, text string) {
		_ = pjrt.CheckXLAFlags(text)
		flags, err := pjrt.ParseDebugOptions(text)
		if err != nil {
			return
		}
		_, err = pjrt.EncodeOptions(&pjrt.CompileOptions{Flags: flags})
		require.NoError(t, err, "what was parsed can be sent")
	})
}
