// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// clientWithout returns a client of the CPU plugin, with some of its functions removed.
func clientWithout(t testing.TB, functions ...*capi.Function) *pjrt.Client {
	t.Helper()
	plugin := plugintest.Plugin(t)
	from, api := raw.Table(plugin).API(), new(capi.API)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(api)), unsafe.Sizeof(*api)), unsafe.Slice((*byte)(unsafe.Pointer(from)), from.StructSize))
	for _, f := range functions {
		*(*uintptr)(unsafe.Add(unsafe.Pointer(api), f.Offset)) = 0
	}
	table, err := capi.NewTable(api)
	require.NoError(t, err)
	lesser, err := raw.Plugin(table)
	require.NoError(t, err)
	client, err := lesser.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

func TestAPluginThatCannotSerializeJustCompiles(t *testing.T) {
	c, log := open(t, t.TempDir(), 0)
	client := clientWithout(t, new(capi.Call[capi.ExecutableSerializeArgs]).Function())
	for range 2 {
		assert.False(t, run(t, c, client, 2, nil))
	}
	s := c.Stats()
	assert.Equal(t, [5]int{0, 2, 0, 2, 0}, [5]int{s.Hits, s.Misses, s.Stores, s.Unsupported, s.Failures})
	assert.Empty(t, log.String())
}

func TestAPluginThatCannotLoadJustCompiles(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := clientWithout(t, new(capi.Call[capi.ExecutableDeserializeAndLoadArgs]).Function())
	for range 2 {
		assert.False(t, run(t, c, client, 2, nil))
	}
	assert.Zero(t, c.Stats().Damaged)
}

// A loaded executable takes its parameters from the text of the program, as a compiled one does.
func TestALoadedExecutableKnowsItsParameters(t *testing.T) {
	c, _ := open(t, t.TempDir(), 0)
	client := clientWithout(t,
		new(capi.Call[capi.ExecutableOptimizedProgramArgs]).Function(),
		new(capi.Call[capi.ClientTopologyDescriptionArgs]).Function())
	assert.False(t, run(t, c, client, 2, nil))
	exe, hit, err := c.Compile(context.Background(), client, scale(2), nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.True(t, hit)
	shapes, err := exe.Parameters()
	require.NoError(t, err)
	require.Len(t, shapes, 1)
	assert.Equal(t, "f32[2]", shapes[0].String())
}
