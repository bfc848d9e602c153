// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// Each of these was a panic or a hang, some in a goroutine where nobody can
// recover from it.
func TestMisuseThatRandomCallsFoundIsAnErrorHere(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background()) // which makes some calls use a goroutine
	defer cancel()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	exe := compile(t, client, add)
	arguments, err := pjrt.Arguments(b)
	require.NoError(t, err)
	bound, err := exe.Bind(ctx, arguments...)
	require.NoError(t, err)
	defer bound.Close()
	deleted, fulfillment, err := client.AliasBuffer(ctx, pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 46}}, nil)
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
		"no writer":          {func() error { return b.Print(ctx, nil, npy.FormatOptions{}) }, "the writer is nil"},
		"no writer for data": {func() error { _, err := b.WriteHostTo(ctx, nil); return err }, "the writer is nil"},
		"no function":        {func() error { return b.ReadInPlace(ctx, nil) }, "the function is nil"},
		"no mesh": {func() error {
			_, err := (&pjrt.Mesh{}).Join(pjrt.Shape{Type: dtype.U8, Dims: []int64{math.MaxInt64}}, nil, nil)
			return err
		}, "the mesh is nil"},
		"a mesh of nothing": {func() error {
			_, err := pjrt.NewMesh([]*pjrt.Device{{}}, pjrt.MeshAxis{Name: "x", Size: 1})
			return err
		}, "device 0 of the mesh is nil"},
		"too few strides": {func() error {
			_, err := client.ViewOfHostMemory(ctx, matrix(1, 2, 3, 4), &pjrt.ViewOptions{Layout: &pjrt.Layout{Strides: []int64{}}})
			return err
		}, "row-major"},
		"too many arguments of a bound program": {func() error { _, err := bound.Execute(ctx, []*pjrt.Buffer{b, nil, nil}, nil); return err }, "argument 1 is nil"},
		"a deleted buffer larger than memory":   {func() error { _, err := deleted.ToHost(ctx); return err }, "deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			require.Error(t, err)
			assert.ErrorContains(t, err, c.want)
		})
	}
	require.NoError(t, new(pjrt.LazyBuffer).Close())
	require.NoError(t, b.Print(ctx, io.Discard, npy.FormatOptions{Threshold: 1, EdgeItems: math.MaxInt}))
}

// A call that a context can end runs in a goroutine. What panics there must
// reach the caller, who may know what to do about it.
func TestAPanicReachesTheCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var none *pjrt.Client
	assert.Panics(t, func() { _, _ = none.DeserializeAndLoad(ctx, []byte{1}, nil) })
}
