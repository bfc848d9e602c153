// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package ffi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// libtpu's table has version 0.5, with the custom options of executions.
func TestANewTableAheadOfTime(t *testing.T) {
	table, err := capi.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.NoError(t, new(capi.Call[capi.PluginInitializeArgs]).Do(table))
	var api *ffi.API
	h := newHandler(t, func(*ffi.CallFrame) error { return nil }, &ffi.HandlerOptions{Asked: func(a *ffi.API) { api = a }})
	require.NoError(t, registerHandler(table, target(), "TPU", h))
	require.NotNil(t, api)
	major, minor := api.Version()
	assert.Zero(t, major)
	assert.EqualValues(t, 5, minor)
	assert.EqualValues(t, 208, api.StructSize)
	functions, err := ffi.Table(api)
	require.NoError(t, err)
	assert.True(t, functions.Has((*ffi.CustomOptionsGetArgs)(nil).Function()))

	want := &capi.Error{Code: capi.ErrorCodeAborted, Message: "enough"}
	assert.Equal(t, want, ffi.TakeError(api, ffi.NewError(api, want)), "the code survives")
	name := target()
	id, err := ffi.RegisterType(api, name, ffi.Deleter())
	require.NoError(t, err)
	assert.NotZero(t, id)
	_, err = ffi.RegisterType(api, name, ffi.Deleter())
	require.ErrorContains(t, err, "already registered")
	asked := api
	api = nil
	require.NoError(t, ffi.Register(asked, target(), "TPU", ffi.HandlerBundle{Execute: h}, 0))
	assert.Same(t, asked, api, "registering queried the handler")
}
