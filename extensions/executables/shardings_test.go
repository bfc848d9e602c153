// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package executables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
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

func TestShardingsThatAPluginDoesNotKnow(t *testing.T) {
	exe := compiled(t, pjrttest.Options{})
	assert.True(t, extensions.Supported(exe.Client().Plugin(), capi.ExtensionTypeShardings))
	for _, ask := range []func(*pjrt.Executable) (any, error){
		func(e *pjrt.Executable) (any, error) { return executables.ParameterShardings(e) },
		func(e *pjrt.Executable) (any, error) { return executables.ResultShardings(e) },
	} {
		list, err := ask(exe.Executable)
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}

func TestShardingsWithoutTheExtension(t *testing.T) {
	exe := compiled(t, pjrttest.Options{Minor: 90})
	assert.False(t, extensions.Supported(exe.Client().Plugin(), capi.ExtensionTypeShardings))
	_, err := executables.ParameterShardings(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "Shardings")
	_, err = executables.ResultShardings(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = executables.ResultShardings(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}
