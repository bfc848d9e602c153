// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

func TestVariablesOfJAXBecomeCreateOptions(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"JAX_CUDA_VISIBLE_DEVICES":       "0, 2",
		"XLA_PYTHON_CLIENT_ALLOCATOR":    "Platform",
		"XLA_PYTHON_CLIENT_MEM_FRACTION": ".5",
		"XLA_PYTHON_CLIENT_PREALLOCATE":  "false",
		CreateOptionsVariable:            "memory_fraction:0.25",
	}
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	config := []capi.Attribute{{Name: "visible_devices", Value: []int64{7}}, {Name: "platform_name", Value: "CUDA"}}
	got, err := createOptionsOf("cuda", config, &pjrt.ClientOptions{Platform: platform.GPU{Preallocate: platform.On}}, lookup)
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{
		{Name: "platform_name", Value: "CUDA"},
		{Name: "visible_devices", Value: []int64{0, 2}},
		{Name: "allocator", Value: "platform"},
		{Name: "memory_fraction", Value: float32(0.25)},
	}, got, "an option of the caller wins, then the variables, then the configuration")
	for name, value := range map[string]string{
		"JAX_CUDA_VISIBLE_DEVICES": "0;1", "XLA_PYTHON_CLIENT_MEM_FRACTION": "half", "XLA_PYTHON_CLIENT_PREALLOCATE": "maybe",
	} {
		_, err := createOptionsOf("cuda", nil, &pjrt.ClientOptions{}, func(n string) (string, bool) {
			return map[string]string{name: value}[n], n == name
		})
		assert.ErrorContains(t, err, "the environment variable "+name+` is "`+value+`"`)
	}
	of := func(kind string, env map[string]string) ([]capi.Attribute, error) {
		return createOptionsOf(kind, nil, &pjrt.ClientOptions{}, func(n string) (string, bool) { v, ok := env[n]; return v, ok })
	}
	got, err = of("rocm", map[string]string{
		"JAX_ROCM_VISIBLE_DEVICES": "all", "XLA_CLIENT_MEM_FRACTION": "0.5", "XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB": "3",
		"JAX_MOCK_GPU_TOPOLOGY": "1x2x4",
	})
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{
		{Name: "memory_fraction", Value: float32(0.5)}, {Name: "collective_memory_size", Value: int64(3 << 20)},
		{Name: "enable_mock_nccl", Value: true}, {Name: "mock_gpu_topology", Value: "1x2x4"},
		{Name: "num_nodes", Value: int64(2)},
	}, got)
	_, err = of("cuda", map[string]string{"JAX_MOCK_GPU_TOPOLOGY": "2x4"})
	require.ErrorContains(t, err, `JAX_MOCK_GPU_TOPOLOGY is "2x4": want a system such as 1x2x8`)
	got, err = createOptionsOf("cuda", nil, &pjrt.ClientOptions{NumNodes: 2}, func(n string) (string, bool) {
		return map[string]string{"JAX_MOCK_GPU_TOPOLOGY": "1x2x4"}[n], true
	})
	require.NoError(t, err)
	assert.NotContains(t, got, capi.Attribute{Name: "num_nodes", Value: int64(2)}, "NumNodes says it")
	_, err = of("cuda", map[string]string{"XLA_CLIENT_MEM_FRACTION": "0.5", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.5"})
	require.ErrorContains(t, err, "are both set: unset the latter")
	got, err = of("oneapi", map[string]string{"JAX_ONEAPI_VISIBLE_DEVICES": "1,3", "JAX_CUDA_VISIBLE_DEVICES": "0"})
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{{Name: "visible_devices", Value: []int64{1, 3}}}, got)
	_, err = of("oneapi", map[string]string{"JAX_ONEAPI_VISIBLE_DEVICES": "first"})
	require.ErrorContains(t, err, "JAX_ONEAPI_VISIBLE_DEVICES")
	got, err = of("cpu", map[string]string{"JAX_NUM_CPU_DEVICES": "3"})
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{{Name: "cpu_device_count", Value: int64(3)}}, got)
	got, err = of("cpu", map[string]string{"JAX_NUM_CPU_DEVICES": "-1"})
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = of("cpu", map[string]string{"JAX_NUM_CPU_DEVICES": "few"})
	require.ErrorContains(t, err, "JAX_NUM_CPU_DEVICES is \"few\": want a number")

	const flags = "--xla_dump_to=/tmp/x --xla_force_host_platform_device_count=2 --xla_force_host_platform_device_count=5"
	got, err = of("cpu", map[string]string{"XLA_FLAGS": flags})
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{{Name: "cpu_device_count", Value: int64(5)}}, got, "the last one counts, as in XLA")
	got, err = of("cpu", map[string]string{"XLA_FLAGS": flags, "JAX_NUM_CPU_DEVICES": "3"})
	require.NoError(t, err)
	assert.Equal(t, []capi.Attribute{{Name: "cpu_device_count", Value: int64(3)}}, got)
	_, err = of("cpu", map[string]string{"XLA_FLAGS": "--xla_force_host_platform_device_count=few"})
	require.ErrorContains(t, err, "the flag --xla_force_host_platform_device_count=few in XLA_FLAGS: want a number")

	got, err = createOptionsOf("cpu", nil, &pjrt.ClientOptions{}, func(n string) (string, bool) {
		return map[string]string{"XLA_PYTHON_CLIENT_PREALLOCATE": "maybe"}[n], true
	})
	require.NoError(t, err)
	assert.Empty(t, got, "they do not apply to a CPU")
}

func TestALibraryThatTheLinkerRejectsIsUnusable(t *testing.T) {
	t.Parallel()
	path := put(t, aPlugin.bytes(), t.TempDir(), "toy.so")
	c, err := Find(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, c.Problem, "its headers are sound")
	_, err = Load(t.Context(), path)
	require.ErrorIs(t, err, ErrUnusable)
	require.ErrorContains(t, err, path)
}
