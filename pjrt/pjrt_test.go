// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// TestMain checks that what the tests made is gone in the end.
func TestMain(m *testing.M) {
	if fuzzing() {
		if os.Getenv(soakFor) != "" {
			os.Exit(soakMain())
		}
		os.Exit(fuzzMain())
	}
	code := m.Run()
	// A goroutine destroys the objects that end with a callback of the plugin.
	for deadline := time.Now().Add(patience); len(pjrt.Live()) > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if live := pjrt.Live(); code == 0 && len(live) > 0 {
		fmt.Fprintf(os.Stderr, "objects left in the plugin after all tests: %v\n", live)
		code = 1
	}
	os.Exit(code)
}

func newClient(t testing.TB, attributes ...pjrt.Attribute) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t, attributes...)
}

// olderClient makes a client of a plugin of API 0.81, for what is refused because the plugin is too
// old. The CPU plugin of that age lacks the same functions.
func olderClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return pjrttest.New(t, pjrttest.Options{Minor: 81}).Client()
}

// add is a program of two arguments and one result.
const add = `module @add {
  func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}`

func matrix(x ...float32) pjrt.HostArray {
	return pjrt.HostArray{Type: dtype.F32, Dims: []int64{2, 2}, Data: dtype.Bytes(x)}
}

func upload(t testing.TB, c *pjrt.Client, a pjrt.HostArray) *pjrt.Buffer {
	t.Helper()
	b, err := c.BufferFromHost(context.Background(), a, nil)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func compile(t testing.TB, c *pjrt.Client, code string) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := c.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func TestAProgramRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": context.Background(), "cancellable": ctx} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t)
			exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
			require.NoError(t, err)
			defer exe.Close()
			assert.Equal(t, "add", exe.Name())
			assert.Equal(t, 1, exe.NumOutputs())
			shapes, err := exe.Parameters()
			require.NoError(t, err)
			assert.Equal(t, []pjrt.Shape{{Type: dtype.F32, Dims: []int64{2, 2}}, {Type: dtype.F32, Dims: []int64{2, 2}}}, shapes)
			a, b := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(10, 20, 30, 40))
			outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, b}, nil)
			require.NoError(t, err)
			require.Len(t, outs, 1)
			defer outs[0].Close()
			assert.Equal(t, "f32[2,2]", outs[0].Shape().String())
			got, err := outs[0].ToHost(ctx)
			require.NoError(t, err)
			assert.Equal(t, matrix(11, 22, 33, 44), got)
		})
	}
}
