// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

const double = `module { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
} }`

func TestAWrappedPluginRunsPrograms(t *testing.T) {
	real, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	var calls atomic.Int64
	var refuse atomic.Bool
	tab := wrap(t, real,
		serve.AroundAll(func(c *serve.Invocation) {
			calls.Add(1)
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
			if refuse.Load() {
				c.Fail(capi.ErrorCodeResourceExhausted, "no room for this program")
				return
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientPlatformVersionArgs) {
			c.Forward()
			a.PlatformVersion, a.PlatformVersionSize = capi.StringData("wrapped")
		}))
	assert.Len(t, tab.Extensions(), len(real.Extensions()))

	plugin, err := raw.Plugin(tab)
	require.NoError(t, err)
	client, err := plugin.NewClient(t.Context(), nil)
	require.NoError(t, err)
	defer client.Close()
	assert.Equal(t, "wrapped", client.PlatformVersion())
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(double)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	arg, err := client.BufferFromHost(t.Context(),
		pjrt.HostArray{Type: dtype.F32, Dims: []int64{3}, Data: dtype.Bytes([]float32{1, 2, 3})}, nil)
	require.NoError(t, err)
	defer arg.Close()
	out, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg}, nil)
	require.NoError(t, err)
	host, err := pjrt.ToSlice[float32](t.Context(), out[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6}, host)
	require.NoError(t, out[0].Close())

	refuse.Store(true)
	_, err = exe.Execute(t.Context(), []*pjrt.Buffer{arg}, nil)
	assert.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	assert.ErrorContains(t, err, "no room for this program")
	_, err = client.Compile(t.Context(), pjrt.Program{Code: []byte("module { nonsense }")}, nil)
	assert.Error(t, err, "an error of the plugin itself")
	assert.Greater(t, calls.Load(), int64(20))
	assert.Zero(t, serve.LiveErrors())
}
