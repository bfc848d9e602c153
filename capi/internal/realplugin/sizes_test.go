// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// wantedSize matches the error of XLA's plugins for a struct that is too small. It states the size
// that the plugin expects, which checks our layouts.
var wantedSize = regexp.MustCompile(`expected (\d+), got 0`)

// sizesOf returns the sizes of args structs that the plugin's functions report, by the C name of
// the function.
func sizesOf(t *testing.T, p *plugin, silent map[string]bool) map[string]uintptr {
	t.Helper()
	sizes := make(map[string]uintptr)
	for _, e := range echoes {
		if !p.table.Has(e.function) || e.function.Void || silent[e.function.Name] {
			continue
		}
		err := e.probe(p)
		require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, e.function.Name)
		m := wantedSize.FindStringSubmatch(err.Error())
		require.NotNil(t, m, "%s: %v", e.function.Name, err)
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		sizes[e.function.Name] = uintptr(n)
	}
	return sizes
}

// checkSizes compares the sizes that a plugin expects with those of our structs. Structs grow, so
// an older plugin may expect less; smaller lists these.
func checkSizes(t *testing.T, p *plugin, silent map[string]bool, smaller map[string]uintptr) int {
	t.Helper()
	sizes := sizesOf(t, p, silent)
	for _, e := range echoes {
		got, ok := sizes[e.function.Name]
		if !ok {
			continue
		}
		want := e.function.Size
		if n, ok := smaller[e.function.Name]; ok {
			want = n
		}
		assert.Equal(t, want, got, e.function.Name)
	}
	return len(sizes)
}

func TestThePluginExpectsTheSizesThatItIsSent(t *testing.T) {
	n := checkSizes(t, cpu(t), map[string]bool{
		"PJRT_LoadedExecutable_Fingerprint":      true, // does not look
		"PJRT_TopologyDescription_Create":        true, // does not look
		"PJRT_Client_CreateViewOfDeviceBuffer":   true, // looks at the type first, and ends the process
		"PJRT_Executable_GetCompiledMemoryStats": true, // checks the size of another struct
	}, byAge(t, ages(map[string]uintptr{
		"PJRT_Device_MemoryStats":            185,
		"PJRT_Executable_DeserializeAndLoad": 64,
	}, map[string]uintptr{
		"PJRT_Device_MemoryStats":            185,
		"PJRT_Executable_DeserializeAndLoad": 64,
		"PJRT_Client_CreateErrorBuffer":      96,
		"PJRT_Device_PoisonExecution":        49,
	}, map[string]uintptr{
		"PJRT_Device_MemoryStats":            185,
		"PJRT_Executable_DeserializeAndLoad": 64,
		"PJRT_Client_CreateErrorBuffer":      112,
	})))
	assert.Equal(t, byAge(t, ages(118-2-4, 136-2-4, 138-2-4)), n)
}
