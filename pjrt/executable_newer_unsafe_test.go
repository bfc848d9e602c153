// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// variant is the CPU plugin's table with other functions in some of its slots,
// and with slots for newer functions.
type variant struct {
	real *capi.Table
	api  *capi.API
}

func newVariant(t testing.TB) *variant {
	t.Helper()
	plugin := plugintest.Plugin(t)
	v := &variant{real: raw.Table(plugin), api: new(capi.API)}
	// The plugin's table is older, and so shorter than the struct.
	from := v.real.API()
	copy(unsafe.Slice((*byte)(unsafe.Pointer(v.api)), unsafe.Sizeof(*v.api)), unsafe.Slice((*byte)(unsafe.Pointer(from)), from.StructSize))
	v.api.StructSize = unsafe.Sizeof(*v.api)
	v.api.PJRTAPIVersion.MinorVersion = capi.APIMinor
	return v
}

// setFunction puts a Go function into the slot of the function that takes an A.
func setFunction[A any](v *variant, fn func(args *A) uintptr) {
	code := uintptr(0)
	if fn != nil {
		code = purego.NewCallback(fn)
	}
	*(*uintptr)(unsafe.Add(unsafe.Pointer(v.api), new(capi.Call[A]).Function().Offset)) = code
}

// extend puts a node in front of the extension chain.
func (v *variant) extend(node *capi.ExtensionBase) {
	node.Next = v.api.ExtensionStart
	v.api.ExtensionStart = node
}

func (v *variant) client(t testing.TB) *pjrt.Client {
	t.Helper()
	table, err := capi.NewTable(v.api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// texts returns a list of texts as C passes them.
func texts(list ...string) (**byte, *uintptr, uintptr) {
	pointers, sizes := make([]*byte, len(list)), make([]uintptr, len(list))
	for i, s := range list {
		pointers[i], sizes[i] = capi.StringData(s)
	}
	return unsafe.SliceData(pointers), unsafe.SliceData(sizes), uintptr(len(list))
}

func TestAnExecutableOfANewerPluginDescribesMore(t *testing.T) {
	v := newVariant(t)
	options, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Replicas: 1, Portable: true, Optimization: "O2"})
	require.NoError(t, err)
	owner, deleted := new(byte), 0
	deleter := purego.NewCallback(func(o *byte) uintptr {
		if o == owner {
			deleted++
		}
		return 0
	})
	setFunction(v, func(a *capi.ExecutableGetCompileOptionsArgs) uintptr {
		a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(options)
		a.SerializedCompileOptions = (*capi.SerializedCompileOptions)(unsafe.Pointer(owner))
		a.SerializedCompileOptionsDeleter = capi.ExecutableGetCompileOptionsArgsSerializedCompileOptionsDeleter(deleter)
		return 0
	})
	kinds, kindSizes, numKinds := texts("device", "pinned_host")
	setFunction(v, func(a *capi.ExecutableParameterMemoryKindsArgs) uintptr {
		a.MemoryKinds, a.MemoryKindSizes, a.NumParameters = kinds, kindSizes, numKinds
		return 0
	})
	setFunction(v, func(a *capi.ExecutableOutputMemoryKindsArgs) uintptr {
		a.MemoryKinds, a.MemoryKindSizes, a.NumOutputs = kinds, kindSizes, 1
		return 0
	})
	ids := []capi.LogicalDeviceIDs{{Replica: 3, Partition: 1}}
	setFunction(v, func(a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) uintptr {
		a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs = &ids[0], 1
		return 0
	})
	shardings, shardingSizes, numShardings := texts("\x08\x03\x1a\x02\x02\x01\x22\x02\x01\x00", "")
	x := &capi.ShardingsExtension{
		Base: capi.ExtensionBase{StructSize: capi.ShardingsExtensionSize, Type: capi.ExtensionTypeShardings},
		ShardingsExecutableParameterShardings: purego.NewCallback(func(a *capi.ShardingsExecutableParameterShardingsArgs) uintptr {
			a.Shardings, a.ShardingSizes, a.NumParameters = shardings, shardingSizes, numShardings
			return 0
		}),
		ShardingsExecutableOutputShardings: purego.NewCallback(func(a *capi.ShardingsExecutableOutputShardingsArgs) uintptr {
			a.NumOutputs = 1 // without arrays, which means that the plugin does not know
			return 0
		}),
	}
	v.extend(&x.Base)
	v.tellParameterLayouts(t, 1)

	exe := compile(t, v.client(t), add)
	for range 2 {
		o, err := exe.CompileOptions()
		require.NoError(t, err)
		assert.Equal(t, &pjrt.CompileOptions{
			Replicas: 1, Partitions: 1, ProcessCount: 1, Portable: true, Optimization: "O2", MemoryFitting: "O2",
		}, o)
	}
	assert.Equal(t, 2, deleted, "each answer is freed")
	got, err := exe.ParameterMemoryKinds()
	require.NoError(t, err)
	assert.Equal(t, []string{"device", "pinned_host"}, got)
	got, err = exe.OutputMemoryKinds()
	require.NoError(t, err)
	assert.Equal(t, []string{"device"}, got)
	places, err := sharding.LogicalIDs(exe)
	require.NoError(t, err)
	assert.Equal(t, []sharding.LogicalID{{Replica: 3, Partition: 1}}, places)
	parameters, err := exe.ParameterShardings()
	require.NoError(t, err)
	require.Len(t, parameters, 2)
	assert.Equal(t, "{devices=[2,1]1,0}", parameters[0].String())
	assert.Equal(t, "{replicated}", parameters[1].String())
	outputs, err := exe.OutputShardings()
	require.NoError(t, err)
	assert.Nil(t, outputs)
	in, err := exe.ParameterLayouts()
	require.NoError(t, err)
	assert.Equal(t, []pjrt.DeviceLayout{{Text: "{1,0}", Layout: pjrt.RowMajor(2)}}, in)
}

func TestALoadedExecutableRuns(t *testing.T) {
	ctx := context.Background()
	v := newVariant(t)
	var got [][]byte
	setFunction(v, func(a *capi.ClientLoadArgs) uintptr {
		got = append(got, capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
		program := &capi.Program{StructSize: capi.ProgramSize}
		program.Code, program.CodeSize = capi.StringData(add)
		program.Format, program.FormatSize = capi.StringData("mlir")
		var c capi.Call[capi.ClientCompileArgs]
		c.Args.Client, c.Args.Program = a.Client, program
		c.Args.CompileOptions, c.Args.CompileOptionsSize = a.CompileOptions, a.CompileOptionsSize
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		a.LoadedExecutable = c.Args.Executable
		return 0
	})
	client := v.client(t)
	exe := compile(t, client, add)
	for _, o := range []*pjrt.CompileOptions{nil, {DeviceIDs: [][]int{{2}}}} {
		loaded, err := client.Load(ctx, exe.Executable, o)
		require.NoError(t, err)
		defer loaded.Close()
		runAddOn(t, loaded, client.Devices()[2*len(got)-2])
	}
	require.Len(t, got, 2)
	o, err := pjrt.DecodeCompileOptions(got[0])
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 1}, [2]int{o.Replicas, o.Partitions}, "options without counts end the process")

	_, err = client.Load(ctx, exe.Executable, &pjrt.CompileOptions{Replicas: 9})
	require.ErrorContains(t, err, "for 1 replicas, and the compile options ask for 9")
	_, err = newClient(t).Load(ctx, exe.Executable, nil)
	require.ErrorContains(t, err, "the executable was compiled by another plugin")
	exe.Close()
	_, err = client.Load(ctx, exe.Executable, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Len(t, got, 2)
}

func TestParametersComeFromTheProgramIfThePluginDoesNotStateThem(t *testing.T) {
	ctx := context.Background()
	v := newVariant(t)
	setFunction[capi.ExecutableOptimizedProgramArgs](v, nil)
	client := v.client(t)
	exe := compile(t, client, mixed)
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,3,4] i8[]", spell(parameters))
	x := upload(t, client, pjrt.HostArray{Type: dtype.S32, Dims: []int64{2, 3, 4}, Data: make([]byte, 96)})
	_, err = exe.Execute(ctx, []*pjrt.Buffer{x, x}, nil)
	require.ErrorContains(t, err, "argument 0 is i32[2,3,4], and the program takes f32[2,3,4]")

	// A portable artifact has them, too. The bits of integers are not taken for floats.
	known, ok := stablehlo.Main(artifact(t))
	require.True(t, ok)
	exe, err = client.Compile(ctx, pjrt.Program{Code: artifact(t)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	parameters, err = exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, spell(known), spell(parameters))
	size, err := known[0].HostSize()
	require.NoError(t, err)
	wrong := pjrt.HostArray{Type: dtype.S32, Dims: known[0].Dims, Data: make([]byte, size)}
	y := upload(t, client, wrong)
	_, err = exe.Execute(ctx, []*pjrt.Buffer{y, y}, nil)
	require.ErrorContains(t, err, "argument 0 is i32")
	good := upload(t, client, pjrt.HostArray{Type: dtype.F32, Dims: known[0].Dims, Data: wrong.Data})
	bound, err := exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{good}})
	require.NoError(t, err)
	require.NoError(t, bound.Close())

	// The text states whole arrays, but the devices take shards.
	exe, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Partitions: 2, SPMD: true})
	require.NoError(t, err)
	defer exe.Close()
	_, err = exe.Parameters()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}

// A program whose plugin knows of fewer results would lose the others.
func TestAPluginWithFewerResultsThanTheProgramHasIsAnError(t *testing.T) {
	v := newVariant(t)
	setFunction(v, func(a *capi.ExecutableNumOutputsArgs) uintptr {
		a.NumOutputs = 4
		return 0
	})
	types := make([]capi.BufferType, 4)
	setFunction(v, func(a *capi.ExecutableOutputElementTypesArgs) uintptr {
		a.OutputTypes, a.NumOutputTypes = &types[0], 4
		return 0
	})
	_, err := v.client(t).Compile(context.Background(), pjrt.Program{Code: []byte(mixed)}, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "PJRT_Executable_NumOutputs")
	assert.ErrorContains(t, err, "gave 4 outputs for a program that has 5 results")
}

func TestContradictionsOfAPluginAreErrors(t *testing.T) {
	v := newVariant(t)
	seven := make([]capi.BufferType, 7)
	setFunction(v, func(a *capi.ExecutableOutputElementTypesArgs) uintptr {
		a.OutputTypes, a.NumOutputTypes = &seven[0], 7
		return 0
	})
	calls := 0
	setFunction(v, func(a *capi.ExecutableOptimizedProgramArgs) uintptr {
		calls++
		a.Program.CodeSize = uintptr(10 * calls)
		a.Program.Format, a.Program.FormatSize = capi.StringData("odd")
		return 0
	})
	client := v.client(t)
	_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "gave the types of 7 outputs of a program that has 1 according to PJRT_Executable_NumOutputs")
	one := capi.BufferType(dtype.F32)
	setFunction(v, func(a *capi.ExecutableOutputElementTypesArgs) uintptr {
		a.OutputTypes, a.NumOutputTypes = &one, 1
		return 0
	})
	setFunction(v, func(a *capi.ExecutableOutputDimensionsArgs) uintptr { return 0 })
	client = v.client(t)
	exe := compile(t, client, add)
	_, err = exe.Outputs()
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "the types of 1 outputs and the dimensions of 0")
	_, err = exe.OptimizedProgram()
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "first gave an optimized program of 10 bytes, and then one of 20")

	setFunction(v, func(a *capi.ClientCompileArgs) uintptr { return 0 })
	_, err = client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "reported success but left the result executable null")
}

// tellParameterLayouts gives the plugin a function that reports the result's layout as that
// of n parameters.
func (v *variant) tellParameterLayouts(t testing.TB, n int) {
	t.Helper()
	layouts := new(capi.LayoutsExtension)
	real := v.real.Extension(capi.ExtensionTypeLayouts)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(layouts)), unsafe.Sizeof(*layouts)),
		unsafe.Slice((*byte)(unsafe.Pointer(real.Node)), real.Size))
	layouts.Base.StructSize = capi.LayoutsExtensionSize
	layouts.LayoutsExecutableGetParameterLayouts = purego.NewCallback(func(a *capi.LayoutsExecutableGetParameterLayoutsArgs) uintptr {
		var c capi.Call[capi.LayoutsExecutableGetOutputLayoutsArgs]
		c.Args.Executable = a.Executable
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		list := make([]*capi.LayoutsMemoryLayout, n)
		for i := range list {
			list[i] = *c.Args.Layouts
		}
		a.Layouts, a.NumParameters = &list[0], uintptr(n)
		return 0
	})
	v.extend(&layouts.Base)
}

func TestArgumentsInAnotherLayoutAreRefused(t *testing.T) {
	ctx := context.Background()
	v := newVariant(t)
	v.tellParameterLayouts(t, 2)
	columns := []int64{0, 1}
	asked := 0
	setFunction(v, func(a *capi.BufferGetMemoryLayoutArgs) uintptr {
		asked++
		c := &capi.Call[capi.BufferGetMemoryLayoutArgs]{Args: *a}
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		*a = c.Args
		if asked == 2 { // the second buffer
			a.Layout.Tiled().MinorToMajor = &columns[0]
		}
		return 0
	})
	client := v.client(t)
	exe := compile(t, client, add)
	// Until something asks for a layout, all arrays of a CPU plugin are row-major.
	rows, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), &pjrt.BufferOptions{Layout: pjrt.RowMajor(2)})
	require.NoError(t, err)
	defer rows.Close()
	other := upload(t, client, matrix(1, 2, 3, 4))
	for range 2 {
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{rows, rows}, nil)
		require.NoError(t, err)
		outs[0].Close()
	}
	_, err = exe.Execute(ctx, []*pjrt.Buffer{rows, other}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "argument 1 has the layout {0,1} in the memory of the device, and the program was compiled for {1,0}")
	_, err = exe.Bind(ctx, argument(rows), argument(other))
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "argument 1 has the layout {0,1}")
	bound, err := exe.Bind(ctx, argument(rows))
	require.NoError(t, err)
	defer bound.Close()
	_, err = exe.Execute(ctx, []*pjrt.Buffer{other}, with(bound))
	assert.ErrorContains(t, err, "argument 0 (parameter 1) has the layout {0,1}")
	assert.Equal(t, 2, asked, "once for each buffer")
}

// The plugin for CUDA 12 of API 0.68 compiles for a GPU that is not there, and then knows neither
// the results nor the optimized program.
func TestAnExecutableThatCannotRunHasTheResultsOfItsText(t *testing.T) {
	ctx := context.Background()
	v := newVariant(t)
	var loaded *capi.LoadedExecutable
	setFunction(v, func(a *capi.ClientCompileArgs) uintptr {
		c := &capi.Call[capi.ClientCompileArgs]{Args: *a}
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		*a = c.Args
		loaded = a.Executable
		return 0
	})
	setFunction(v, func(a *capi.CompileArgs) uintptr {
		var c capi.Call[capi.LoadedExecutableGetExecutableArgs]
		c.Args.LoadedExecutable = loaded
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		a.Executable = c.Args.Executable
		return 0
	})
	client := v.client(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(mixed)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	topology, err := client.Topology()
	require.NoError(t, err)

	setFunction[capi.ExecutableNumOutputsArgs](v, nil)
	setFunction[capi.ExecutableOutputElementTypesArgs](v, nil)
	setFunction[capi.ExecutableOptimizedProgramArgs](v, nil)
	ahead, err := client.Plugin().CompileFor(ctx, topology, pjrt.Program{Code: []byte(mixed)}, nil)
	require.NoError(t, err)
	defer ahead.Close()
	assert.Equal(t, 5, ahead.NumOutputs())
	_, err = ahead.Outputs()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)

	// A plugin that runs a program writes its results into memory of this process, as many as it
	// says itself.
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(mixed)}, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}
