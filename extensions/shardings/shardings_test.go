// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shardings_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/shardings"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const identity = `module @identity {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}`

func compiled(t *testing.T, opts pjrttest.Options) *pjrt.LoadedExecutable {
	t.Helper()
	p := pjrttest.New(t, opts)
	p.Program("identity", pjrttest.Signature{}, pjrttest.Identity)
	exe, err := p.Client().Compile(t.Context(), pjrt.Program{Code: []byte(identity)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func TestAPluginThatKnowsNoShardings(t *testing.T) {
	exe := compiled(t, pjrttest.Options{})
	assert.True(t, extensions.Supported(exe.Client().Plugin(), capi.ExtensionTypeShardings))
	for _, ask := range []func(*pjrt.Executable) (any, error){
		func(e *pjrt.Executable) (any, error) { return shardings.Parameters(e) },
		func(e *pjrt.Executable) (any, error) { return shardings.Results(e) },
	} {
		list, err := ask(exe.Executable)
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}

func TestAPluginWithoutTheExtension(t *testing.T) {
	exe := compiled(t, pjrttest.Options{Minor: 90})
	assert.False(t, extensions.Supported(exe.Client().Plugin(), capi.ExtensionTypeShardings))
	_, err := shardings.Parameters(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "Shardings")
	_, err = shardings.Results(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = shardings.Results(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}

// The rows of x are spread over two devices, and the sum of x is on both.
func Example() {
	const program = `module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) -> (tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}`
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	parameters, err := shardings.Parameters(exe.Executable)
	fmt.Println(parameters[0], err)
	results, err := shardings.Results(exe.Executable)
	fmt.Println(results[0], err)
	// Output:
	// {devices=[2,1]0,1} <nil>
	// {replicated} <nil>
}
