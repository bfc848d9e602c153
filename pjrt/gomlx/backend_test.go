// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var f32x2 = shapes.Make(dtypes.Float32, 2)

func double(b compute.Function, x []compute.Value) ([]compute.Value, error) {
	y, err := b.Add(x[0], x[0])
	return []compute.Value{y}, err
}

func TestTheBackendIsRegistered(t *testing.T) {
	plugintest.Path(t, "cpu")
	b, err := compute.NewWithConfig("pjrt:cpu,cpu_device_count=3")
	require.NoError(t, err)
	defer b.Finalize()
	assert.Equal(t, "pjrt", b.Name())
	assert.Equal(t, "pjrt", b.String())
	assert.Equal(t, 3, b.NumDevices())
	assert.Contains(t, b.Description(), "pjrt:cpu")
	assert.Contains(t, b.Description(), "[3 device(s)]")
	assert.NotEmpty(t, b.DeviceDescription(2))
	assert.Equal(t, "no device 3", b.DeviceDescription(3))
}

// The configuration comes before the environment.
func TestTheBackendHeedsTheVariablesOfJAX(t *testing.T) {
	t.Setenv("JAX_NUM_CPU_DEVICES", "2")
	assert.Equal(t, 2, open(t, "").NumDevices())
	assert.Equal(t, 3, open(t, ",cpu_device_count=3").NumDevices())
}

func TestAConfigurationThatCannotWorkIsAnError(t *testing.T) {
	t.Parallel()
	cpu := plugintest.Path(t, "cpu")
	for text, want := range map[string]string{
		"nosuchplugin":                       `plugin "nosuchplugin"`,
		filepath.Join(t.TempDir(), "lib.so"): "lib.so",
		"help":                               "cache[=DIR]",
		cpu + ",help":                        "reuse=true",
		cpu + ",dynamic=1":                   "dynamic=1 must be true or false",
		cpu + ",shared=perhaps":              "shared=perhaps must be true or false",
		cpu + ",reuse=":                      "reuse= must be true or false",
		cpu + ",fast":                        `"fast" is not of the form name=value`,
		cpu + ",=1":                          `"=1" is not of the form name=value`,
		cpu + ",cpu_device_count=many":       "cpu_device_count",
		cpu + ",colour=red":                  "colour",
		cpu + ",cpu_device_count=1000000":    "cpu_device_count",
	} {
		_, err := gomlx.New(text)
		assert.ErrorContains(t, err, want, text)
		assert.ErrorContains(t, err, "pjrt backend: ", text)
	}
}

func TestAConfigurationFileOfAPluginHasOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "three.json")
	text := fmt.Sprintf(`{"library_path": %q, "create_options": {"cpu_device_count": 3}}`, plugintest.Path(t, "cpu"))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	for options, want := range map[string]int{"": 3, ",cpu_device_count=2": 2} {
		b, err := gomlx.New(file + options)
		require.NoError(t, err)
		assert.Equal(t, want, b.(*gomlx.Backend).NumDevices(), options)
		b.Finalize()
	}
}

// GoMLX's errors carry the stack of the place where they were made.
func TestErrorsHaveAStackTrace(t *testing.T) {
	t.Parallel()
	_, err := gomlx.New("nosuchplugin")
	require.Error(t, err)
	assert.Contains(t, fmt.Sprintf("%+v", err), "pjrt/gomlx.load")
}

func TestACacheKeepsCompiledPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		b := open(t, ",cache="+dir)
		same(t, vec[float32](2, 4), run(t, b, double, vec[float32](1, 2))[0])
	}
	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.NotEmpty(t, entries)
	first := open(t, ",cache="+dir)
	same(t, vec[float32](2, 4), run(t, first, double, vec[float32](1, 2))[0])
	again, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.ElementsMatch(t, entries, again, "nothing was compiled again")
}

func TestFinalizeLeavesNothingAlive(t *testing.T) {
	pjrttest.NoLeaks(t)
	before := pjrt.Live()
	b, err := gomlx.New(plugintest.Path(t, "cpu"))
	require.NoError(t, err)

	// None of this is finalized by its owner, and all of it is still reachable at the end.
	exe := compile(t, b, double, f32x2)
	in := upload(t, b, vec[float32](1, 2))
	var all []compute.Buffer
	for range 10 { // the arguments are bound by then
		out, err := exe.Execute(in, nil, 0)
		require.NoError(t, err)
		all = append(all, out...)
	}
	_, err = all[0].Data()
	require.NoError(t, err)
	shared, _, err := b.NewSharedBuffer(1, f32x2)
	require.NoError(t, err)
	tensor := tensors.FromValue([]float32{1, 2})
	model := graph.MustNewExec(b, func(x *graph.Node) *graph.Node { return graph.Neg(x) })
	result := model.MustExec(tensor)[0]
	assert.Greater(t, pjrt.Live()["buffer"], before["buffer"]+10)

	b.Finalize()
	assert.True(t, b.IsFinalized())
	after := pjrt.Live()
	for kind, n := range after {
		assert.LessOrEqual(t, n, before[kind], kind)
	}
	b.Finalize() // has no effect
	runtime.KeepAlive([]any{exe, in, all, shared, tensor, model, result})
}

func TestAFinalizedBackendIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, double, f32x2)
	builder := b.Builder("under way")
	in := upload(t, b, vec[float32](1, 2))
	b.Finalize()

	for name, call := range map[string]func() error{
		"BufferFromFlatData": func() error { _, err := b.BufferFromFlatData(0, []float32{1, 2}, f32x2); return err },
		"BufferToFlatData":   func() error { return in[0].ToFlatData(make([]float32, 2)) },
		"BufferFinalize":     func() error { return in[0].Finalize() },
		"BufferCopyToDevice": func() error { _, err := in[0].CopyToDevice(1); return err },
		"BufferData":         func() error { _, err := in[0].Data(); return err },
		"NewSharedBuffer":    func() error { _, _, err := b.NewSharedBuffer(0, f32x2); return err },
		"Execute":            func() error { _, err := exe.Execute(in, nil, 0); return err },
		"a new builder":      func() error { _, err := b.Builder("late").Main().Constant([]int32{1}, 1); return err },
		"a builder": func() error {
			_, err := builder.Main().Constant([]int32{1}, 1)
			return err
		},
	} {
		err := call()
		require.Error(t, err, name)
		assert.True(t, errors.Is(err, gomlx.ErrFinalized) || errors.Is(err, pjrt.ErrClosed), "%s: %v", name, err)
	}
	assert.Equal(t, "pjrt: finalized", b.Description())
	assert.Equal(t, "pjrt: finalized", b.DeviceDescription(0))
	exe.Finalize()
	assert.True(t, (*gomlx.Backend)(nil).IsFinalized())
	assert.Panics(t, func() { graph.MustNewExec(b, func(g *graph.Graph) *graph.Node { return graph.Const(g, 1) }).MustExec() })
}

// A backend that the program forgot is collected with all that was made with it.
func TestWhatTheProgramForgetsIsCollected(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, "")
	exe := compile(t, b, double, f32x2)
	for range 2000 {
		_, err := exe.Execute(upload(t, b, vec[float32](1, 2)), nil, 0)
		require.NoError(t, err)
	}
	for range 20 {
		compile(t, b, double, f32x2)
	}
}

func TestAnOperationThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	other := b.Builder("other")
	foreign, err := other.Main().Parameter("x", f32x2, nil)
	require.NoError(t, err)
	builder := b.Builder("errors")
	main := builder.Main()
	parameter := func(name string, s shapes.Shape) compute.Value {
		x, err := main.Parameter(name, s, nil)
		require.NoError(t, err)
		return x
	}
	x := parameter("x", f32x2)
	y := parameter("y", shapes.Make(dtypes.Float32, 3))
	i := parameter("i", shapes.Make(dtypes.Int32, 2))
	p := parameter("p", shapes.Make(dtypes.Bool, 2))
	m := parameter("m", shapes.Make(dtypes.Float32, 2, 3))
	c := parameter("c", shapes.Make(dtypes.Complex64, 2))
	one := func(_ compute.Value, err error) error { return err }
	for name, err := range map[string]error{
		"shapes":                  one(main.Add(x, y)),
		"ranks":                   one(main.Add(x, m)),
		"dtypes":                  one(main.Add(x, i)),
		"dtypes of where":         one(main.Where(p, x, i)),
		"floats only":             one(main.Exp(i)),
		"integers only":           one(main.BitCount(x)),
		"booleans only":           one(main.LogicalNot(x)),
		"complex or float only":   one(main.Conj(i)),
		"condition":               one(main.Where(x, x, x)),
		"clamp":                   one(main.Clamp(y, x, y)),
		"nil":                     one(main.Neg(nil)),
		"another kind of value":   one(main.Neg(7)),
		"another program's value": one(main.Neg(foreign)),
		"axis":                    one(main.ReduceSum(x, 1)),
		"axis twice":              one(main.ReduceSum(m, 0, -2)),
		"product of booleans":     one(main.ReduceProduct(p)),
		"maximum of complex":      one(main.ReduceMax(c)),
		"logical reduction":       one(main.ReduceLogicalAnd(x)),
		"bitwise reduction":       one(main.ReduceBitwiseAnd(x)),
		"arg max axis":            one(main.ArgMinMax(x, 3, dtypes.Int32, false)),
		"arg max dtype":           one(main.ArgMinMax(x, 0, dtypes.Bool, false)),
		"arg max of complex":      one(main.ArgMinMax(c, 0, dtypes.Int32, false)),
		"reshape":                 one(main.Reshape(x, 3)),
		"negative dimension":      one(main.Reshape(x, -2)),
		"transpose":               one(main.Transpose(m, 0, 0)),
		"transpose rank":          one(main.Transpose(m, 0)),
		"broadcast":               one(main.BroadcastInDim(x, shapes.Make(dtypes.Float32, 3), []int{0})),
		"broadcast axes":          one(main.BroadcastInDim(x, shapes.Make(dtypes.Float32, 2), []int{7})),
		"iota axis":               one(main.Iota(f32x2, 1)),
		"iota dtype":              one(main.Iota(shapes.Shape{DType: 99, Dimensions: []int{2}}, 0)),
		"concatenate":             one(main.Concatenate(0, x, m)),
		"concatenate nothing":     one(main.Concatenate(0)),
		"concatenate axis":        one(main.Concatenate(5, x, x)),
		"pad axes":                one(main.Pad(x, x)),
		"slice":                   one(main.Slice(x, []int{0}, []int{9}, nil)),
		"slice rank":              one(main.Slice(x, nil, nil, nil)),
		"slice strides":           one(main.Slice(x, []int{0}, []int{1}, []int{0})),
		"dynamic slice sizes":     one(main.DynamicSlice(x, []compute.Value{i}, []int{1, 1})),
		"dynamic slice too large": one(main.DynamicSlice(x, []compute.Value{i}, []int{3})),
		"dynamic slice indices":   one(main.DynamicSlice(m, []compute.Value{x}, []int{1, 1})),
		"dynamic update":          one(main.DynamicUpdateSlice(x, y, []compute.Value{i})),
		"gather":                  one(main.Gather(x, i, 9, nil, nil, nil, nil, false)),
		"gather axes":             one(main.Gather(m, i, 0, []int{9, 9}, nil, []int{0, 1}, []int{1, 1}, false)),
		"scatter":                 one(main.ScatterSum(x, i, y, 9, nil, nil, nil, false, false)),
		"scatter of scalars":      one(main.ScatterSum(x, i, y, 1, []int{0}, []int{0, 0}, []int{0, 0}, false, false)),
		"reduce window":           one(main.ReduceWindow(x, compute.ReduceOpSum, []int{9}, nil, nil, nil, nil)),
		"reduce window rank":      one(main.ReduceWindow(x, compute.ReduceOpSum, []int{1, 1}, nil, nil, nil, nil)),
		"reduce window kind":      one(main.ReduceWindow(x, compute.ReduceOpUndefined, []int{1}, nil, nil, nil, nil)),
		"select and scatter":      one(main.SelectAndScatterMax(x, y, []int{1}, nil, nil)),
		"dot dtypes":              one(main.DotGeneral(x, []int{0}, nil, i, []int{0}, nil, compute.DotGeneralConfig{})),
		"dot axes":                one(main.DotGeneral(x, []int{4}, nil, x, []int{0}, nil, compute.DotGeneralConfig{})),
		"dot axes twice":          one(main.DotGeneral(m, []int{0}, []int{0}, m, []int{0}, []int{0}, compute.DotGeneralConfig{})),
		"convolution":             one(main.ConvGeneral(x, y, compute.ConvolveAxesConfig{}, nil, nil, nil, nil, 1, 1)),
		"fft kind":                one(main.FFT(c, 9, nil)),
		"fft rank":                one(main.FFT(c, compute.FFTForward, []int{2, 2})),
		"fft dtype":               one(main.FFT(x, compute.FFTForward, []int{2})),
		"batch norm":              one(main.BatchNormForInference(m, x, x, x, x, 0, 1)),
		"batch norm axis":         one(main.BatchNormForInference(m, x, x, x, x, 0, 2)),
		"constant":                one(main.Constant("text")),
		"constant of strings":     one(main.Constant([]string{"a"}, 1)),
		"constant of nil":         one(main.Constant(nil)),
		"constant's size":         one(main.Constant([]int32{1}, 2)),
		"constant's dimension":    one(main.Constant([]int32{}, -1)),
		"parameter twice":         one(main.Parameter("x", f32x2, nil)),
		"parameter's dtype":       one(main.Parameter("z", shapes.Shape{DType: dtypes.F8E5M2}, nil)),
		"parameter's shape":       one(main.Parameter("z", shapes.Invalid(), nil)),
		"convert":                 one(main.ConvertDType(x, dtypes.InvalidDType)),
		"bitcast":                 one(main.Bitcast(x, dtypes.F8E5M2)),
	} {
		if assert.Error(t, err, name) {
			assert.ErrorContains(t, err, "pjrt backend: ", name)
		}
	}
	_, _, err = main.RNGBitGenerator(x, f32x2)
	assert.ErrorContains(t, err, "pjrt backend: RNGBitGenerator: the state must be")
	_, err = main.ReduceSum(x, 1)
	assert.EqualError(t, err, "pjrt backend: ReduceSum: (Float32)[2] has no axis 1")
	_, err = main.LogicalNot(x)
	assert.ErrorContains(t, err, "pjrt backend: LogicalNot: ", "an error of GoMLX's shape rules")
	_, err = builder.OpShape(foreign)
	assert.Error(t, err)
	_, err = main.AllReduce([]compute.Value{x}, compute.ReduceOpSum, nil)
	assert.ErrorContains(t, err, "no groups")
	_, err = main.AllReduce([]compute.Value{x}, compute.ReduceOpSum, [][]int{{0}, {1, 2}})
	assert.ErrorContains(t, err, "different sizes")

	_, err = builder.Compile()
	assert.ErrorContains(t, err, "has no results: call Return")
	err = main.Return([]compute.Value{foreign}, nil)
	assert.ErrorContains(t, err, `belongs to the program "other"`)
	err = main.Return([]compute.Value{x}, make([]*compute.ShardingSpec, 3))
	assert.ErrorContains(t, err, "1 results and 3 shardings")
	require.NoError(t, main.Return([]compute.Value{x}, nil))
	_, err = main.Neg(x)
	assert.ErrorContains(t, err, "has returned")
	exe, err := builder.Compile()
	require.NoError(t, err)
	_, err = main.Neg(x)
	assert.ErrorContains(t, err, "is compiled")
	_, err = builder.Compile()
	assert.ErrorContains(t, err, "is compiled")
	names, parameters := exe.Inputs()
	assert.Equal(t, []string{"x", "y", "i", "p", "m", "c"}, names)
	assert.Equal(t, f32x2, parameters[0])
	assert.Equal(t, []shapes.Shape{f32x2}, exe.Outputs())
}

// foreign is a buffer of another kind of backend.
type foreign struct{ compute.Buffer }

func TestAnExecutionThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	b, other := open(t, ""), open(t, "")
	exe := compile(t, b, double, f32x2)
	for name, c := range map[string]struct {
		in     []compute.Buffer
		donate []bool
		device compute.DeviceNum
		want   string
	}{
		"number":          {nil, nil, 0, "takes 1 arguments on each of 1 devices, and there are 0"},
		"donations":       {upload(t, b, vec[float32](1, 2)), []bool{false, false}, 0, "2 say whether they are donated"},
		"shape":           {upload(t, b, vec[float32](1, 2, 3)), nil, 0, "argument 0 (x0)"},
		"dtype":           {upload(t, b, vec[int32](1, 2)), nil, 0, "(Int32)[2], and the program takes (Float32)[2]"},
		"another backend": {upload(t, other, vec[float32](1, 2)), nil, 0, "belongs to another backend"},
		"no buffer":       {[]compute.Buffer{foreign{}}, nil, 0, "foreign is not a buffer"},
		"nil":             {[]compute.Buffer{nil}, nil, 0, "is not a buffer"},
		"nil Buffer":      {[]compute.Buffer{(*gomlx.Buffer)(nil)}, nil, 0, "the buffer is nil"},
		"another device":  {upload(t, b, vec[float32](1, 2)), nil, 1, "runs on"},
		"no such device":  {upload(t, b, vec[float32](1, 2)), nil, 17, "there is no device 17"},
		"negative device": {upload(t, b, vec[float32](1, 2)), nil, -1, "there is no device -1"},
	} {
		_, err := exe.Execute(c.in, c.donate, c.device)
		assert.ErrorContains(t, err, c.want, name)
	}
	in := upload(t, b, vec[float32](1, 2))
	require.NoError(t, in[0].Finalize())
	require.NoError(t, in[0].Finalize())
	_, err := exe.Execute(in, nil, 0)
	assert.ErrorIs(t, err, gomlx.ErrFinalized)
	assert.ErrorIs(t, in[0].ToFlatData(make([]float32, 2)), gomlx.ErrFinalized)

	exe.Finalize()
	exe.Finalize()
	_, err = exe.Execute(upload(t, b, vec[float32](1, 2)), nil, 0)
	assert.ErrorIs(t, err, gomlx.ErrFinalized)
	_, err = (*gomlx.Executable)(nil).Execute(nil, nil, 0)
	assert.Error(t, err)
}

func TestATransferThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	x := upload(t, b, vec[float32](1, 2))[0]
	for name, err := range map[string]error{
		"to another dtype": x.ToFlatData(make([]int32, 2)),
		"to another size":  x.ToFlatData(make([]float32, 3)),
		"to no slice":      x.ToFlatData(7),
		"to nil":           x.ToFlatData(nil),
	} {
		assert.Error(t, err, name)
	}
	for name, c := range map[string]struct {
		device compute.DeviceNum
		flat   any
		shape  shapes.Shape
	}{
		"dtype":     {0, []int32{1, 2}, f32x2},
		"size":      {0, []float32{1}, f32x2},
		"device":    {9, []float32{1, 2}, f32x2},
		"no slice":  {0, 7, f32x2},
		"no dtype":  {0, []float32{}, shapes.Invalid()},
		"no GoType": {0, []uint8{1}, shapes.Shape{DType: dtypes.F8E5M2, Dimensions: []int{1}}},
		"negative":  {0, []float32{}, shapes.Shape{DType: dtypes.Float32, Dimensions: []int{-1}}},
	} {
		_, err := b.BufferFromFlatData(c.device, c.flat, c.shape)
		assert.Error(t, err, name)
	}
	_, err := x.CopyToDevice(0)
	assert.ErrorContains(t, err, "is on device 0 already")
	_, err = x.CopyToDevice(44)
	assert.Error(t, err)
	_, _, err = b.NewSharedBuffer(44, f32x2)
	assert.Error(t, err)
	_, _, err = b.NewSharedBuffer(0, shapes.Invalid())
	assert.Error(t, err)
	var none *gomlx.Buffer
	for name, call := range map[string]func() error{
		"Shape":        func() error { _, err := none.Shape(); return err },
		"DeviceNum":    func() error { _, err := none.DeviceNum(); return err },
		"Data":         func() error { _, err := none.Data(); return err },
		"ToFlatData":   func() error { return none.ToFlatData([]float32{1}) },
		"CopyToDevice": func() error { _, err := none.CopyToDevice(0); return err },
		"Finalize":     none.Finalize,
	} {
		assert.ErrorContains(t, call(), "the buffer is nil", name)
	}
}

func TestABufferIsCopiedBetweenDevices(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, x := range upload(t, b, vec[float32](1, 2), arr([]int8{}, 0, 2), scalar(true)) {
		copied, err := x.CopyToDevice(2)
		require.NoError(t, err)
		same(t, download(t, b, x), download(t, b, copied))
		num, err := copied.DeviceNum()
		require.NoError(t, err)
		assert.EqualValues(t, 2, num)
	}
}

// What does not import this module links nothing of GoMLX.
func TestOthersDoNotLinkGoMLX(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "../...", "../../tools/...", "../../extensions/...", "../../conformance/...")
	out, err := list.Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, "github.com/purepjrt/purepjrt/pjrt")
	for _, d := range deps {
		assert.False(t, strings.HasPrefix(d, "github.com/gomlx/"), d)
	}
}

// Finalize leaves to executions and calls under way what they use.
func TestWhatIsInUseIsClosedAfterwards(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, "")
	before := pjrt.Live()
	exe := compile(t, b, double, f32x2)
	end, err := gomlx.Begin(exe)
	require.NoError(t, err)
	in := upload(t, b, vec[float32](1, 2))
	array, release, err := gomlx.Acquire(in[0])
	require.NoError(t, err)

	exe.Finalize()
	require.NoError(t, in[0].Finalize())
	assert.Greater(t, pjrt.Live()["executable"], before["executable"])
	require.NoError(t, array.Wait(t.Context()))
	_, err = exe.Execute(in, nil, 0)
	require.ErrorIs(t, err, gomlx.ErrFinalized)
	require.ErrorIs(t, in[0].ToFlatData(make([]float32, 2)), gomlx.ErrFinalized)

	end()
	release()
	assert.Equal(t, before, pjrt.Live())
	assert.ErrorIs(t, array.Wait(t.Context()), pjrt.ErrClosed)
}

// Whatever goroutine finalizes what others use, their errors say so.
func TestErrorsOfWhatIsFinalizedMeanwhileSaySo(t *testing.T) {
	t.Parallel()
	shape := shapes.Make(dtypes.Float32, 1<<10)
	flat := make([]float32, 1<<10)
	finalizers := []func(b *gomlx.Backend, exe compute.Executable, shared compute.Buffer){
		func(_ *gomlx.Backend, exe compute.Executable, _ compute.Buffer) { exe.Finalize() },
		func(_ *gomlx.Backend, _ compute.Executable, shared compute.Buffer) { _ = shared.Finalize() },
		func(b *gomlx.Backend, _ compute.Executable, _ compute.Buffer) { b.Finalize() },
	}
	for i := range 30 {
		b := open(t, ",cpu_device_count=1")
		exe := compile(t, b, of2(compute.Function.Add), shape, shape)
		shared, err := b.BufferFromFlatData(0, flat, shape)
		require.NoError(t, err)
		var group sync.WaitGroup
		var begun sync.WaitGroup
		for range 4 {
			begun.Add(1)
			group.Go(func() {
				for k := 0; ; k++ {
					err := roundTrip(b, exe, shared, flat, shape)
					if k == 0 {
						begun.Done()
					}
					if err != nil {
						assert.ErrorIs(t, err, gomlx.ErrFinalized)
						return
					}
				}
			})
		}
		begun.Wait()
		finalizers[i%len(finalizers)](b, exe, shared)
		group.Wait()
		b.Finalize()
	}
}

// roundTrip adds flat to shared on the device.
func roundTrip(b compute.Backend, exe compute.Executable, shared compute.Buffer, flat []float32, shape shapes.Shape) error {
	x, err := b.BufferFromFlatData(0, flat, shape)
	if err != nil {
		return err
	}
	out, err := exe.Execute([]compute.Buffer{x, shared}, []bool{true, false}, 0)
	if err != nil {
		return err
	}
	if err := out[0].ToFlatData(slices.Clone(flat)); err != nil {
		return err
	}
	return out[0].Finalize()
}
