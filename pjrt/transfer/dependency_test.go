// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

func TestDonationWithAControlDependency(t *testing.T) {
	ctx := context.Background()
	client := newerClient(t)
	donate := func() (*pjrt.Buffer, *transfer.Dependency) {
		b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		defer b.Close()
		out, d, err := transfer.DonateAfter(ctx, b)
		require.NoError(t, err)
		t.Cleanup(func() { out.Close(); d.Close() })
		gone, err := b.IsDeleted()
		require.NoError(t, err)
		assert.True(t, gone)
		e, err := out.ReadyEvent()
		require.NoError(t, err)
		defer e.Close()
		ready, err := e.Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		return out, d
	}
	t.Run("fulfilled", func(t *testing.T) {
		out, d := donate()
		require.NoError(t, d.Fulfill())
		got, err := out.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, matrix(1, 2, 3, 4), got)
		require.ErrorIs(t, d.Fulfill(), pjrt.ErrClosed, "only once")
		require.ErrorIs(t, d.Fail(errors.New("late")), pjrt.ErrClosed)
	})
	t.Run("failed", func(t *testing.T) {
		out, d := donate()
		require.ErrorContains(t, d.Fail(nil), "the error is nil; Fulfill is for success")
		require.NoError(t, d.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "no such luck"}))
		err := out.Wait(ctx)
		require.ErrorIs(t, err, pjrt.ErrAborted)
		require.ErrorContains(t, err, "no such luck")
	})
	t.Run("closed", func(t *testing.T) {
		out, d := donate()
		require.NoError(t, d.Close())
		require.NoError(t, d.Close())
		require.ErrorIs(t, out.Wait(ctx), pjrt.ErrCancelled)
	})
	t.Run("forgotten", func(t *testing.T) {
		b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		defer b.Close()
		out, _, err := transfer.DonateAfter(ctx, b)
		require.NoError(t, err)
		defer out.Close()
		collectUntilReady(t, out)
		require.ErrorIs(t, out.Wait(ctx), pjrt.ErrCancelled)
	})
	b := upload(t, olderClient(t), matrix(1, 2, 3, 4))
	_, _, err := transfer.DonateAfter(ctx, b)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
	_, _, err = transfer.DonateAfter(ctx, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = transfer.DonateAfter(ended, b)
	require.ErrorIs(t, err, context.Canceled)
	for _, none := range []*transfer.Dependency{nil, {}} {
		require.ErrorIs(t, none.Fulfill(), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, none.Fail(errors.New("x")), pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
	}
}
