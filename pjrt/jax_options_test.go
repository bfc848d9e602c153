// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// jaxOptions reads the options with which a version of JAX compiles for a CPU: what
// jax._src.compiler.get_compile_options(1, 1) serializes to, one file for each version.
func jaxOptions(t *testing.T, file string) *pjrt.CompileOptions {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	o, err := pjrt.DecodeCompileOptions(data)
	require.NoError(t, err)
	assert.Empty(t, o.Extra, "%s: fields that this package does not know", file)
	return o
}

// otherwise has the options that this package deliberately leaves other than JAX sets them, with
// both values and the reason.
var otherwise = map[string]struct {
	jax, own any
	why      string
}{
	"SPMD": {true, false, "compilers look at it only if there are several partitions, and then Compile sets it"},
	"Shardy": {true, false, "Compile sets it for programs that use Shardy; in others GSPMD, the older one, propagates shardings, " +
		"which says the same of a program for one device"},
	"PropagateToParameters": {[]bool{false}, []bool(nil), "no value means false"},
	"PropagateToResults":    {[]bool{false}, []bool(nil), "no value means false"},
	"ProfileVersion":        {int64(-1), int64(0), "it only tells programs with different profiles apart, and there is none"},
	"DebugOptions":          {nil, nil, "JAX sends XLA's defaults, which the plugin has itself: see the next test"},
	"Flags":                 {nil, nil, "in place of all DebugOptions: see the next test"},
}

func TestOptionsAreThoseOfJAX(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	client := newClient(t)
	encoded, err := client.EncodeCompileOptions(nil)
	require.NoError(t, err)
	own, err := pjrt.DecodeCompileOptions(encoded)
	require.NoError(t, err)
	files, err := filepath.Glob("testdata/jax-options/*.pb")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	differing := make(map[string]bool)
	for _, file := range files {
		jax := reflect.ValueOf(*jaxOptions(t, file))
		for i := range jax.NumField() {
			name := jax.Type().Field(i).Name
			theirs, ours := jax.Field(i).Interface(), reflect.ValueOf(*own).Field(i).Interface()
			if reflect.DeepEqual(theirs, ours) {
				continue
			}
			differing[name] = true
			known, ok := otherwise[name]
			if !assert.True(t, ok, "%s: JAX sets %s to %v, and this package to %v", file, name, theirs, ours) || known.jax == nil {
				continue
			}
			assert.Equal(t, known.jax, theirs, "%s: %s", file, name)
			assert.Equal(t, known.own, ours, "%s: %s", file, name)
		}
	}
	for name := range otherwise {
		assert.True(t, differing[name], "no version of JAX sets %s otherwise", name)
	}
}

// debugFields has the fields of a serialized DebugOptions by their numbers. The order of the
// values of a field, which may be a map, makes no difference.
func debugFields(t *testing.T, message []byte) map[protowire.Number]string {
	t.Helper()
	values := make(map[protowire.Number][]string)
	for len(message) > 0 {
		number, _, n := protowire.ConsumeField(message)
		require.Positive(t, n)
		values[number] = append(values[number], string(message[:n]))
		message = message[n:]
	}
	fields := make(map[protowire.Number]string)
	for number, list := range values {
		slices.Sort(list)
		fields[number] = strings.Join(list, "")
	}
	return fields
}

// What the plugin of API 0.115 compiles with, all flags and defaults, is what JAX tells it to.
func TestFlagsAreThoseOfJAX(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, cpu plugintest.CPU) {
		if cpu.Age != "0.115" {
			return // those of the other ages do not report their flags, or no JAX was built from their XLA
		}
		t.Setenv("XLA_FLAGS", "")
		exe := compile(t, newClient(t), add)
		options, err := exe.CompileOptions()
		require.NoError(t, err)
		own := debugFields(t, options.DebugOptions)
		for version, otherwise := range map[string]map[protowire.Number]string{
			"0.11.2": {}, // of the same XLA
			"0.12.0.1": {
				258: "xla_gpu_enable_command_buffer has one more default", 316: "xla_gpu_autotune_gemm_rtol has another default",
				442: "xla_gpu_experimental_autotune_backends has one more default",
				456: "xla_gpu_experimental_enable_tiling_propagation has another default",
				475: "xla_gpu_experimental_gemm_fusion_v2 has another default",
				529: "xla_cpu_use_new_xtile_lowering has another default: each XLA lowers as it was tested",
				541: "is new: xla_gpu_unsupported_use_cross_host_one_shot_kernel",
				547: "is new: xla_autotuner_preferred_backend",
				549: "is new: xla_gpu_experimental_early_exit", 550: "is new: xla_gpu_experimental_emit_collective_reduce",
				551: "is new: xla_gpu_experimental_vmm_disabled", 552: "is new: xla_gpu_experimental_enable_dynamic_slice_table_offsets",
				553: "is new: xla_gpu_device_execution_terminate_timeout", 554: "is new: xla_gpu_topology_filename",
				555: "is new: xla_gpu_experimental_enable_dynamic_slice_extended_offsets",
				556: "is new: xla_gpu_experimental_deterministic_ops_triton", 557: "is new: xla_gpu_experimental_enable_tensor_ir",
			},
		} {
			jax := debugFields(t, jaxOptions(t, "testdata/jax-options/"+version+".pb").DebugOptions)
			require.Greater(t, len(jax), 100)
			for number, value := range jax {
				if otherwise[number] == "" {
					assert.Equal(t, value, own[number], "JAX %s, field %d", version, number)
				} else {
					assert.NotEqual(t, value, own[number], "JAX %s, field %d", version, number)
				}
			}
			for number, value := range own {
				assert.True(t, jax[number] == value || otherwise[number] != "", "JAX %s does not set field %d", version, number)
			}
		}
	})
}
