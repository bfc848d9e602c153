// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rawbuffer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func bytesOf(values ...float32) []byte { return dtype.Bytes(values) }

func upload(t testing.TB, c *pjrt.Client, values ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(context.Background(), c, values, int64(len(values)))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func read(t testing.TB, b *pjrt.Buffer) []float32 {
	t.Helper()
	values, err := pjrt.ToSlice[float32](context.Background(), b)
	require.NoError(t, err)
	return values
}

func TestBytesAreWrittenIntoABuffer(t *testing.T) {
	ctx := context.Background()
	for name, onHost := range map[string]bool{"memory of a device": false, "memory of the host": true} {
		t.Run(name, func(t *testing.T) {
			p := pjrttest.New(t, pjrttest.Options{HostDevices: onHost, NoLeaks: true})
			require.True(t, extensions.Supported(p.Plugin(), capi.ExtensionTypeRawBuffer))
			b := upload(t, p.Client(), 1, 2, 3, 4)
			r, err := rawbuffer.Of(ctx, b)
			require.NoError(t, err)
			defer r.Close()
			assert.EqualValues(t, 16, r.Size())
			m, err := r.Memory()
			require.NoError(t, err)
			bm, err := b.Memory()
			require.NoError(t, err)
			assert.Same(t, bm, m)
			address, err := r.HostAddress()
			require.NoError(t, err)
			if onHost {
				want, err := raw.UnsafePointer(ctx, b)
				require.NoError(t, err)
				assert.Equal(t, want, address)
			} else {
				assert.Zero(t, address)
			}

			require.NoError(t, r.CopyFromHost(ctx, bytesOf(20, 30), 4))
			assert.Equal(t, []float32{1, 20, 30, 4}, read(t, b))
			got := make([]byte, 8)
			require.NoError(t, r.CopyToHost(ctx, got, 8))
			assert.Equal(t, bytesOf(30, 4), got)
			require.NoError(t, r.CopyFromHost(ctx, nil, 16), "zero bytes at the end")
			e, err := r.CopyFromHostAsync(bytesOf(5), 12)
			require.NoError(t, err)
			require.NoError(t, e.Wait(ctx))
			e.Close()
			assert.Equal(t, []float32{1, 20, 30, 5}, read(t, b))

			require.NoError(t, b.Close())
			require.NoError(t, r.CopyToHost(ctx, got, 8), "the raw buffer keeps the memory alive")
			assert.Equal(t, bytesOf(30, 5), got)
			require.NoError(t, r.Close())
			require.NoError(t, r.Close())
			require.ErrorIs(t, r.CopyToHost(ctx, got, 0), pjrt.ErrClosed)
			_, err = r.Memory()
			require.ErrorIs(t, err, pjrt.ErrClosed)
			assert.Zero(t, p.Live()["PJRT_RawBuffer"])
		})
	}
}

func TestCopiesBeyondTheBufferAreRefused(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	r, err := rawbuffer.Of(ctx, upload(t, p.Client(), 1, 2, 3, 4))
	require.NoError(t, err)
	defer r.Close()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"beyond":    {r.CopyFromHost(ctx, make([]byte, 8), 12), "8 bytes at 12 are not within the 16"},
		"negative":  {r.CopyToHost(ctx, make([]byte, 8), -1), "8 bytes at -1 are not"},
		"after all": {r.CopyToHost(ctx, nil, 17), "0 bytes at 17 are not"},
		"ctx ended": {r.CopyToHost(ended, make([]byte, 8), 0), "context canceled"},
	} {
		require.ErrorContains(t, c.err, c.want, name)
	}
	assert.Zero(t, p.Calls("PJRT_RawBuffer_CopyRawHostToDevice")+p.Calls("PJRT_RawBuffer_CopyRawDeviceToHost"))
}

func TestBuffersWithoutARawBuffer(t *testing.T) {
	ctx := context.Background()
	c := pjrttest.New(t, pjrttest.Options{NoLeaks: true}).Client()
	deleted, closed := upload(t, c, 1), upload(t, c, 1)
	require.NoError(t, deleted.Delete())
	_, err := rawbuffer.Of(ctx, deleted)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.NoError(t, closed.Close())
	_, err = rawbuffer.Of(ctx, closed)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = rawbuffer.Of(ctx, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	for _, r := range []*rawbuffer.RawBuffer{nil, {}} {
		require.ErrorIs(t, r.CopyFromHost(ctx, nil, 0), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, r.CopyToHost(ctx, nil, 0), pjrt.ErrInvalidArgument)
		_, err = r.Memory()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = r.HostAddress()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.Zero(t, r.Size())
		require.NoError(t, r.Close())
	}

	plugin := plugintest.Plugin(t)
	require.False(t, extensions.Supported(plugin, capi.ExtensionTypeRawBuffer))
	cpu, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer cpu.Close()
	_, err = rawbuffer.Of(ctx, upload(t, cpu, 1, 2))
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}
