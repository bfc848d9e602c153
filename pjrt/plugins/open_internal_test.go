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

func TestVariablesOfJAXAreCreateOptionsOfGPUs(t *testing.T) {
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
	got, err = createOptionsOf("cpu", nil, &pjrt.ClientOptions{}, func(n string) (string, bool) {
		return map[string]string{"XLA_PYTHON_CLIENT_PREALLOCATE": "maybe"}[n], true
	})
	require.NoError(t, err)
	assert.Empty(t, got, "they are none of a CPU's")
}
