// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Arrays without elements travel every way that others do.
func TestEmptyArraysTravel(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		ctx := context.Background()
		client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(2)})
		for _, dims := range [][]int64{{0}, {0, 3}, {3, 0}, {0, 0}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {1, 0, 1, 4}, {0, 1 << 40}} {
			for _, typ := range []dtype.Type{dtype.F32, dtype.Pred, dtype.S4, dtype.C128} {
				shape := pjrt.Shape{Type: typ, Dims: dims}
				array := pjrt.HostArray{Type: typ, Dims: dims}
				rank := len(dims)
				columns := &pjrt.Layout{MinorToMajor: make([]int, rank)}
				for i := range columns.MinorToMajor {
					columns.MinorToMajor[i] = i
				}
				check := func(what string, b *pjrt.Buffer, err error) {
					t.Helper()
					what = fmt.Sprintf("%v, %s", shape, what)
					if !assert.NoError(t, err, what) {
						return
					}
					defer b.Close()
					got, err := b.ToHost(ctx)
					require.NoError(t, err, what)
					assert.Equal(t, shape, got.Shape(), what)
					assert.Empty(t, got.Data, what)
					n, err := b.ToHostInto(ctx, nil)
					require.NoError(t, err, what)
					assert.Zero(t, n, what)
					require.NoError(t, b.ToHostStrided(ctx, nil, make([]int64, rank)), what)
					require.NoError(t, b.ReadInPlace(ctx, func(data []byte) error {
						assert.Empty(t, data, what)
						return nil
					}), what)
					e, err := b.ToHostAsync(nil)
					require.NoError(t, err, what)
					require.NoError(t, e.Wait(ctx), what)
					require.NoError(t, transfer.CopyRaw(ctx, b, nil, 0), what)
					copied, err := b.CopyToDevice(ctx, client.AddressableDevices()[1])
					require.NoError(t, err, what)
					require.NoError(t, copied.Wait(ctx), what)
					copied.Close()
				}
				for _, data := range [][]byte{nil, {}} {
					array.Data = data
					b, err := client.BufferFromHost(ctx, array, nil)
					check("dense", b, err)
					for _, stride := range []int64{0, 1, 4, -4, 1 << 50} {
						strides := make([]int64, rank)
						for i := range strides {
							strides[i] = stride
						}
						for _, semantics := range []pjrt.HostBufferSemantics{pjrt.OnlyDuringCall, pjrt.ImmutableZeroCopy} {
							b, err := client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Strides: strides, Semantics: semantics})
							check(fmt.Sprintf("strides %v, semantics %v", strides, semantics), b, err)
						}
					}
				}
				if !typ.IsSubByte() {
					b, err := client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Layout: columns})
					check("columns", b, err)
					b, err = client.ViewOfHostMemory(ctx, array, nil)
					check("view", b, err)
				}
				b, err := client.UninitializedBuffer(ctx, shape, nil)
				check("uninitialized", b, err)
				m, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape}, nil)
				require.NoError(t, err)
				b, err = m.Buffer(0)
				require.NoError(t, err)
				e, err := m.Send(0, nil, 0, true)
				require.NoError(t, err)
				require.NoError(t, e.Wait(ctx))
				check("transfer manager", b, err)
				m.Close()
			}
		}
	})
}
