// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

func TestAMemoryKeepsTheDataOfItsClients(t *testing.T) {
	m, other := serve.NewMemory(), serve.NewMemory()
	defer other.Close()
	h := m.Handle()
	assert.Same(t, m, serve.MemoryOf(h))
	assert.EqualValues(t, capi.MemoryFunctionTableSize, h.Vtable.StructSize)
	assert.EqualValues(t, capi.MemorySize, h.Vtable.InstanceStructSize)
	live := capi.LiveHandles()
	set := func(key uintptr, value any) uintptr {
		dtor, data := capi.NewMemoryUserData(value)
		h.Vtable.SetUserData.Call(h, key, uintptr(data), dtor)
		return uintptr(data)
	}
	first := set(1, "first")
	second := set(2, "second")
	assert.Equal(t, first, h.Vtable.GetUserData.Call(h, 1))
	assert.Equal(t, second, h.Vtable.GetUserData.Call(h, 2))
	assert.Zero(t, h.Vtable.GetUserData.Call(h, 3))
	assert.Zero(t, other.Handle().Vtable.GetUserData.Call(other.Handle(), 1))

	again := set(1, "again")
	assert.Equal(t, again, h.Vtable.GetUserData.Call(h, 1))
	assert.Equal(t, live+2, capi.LiveHandles(), "the data that was replaced has been dropped")
	h.Vtable.SetUserData.Call(h, 2, 0, 0)
	assert.Equal(t, live+1, capi.LiveHandles())
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	assert.Equal(t, live, capi.LiveHandles())
	assert.Nil(t, serve.MemoryOf(h))
	assert.Zero(t, h.Vtable.GetUserData.Call(h, 1), "a closed memory has no data")
	h.Vtable.SetUserData.Call(h, 1, 5, 0)
	assert.Nil(t, serve.MemoryOf(new(capi.Memory)))
	assert.Nil(t, serve.MemoryOf(nil))
}
