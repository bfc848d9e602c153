// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// deleted counts the calls of the stand-in's deleter.
var deleted int

// deleter is a C function that takes one pointer.
var deleter = purego.NewCallback(func(unsafe.Pointer) uintptr {
	deleted++
	return 0
})

func compileNothing(t testing.TB, p *pjrttest.Plugin) *pjrt.LoadedExecutable {
	t.Helper()
	return compileProgram(t, p, pjrttest.Identity)
}

// compileProgram compiles a program that has no arguments and no results, and calls
// run.
func compileProgram(t testing.TB, p *pjrttest.Plugin, run pjrttest.Func) *pjrt.LoadedExecutable {
	t.Helper()
	p.Program("nothing", pjrttest.Signature{}, run)
	exe, err := p.Client().Compile(context.Background(), pjrt.Program{Code: []byte(`module @nothing { func.func @main() { return } }`)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func topologyOf(t testing.TB, c *pjrt.Client) *pjrt.Topology {
	t.Helper()
	topology, err := c.Topology()
	require.NoError(t, err)
	return topology
}

func upload(t testing.TB, c *pjrt.Client, values ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(context.Background(), c, values, int64(len(values)))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func TestVersionsOfTheBinaryInterface(t *testing.T) {
	runtime, executable := handle[capi.RuntimeABIVersion](), handle[capi.ExecutableABIVersion]()
	destroyed := 0
	p := withExtensions(t, &serve.Plugin{ABIVersion: &serve.ABIVersionExtension{
		ClientRuntimeABIVersion: func(a *capi.ClientRuntimeABIVersionArgs) error { a.ABIVersion = runtime; return nil },
		ExecutableGetABIVersion: func(a *capi.ExecutableGetABIVersionArgs) error { a.ABIVersion = executable; return nil },
		RuntimeABIVersionPlatformID: func(a *capi.RuntimeABIVersionPlatformIDArgs) error {
			a.PlatformID = 7
			return nil
		},
		ExecutableABIVersionPlatformID: func(a *capi.ExecutableABIVersionPlatformIDArgs) error {
			a.PlatformID = 8
			return nil
		},
		RuntimeABIVersionToProto: func(a *capi.RuntimeABIVersionToProtoArgs) error {
			a.SerializedProto, a.SerializedProtoSize = capi.StringData("runtime")
			a.SerializedProtoDeleter = capi.RuntimeABIVersionToProtoArgsSerializedProtoDeleter(deleter)
			return nil
		},
		ExecutableABIVersionToProto: func(a *capi.ExecutableABIVersionToProtoArgs) error {
			a.SerializedProto, a.SerializedProtoSize = capi.StringData("executable")
			a.SerializedProtoDeleter = capi.ExecutableABIVersionToProtoArgsSerializedProtoDeleter(deleter)
			return nil
		},
		RuntimeABIVersionDestroy: func(a *capi.RuntimeABIVersionDestroyArgs) error {
			assert.Same(t, runtime, a.ABIVersion)
			destroyed++
			return nil
		},
		ExecutableABIVersionDestroy: func(a *capi.ExecutableABIVersionDestroyArgs) error {
			assert.Same(t, executable, a.ABIVersion)
			destroyed++
			return nil
		},
	}}, pjrttest.Options{})
	before := deleted
	v, err := executables.RuntimeABIVersion(p.Client())
	require.NoError(t, err)
	assert.Equal(t, executables.ABIVersion{Platform: 7, Proto: []byte("runtime")}, v)
	v, err = executables.ABIVersionOf(compileNothing(t, p).Executable)
	require.NoError(t, err)
	assert.Equal(t, executables.ABIVersion{Platform: 8, Proto: []byte("executable")}, v)
	assert.Equal(t, 2, destroyed)
	assert.Equal(t, 2, deleted-before)
}

func TestMetadataOfAnExecutable(t *testing.T) {
	metadata, destroyed := new(capi.ExecutableMetadata), 0
	metadata.SerializedMetadata, metadata.SerializedMetadataSize = capi.StringData("metadata")
	p := withExtensions(t, &serve.Plugin{ExecutableMetadata: &serve.ExecutableMetadataExtension{
		GetExecutableMetadata: func(a *capi.ExecutableMetadataGetExecutableMetadataArgs) error {
			a.Metadata = metadata
			return nil
		},
		DestroySerializedMetadata: func(a *capi.ExecutableMetadataDestroySerializedMetadataArgs) {
			assert.Same(t, metadata, a.Metadata)
			destroyed++
		},
	}}, pjrttest.Options{})
	exe := compileNothing(t, p)
	b, err := executables.Metadata(exe.Executable)
	require.NoError(t, err)
	assert.Equal(t, []byte("metadata"), b)
	assert.Equal(t, 1, destroyed)
	metadata = nil
	_, err = executables.Metadata(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	require.NoError(t, exe.Close())
	_, err = executables.Metadata(exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestLayoutsOfBuffersAndShapes(t *testing.T) {
	ctx := context.Background()
	real, err := cpu(t).NewClient(ctx, nil)
	require.NoError(t, err)
	defer real.Close()
	standIn := pjrttest.New(t, pjrttest.Options{NoLeaks: true}).Client()
	want := pjrt.DeviceLayout{Text: "{1,0}", Layout: pjrt.RowMajor(2)}
	for name, c := range map[string]*pjrt.Client{"CPU": real, "stand-in": standIn} {
		b, err := pjrt.FromSlice(ctx, c, make([]float32, 6), 2, 3)
		require.NoError(t, err)
		got, err := memories.LayoutOf(b)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		require.NoError(t, b.Close())
		_, err = memories.LayoutOf(b)
		require.ErrorIs(t, err, pjrt.ErrClosed)
		got, err = memories.DefaultLayout(c, matrix)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	got, err := memories.DefaultLayoutFor(topologyOf(t, standIn), matrix)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	scalar, err := memories.DefaultLayout(standIn, pjrt.Shape{Type: dtype.S32})
	require.NoError(t, err)
	assert.Equal(t, "{}", scalar.Text)

	for name, shape := range map[string]pjrt.Shape{
		"no type":  {},
		"negative": {Type: dtype.F32, Dims: []int64{-1}},
		"token":    {Type: dtype.Token},
	} {
		_, err = memories.DefaultLayout(standIn, shape)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		_, err = memories.DefaultLayoutFor(topologyOf(t, standIn), shape)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
	}
	old := pjrttest.New(t, pjrttest.Options{Minor: 81}).Client()
	_, err = memories.DefaultLayout(old, pjrt.Shape{Type: dtype.S1, Dims: []int64{8}})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "a type that is newer than the plugin would end the process")
	_, err = memories.DefaultLayoutFor(topologyOf(t, old), pjrt.Shape{Type: dtype.S1, Dims: []int64{8}})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}

func TestMemoryDescriptionsOfDevices(t *testing.T) {
	c := pjrttest.New(t, pjrttest.Options{Devices: 2, NoLeaks: true}).Client()
	list, err := memories.OfDevice(c.Devices()[1])
	require.NoError(t, err)
	require.Len(t, list, 2)
	for i, m := range c.Devices()[1].Memories() {
		assert.Equal(t, memories.Description{Kind: m.Kind(), KindID: m.KindID(), Default: i == 0}, list[i])
	}
	all, err := memories.OfTopology(topologyOf(t, c))
	require.NoError(t, err)
	assert.Equal(t, [][]memories.Description{list, list}, all)

	real, err := cpu(t).NewClient(context.Background(), nil)
	require.NoError(t, err)
	defer real.Close()
	list, err = memories.OfDevice(real.Devices()[0])
	require.NoError(t, err)
	assert.Empty(t, list, "XLA's plugin for CPUs has the extension but describes no memory")
}

func TestStreamsOfDevices(t *testing.T) {
	ctx := context.Background()
	waited := 0
	p := withExtensions(t, &serve.Plugin{Stream: &serve.StreamExtension{
		GetStream: func(a *capi.GetStreamForExternalReadyEventsArgs) error {
			assert.NotNil(t, a.Device)
			a.Stream = 99
			return nil
		},
		WaitStream: func(a *capi.WaitUntilBufferReadyOnStreamArgs) error {
			assert.Equal(t, 99, a.Stream)
			assert.NotNil(t, a.Buffer)
			waited++
			return nil
		},
	}}, pjrttest.Options{})
	s, err := gpu.StreamOf(p.Client().Devices()[0])
	require.NoError(t, err)
	assert.Equal(t, gpu.Stream(99), s)
	b := upload(t, p.Client(), 1)
	require.NoError(t, s.Wait(b))
	assert.Equal(t, 1, waited)
	require.NoError(t, b.Close())
	require.ErrorIs(t, s.Wait(b), pjrt.ErrClosed)
	require.ErrorIs(t, s.Wait(nil), pjrt.ErrInvalidArgument)
	_, err = gpu.StreamOf(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.NoError(t, ctx.Err())
}

func TestSystemsOfTPUs(t *testing.T) {
	p := withExtensions(t, &serve.Plugin{TPUTopology: &serve.TPUTopologyExtension{
		ChipCount: func(a *capi.TPUTopologyChipCountArgs) error {
			assert.NotNil(t, a.Topology)
			a.ChipCount = 8
			return nil
		},
		ProcessCount: func(a *capi.TPUTopologyProcessCountArgs) error {
			a.ProcessCount = 2
			return nil
		},
		ChipsPerProcess: func(a *capi.TPUTopologyChipsPerProcessArgs) error {
			a.ChipsPerProcess = 4
			return nil
		},
		CoreCountPerChip: func(a *capi.TPUTopologyCoreCountPerChipArgs) error {
			a.CoreCountOfDefaultTypePerChip = 1
			return nil
		},
	}}, pjrttest.Options{})
	for want, ask := range map[int]func(*pjrt.Topology) (int, error){
		8: tpu.Chips, 2: tpu.Processes, 4: tpu.ChipsPerProcess, 1: tpu.CoresPerChip,
	} {
		n, err := ask(topologyOf(t, p.Client()))
		require.NoError(t, err)
		assert.Equal(t, want, n)
		_, err = ask(nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
}

// jobs returns a plugin with configurations for several slices. It counts the
// configurations that it has destroyed.
func jobs(t testing.TB, destroyed *int) *pjrttest.Plugin {
	t.Helper()
	ids, devices := []int32{0, 1}, []int32{4, 8}
	return withExtensions(t, &serve.Plugin{
		Megascale: &serve.MegascaleExtension{CreateAOTConfig: func(a *capi.MegascaleCreateAOTConfigArgs) error {
			assert.NotNil(t, a.Topology)
			assert.EqualValues(t, 2, a.NumSlices)
			a.MultiSliceConfig = handle[capi.MultiSliceConfig]()
			return nil
		}},
		MultiSlice: &serve.MultiSliceExtension{
			ConfigDestroy: func(*capi.MultiSliceConfigDestroyArgs) error { *destroyed++; return nil },
			ConfigNumSlices: func(a *capi.MultiSliceConfigNumSlicesArgs) error {
				a.NumSlices = 2
				return nil
			},
			ConfigSliceID: func(a *capi.MultiSliceConfigSliceIDArgs) error {
				a.SliceID = 1
				return nil
			},
			ConfigNumDevicesPerSlice: func(a *capi.MultiSliceConfigNumDevicesPerSliceArgs) error {
				a.NumDevicesPerSliceMap, a.SliceIDs, a.NumDevices = 2, &ids[0], &devices[0]
				a.DevicesPerSliceMapDeleter = capi.MultiSliceConfigNumDevicesPerSliceArgsDevicesPerSliceMapDeleter(deleter)
				return nil
			},
			ConfigSerialize: func(a *capi.MultiSliceConfigSerializeArgs) error {
				a.Serialized, a.Size = capi.StringData("config")
				a.SerializedConfigDeleter = capi.MultiSliceConfigSerializeArgsSerializedConfigDeleter(deleter)
				return nil
			},
		},
	}, pjrttest.Options{})
}

func TestConfigurationsOfSeveralSlices(t *testing.T) {
	ctx := context.Background()
	destroyed := 0
	p := jobs(t, &destroyed)
	topology := topologyOf(t, p.Client())
	config, err := megascale.AOTConfig(topology, 2)
	require.NoError(t, err)
	n, err := config.NumSlices()
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	id, err := config.SliceID()
	require.NoError(t, err)
	assert.Equal(t, 1, id)
	before := deleted
	per, err := config.DevicesPerSlice()
	require.NoError(t, err)
	assert.Equal(t, map[int]int{0: 4, 1: 8}, per)
	b, err := config.Serialize()
	require.NoError(t, err)
	assert.Equal(t, []byte("config"), b)
	assert.Equal(t, 2, deleted-before)

	// An execution keeps the configuration alive.
	opts := &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{config}}
	exe := compileProgram(t, p, func([]pjrt.HostArray) ([]pjrt.HostArray, error) {
		assert.NoError(t, config.Close())
		assert.Zero(t, destroyed)
		return nil, nil
	})
	_, err = exe.Execute(ctx, nil, opts)
	require.NoError(t, err)
	require.NoError(t, config.Close())
	_, err = exe.Execute(ctx, nil, opts)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Eventually(t, func() bool { return pjrt.Live()["multi-slice config"] == 0 }, time.Minute, time.Millisecond)
	assert.Equal(t, 1, destroyed)
	_, err = config.NumSlices()
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestMisuseOfConfigurationsIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	destroyed := 0
	p := jobs(t, &destroyed)
	topology := topologyOf(t, p.Client())
	for _, n := range []int{0, -1, 1 << 31} {
		_, err := megascale.AOTConfig(topology, n)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, n)
	}
	_, err := megascale.AOTConfig(nil, 1)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = megascale.AdoptConfig(nil, handle[capi.MultiSliceConfig](), nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = megascale.AdoptConfig(p.Plugin(), nil, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)

	freed := 0
	own, err := megascale.AdoptConfig(p.Plugin(), handle[capi.MultiSliceConfig](), func(*capi.MultiSliceConfig) { freed++ })
	require.NoError(t, err)
	exe := compileNothing(t, pjrttest.New(t, pjrttest.Options{}))
	for name, c := range map[string]struct {
		list []pjrt.ExecuteExtension
		exe  *pjrt.LoadedExecutable
		want string
	}{
		"another plugin": {[]pjrt.ExecuteExtension{own}, exe, "belong to different plugins"},
		"two of them":    {[]pjrt.ExecuteExtension{own, own}, compileNothing(t, p), "already has a multi-slice configuration"},
		"nil":            {[]pjrt.ExecuteExtension{(*megascale.Config)(nil)}, exe, "configuration is nil"},
	} {
		_, err = c.exe.Execute(ctx, nil, &pjrt.ExecuteOptions{Extensions: c.list})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		require.ErrorContains(t, err, c.want, name)
	}
	require.NoError(t, own.Close())
	require.NoError(t, own.Close())
	assert.Equal(t, 1, freed)
	assert.Zero(t, destroyed)
	for _, none := range []*megascale.Config{nil, {}} {
		_, err = none.NumSlices()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = none.SliceID()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = none.DevicesPerSlice()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = none.Serialize()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
	}
}
