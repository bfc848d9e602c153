// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// twice returns its argument twice.
const twice = `module @twice { func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %a, %a : tensor<4xf32>, tensor<4xf32> } }`

// oddities has what package pjrt cannot do with a plugin of each oddity: the beginning of the error
// of a step. Steps that are not in it succeed. pjrt/docs/writing-a-plugin.md has it in words.
var oddities = map[shim.Oddity]map[string]string{
	shim.ZeroSizes:         nil,
	shim.NoCompleteEvents:  nil,
	shim.NoLookup:          nil,
	shim.NoFingerprints:    {"fingerprint": "PJRT_Executable_Fingerprint: INTERNAL: the plugin reported success but gave an empty fingerprint"},
	shim.SharedExecutables: nil,
	shim.ZeroSizeQuery:     nil,
	shim.FewerResults: {
		"compile": "PJRT_Executable_NumOutputs: INTERNAL: the plugin gave 1 outputs for a program that has 2 results",
	},
	shim.NoExecutableDevices: nil,
	shim.ShortTable:          nil,
	shim.Stdout:              nil,
	shim.OneClient:           nil,
	shim.ArtifactsOnly: {
		"compile": "PJRT_Client_Compile: INTERNAL: failed to deserialize the StableHLO artifact: the program is text, and this plugin may " +
			"read only portable artifacts of StableHLO, which JAX sends",
	},
	shim.NoOptimizedProgram: nil,
}

func TestProgramsWorkWithOddPlugins(t *testing.T) {
	t.Parallel()
	for _, odd := range shim.Oddities() {
		t.Run(string(odd), func(t *testing.T) {
			t.Parallel()
			fails, known := oddities[odd]
			require.True(t, known)
			p := pjrttest.New(t, pjrttest.Options{Devices: 2, Odd: []shim.Oddity{odd}, NoLeaks: true})
			useOdd(t, p, func(step string, err error) bool {
				if want := fails[step]; want != "" {
					assert.ErrorContains(t, err, want, step)
					delete(fails, step)
					return false
				}
				return assert.NoError(t, err, step)
			})
			assert.Empty(t, fails)
		})
	}
}

// useOdd takes the steps of a program. ok judges their errors, and reports whether there is none.
func useOdd(t *testing.T, p *pjrttest.Plugin, ok func(step string, err error) bool) {
	t.Helper()
	ctx := context.Background()
	p.AddProgram(pjrttest.Program{
		Name: "twice", Func: func(args []pjrt.HostArray) ([]pjrt.HostArray, error) { return []pjrt.HostArray{args[0], args[0]}, nil },
	})
	assert.NotEmpty(t, p.Plugin().Attributes())
	client, err := p.Plugin().NewClient(ctx, nil)
	if !ok("client", err) {
		return
	}
	defer client.Close()
	again, err := p.Plugin().NewClient(ctx, nil)
	if ok("second client", err) {
		require.NoError(t, again.Close())
	}
	require.Len(t, client.Devices(), 2)
	for _, d := range client.Devices() {
		_ = d.Description().Attributes()
		found, err := client.LookupDevice(d.ID())
		if ok("lookup", err) {
			assert.Same(t, d, found)
		}
		found, err = client.LookupAddressableDevice(d.LocalHardwareID())
		if ok("local lookup", err) {
			assert.Same(t, d, found)
		}
	}
	_, err = client.LookupDevice(7)
	require.Error(t, err, "there is no such device")

	data := []float32{1, 2, 3, 4}
	b, err := pjrt.FromSlice(ctx, client, data)
	if !ok("upload", err) {
		return
	}
	defer b.Close()
	holds(t, ok, b, data)
	_, err = b.Layout()
	ok("layout", err)

	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(twice)}, nil)
	if !ok("compile", err) {
		return
	}
	defer exe.Close()
	_, err = exe.Fingerprint()
	ok("fingerprint", err)
	assert.Equal(t, client.Devices()[:1], exe.Devices())
	_, err = exe.Parameters()
	ok("parameters", err)
	wrong := upload(t, client, pjrt.HostArray{Type: dtype.S32, Dims: []int64{4}, Data: make([]byte, 16)})
	defer wrong.Close()
	_, err = exe.Execute(ctx, []*pjrt.Buffer{wrong}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "argument 0 is i32[4], and the program takes f32[4]")
	bound, err := exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
	if ok("bind", err) {
		results, err := exe.Execute(ctx, nil, &pjrt.ExecuteOptions{Bound: bound})
		takeResults(t, ok, results, err, data)
		require.NoError(t, bound.Close())
	}
	results, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil)
	takeResults(t, ok, results, err, data)
	description := exe.Executable
	require.NoError(t, exe.Close())
	assert.Equal(t, 2, description.NumOutputs())
}

func takeResults(t *testing.T, ok func(string, error) bool, results []*pjrt.Buffer, err error, want []float32) {
	t.Helper()
	if !ok("execute", err) {
		return
	}
	require.Len(t, results, 2)
	for _, r := range results {
		holds(t, ok, r, want)
		require.NoError(t, r.Close())
	}
}

func holds(t *testing.T, ok func(string, error) bool, b *pjrt.Buffer, want []float32) {
	t.Helper()
	got, err := pjrt.ToSlice[float32](context.Background(), b)
	if ok("download", err) {
		assert.Equal(t, want, got)
	}
}

// A plugin whose table is shorter than its version says lacks the functions that would come after.
func TestAShortTableLacksFunctions(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{Odd: []shim.Oddity{shim.ShortTable}})
	whole := pjrttest.New(t, pjrttest.Options{})
	newer := (*capi.ClientCreateErrorBufferArgs)(nil).Function()
	assert.True(t, raw.Table(whole.Plugin()).Has(newer))
	assert.False(t, raw.Table(p.Plugin()).Has(newer))
	assert.True(t, raw.Table(p.Plugin()).Has((*capi.ClientCompileArgs)(nil).Function()))
}

func TestTheValidatorBlamesThePluginForAnEventThatItDoesNotGive(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{Devices: 2, Odd: []shim.Oddity{shim.NoCompleteEvents}})
	p.Program("twice", pjrttest.Signature{}, func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		return []pjrt.HostArray{args[0], args[0]}, nil
	})
	file := filepath.Join(t.TempDir(), "findings")
	watch, err := shim.New(shim.Config{Validate: file})
	require.NoError(t, err)
	table, err := watch.Wrap(p.Table())
	require.NoError(t, err)
	t.Cleanup(func() { _ = table.Close() })
	plugin, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	exe := compile(t, client, twice)
	b := upload(t, client, pjrt.HostArray{Type: dtype.F32, Dims: []int64{4}, Data: make([]byte, 16)})
	results, err := exe.Execute(context.Background(), []*pjrt.Buffer{b}, nil)
	require.NoError(t, err)
	for _, r := range append(results, b) {
		require.NoError(t, r.Close())
	}
	require.NoError(t, exe.Close())
	require.NoError(t, client.Close())
	require.NoError(t, watch.Close())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Regexp(t, `^pjrt validate: null result: call #\d+ PJRT_LoadedExecutable_Execute: the plugin reported success but left 1 of 1 handles in `+
		`device_complete_events null\npjrt validate: \d+ calls, 1 finding\n$`, string(text))
}
