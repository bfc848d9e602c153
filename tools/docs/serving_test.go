// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

const double = `module @double {
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}`

// migrated is the program of from-gopjrt.md.
func migrated(ctx context.Context, program []byte) ([]float32, error) {
	client, err := plugins.Open(ctx, "cpu", nil) // pjrt.GetPlugin("cpu"), plugin.NewClient(nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: program}, nil) // client.Compile().WithStableHLO(program).Done()
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 2, 2) // pjrt.ArrayToBuffer(client, []float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{KeepAll: true}) // exe.Execute(x).Done()
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0]) // pjrt.BufferToArray[float32](outs[0])
}

func TestAMigratedProgramRuns(t *testing.T) {
	t.Parallel()
	plugintest.Path(t, "cpu")
	y, err := migrated(t.Context(), []byte(double))
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, y)
}

// What the documents say about donation: the program decides, and KeepAll keeps.
func TestTheProgramDecidesWhatIsDonated(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	const donating = `func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}`
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(donating)}, nil)
	require.NoError(t, err)
	for _, c := range []struct {
		opts *pjrt.ExecuteOptions
		gone bool
	}{{nil, true}, {&pjrt.ExecuteOptions{KeepAll: true}, false}, {&pjrt.ExecuteOptions{Keep: []int{0}}, false}} {
		var args []*pjrt.Buffer
		for range 2 {
			b, err := pjrt.FromSlice(t.Context(), client, []float32{1, 2})
			require.NoError(t, err)
			args = append(args, b)
		}
		_, err := exe.Execute(t.Context(), args, c.opts)
		require.NoError(t, err)
		for i, b := range args {
			gone, err := b.IsDeleted()
			require.NoError(t, err)
			assert.Equal(t, c.gone && i == 0, gone, "argument %d with %v", i, c.opts)
		}
	}
}

func TestTheSecondStartOfAServerFindsItsProgram(t *testing.T) {
	t.Parallel()
	client, dir, program := newClient(t), t.TempDir(), pjrt.Program{Code: []byte(double)}
	var hits []bool
	start := func(ctx context.Context) error {
		compiled, err := cache.Open(dir, cache.Options{MaxBytes: 1 << 30})
		if err != nil {
			return err
		}
		exe, hit, err := compiled.Compile(ctx, client, program, nil)
		if err != nil {
			return err
		}
		hits = append(hits, hit)
		return exe.Close()
	}
	for range 2 {
		require.NoError(t, start(t.Context()))
	}
	assert.Equal(t, []bool{false, true}, hits)
}

func TestWeightsAreBoundOnce(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	client.LimitInFlight(16)
	const product = `func.func @main(%w: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %w, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}`
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(product)}, nil)
	require.NoError(t, err)
	var both []*pjrt.Buffer
	for _, values := range [][]float32{{2, 3}, {10, 10}} {
		b, err := pjrt.FromSlice(t.Context(), client, values)
		require.NoError(t, err)
		both = append(both, b)
	}
	y, err := request(t.Context(), exe, []pjrt.Argument{{Buffers: both[:1]}}, both[1])
	require.NoError(t, err)
	assert.Equal(t, []float32{20, 30}, y)
}

func request(ctx context.Context, exe *pjrt.LoadedExecutable, weights []pjrt.Argument, x *pjrt.Buffer) ([]float32, error) {
	bound, err := exe.Bind(ctx, weights...)
	if err != nil {
		return nil, err
	}
	defer bound.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{Bound: bound})
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}

func TestADeviceThatHangsIsLeft(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{Devices: 4, NoLeaks: true})
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	client := p.Client()
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(double)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	x, err := pjrt.FromSlice(t.Context(), client, []float32{1, 2, 3, 4}, 2, 2)
	require.NoError(t, err)
	defer x.Close()

	p.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := exe.Run(ctx, x)
		result <- err
	}()
	_, err = p.WaitHeld(t.Context(), 1) // the execution has begun
	cancel()
	require.NoError(t, err)
	assert.ErrorIs(t, <-result, context.Canceled)
	p.Resume()
}

func TestTheCPUPluginInstalls(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path, err := plugins.Install(ctx, "cpu", plugins.InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	assert.FileExists(t, path)
}

func TestSeveralProcessesMeetInAStore(t *testing.T) {
	t.Parallel()
	store := kv.NewMemory()
	type made struct {
		client *pjrt.Client
		err    error
	}
	results := make([]chan made, 2)
	for node := range results {
		results[node] = make(chan made, 1)
		p, err := pjrttest.Start(pjrttest.Options{Processes: 2, ProcessIndex: node})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, p.Close()) })
		go func() {
			client, err := join(t.Context(), p.Plugin(), store, node)
			results[node] <- made{client, err}
		}()
	}
	for _, r := range results {
		m := <-r
		require.NoError(t, m.err)
		assert.Len(t, m.client.Devices(), 2)
		assert.Len(t, m.client.AddressableDevices(), 1)
		assert.NoError(t, m.client.Close())
	}
}

func join(ctx context.Context, plugin *pjrt.Plugin, store kv.Store, node int) (*pjrt.Client, error) {
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{
		KeyValueStore: kv.Prefix(store, "jobs/17/"),
		NodeID:        node,
		NumNodes:      2,
	})
	return client, err
}

func TestAPluginInGoIsOpened(t *testing.T) {
	t.Parallel()
	attributes, err := capi.NewNamedValues([]capi.Attribute{{Name: "xla_version", Value: 2}})
	require.NoError(t, err)
	plugin := &serve.Plugin{
		Minor: 81,
		PluginAttributes: func(a *capi.PluginAttributesArgs) error {
			a.Attributes, a.NumAttributes = attributes.Data()
			return nil
		},
	}
	table, err := plugin.Serve()
	require.NoError(t, err)
	loaded, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	assert.Equal(t, []pjrt.Attribute{{Name: "xla_version", Value: int64(2)}}, loaded.Attributes())
}

func TestAChildCompiles(t *testing.T) {
	t.Parallel()
	plugintest.Path(t, "cpu")
	require.NoError(t, compiledElsewhere(t.Context()))
}

func compiledElsewhere(ctx context.Context) error {
	compiler, err := isolate.New(isolate.Options{Timeout: 10 * time.Minute})
	if err != nil {
		return err
	}
	defer compiler.Close()
	client, err := plugins.Open(ctx, "cpu", &pjrt.ClientOptions{Compiler: compiler})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(double)}, nil)
	if err != nil {
		return err
	}
	return exe.Close()
}

func TestACallOfCGetsItsHandle(t *testing.T) {
	t.Parallel()
	x, err := pjrt.FromSlice(t.Context(), newClient(t), []float32{1, 2, 3})
	require.NoError(t, err)
	n, err := onDevice(x)
	require.NoError(t, err)
	assert.Equal(t, 12, int(n))
}

func onDevice(x *pjrt.Buffer) (uintptr, error) {
	h, release, err := raw.AcquireBuffer(x) // valid until release, whoever closes x
	if err != nil {
		return 0, err
	}
	defer release()
	c := capi.Call[capi.BufferOnDeviceSizeInBytesArgs]{Args: capi.BufferOnDeviceSizeInBytesArgs{Buffer: h}}
	err = c.Do(raw.TableOf(x))
	return c.Args.OnDeviceSizeInBytes, err
}

func TestACallReadsLikeTheFunction(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	h, release, err := raw.AcquireClient(c)
	require.NoError(t, err)
	defer release()
	name, err := platformName(raw.TableOf(c), h)
	require.NoError(t, err)
	assert.Equal(t, "cpu", name)
}

func platformName(table *capi.Table, client *capi.Client) (string, error) {
	var c capi.Call[capi.ClientPlatformNameArgs]
	c.Args.Client = client
	err := c.Do(table)
	return capi.String(c.Args.PlatformName, c.Args.PlatformNameSize), err
}
