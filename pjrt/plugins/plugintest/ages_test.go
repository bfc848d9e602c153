// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugintest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const double = `module { func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
} }`

func TestEachPluginHasItsAgeAndExecutes(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, plugin plugintest.CPU) {
		assert.Equal(t, plugin.Path, plugintest.Plugin(t).Path())
		assert.Equal(t, plugin.Age, fmt.Sprintf("0.%d", plugintest.Age(t)))
		client := plugintest.Client(t)
		exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(double)}, nil)
		require.NoError(t, err)
		defer exe.Close()
		in, err := pjrt.FromSlice(t.Context(), client, []float32{1, 2}, 2)
		require.NoError(t, err)
		defer in.Close()
		out, err := exe.Execute(t.Context(), []*pjrt.Buffer{in}, nil)
		require.NoError(t, err)
		defer out[0].Close()
		got, err := pjrt.ToSlice[float32](t.Context(), out[0])
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 4}, got)
	})
}
