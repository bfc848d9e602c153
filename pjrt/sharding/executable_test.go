// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// exported reads the arguments or the results of a program from JAX.
func exported(t *testing.T, program, what string) []pjrt.HostArray {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", program, what+"*.npy"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := make([]pjrt.HostArray, len(files))
	for i := range files {
		f, err := os.Open(filepath.Join("testdata", program, fmt.Sprintf("%s%d.npy", what, i)))
		require.NoError(t, err)
		list[i], err = npy.Read(f)
		require.NoError(t, err)
		f.Close()
	}
	return list
}

func code(t *testing.T, file string) pjrt.Program {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return pjrt.Program{Code: b}
}

func compiled(t *testing.T, client *pjrt.Client, program pjrt.Program, opts *pjrt.CompileOptions) *sharding.Executable {
	t.Helper()
	exe, err := client.Compile(t.Context(), program, opts)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	e, err := sharding.Of(exe)
	require.NoError(t, err)
	return e
}

// near compares arrays of f32 that two versions of XLA computed.
func near(t *testing.T, want, got []pjrt.HostArray) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i].Shape(), got[i].Shape(), "result %d", i)
		w, err := pjrttest.Values[float32](want[i])
		require.NoError(t, err)
		g, err := pjrttest.Values[float32](got[i])
		require.NoError(t, err)
		for j := range w {
			assert.LessOrEqual(t, math.Abs(float64(w[j]-g[j])), 1e-6*(1+math.Abs(float64(w[j]))), "result %d, element %d: %v, want %v", i, j, g[j], w[j])
		}
	}
}

// Programs that JAX exported for four devices run without options and give JAX's results,
// whichever partitioner JAX lowered them for, whatever their form, and whichever devices run
// the partitions.
func TestProgramsFromJAXRunOnWholeArrays(t *testing.T) {
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	programs := []string{"layer", "manual", "order"}
	if testing.Short() {
		programs = programs[:1]
	}
	for _, program := range programs {
		args, want := exported(t, program, "arg"), exported(t, program, "out")
		for _, form := range []string{"gspmd.mlir", "gspmd.mlirbc", "gspmd-export.mlirbc", "shardy.mlir", "shardy.mlirbc", "shardy-export.mlirbc"} {
			for name, opts := range map[string]*pjrt.CompileOptions{"": nil, " on devices 3 1 0 2": {DeviceIDs: [][]int{{3, 1, 0, 2}}}} {
				t.Run(program+" "+form+name, func(t *testing.T) {
					client := client
					if form == "gspmd.mlirbc" || form == "shardy.mlirbc" {
						// Only the MLIR of its own age surely reads bytecode that is no artifact.
						t.Setenv("PJRT_TEST_CPU", "0.81")
						client = newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
					}
					e := compiled(t, client, code(t, filepath.Join(program, form)), opts)
					got, err := e.Run(t.Context(), args...)
					require.NoError(t, err)
					near(t, want, got)
				})
			}
		}
	}
}

func TestArraysAreCutByTheExecutablesShardings(t *testing.T) {
	ctx := t.Context()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	e := compiled(t, client, code(t, "layer/shardy.mlir"), &pjrt.CompileOptions{DeviceIDs: [][]int{{3, 1, 0, 2}}})
	ids := func(devices []*pjrt.Device) (list []int) {
		for _, d := range devices {
			list = append(list, d.ID())
		}
		return list
	}
	assert.Equal(t, []int{3, 1, 0, 2}, ids(e.Devices()))
	text := func(specs []sharding.Spec) (list []string) {
		for _, s := range specs {
			list = append(list, s.String())
		}
		return list
	}
	x, y := "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", "{devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}"
	assert.Equal(t, []string{x, y}, text(e.Parameters()))
	assert.Equal(t, []string{"{devices=[2,2]0,1,2,3}", "{replicated}", "{devices=[2,2]0,1,2,3}"}, text(e.Results()))
	assert.Equal(t, "[f32[8,4] f32[4,6]]", fmt.Sprint(e.ParameterShapes()))
	assert.Equal(t, "[f32[8,6] f32[] f32[6,8]]", fmt.Sprint(e.ResultShapes()))

	args, want := exported(t, "layer", "arg"), exported(t, "layer", "out")
	a, err := e.Scatter(ctx, 0, args[0])
	require.NoError(t, err)
	defer a.Close()
	assert.Equal(t, x, a.Spec().String())
	assert.Equal(t, "f32[4,4]", a.PartShape().String())
	assert.Equal(t, e.Devices(), a.Devices())
	assert.Nil(t, a.Mesh())
	assert.Nil(t, a.Partition())
	back, err := a.Gather(ctx)
	require.NoError(t, err)
	assert.Equal(t, args[0], back)

	// An array of a mesh of the same devices in another order is the same array if each device has
	// the same part.
	mesh, err := sharding.NewMesh(client.Devices(), axis("i", 2), axis("j", 2))
	require.NoError(t, err)
	w, err := mesh.Scatter(ctx, args[1], sharding.Partition{"", "j"})
	require.NoError(t, err)
	defer w.Close()
	assert.Equal(t, client.Devices(), w.Devices())
	_, err = e.Execute(ctx, []*sharding.Array{a, w}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "argument 1 is cut as {devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}, and the program takes it as "+y)
	mesh, err = sharding.NewMesh(e.Devices(), axis("i", 2), axis("j", 2))
	require.NoError(t, err)
	w2, err := mesh.Scatter(ctx, args[1], sharding.Partition{"", "j"})
	require.NoError(t, err)
	defer w2.Close()
	assert.Equal(t, y, w2.Spec().String())
	outs, err := e.Execute(ctx, []*sharding.Array{a, w2}, nil)
	require.NoError(t, err)
	got := make([]pjrt.HostArray, len(outs))
	for i, o := range outs {
		defer o.Close()
		got[i], err = o.Gather(ctx)
		require.NoError(t, err)
	}
	near(t, want, got)

	// The results can be arguments of the next program.
	next := compiled(t, client, pjrt.Program{Code: []byte(strings.ReplaceAll(chained, "SHARDING", e.Results()[0].String()))},
		&pjrt.CompileOptions{DeviceIDs: [][]int{{3, 1, 0, 2}}})
	twice, err := next.Execute(ctx, outs[:1], nil)
	require.NoError(t, err)
	defer twice[0].Close()
	whole, err := twice[0].Gather(ctx)
	require.NoError(t, err)
	values, err := pjrttest.Values[float32](whole)
	require.NoError(t, err)
	first, err := pjrttest.Values[float32](got[0])
	require.NoError(t, err)
	for i := range first {
		assert.Equal(t, first[i]*2, values[i])
	}
}

// chained doubles its argument.
const chained = `module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8x6xf32> {mhlo.sharding = "SHARDING"}) -> (tensor<8x6xf32> {mhlo.sharding = "SHARDING"}) {
    %y = stablehlo.add %x, %x : tensor<8x6xf32>
    return %y : tensor<8x6xf32>
  }
}`

func TestAProgramForOneDeviceIsOnePartition(t *testing.T) {
	client := newClient(t)
	e := compiled(t, client, pjrt.Program{Code: []byte(identity)}, nil)
	assert.Equal(t, []sharding.Spec{{Kind: sharding.Replicated}}, e.Parameters())
	in := pjrt.ArrayOf([]float32{1, 2}, 2)
	got, err := e.Run(t.Context(), in)
	require.NoError(t, err)
	assert.Equal(t, []pjrt.HostArray{in}, got)
}

func TestBoundArgumentsLeaveTheOthersOpen(t *testing.T) {
	ctx := t.Context()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	exe, err := client.Compile(ctx, code(t, "layer/gspmd.mlir"), nil)
	require.NoError(t, err)
	defer exe.Close()
	e, err := sharding.Of(exe)
	require.NoError(t, err)
	args := exported(t, "layer", "arg")
	want, err := e.Run(ctx, args...)
	require.NoError(t, err)
	weights, err := e.Scatter(ctx, 1, args[1])
	require.NoError(t, err)
	defer weights.Close()
	bound, err := exe.Bind(ctx, pjrt.Argument{}, pjrt.Argument{Buffers: weights.Buffers()})
	require.NoError(t, err)
	defer bound.Close()
	opts := &pjrt.ExecuteOptions{Bound: bound}
	x, err := e.Scatter(ctx, 0, args[0])
	require.NoError(t, err)
	defer x.Close()
	outs, err := e.Execute(ctx, []*sharding.Array{x}, opts)
	require.NoError(t, err)
	for i, out := range outs {
		got, err := out.Gather(ctx)
		require.NoError(t, err)
		assert.Equal(t, want[i], got)
		out.Close()
	}
	_, err = e.Execute(ctx, []*sharding.Array{x, weights}, opts)
	require.ErrorContains(t, err, "the bound program takes 1 more arguments, not 2")
	one := compiled(t, client, pjrt.Program{Code: []byte(identity)}, nil)
	_, err = one.Execute(ctx, nil, opts)
	require.ErrorContains(t, err, "the bound")
}

func TestWrongArgumentsOfExecutablesAreErrors(t *testing.T) {
	ctx := t.Context()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	e := compiled(t, client, code(t, "layer/gspmd.mlir"), nil)
	args := exported(t, "layer", "arg")
	a, err := e.Scatter(ctx, 0, args[0])
	require.NoError(t, err)
	defer a.Close()
	pair, err := sharding.NewMesh(client.Devices()[:2], axis("i", 2))
	require.NoError(t, err)
	half, err := pair.Scatter(ctx, args[1], sharding.Partition{"", "i"})
	require.NoError(t, err)
	defer half.Close()
	short := args[0]
	short.Data = short.Data[:7]
	var none *sharding.Executable
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(identity)}, &pjrt.CompileOptions{Replicas: 2})
	require.NoError(t, err)
	defer exe.Close()
	for name, c := range map[string]struct {
		call func() error
		want string
	}{
		"no executable": {func() error { _, err := sharding.Of(nil); return err }, "the executable is nil"},
		"replicas":      {func() error { _, err := sharding.Of(exe); return err }, "the program has 2 replicas"},
		"scatter nil":   {func() error { _, err := none.Scatter(ctx, 0, args[0]); return err }, "the executable is nil"},
		"execute nil":   {func() error { _, err := none.Execute(ctx, nil, nil); return err }, "the executable is nil"},
		"run nil":       {func() error { _, err := none.Run(ctx); return err }, "the executable is nil"},
		"number":        {func() error { _, err := e.Scatter(ctx, 2, args[0]); return err }, "there is no argument 2: the program takes 2"},
		"shape":         {func() error { _, err := e.Scatter(ctx, 1, args[0]); return err }, "argument 1 is f32[8,4], and the program takes f32[4,6]"},
		"data":          {func() error { _, err := e.Scatter(ctx, 0, short); return err }, "takes 128 bytes, but its data has 7"},
		"few":           {func() error { _, err := e.Execute(ctx, []*sharding.Array{a}, nil); return err }, "the program takes 2 arguments, not 1"},
		"few to run":    {func() error { _, err := e.Run(ctx, args[0]); return err }, "the program takes 2 arguments, not 1"},
		"nil array":     {func() error { _, err := e.Execute(ctx, []*sharding.Array{a, nil}, nil); return err }, "argument 1 is nil"},
		"other shape":   {func() error { _, err := e.Execute(ctx, []*sharding.Array{a, a}, nil); return err }, "argument 1 is f32[8,4], and the program takes f32[4,6]"},
		"elsewhere":     {func() error { _, err := e.Execute(ctx, []*sharding.Array{a, half}, nil); return err }, "argument 1 has no part on"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
		})
	}
	assert.Nil(t, none.Devices())
	assert.Nil(t, none.Parameters())
	assert.Nil(t, none.Results())
	assert.Nil(t, none.ParameterShapes())
	assert.Nil(t, none.ResultShapes())
}

// Execute returns an error for a closed argument, and leaves nothing behind.
func TestClosedArguments(t *testing.T) {
	ctx := t.Context()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	e := compiled(t, client, code(t, "manual/shardy.mlir"), nil)
	a, err := e.Scatter(ctx, 0, exported(t, "manual", "arg")[0])
	require.NoError(t, err)
	require.NoError(t, a.Close())
	_, err = e.Execute(ctx, []*sharding.Array{a}, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// Every partition of a mesh, as a Spec, cuts an array into the same parts.
func TestSpecsOfMeshes(t *testing.T) {
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(12)})
	mesh, err := sharding.NewMesh(client.Devices(), axis("x", 2), axis("y", 3), axis("z", 2))
	require.NoError(t, err)
	array := pjrt.ArrayOf(ints(12*12), 12, 12)
	for _, p := range []sharding.Partition{
		nil, {"x"}, {"y"}, {"", "z"}, {"z", "x"}, {"y,x"}, {"", "x,z"}, {"z,y", "x"}, {"x", "y,z"}, {"x,y,z"},
	} {
		t.Run(strings.Join(p, " "), func(t *testing.T) {
			a, err := mesh.Scatter(t.Context(), array, p)
			require.NoError(t, err)
			defer a.Close()
			spec := a.Spec()
			part, err := spec.PartShape(array.Shape())
			require.NoError(t, err)
			assert.Equal(t, a.PartShape(), part)
			if spec.Kind == sharding.Replicated {
				return
			}
			sharing := int64(1)
			if spec.ReplicateLast {
				sharing = spec.Tiles[2]
			}
			for i, device := range spec.Devices {
				tile := int64(i) / sharing
				row, column := tile/spec.Tiles[1]*part.Dims[0], tile%spec.Tiles[1]*part.Dims[1]
				got, err := pjrt.ToSlice[int32](t.Context(), a.Buffers()[device])
				require.NoError(t, err)
				assert.Equal(t, int32(row*12+column), got[0], "device %d", device)
			}
			assert.Len(t, slices.Compact(slices.Sorted(slices.Values(spec.Devices))), 12)
		})
	}
}

func TestWrongSpecsHaveNoParts(t *testing.T) {
	shape := pjrt.ArrayOf(ints(24), 4, 6).Shape()
	for want, s := range map[string]sharding.Spec{
		"cannot be cut into 4 equal parts":         {Kind: sharding.Tiled, Tiles: []int64{1, 4}, Devices: []int64{0, 1, 2, 3}},
		"does not fit an array of 2 dimensions":    {Kind: sharding.Tiled, Tiles: []int64{4}, Devices: []int64{0, 1, 2, 3}},
		"into 0 equal parts":                       {Kind: sharding.Tiled, Tiles: []int64{0, 1}},
		"has a subgroup that is manual":            {Kind: sharding.Tiled, Tiles: []int64{2, 1, 2}, Subgroups: []sharding.Kind{sharding.Manual}},
		"{maximal device=1} does not cut an array": {Kind: sharding.Maximal, Devices: []int64{1}},
	} {
		_, err := s.PartShape(shape)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, want)
	}
}

func TestWhatCannotBeCutIntoEqualPartsIsPadded(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	e := compiled(t, client, pjrt.Program{Code: []byte(`module @uneven attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<7x2xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) -> (tensor<2xf32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`)}, nil)
	assert.Equal(t, "[f32[8,2]]", fmt.Sprint(e.ParameterShapes()))
	ones := make([]float32, 16)
	for i := range ones {
		ones[i] = 1
	}
	ones[14], ones[15] = 1e9, 1e9
	results, err := e.Run(t.Context(), pjrt.ArrayOf(ones, 8, 2))
	require.NoError(t, err)
	assert.Equal(t, pjrt.ArrayOf([]float32{7, 7}), results[0], "the program ignores the padding")
	for rows, advice := range map[int64]bool{7: true, 4: false, 9: false} {
		_, err := e.Run(t.Context(), pjrt.ArrayOf(make([]float32, 2*rows), rows, 2))
		require.ErrorContains(t, err, "and the program takes f32[8,2]")
		assert.Equal(t, advice, strings.Contains(err.Error(), "append elements of any value"), "%d rows: %v", rows, err)
	}
}
