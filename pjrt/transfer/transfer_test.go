// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// newClient makes a client of the CPU plugin.
func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	pjrttest.NoLeaks(t)
	return plugintest.Client(t)
}

// newerClient makes a client of a plugin with the newest API.
func newerClient(t testing.TB) *pjrt.Client {
	t.Helper()
	pjrttest.NoLeaks(t)
	return pjrttest.New(t, pjrttest.Options{Devices: 2}).Client()
}

// olderClient makes a client of a plugin of API 0.81, for what is refused because the plugin is too
// old.
func olderClient(t testing.TB) *pjrt.Client {
	t.Helper()
	pjrttest.NoLeaks(t)
	return pjrttest.New(t, pjrttest.Options{Minor: 81}).Client()
}

func upload(t testing.TB, c *pjrt.Client, a pjrt.HostArray) *pjrt.Buffer {
	t.Helper()
	b, err := c.BufferFromHost(context.Background(), a, nil)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func matrix(x ...float32) pjrt.HostArray {
	return pjrt.HostArray{Type: dtype.F32, Dims: []int64{2, 2}, Data: dtype.Bytes(x)}
}

// ints returns the numbers from 0 to n-1.
func ints(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// closing closes c if err is nil.
func closing[C io.Closer](c C, err error) error {
	if err == nil {
		err = c.Close()
	}
	return err
}

// collectUntilReady collects garbage until the forgotten promise that the buffer waits
// for is given up.
func collectUntilReady(t *testing.T, b *pjrt.Buffer) {
	t.Helper()
	e, err := b.ReadyEvent()
	require.NoError(t, err)
	defer e.Close()
	require.True(t, collecting.Until(func() bool {
		ready, err := e.Ready()
		return ready && err == nil
	}))
}
