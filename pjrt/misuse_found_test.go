// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Each of these calls once panicked or hung, some in a goroutine of the package, where the
// caller cannot recover.
func TestMisuseThatRandomCallsFoundIsRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background()) // makes some calls use a goroutine
	defer cancel()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	exe := compile(t, client, add)
	bound, err := exe.Bind(ctx, argument(b))
	require.NoError(t, err)
	defer bound.Close()
	deleted, fulfillment, err := transfer.NewAlias(ctx, client, pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 46}}, nil)
	require.NoError(t, err)
	defer deleted.Close()
	defer fulfillment.Close()
	require.NoError(t, deleted.Delete())

	for name, c := range map[string]struct {
		call func() error
		want string
	}{
		"no plugin":                         {func() error { _, err := (&pjrt.Plugin{}).NewClient(ctx, nil); return err }, "the plugin is nil"},
		"no plugin to share":                {func() error { _, err := (*pjrt.Plugin)(nil).SharedClient(ctx, nil); return err }, "the plugin is nil"},
		"no plugin for a topology":          {func() error { _, err := (&pjrt.Plugin{}).NewTopology(ctx, "", nil); return err }, "the plugin is nil"},
		"no plugin for a topology of bytes": {func() error { _, err := (*pjrt.Plugin)(nil).DeserializeTopology(ctx, []byte{1}); return err }, "the plugin is nil"},
		"no executable":                     {func() error { _, err := (&pjrt.Executable{}).Serialize(ctx); return err }, "the executable is nil"},
		"no client":                         {func() error { _, err := pjrt.FromSlice(ctx, nil, []float32{1}); return err }, "the client is nil"},
		"no reader": {func() error {
			_, err := client.BufferFromReader(ctx, nil, f32x4, nil)
			return err
		}, "the reader is nil"},
		"no function": {func() error { return b.ReadInPlace(ctx, nil) }, "the function is nil"},
		"too few strides": {func() error {
			_, err := client.ViewOfHostMemory(ctx, matrix(1, 2, 3, 4), &pjrt.ViewOptions{Layout: &pjrt.Layout{Strides: []int64{}}})
			return err
		}, "row-major"},
		"too many arguments of a bound program": {func() error {
			_, err := exe.Execute(ctx, []*pjrt.Buffer{b, nil, nil}, &pjrt.ExecuteOptions{Bound: bound})
			return err
		}, "argument 1 is nil"},
		"a deleted buffer larger than memory": {func() error { _, err := deleted.ToHost(ctx); return err }, "deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			require.Error(t, err)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
