package pjrttest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestBasic(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{Devices: 2})
	p.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	c := p.Client()
	ctx := context.Background()
	exe, err := c.Compile(ctx, pjrt.Program{Code: []byte(`module @add { func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> { } }`)}, nil)
	require.NoError(t, err)
	a, err := pjrt.FromSlice(ctx, c, []float32{1, 2, 3}, 3)
	require.NoError(t, err)
	out, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	got, err := pjrt.ToSlice[float32](ctx, out[0])
	require.NoError(t, err)
	require.Equal(t, []float32{2, 4, 6}, got)
	out[0].Close()
	a.Close()
	exe.Close()
	require.Equal(t, map[string]int{"PJRT_Client": 1}, p.Live())
}
