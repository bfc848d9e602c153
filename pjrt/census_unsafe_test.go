// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// uncalled are the functions that nothing reaches on the CPU plugin of API 0.115, and why.
var uncalled = map[string]string{
	"PJRT_AsyncHostToDeviceTransferManager_BufferCount": "a transfer manager knows how many buffers were asked for",
	"PJRT_AsyncTrackingEvent_Destroy":                   "the plugin tracks no work",
	"PJRT_Client_DmaUnmap":                              "the plugin maps no memory",
	"PJRT_CopyToDeviceStream_AddChunk":                  "the plugin compiles no program that receives from the host",
	"PJRT_CopyToDeviceStream_CurrentBytes":              "likewise",
	"PJRT_CopyToDeviceStream_Destroy":                   "likewise",
	"PJRT_CopyToDeviceStream_GranuleSize":               "likewise",
	"PJRT_CopyToDeviceStream_TotalBytes":                "likewise",
	"PJRT_Event_Error":                                  "the plugin can wait for its events, which gives their errors",
	"PJRT_LoadedExecutable_Fingerprint":                 "PJRT_Executable_Fingerprint has taken its place",
	"PJRT_MemoryDescription_Kind":                       "the plugin describes no memory",
	"PJRT_PhaseCompile_C_Buffers_Destroy":               "the plugin makes no compiler of phases",
	"PJRT_PhaseCompile_Get_PhaseNames":                  "likewise",
	"PJRT_PhaseCompile_Run_Phase":                       "likewise",

	"PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn": "the plugin runs no passes for a trace",
}

// reach calls what the steps of a tour leave out.
func reach(t *testing.T, plugin *pjrt.Plugin) {
	t.Helper()
	ctx := t.Context()
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	// The program keeps the first elements, and says how many.
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<4xi32>, %n: tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>> {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %all = stablehlo.constant dense<4> : tensor<i32>
  %size = stablehlo.clamp %none, %n, %all : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %size, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  return %0 : tensor<?xi32, #stablehlo.bounds<4>>
}`)}, nil)
	require.NoError(t, err)
	a, err := pjrt.FromSlice(ctx, client, []int32{1, 2, 3, 4})
	require.NoError(t, err)
	defer a.Close()
	n, err := pjrt.FromScalar(ctx, client, int32(3))
	require.NoError(t, err)
	defer n.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, n}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	dims, err := outs[0].UnpaddedDims(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int64{3}, dims)
	require.NoError(t, exe.Delete())

	pass, err := xlatransform.Register(plugin, "look", func(*hlo.Module) (bool, error) { return false, nil }, nil)
	require.NoError(t, err)
	require.NoError(t, pass.Close())
	m, err := hlo.Decode(optimized(t, client))
	require.NoError(t, err)
	_, err = xlatransform.Trace(plugin, m)
	require.ErrorIs(t, err, pjrt.ErrNotFound)
}

// optimized returns a program as the compiler has changed it.
func optimized(t *testing.T, client *pjrt.Client) []byte {
	t.Helper()
	p, err := compile(t, client, add).OptimizedProgram()
	require.NoError(t, err)
	return p.Code
}

// The newest CPU plugin has every function of the core, and of the extensions that it offers: what
// programs do with this package, and with those around it, calls them all.
func TestEveryFunctionOfAPluginThatExecutesIsCalled(t *testing.T) {
	if !inChild(t) {
		return
	}
	real, err := capi.Open(plugintest.Path(t, "cpu@0.115"))
	require.NoError(t, err)
	var mu sync.Mutex
	called := make(map[string]bool) // guarded by mu
	var hooks []serve.Hook
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			hooks = append(hooks, serve.AroundFunction(f, func(call *serve.Invocation) {
				mu.Lock()
				called[f.Name] = true
				mu.Unlock()
				call.Forward()
			}))
		}
	}
	served, err := serve.Wrap(real, hooks...)
	require.NoError(t, err)
	x := &tour{table: served.Capi(), patience: patience, cacheDir: t.TempDir()}
	x.run(nil)
	reach(t, x.plugin)

	core := capi.Functions(capi.SectionCore)
	require.GreaterOrEqual(t, len(core), 138)
	var missing []string
	mu.Lock()
	defer mu.Unlock()
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if real.Has(f) && !called[f.Name] {
				missing = append(missing, f.Name)
			}
		}
	}
	slices.Sort(missing)
	assert.Equal(t, slices.Sorted(maps.Keys(uncalled)), missing)
}
