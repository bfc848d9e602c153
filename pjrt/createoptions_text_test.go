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

func TestCreateOptionsAreReadFromText(t *testing.T) {
	t.Parallel()
	type attributes = []pjrt.Attribute
	cases := map[string]struct {
		kind pjrt.Kind
		text string
		want attributes
	}{
		"nothing":       {pjrt.KindCPU, " ; ;", nil},
		"integer":       {pjrt.KindCPU, "cpu_device_count:2", attributes{{Name: "cpu_device_count", Value: int64(2)}}},
		"several":       {pjrt.KindCUDA, " memory_fraction : 0.5;preallocate:False; visible_devices:0, 2;", attributes{{Name: "memory_fraction", Value: float32(0.5)}, {Name: "preallocate", Value: false}, {Name: "visible_devices", Value: []int64{0, 2}}}},
		"no elements":   {pjrt.KindROCm, "visible_devices:", attributes{{Name: "visible_devices", Value: []int64{}}}},
		"colons":        {pjrt.KindUnknown, "address:host:8476", attributes{{Name: "address", Value: "host:8476"}}},
		"other kind":    {pjrt.KindTPU, "cpu_device_count:2", attributes{{Name: "cpu_device_count", Value: "2"}}},
		"a string":      {pjrt.KindTPU, "ml_framework_name:7", attributes{{Name: "ml_framework_name", Value: "7"}}},
		"a bool as one": {pjrt.KindTPU, "use_global_tpu_system:1", attributes{{Name: "use_global_tpu_system", Value: true}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := pjrt.ParseCreateOptions(c.kind, c.text)
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
		"a:\x00":                            "has a zero byte in it",
		"preallocate:maybe":                 `preallocate is true or false, not "maybe"`,
		"num_nodes:two":                     `num_nodes is an integer of 64 bits, not "two"`,
		"num_nodes:99999999999999999999":    "num_nodes is an integer of 64 bits",
		"memory_fraction:half":              `memory_fraction is a 32-bit float, not "half"`,
		"memory_fraction:1e99":              "memory_fraction is a 32-bit float",
		"visible_devices:0,,1":              "visible_devices is a list of integers",
		"visible_devices:[0,1]":             "visible_devices is a list of integers",
		"max_inflight_computations:1.5;":    "max_inflight_computations is an integer",
		"use_tfrt_gpu_client:":              "use_tfrt_gpu_client is true or false",
		"collective_memory_size: 1 000 000": "collective_memory_size is an integer",
	} {
		_, err := pjrt.ParseCreateOptions(pjrt.KindCUDA, text)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestAClientIsMadeWithOptionsFromText(t *testing.T) {
	plugin := newClient(t).Plugin()
	create, err := pjrt.ParseCreateOptions(plugin.Kind(), "cpu_device_count:3")
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{Create: create})
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 3)
}
