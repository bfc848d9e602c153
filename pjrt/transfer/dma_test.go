// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

const (
	dmaMap   = "PJRT_Client_DmaMap"
	dmaUnmap = "PJRT_Client_DmaUnmap"
)

// dmaClient makes a plugin and a client that the test closes when it likes.
func dmaClient(t testing.TB) (*pjrttest.Plugin, *pjrt.Client) {
	t.Helper()
	p := pjrttest.New(t, pjrttest.Options{})
	client, err := p.Plugin().NewClient(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return p, client
}

func TestMemoryIsMappedForDMA(t *testing.T) {
	pjrttest.NoLeaks(t)
	p, client := dmaClient(t)
	data := make([]byte, 8192)
	m, err := transfer.MapDMA(client, data[:4096])
	require.NoError(t, err)
	assert.Len(t, m.Data(), 4096)
	for _, overlapping := range [][]byte{data, data[:1], data[4095:], data[100:200]} {
		_, err := transfer.MapDMA(client, overlapping)
		require.ErrorContains(t, err, "is already mapped")
	}
	assert.Equal(t, 1, p.Calls(dmaMap))
	next, err := transfer.MapDMA(client, data[4096:])
	require.NoError(t, err)
	require.NoError(t, next.Close())
	require.NoError(t, next.Close())
	assert.Equal(t, 1, p.Calls(dmaUnmap), "closing is idempotent")
	again, err := transfer.MapDMA(client, data[4096:])
	require.NoError(t, err)
	require.NoError(t, again.Close())

	q, other := dmaClient(t)
	elsewhere, err := transfer.MapDMA(other, data)
	require.NoError(t, err, "for another client")
	require.NoError(t, elsewhere.Close())
	assert.Equal(t, 1, q.Calls(dmaUnmap))

	require.NoError(t, client.Close())
	assert.Equal(t, 1, p.Live()["PJRT_Client"], "the mapping keeps the client")
	require.NoError(t, m.Close())
	assert.Equal(t, 3, p.Calls(dmaUnmap))
	assert.Zero(t, p.Live()["PJRT_Client"])
	require.NoError(t, m.Close())
	_, err = transfer.MapDMA(client, data)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestMisuseOfMapDMAIsAnErrorHere(t *testing.T) {
	pjrttest.NoLeaks(t)
	_, client := dmaClient(t)
	for _, data := range [][]byte{nil, {}} {
		_, err := transfer.MapDMA(client, data)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	_, err := transfer.MapDMA(nil, make([]byte, 16))
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	for _, none := range []*transfer.Mapping{nil, {}} {
		require.NoError(t, none.Close())
		assert.Nil(t, none.Data())
	}

	cpu := newClient(t)
	data := make([]byte, 4096)
	for range 2 { // a mapping that failed leaves nothing behind
		_, err := transfer.MapDMA(cpu, data)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		want := map[int]string{81: "DmaMap not supported on platform cpu", 106: "DmaMap not supported on platform cpu", 115: "DmaMap is not supported."}
		assert.ErrorContains(t, err, "PJRT_Client_DmaMap: UNIMPLEMENTED: "+want[plugintest.Age(t)])
	}
}

func TestMemoryThatStaysMappedIsKept(t *testing.T) {
	p, client := dmaClient(t)
	m, err := transfer.MapDMA(client, make([]byte, 4096))
	require.NoError(t, err)
	p.Fail(dmaUnmap, pjrt.ErrInternal, "busy")
	require.ErrorContains(t, m.Close(), "busy")
	_, err = transfer.MapDMA(client, m.Data())
	require.ErrorContains(t, err, "is already mapped")
	// The collector panics when it finds a pinned object that nothing refers to.
	runtime.GC()
	runtime.GC()
}

func TestAForgottenMappingIsUnmapped(t *testing.T) {
	pjrttest.NoLeaks(t)
	p, client := dmaClient(t)
	_, err := transfer.MapDMA(client, make([]byte, 4096))
	require.NoError(t, err)
	assert.True(t, collecting.Until(func() bool { return p.Calls(dmaUnmap) == 1 }))
}
