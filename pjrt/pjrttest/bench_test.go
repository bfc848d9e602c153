// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// BenchmarkStart measures how long it takes to start and to close a plugin with a client.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := pjrttest.Start(pjrttest.Options{})
		require.NoError(b, err)
		p.Client()
		require.NoError(b, p.Close())
	}
}

// BenchmarkExecute measures an execution of a small program and the download of its result.
func BenchmarkExecute(b *testing.B) {
	p := pjrttest.New(b, pjrttest.Options{})
	register(p)
	ctx := context.Background()
	exe, err := p.Client().Compile(ctx, module("double", "(%a: tensor<4xf32>) -> tensor<4xf32>"), nil)
	require.NoError(b, err)
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, p.Client(), []float32{1, 2, 3, 4}, 4)
	require.NoError(b, err)
	defer x.Close()
	for b.Loop() {
		out, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
		require.NoError(b, err)
		_, err = pjrt.ToSlice[float32](ctx, out[0])
		require.NoError(b, err)
		require.NoError(b, out[0].Close())
	}
}
