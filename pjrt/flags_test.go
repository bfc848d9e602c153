// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

func TestFlagsTakeGoValues(t *testing.T) {
	client := newClient(t)
	for name, c := range map[string]struct {
		flag  string
		value any
		want  any // the value that the compiler gets
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

func TestMisuseOfFlagsIsRefused(t *testing.T) {
	client := newClient(t)
	for want, flags := range map[string]map[string]any{
		"no known version of XLA has a flag xla_cpu_enable_fast_mth; did you mean xla_cpu_enable_fast_math? (set A": {"xla_cpu_enable_fast_mth": true},
		"no known version of XLA has a flag nothing_like_it (set AllowUnknownFlags to pass it on anyway)":           {"nothing_like_it": true},
		"XLA flag --xla_dump_to: leave out the dashes":                                                              {"--xla_dump_to": "x"},
		"has no name": {"": true},
		"xla_backend_optimization_level takes an int32, not a value of type bool":                                  {"xla_backend_optimization_level": true},
		"xla_backend_optimization_level takes an int32, and 1099511627776 does not fit":                            {"xla_backend_optimization_level": 1 << 40},
		"xla_backend_optimization_level takes an int32, not \"1099511627776\"":                                     {"xla_backend_optimization_level": "1099511627776"},
		"xla_cpu_enable_fast_math takes true or false, not \"yes\"":                                                {"xla_cpu_enable_fast_math": "yes"},
		"xla_cpu_enable_fast_math takes true or false, not a value of type int64":                                  {"xla_cpu_enable_fast_math": 1},
		"xla_gpu_autotune_gemm_rtol takes a float, not \"x\"":                                                      {"xla_gpu_autotune_gemm_rtol": "x"},
		"xla_dump_to takes a string, not a value of type bool":                                                     {"xla_dump_to": true},
		"xla_step_marker_location takes one of STEP_MARK_AT_ENTRY, STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP":              {"xla_step_marker_location": "9"},
		"xla_gpu_disable_async_collectives takes a list of NOOP, ALLREDUCE":                                        {"xla_gpu_disable_async_collectives": "x"},
		"xla_disable_hlo_passes has the element \"a,b\", which contains a comma":                                   {"xla_disable_hlo_passes": []string{"a,b"}},
		"xla_dump_to has a value of type map[string]int: use a bool, an integer, a float, a string or a list of s": {"xla_dump_to": map[string]int{}},
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
	require.NoError(t, err, "a platform may have its own flags")
	o, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"xla_tpu_of_its_own": int64(3)}, o.Flags)
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

// XLA ends the process on each of these on purpose.
func TestFlagsThatEndTheProcessAreRefused(t *testing.T) {
	const name = "xla_unsupported_crash_on_hlo_pass_noop_change"
	onInDebugOptions := protowire.AppendVarint(protowire.AppendTag(nil, 379, protowire.VarintType), 1)
	// The field debug_options of the ExecutableBuildOptionsProto in the options, and an override in
	// the options.
	inBuild := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), onInDebugOptions)
	inExtra := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), inBuild)
	for _, flag := range []string{
		name, "xla_unsupported_crash_on_hlo_pass_fix_max_iterations", "xla_unsupported_crash_on_hlo_pass_silent_hlo_change",
		"xla_gpu_crash_on_verification_failures", "xla_gpu_nccl_terminate_on_error",
	} {
		for _, on := range []any{true, "true", "1", "True"} {
			o := pjrt.CompileOptions{Flags: map[string]any{flag: on}}
			_, err := pjrt.EncodeOptions(&o)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			require.ErrorContains(t, err, "XLA flag "+flag+" makes the plugin end the process")
			require.ErrorContains(t, err, "set AllowUnknownFlags to pass it on")
			o.AllowUnknownFlags = true
			_, err = pjrt.EncodeOptions(&o)
			require.NoError(t, err)
		}
		for _, off := range []any{false, "false", "0"} {
			_, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Flags: map[string]any{flag: off}})
			require.NoError(t, err)
		}
		for _, text := range []string{"--" + flag, "--" + flag + "=true", "--" + flag + "=1"} {
			require.ErrorContains(t, xlaflags.Check(text), "makes the plugin end the process")
		}
		require.NoError(t, xlaflags.Check("--"+flag+"=false"))
		t.Setenv("XLA_DEBUG_OPTIONS", flag+": true")
		_, err := pjrt.EncodeOptions(nil)
		require.ErrorContains(t, err, "XLA flag "+flag+" makes the plugin end the process")
		t.Setenv("XLA_DEBUG_OPTIONS", "")
	}
	for _, o := range []*pjrt.CompileOptions{{DebugOptions: onInDebugOptions}, {Extra: inExtra}} {
		_, err := pjrt.EncodeOptions(o)
		require.ErrorContains(t, err, "XLA flag "+name+" makes the plugin end the process")
		o.AllowUnknownFlags = true
		_, err = pjrt.EncodeOptions(o)
		require.NoError(t, err)
	}
	t.Setenv("PJRT_ALLOW_UNKNOWN_XLA_FLAGS", "1")
	require.NoError(t, xlaflags.Check("--"+name))
}

func FuzzFlagText(f *testing.F) {
	f.Add(`xla_dump_to: "a" xla_disable_hlo_passes: ["b", 'c'] # x`)
	f.Add("--xla_dump_to='/a b' --xla_fuel=x=1")
	f.Fuzz(func(t *testing.T, text string) {
		_ = xlaflags.Check(text)
		flags, err := xlaflags.ParseDebugOptions(text)
		if err != nil {
			return
		}
		_, err = pjrt.EncodeOptions(&pjrt.CompileOptions{Flags: flags, AllowUnknownFlags: true})
		require.NoError(t, err, "what was parsed can be sent")
	})
}
