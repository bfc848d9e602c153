// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func TestSharedMemoryOfBuffersIsRecognized(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[float32](32)
	view := func(from, n int) *pjrt.Buffer {
		b, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(data[from:from+n], int64(n)), nil)
		require.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		return b
	}
	all, first, second := view(0, 32), view(0, 16), view(16, 16)
	own := upload(t, client, matrix(1, 2, 3, 4))
	empty := upload(t, client, pjrt.ArrayOf([]float32{}, 0))
	for name, c := range map[string]struct {
		a, b *pjrt.Buffer
		want bool
	}{
		"itself":     {own, own, true},
		"a part":     {all, second, true},
		"neighbours": {first, second, false},
		"another":    {all, own, false},
		"nothing":    {own, empty, false},
	} {
		got, err := raw.ShareMemory(ctx, c.a, c.b)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		got, err = raw.ShareMemory(ctx, c.b, c.a)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
	_, err := raw.ShareMemory(ctx, own, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = raw.ShareMemory(ctx, own, upload(t, newClient(t), matrix(1, 2, 3, 4)))
	require.ErrorContains(t, err, "belong to different clients")
}

func TestABufferSaysWhetherItSharesTheMemoryOfTheHost(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[float32](4)
	a := pjrt.ArrayOf(data, 4)
	view, err := client.ViewOfHostMemory(ctx, a, nil)
	require.NoError(t, err)
	defer view.Close()
	zeroCopy, err := client.BufferFromHost(ctx, a, &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	require.NoError(t, err)
	defer zeroCopy.Close()
	copied, err := client.BufferFromHost(ctx, a, nil)
	require.NoError(t, err)
	defer copied.Close()
	for b, want := range map[*pjrt.Buffer]bool{view: true, zeroCopy: true, copied: false} {
		got, err := raw.SharesHost(ctx, b, a.Data)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		got, err = raw.SharesHost(ctx, b, a.Data[4:])
		require.NoError(t, err)
		assert.False(t, got, "not all of it")
	}
	_, err = raw.SharesHost(ctx, nil, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}
