// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gopjrt_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	pjrt "github.com/purepjrt/purepjrt/pjrt/examples/gopjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const double = `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}`

// The code is that of a program that imports gopjrt.
func TestAProgramForGopjrtRuns(t *testing.T) {
	pjrttest.NoLeaks(t)
	plugin, err := pjrt.GetPlugin(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	client, err := plugin.NewClient(pjrt.NamedValuesMap{"cpu_device_count": 2})
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Destroy()) }()
	exe, err := client.Compile().WithStableHLO([]byte(double)).Done()
	require.NoError(t, err)
	defer func() { require.NoError(t, exe.Destroy()) }()

	devices := client.AddressableDevices()
	require.Len(t, devices, 2)
	for _, device := range devices {
		var data []byte
		for _, x := range []float32{1, 2, 3} {
			data = binary.NativeEndian.AppendUint32(data, math.Float32bits(x))
		}
		x, err := client.BufferFromHost().FromRawData(data, dtype.F32, []int{3}).ToDevice(device).Done()
		require.NoError(t, err)
		outs, err := exe.Execute(x).Done()
		require.NoError(t, err)
		require.Len(t, outs, 1)
		dims, err := outs[0].Dimensions()
		require.NoError(t, err)
		assert.Equal(t, []int{3}, dims)
		kind, err := outs[0].DType()
		require.NoError(t, err)
		assert.Equal(t, dtype.F32, kind)
		require.NoError(t, outs[0].ToHost(data))
		for i, want := range []float32{2, 4, 6} {
			assert.Equal(t, want, math.Float32frombits(binary.NativeEndian.Uint32(data[4*i:])))
		}
		require.NoError(t, x.Destroy())
		require.NoError(t, outs[0].Destroy())
	}
}

func TestErrorsReachAProgramForGopjrt(t *testing.T) {
	pjrttest.NoLeaks(t)
	_, err := pjrt.GetPlugin("/no/such/plugin.so")
	require.Error(t, err)
	plugin, err := pjrt.GetPlugin(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	_, err = plugin.NewClient(pjrt.NamedValuesMap{"cpu_device_count": struct{}{}})
	require.Error(t, err)
	client, err := plugin.NewClient(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Destroy()) }()
	_, err = client.Compile().WithStableHLO([]byte("nothing")).Done()
	require.Error(t, err)
	_, err = client.BufferFromHost().FromRawData(make([]byte, 4), dtype.F32, []int{3}).Done()
	require.Error(t, err)
	exe, err := client.Compile().WithStableHLO([]byte(double)).Done()
	require.NoError(t, err)
	defer func() { require.NoError(t, exe.Destroy()) }()
	_, err = exe.Execute(nil).Done()
	require.Error(t, err)
	_, err = exe.Execute().Done()
	require.Error(t, err)
}
