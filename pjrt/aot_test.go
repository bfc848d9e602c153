// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func openTPU(t testing.TB) *pjrt.Plugin {
	t.Helper()
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	return plugin
}

func newTopology(t testing.TB, p *pjrt.Plugin, name string, opts ...pjrt.Attribute) *pjrt.Topology {
	t.Helper()
	topology, err := p.NewTopology(context.Background(), name, &pjrt.TopologyOptions{Create: opts})
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return topology
}

func TestAheadOfTimeThePluginKindIsRecognized(t *testing.T) {
	for name, kind := range map[string]string{
		"tpu": "tpu", "tpu@0.0.11": "tpu", "tpu@0.0.2": "tpu",
		"cuda13": "cuda", "cuda12": "cuda", "cuda12@0.6.0": "cuda", "cuda12@0.4.34": "cuda",
	} {
		p, err := pjrt.Open(plugintest.Path(t, name))
		require.NoError(t, err)
		assert.Equal(t, kind, p.Kind(), name)
	}
}

func TestAheadOfTimeTopologiesDescribeDevicesThatAreNotPresent(t *testing.T) {
	p := openTPU(t)
	sizes := map[string]int{
		"v2:2x2": 8, "v3:2x2": 8, "v4:2x2x1": 8, "v5e:1x1": 1, "v5e:2x2": 4, "v5e:16x16": 256, "v5p:2x2x1": 4, "v6e:4x4": 16, "tpu7x:2x2x1": 8,
	}
	fingerprints := make(map[uint64]string)
	for name, n := range sizes {
		topology := newTopology(t, p, name)
		assert.Equal(t, "tpu", topology.PlatformName())
		assert.NotEmpty(t, topology.PlatformVersion())
		devices, err := topology.Devices()
		require.NoError(t, err)
		assert.Len(t, devices, n, name)
		ids := make(map[int]bool)
		for _, d := range devices {
			assert.False(t, ids[d.ID()])
			ids[d.ID()] = true
			assert.NotEmpty(t, d.Kind())
			assert.NotEmpty(t, d.String())
			assert.NotEmpty(t, d.DebugString())
			var names []string
			for _, a := range d.Attributes() {
				names = append(names, a.Name)
			}
			assert.Contains(t, names, "coords")
		}
		fingerprint, err := topology.Fingerprint()
		require.NoError(t, err)
		assert.Empty(t, fingerprints[fingerprint], name)
		fingerprints[fingerprint] = name

		data, err := topology.Serialize()
		require.NoError(t, err)
		same, err := p.DeserializeTopology(context.Background(), data)
		require.NoError(t, err)
		again, err := same.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, fingerprint, again)
		copies, err := same.Devices()
		require.NoError(t, err)
		assert.Equal(t, devices, copies)
		assert.Equal(t, topology.Attributes(), same.Attributes())
		require.NoError(t, same.Close())
	}
	alias, err := newTopology(t, p, "TPU v5 lite:2x2").Fingerprint()
	require.NoError(t, err)
	assert.Equal(t, "v5e:2x2", fingerprints[alias])

	usual, err := newTopology(t, p, "").Devices()
	require.NoError(t, err)
	assert.Len(t, usual, 8)

	slices := newTopology(t, p, "v5e:2x2",
		pjrt.Attribute{Name: "num_slices", Value: 2}, pjrt.Attribute{Name: "chips_per_host_bounds", Value: []int64{1, 1, 1}})
	devices, err := slices.Devices()
	require.NoError(t, err)
	assert.Len(t, devices, 8)

	for _, bad := range []string{"v6:2x2", "v7x:2x2", "v5litepod-4", "v5e:3x3", "nope"} {
		_, err := p.NewTopology(context.Background(), bad, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, bad)
	}
	_, err = p.NewTopology(context.Background(), "v5e:2x2", &pjrt.TopologyOptions{Create: []pjrt.Attribute{{Name: "bogus", Value: 1}}})
	require.ErrorContains(t, err, "Unexpected arguments: bogus")
	for _, damaged := range []string{"x", strings.Repeat("\xff", 40)} {
		_, err := p.DeserializeTopology(context.Background(), []byte(damaged))
		require.Error(t, err)
	}
}

func TestAheadOfTimeCanonicalShapesHaveTheLayoutOfTheDevice(t *testing.T) {
	p := openTPU(t)
	topology := newTopology(t, p, "v5e:2x2")
	kinds, err := topology.MemoryKindIDs()
	require.NoError(t, err)
	require.NotEmpty(t, kinds)
	shape := pjrt.Shape{Type: dtype.BF16, Dims: []int64{8, 128}}
	for _, kind := range kinds {
		for _, layout := range []*pjrt.Layout{nil, {MinorToMajor: []int{0, 1}}, pjrt.RowMajor(2)} {
			got, err := topology.CanonicalShape(kind, shape, layout)
			require.NoError(t, err)
			assert.Equal(t, shape, got.Shape)
			require.NotNil(t, got.Layout)
			if layout != nil {
				assert.Equal(t, layout.MinorToMajor, got.Layout.MinorToMajor)
			}
		}
	}
	scalar, err := topology.CanonicalShape(kinds[0], pjrt.Shape{Type: dtype.S4}, nil)
	require.NoError(t, err)
	assert.Equal(t, dtype.S4, scalar.Type)
	assert.Empty(t, scalar.Dims)

	missing := 0
	for _, k := range kinds {
		missing = max(missing, k+1)
	}
	for want, call := range map[string]func() (pjrt.ShapeLayout, error){
		"has no memory of the kind": func() (pjrt.ShapeLayout, error) { return topology.CanonicalShape(missing, shape, nil) },
		"of the kind 4294967296":    func() (pjrt.ShapeLayout, error) { return topology.CanonicalShape(1<<32, shape, nil) },
		"has strides": func() (pjrt.ShapeLayout, error) {
			return topology.CanonicalShape(kinds[0], shape, &pjrt.Layout{Strides: []int64{256, 2}})
		},
		"must list each of the dimensions 0 to 1 once": func() (pjrt.ShapeLayout, error) {
			return topology.CanonicalShape(kinds[0], shape, &pjrt.Layout{MinorToMajor: []int{1, 1}})
		},
		"have no host form": func() (pjrt.ShapeLayout, error) { return topology.CanonicalShape(kinds[0], pjrt.Shape{}, nil) },
		"negative dimension": func() (pjrt.ShapeLayout, error) {
			return topology.CanonicalShape(kinds[0], pjrt.Shape{Type: dtype.F32, Dims: []int64{-1}}, nil)
		},
	} {
		_, err := call()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		assert.ErrorContains(t, err, want)
	}
}

func TestAheadOfTimeProgramsCompileWithoutDevices(t *testing.T) {
	p := openTPU(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	topology := newTopology(t, p, "v5e:2x2")
	exe, err := p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, "add", exe.Name())

	spmd, err := p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)},
		&pjrt.CompileOptions{Partitions: 4, SPMD: true, DeviceIDs: [][]int{{3, 1, 2, 0}}})
	require.NoError(t, err)
	defer spmd.Close()
	assert.Equal(t, 4, spmd.NumPartitions())

	data, err := topology.Serialize()
	require.NoError(t, err)
	copied, err := p.DeserializeTopology(ctx, data)
	require.NoError(t, err)
	forCopy, err := p.CompileFor(ctx, copied, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	copied.Close()
	fingerprint, err := exe.Fingerprint()
	require.NoError(t, err)
	again, err := forCopy.Fingerprint()
	require.NoError(t, err, "an executable outlives the Close of its topology")
	assert.Equal(t, fingerprint, again)
	forCopy.Close()

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			exe, err := p.CompileFor(context.Background(), topology, pjrt.Program{Code: []byte(add)}, nil)
			if assert.NoError(t, err) {
				exe.Close()
			}
		})
	}
	wg.Wait()
}

func TestAheadOfTimeCompilationReturnsWhenItsContextEnds(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	p := behind(t, raw.Table(openTPU(t)), serve.Around(func(c *serve.Invocation, _ *capi.CompileArgs) {
		close(begun)
		<-end // otherwise a quick machine may have the result before the caller leaves
		c.Forward()
	}))
	topology := newTopology(t, p, "v5e:2x2")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-begun
		cancel()
	}()
	_, err := p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, context.Canceled)
	topology.Close()
	close(end)
	assert.Eventually(t, func() bool {
		return pjrt.Live()["topology"] == 0 && pjrt.Live()["compiled program"] == 0
	}, 30*time.Second, time.Millisecond)
}

func TestAheadOfTimeMisuseOfCompileForIsRefused(t *testing.T) {
	p := openTPU(t)
	cpu := newClient(t)
	topology := newTopology(t, p, "v5e:2x2")
	closed := newTopology(t, p, "v5e:2x2")
	closed.Close()
	dynamic := strings.ReplaceAll(add, "2x2", "?x2")
	cases := map[string]struct {
		topology *pjrt.Topology
		code     string
		opts     *pjrt.CompileOptions
		want     string
	}{
		"no topology":        {nil, add, nil, "the topology is nil"},
		"closed":             {closed, add, nil, "topology is closed"},
		"empty":              {topology, "", nil, "the program is empty"},
		"unbounded":          {topology, dynamic, nil, "the type tensor<?x2xf32> in the program has a dimension without a known bound"},
		"too many replicas":  {topology, add, &pjrt.CompileOptions{Replicas: 5}, "the topology has 4 devices"},
		"device unknown":     {topology, add, &pjrt.CompileOptions{DeviceIDs: [][]int{{4}}}, "has device 4, which does not exist"},
		"devices of another": {topology, add, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{cpu.Devices()[0]}}}, "use DeviceIDs"},
		"malformed":          {topology, "module {", nil, "PJRT_Compile: "},
		"unknown call": {topology, `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @no_such_target(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`, nil, "no_such_target"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exe, err := p.CompileFor(context.Background(), c.topology, pjrt.Program{Code: []byte(c.code)}, c.opts)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, exe)
		})
	}
	_, err := cpu.Plugin().CompileFor(context.Background(), topology, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorContains(t, err, "the topology belongs to another plugin")
	_, err = cpu.CompileFor(context.Background(), topology, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorContains(t, err, "the topology belongs to another plugin")
	_, err = p.NewClient(context.Background(), nil)
	require.ErrorIs(t, err, pjrt.ErrNotFound, "there is no TPU here")
}

// The option types in the tables are those that libtpu and the CUDA plugin check before they
// look for their hardware.
func TestAheadOfTimeCreateOptionsMatchThePlugin(t *testing.T) {
	tpu := platform.TPU{
		MaxInflightComputations: 1, FrameworkName: "f", FrameworkVersion: "2",
		PremappedBufferSize: 1 << 20, MaxPremappedTransfer: 1 << 20, PremappedPartitions: 1,
		AsyncAllocations: platform.On, CompatibilityCheck: platform.Off,
		ThrottleTransfers: platform.On, GlobalSystem: platform.On, SkipMegascale: platform.Off,
	}
	_, err := openTPU(t).NewClient(context.Background(),
		&pjrt.ClientOptions{Platform: tpu, Create: []pjrt.Attribute{{Name: "use_tf_pjrt_client", Value: 0}}})
	require.ErrorIs(t, err, pjrt.ErrNotFound)
	assert.ErrorContains(t, err, "TPU initialization failed")

	cuda, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	_, err = cuda.NewClient(context.Background(), &pjrt.ClientOptions{NumNodes: 1, Platform: platform.GPU{
		Allocator: platform.AllocatorVMM, MemoryFraction: 0.5, Preallocate: platform.Off, CollectiveMemorySize: 1 << 20,
		VisibleDevices: []int{0}, PartitionIndex: 1, AbortCollectivesOnFailure: platform.On,
		StageTransfers: platform.Off, MaxInflightComputations: 5, TFRT: platform.Off,
	}})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "No visible GPU devices")
}

func TestAheadOfTimeGPUTopologiesComeFromATargetConfig(t *testing.T) {
	cuda, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	h100, err := os.ReadFile("../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	topology := newTopology(t, cuda, "", pjrt.Attribute{Name: "target_config", Value: string(h100)}, pjrt.Attribute{Name: "topology", Value: "1x2x4"})
	devices, err := topology.Devices()
	require.NoError(t, err)
	assert.Len(t, devices, 8)
	assert.Equal(t, "cuda", strings.ToLower(topology.PlatformName()))
	data, err := topology.Serialize()
	require.NoError(t, err)
	same, err := cuda.DeserializeTopology(context.Background(), data)
	require.NoError(t, err)
	defer same.Close()
	_, err = openTPU(t).DeserializeTopology(context.Background(), data)
	require.Error(t, err, "another platform's")
	const hint = "the option "
	for _, c := range []struct{ config, want string }{
		{"", "No visible GPU devices: where there is no GPU, describe one with the option target_config"},
		{string(h100), "say how many there are with the option topology"},
	} {
		var options []pjrt.Attribute
		if c.config != "" {
			options = []pjrt.Attribute{{Name: "target_config", Value: c.config}}
		}
		_, err = cuda.NewTopology(context.Background(), "", &pjrt.TopologyOptions{Create: options})
		require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
		require.ErrorContains(t, err, c.want)
	}
	_, err = cuda.NewTopology(context.Background(), "", &pjrt.TopologyOptions{Create: []pjrt.Attribute{{Name: "target_config", Value: "no such field"}}})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.NotContains(t, err.Error(), hint)
}

// With a single device libtpu ends the process on these.
func TestAheadOfTimePermutesToMissingDevicesAreRefused(t *testing.T) {
	p := openTPU(t)
	topology := newTopology(t, p, "v5e:2x2")
	program := func(pairs string) pjrt.Program {
		return pjrt.Program{Code: []byte(`func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<` + pairs + `> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`)}
	}
	for _, c := range []struct {
		replicas int
		pairs    string
		ok       bool
	}{{1, "[[0, 1]]", false}, {1, "[[0, 0]]", true}, {2, "[[0, 1]]", true}, {2, "[[0, 2]]", false}} {
		exe, err := p.CompileFor(context.Background(), topology, program(c.pairs), &pjrt.CompileOptions{Replicas: c.replicas})
		if c.ok {
			require.NoError(t, err)
			exe.Close()
			continue
		}
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, "collective permute")
	}
}

func TestAheadOfTimeConstantsOfBoolsAreReadAsEveryAgeWritesThem(t *testing.T) {
	p := openTPU(t)
	topology := newTopology(t, p, "v5e:2x2")
	for form, code := range ofBools {
		exe, err := p.CompileFor(context.Background(), topology, pjrt.Program{Code: []byte(code)}, nil)
		require.NoError(t, err, form)
		require.NoError(t, exe.Close())
	}
}
