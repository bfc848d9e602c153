// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Plugins fail or end the process over buffers whose shape has no layout.
func TestBuffersWithoutALayoutAreRowMajor(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		ctx := context.Background()
		client := newClient(t)
		for _, dims := range [][]int64{{}, {3}, {2, 3}, {2, 3, 4}, {2, 1, 3, 2}, {0, 2}} {
			for _, typ := range []dtype.Type{dtype.F32, dtype.S4, dtype.Pred} {
				shape := pjrt.Shape{Type: typ, Dims: dims}
				size, err := shape.HostSize()
				require.NoError(t, err)
				array := pjrt.HostArray{Type: typ, Dims: dims, Data: pjrt.AlignedSlice[uint8](size)}
				row := pjrt.RowMajor(len(dims)).String()
				isRowMajor := func(b *pjrt.Buffer) {
					t.Helper()
					l, err := b.Layout()
					require.NoError(t, err, shape)
					assert.Equal(t, row, l.String(), shape)
				}

				b, a, err := transfer.NewAlias(ctx, client, shape, nil)
				if typ.IsSubByte() {
					require.ErrorIs(t, err, pjrt.ErrUnimplemented)
				} else {
					require.NoError(t, err, shape)
					isRowMajor(b)
					require.NoError(t, a.Fulfill(upload(t, client, array)))
					got, err := b.ToHost(ctx)
					require.NoError(t, err, shape)
					assert.Equal(t, array.Shape(), got.Shape())
					assert.Len(t, got.Data, size)
					require.NoError(t, b.Close())
				}

				b, err = client.ErrorBuffer(ctx, shape, pjrt.ErrDataLoss.Errorf("gone"), nil)
				if !errors.Is(err, pjrt.ErrUnimplemented) { // before API 0.82
					require.NoError(t, err, shape)
					isRowMajor(b)
					_, err = b.ToHost(ctx)
					require.ErrorIs(t, err, pjrt.ErrDataLoss, shape)
					require.NoError(t, b.Close())
				}

				for _, layout := range []*pjrt.Layout{nil, pjrt.RowMajor(len(dims))} {
					b, err = client.UninitializedBuffer(ctx, shape, &pjrt.BufferOptions{Layout: layout})
					require.NoError(t, err, shape)
					isRowMajor(b)
					require.NoError(t, b.Wait(ctx))
					require.NoError(t, b.Close())
					b, err = client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Layout: layout})
					require.NoError(t, err, shape)
					isRowMajor(b)
					require.NoError(t, b.Close())
				}

				if !typ.IsSubByte() {
					b, err = client.ViewOfHostMemory(ctx, array, nil)
					require.NoError(t, err, shape)
					isRowMajor(b)
					require.NoError(t, b.Close())
				}

				// XLA's own client also leaves out single layouts of a manager.
				m, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape, shape},
					&transfer.ManagerOptions{Layouts: []*pjrt.Layout{nil, pjrt.RowMajor(len(dims))}})
				require.NoError(t, err, shape)
				for i := range 2 {
					b, err := m.Buffer(i)
					require.NoError(t, err, shape)
					isRowMajor(b)
					require.NoError(t, b.Close())
				}
				require.NoError(t, m.Close())
			}
		}
	})
}
