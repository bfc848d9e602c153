// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package platform_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

func TestCreateOptionsAreReadFromText(t *testing.T) {
	t.Parallel()
	type attributes = []pjrt.Attribute
	cases := map[string]struct {
		kind string
		text string
		want attributes
	}{
		"nothing":       {"cpu", " ; ;", nil},
		"integer":       {"cpu", "cpu_device_count:2", attributes{{Name: "cpu_device_count", Value: int64(2)}}},
		"several":       {"cuda", " memory_fraction : 0.5;preallocate:False; visible_devices:0, 2;", attributes{{Name: "memory_fraction", Value: float32(0.5)}, {Name: "preallocate", Value: false}, {Name: "visible_devices", Value: []int64{0, 2}}}},
		"no elements":   {"rocm", "visible_devices:", attributes{{Name: "visible_devices", Value: []int64{}}}},
		"colons":        {"", "address:host:8476", attributes{{Name: "address", Value: "host:8476"}}},
		"other kind":    {"tpu", "cpu_device_count:2", attributes{{Name: "cpu_device_count", Value: "2"}}},
		"a string":      {"tpu", "ml_framework_name:7", attributes{{Name: "ml_framework_name", Value: "7"}}},
		"a bool as one": {"tpu", "use_global_tpu_system:1", attributes{{Name: "use_global_tpu_system", Value: true}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := platform.Parse(c.kind, c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestWrongTextOfCreateOptionsIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"preallocate":                       `create option "preallocate" has no colon`,
		":1":                                `create option ":1" has no name`,
		"a:1;b:2;a:3":                       "create option a is given twice",
		"a:\x00":                            "contains a zero byte",
		"preallocate:maybe":                 `preallocate must be true or false, not "maybe"`,
		"num_nodes:two":                     `num_nodes must be a 64-bit integer, not "two"`,
		"num_nodes:99999999999999999999":    "num_nodes must be a 64-bit integer",
		"memory_fraction:half":              `memory_fraction must be a 32-bit float, not "half"`,
		"memory_fraction:1e99":              "memory_fraction must be a 32-bit float",
		"visible_devices:0,,1":              "visible_devices must be a list of integers",
		"visible_devices:[0,1]":             "visible_devices must be a list of integers",
		"max_inflight_computations:1.5;":    "max_inflight_computations must be a 64-bit integer",
		"use_tfrt_gpu_client:":              "use_tfrt_gpu_client must be true or false",
		"collective_memory_size: 1 000 000": "collective_memory_size must be a 64-bit integer",
	} {
		_, err := platform.Parse("cuda", text)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestTheFormOfAnOptionDecidesItsType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"a=1": int64(1), "a=-7": int64(-7), "a=x": "x", "a=": "", "a=1,2": []int64{1, 2}, "a=0.5": float32(0.5), "a=true": true,
		"a:string=1": "1", "a:float=1": float32(1), "a:ints=": []int64{}, "a:ints=4": []int64{4}, "a=b=c": "b=c", "a:bool=false": false, "a=1,x": "1,x",
	} {
		got, err := platform.ParseOption(text)
		require.NoError(t, err, text)
		assert.Equal(t, capi.Attribute{Name: "a", Value: want}, got, text)
	}
	for text, says := range map[string]string{
		"": "NAME=VALUE", "a": "NAME=VALUE", "=1": "NAME=VALUE", "a:what=1": `the type "what" is unknown`,
		"a:int=x": "option a: ", "a:bool=1": `"1" is neither true nor false`,
	} {
		_, err := platform.ParseOption(text)
		assert.ErrorContains(t, err, says, text)
	}
}
