// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// fullUntil has the function that takes an A answer that there is no room, until
// fewer than limit buffers are alive, and counts its calls.
func fullUntil[A any](t testing.TB, limit int, code capi.ErrorCode) *int {
	calls := new(int)
	on(t, func(a *A, next func(*A) uintptr) uintptr {
		*calls++
		if pjrt.Live()["buffer"] >= limit {
			return failWith(code, "no room")
		}
		return next(a)
	})
	return calls
}

func TestForgottenBuffersMakeRoomForNewOnes(t *testing.T) {
	ctx := context.Background()
	client := standInClient(t, 2)
	a := upload(t, client, matrix(1, 2, 3, 4))
	one := []pjrt.Shape{a.Shape()}
	memory := client.Devices()[0].Memories()[1]
	cases := map[string]struct {
		full func(t testing.TB, limit int, code capi.ErrorCode) *int
		make func() (interface{ Close() error }, error)
	}{
		"upload": {fullUntil[capi.ClientBufferFromHostBufferArgs], func() (interface{ Close() error }, error) {
			return client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		}},
		"uninitialized": {fullUntil[capi.ClientCreateUninitializedBufferArgs], func() (interface{ Close() error }, error) {
			return client.UninitializedBuffer(ctx, a.Shape(), nil)
		}},
		"copy to a device": {fullUntil[capi.BufferCopyToDeviceArgs], func() (interface{ Close() error }, error) {
			return a.CopyToDevice(ctx, client.Devices()[1])
		}},
		"copy to a memory": {fullUntil[capi.BufferCopyToMemoryArgs], func() (interface{ Close() error }, error) {
			return a.CopyToMemory(ctx, memory)
		}},
		"transfer manager": {fullUntil[capi.ClientCreateBuffersForAsyncHostToDeviceArgs], func() (interface{ Close() error }, error) {
			return transfer.NewManager(ctx, client, one, nil)
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			keepGarbage(t)
			begin := time.Now()
			for {
				require.True(t, collecting.Until(func() bool { return pjrt.Live()["buffer"] == 1 }), "the argument")
				func() {
					for range 20 {
						_, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
						require.NoError(t, err)
					}
				}()
				calls := c.full(t, pjrt.Live()["buffer"]-10, pjrt.ErrResourceExhausted)
				b, err := c.make()
				assert.Equal(t, 2, *calls)
				if errors.Is(err, pjrt.ErrResourceExhausted) && time.Since(begin) < patience {
					continue // on a busy machine the library may not wait long enough
				}
				require.NoError(t, err)
				b.Close()
				break
			}

			calls := c.full(t, 0, pjrt.ErrResourceExhausted)
			_, err := c.make()
			require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
			assert.Equal(t, 2, *calls, "once more, not for ever")

			calls = c.full(t, 0, pjrt.ErrInternal)
			_, err = c.make()
			require.ErrorIs(t, err, pjrt.ErrInternal)
			assert.Equal(t, 1, *calls)
		})
	}
}
