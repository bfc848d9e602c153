// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

func TestRawRanges(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, pjrt.ArrayOf([]uint8{0, 1, 2, 3, 4, 5, 6, 7}, 8))
	for from := range 9 {
		for to := from; to <= 8; to++ {
			dst := bytes.Repeat([]byte{0xaa}, to-from+1)
			require.NoError(t, transfer.CopyRaw(ctx, b, dst[:to-from], int64(from)))
			assert.Equal(t, append([]byte{0, 1, 2, 3, 4, 5, 6, 7}[from:to:to], 0xaa), dst)
		}
	}
	packed := upload(t, client, pjrt.ArrayOf([]dtype.Uint4{1, 2, 3, 4, 5}, 5))
	dst := make([]byte, 3)
	require.NoError(t, transfer.CopyRaw(ctx, packed, dst, 0))
	assert.Equal(t, []byte{0x21, 0x43, 0x05}, dst)
	for _, c := range []struct {
		offset int64
		size   int
	}{{-1, 1}, {8, 1}, {9, 0}, {0, 9}, {7, 2}, {math.MaxInt64, 1}, {math.MinInt64, 0}} {
		err := transfer.CopyRaw(ctx, b, make([]byte, c.size), c.offset)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange, c)
		require.ErrorContains(t, err, "are not within the 8 bytes of the buffer")
		_, err = transfer.StartCopyRaw(ctx, b, make([]byte, c.size), c.offset)
		require.ErrorIs(t, err, pjrt.ErrOutOfRange, c)
	}
	old := upload(t, olderClient(t), pjrt.ArrayOf([]uint8{0, 1, 2, 3, 4, 5, 6, 7}, 8))
	_, err := transfer.PrepareCopyRaw(ctx, old, 0, 8)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}

func TestRawCopiesWhoseDestinationComesLater(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	b, err := pjrt.FromSlice(ctx, client, []uint8{0, 1, 2, 3, 4, 5, 6, 7}, 8)
	require.NoError(t, err)
	defer b.Close()
	prepare := func() *transfer.RawCopy {
		r, err := transfer.PrepareCopyRaw(ctx, b, 2, 4)
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		assert.EqualValues(t, 4, r.Size())
		ready, err := r.Event().Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		return r
	}
	t.Run("fulfilled", func(t *testing.T) {
		r := prepare()
		dst := make([]byte, 4)
		require.ErrorContains(t, r.Fulfill(dst[:3]), "the copy has 4 bytes, but dst has room for 3")
		require.NoError(t, r.Fulfill(dst))
		require.NoError(t, r.Event().Wait(ctx))
		assert.Equal(t, []byte{2, 3, 4, 5}, dst)
		require.ErrorIs(t, r.Fulfill(dst), pjrt.ErrClosed)
		require.ErrorIs(t, r.Fail(errors.New("late")), pjrt.ErrClosed)
	})
	t.Run("failed", func(t *testing.T) {
		r := prepare()
		require.ErrorContains(t, r.Fail(nil), "the error is nil")
		require.NoError(t, r.Fail(&pjrt.Error{Code: pjrt.ErrResourceExhausted, Message: "no room"}))
		require.ErrorIs(t, r.Event().Wait(ctx), pjrt.ErrResourceExhausted)
	})
	t.Run("closed", func(t *testing.T) {
		r := prepare()
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		require.ErrorIs(t, r.Fulfill(make([]byte, 4)), pjrt.ErrClosed)
	})
	t.Run("forgotten", func(t *testing.T) {
		func() {
			_, err := transfer.PrepareCopyRaw(ctx, b, 0, 1)
			require.NoError(t, err)
		}()
		require.True(t, collecting.Until(func() bool { return pjrt.Live()["raw copy"] == 0 }))
	})
	t.Run("buffer closed before", func(t *testing.T) {
		b, err := pjrt.FromSlice(ctx, client, []uint8{9}, 1)
		require.NoError(t, err)
		r, err := transfer.PrepareCopyRaw(ctx, b, 0, 1)
		require.NoError(t, err)
		defer r.Close()
		b.Close()
		dst := make([]byte, 1)
		require.NoError(t, r.Fulfill(dst))
		require.NoError(t, r.Event().Wait(ctx))
		assert.Equal(t, []byte{9}, dst)
	})
	_, err = transfer.PrepareCopyRaw(ctx, b, 6, 3)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
	_, err = transfer.PrepareCopyRaw(ctx, b, 0, -1)
	require.ErrorIs(t, err, pjrt.ErrOutOfRange)
	for _, none := range []*transfer.RawCopy{nil, {}} {
		require.ErrorIs(t, none.Fulfill(nil), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, none.Fail(errors.New("x")), pjrt.ErrInvalidArgument)
		assert.Zero(t, none.Size())
		assert.Nil(t, none.Event())
		require.NoError(t, none.Close())
	}
}

func TestCopiesOfBuffersThatCannotBeCopied(t *testing.T) {
	client := newerClient(t)
	late, _ := pending(t, client, pjrt.Shape{Type: dtype.U8, Dims: []int64{4}})
	closed := upload(t, client, matrix(1, 2, 3, 4))
	closed.Close()
	dst := []byte{0xaa, 0xaa, 0xaa, 0xaa}
	copies := map[string]func(context.Context, *pjrt.Buffer) error{
		"CopyRaw":        func(ctx context.Context, b *pjrt.Buffer) error { return transfer.CopyRaw(ctx, b, dst, 0) },
		"StartCopyRaw":   func(ctx context.Context, b *pjrt.Buffer) error { return closing(transfer.StartCopyRaw(ctx, b, dst, 0)) },
		"PrepareCopyRaw": func(ctx context.Context, b *pjrt.Buffer) error { return closing(transfer.PrepareCopyRaw(ctx, b, 0, 4)) },
	}
	for name, try := range copies {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		require.ErrorIs(t, try(ctx, late), context.DeadlineExceeded, name)
		cancel()
		require.ErrorIs(t, try(t.Context(), closed), pjrt.ErrClosed, name)
		require.ErrorIs(t, try(t.Context(), nil), pjrt.ErrInvalidArgument, name)
	}
	assert.Equal(t, []byte{0xaa, 0xaa, 0xaa, 0xaa}, dst, "dst is unchanged")
}
