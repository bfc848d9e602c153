// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// table serves p until the test ends.
func table(t testing.TB, p *serve.Plugin) *capi.Table {
	t.Helper()
	s, err := p.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.Capi()
}

func TestFuncsAnswerTheirFunctions(t *testing.T) {
	tab := table(t, &serve.Plugin{
		ClientProcessIndex: func(a *capi.ClientProcessIndexArgs) error {
			a.ProcessIndex = 42
			return nil
		},
		Triton: &serve.TritonExtension{Compile: func(a *capi.TritonCompileArgs) error {
			a.OutSmemBytes = 7
			return nil
		}},
		Profiler: &serve.ProfilerAPI{Start: func(*capi.ProfilerStartArgs) error {
			return &capi.Error{Code: capi.ErrorCodeAborted, Message: "no"}
		}},
	})
	var index capi.Call[capi.ClientProcessIndexArgs]
	require.NoError(t, index.Do(tab))
	assert.EqualValues(t, 42, index.Args.ProcessIndex)
	var compile capi.Call[capi.TritonCompileArgs]
	require.NoError(t, compile.Do(tab))
	assert.EqualValues(t, 7, compile.Args.OutSmemBytes)
	var start capi.Call[capi.ProfilerStartArgs]
	assert.EqualError(t, start.Do(tab), "PLUGIN_Profiler_Start: ABORTED: no")
	var devices capi.Call[capi.ClientDevicesArgs]
	assert.ErrorIs(t, devices.Do(tab), capi.ErrorCodeUnimplemented)
}
