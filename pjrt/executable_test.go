// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// mixed has results of many ranks and types.
const mixed = `module @mixed {
  func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<i8>) -> (tensor<f64>, tensor<4x3x2xf32>, tensor<i8>, tensor<0x5xbf16>, tensor<3xi1>) {
    %0 = stablehlo.constant dense<1.5> : tensor<f64>
    %1 = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
    %2 = stablehlo.add %b, %b : tensor<i8>
    %3 = stablehlo.constant dense<0.0> : tensor<0x5xbf16>
    %4 = stablehlo.constant dense<true> : tensor<3xi1>
    return %0, %1, %2, %3, %4 : tensor<f64>, tensor<4x3x2xf32>, tensor<i8>, tensor<0x5xbf16>, tensor<3xi1>
  }
}`

func spell(shapes []pjrt.Shape) string {
	words := make([]string, len(shapes))
	for i, s := range shapes {
		words[i] = s.String()
	}
	return strings.Join(words, " ")
}

func TestExecutionsAreCheckedWithoutTheDescriptionOfTheProgram(t *testing.T) {
	if !inChild(t) { // after a wrong execution XLA's CPU plugin waits for ever when an argument is destroyed
		return
	}
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, `func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
	require.NoError(t, exe.Executable.Close())
	x, y := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(1, 2, 3, 4))
	for _, args := range [][]*pjrt.Buffer{{}, {x, x}, {x, y}} {
		_, err := exe.Execute(ctx, args, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, fmt.Sprintf("the program takes 1 arguments, not %d", len(args)))
	}
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{-1, -2, -3, -4}, read(t, outs[0]))
	gone, err := x.IsDeleted()
	require.NoError(t, err)
	assert.True(t, gone)
	require.NoError(t, x.Close())
}

func TestAnExecutableAsksItsPluginOnceForShapes(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{})
	p.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	exe := compile(t, p.Client(), add)
	asked := func() [2]int {
		for range 3 {
			outputs, err := exe.Outputs()
			require.NoError(t, err)
			assert.Equal(t, "f32[2,2]", spell(outputs))
			assert.Equal(t, 1, exe.NumOutputs())
		}
		return [2]int{p.Calls("PJRT_Executable_OutputDimensions"), p.Calls("PJRT_Executable_NumOutputs")}
	}
	first := asked()
	assert.Equal(t, first, asked())
}

func TestObjectsAreAliveUntilTheyAreClosed(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	a := upload(t, client, matrix(1, 2, 3, 4))
	assert.Same(t, client, a.Client())
	exe := compile(t, client, add)
	for kind, create := range map[string]func() (io.Closer, error){
		"buffer":          func() (io.Closer, error) { return pjrt.FromScalar(ctx, client, 1.0) },
		"event":           func() (io.Closer, error) { return a.ReadyEvent() },
		"executable":      func() (io.Closer, error) { return client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil) },
		"client":          func() (io.Closer, error) { return client.Plugin().NewClient(ctx, nil) },
		"bound arguments": func() (io.Closer, error) { return exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{a}}) },
	} {
		// What other tests forgot may be collected meanwhile.
		require.Eventually(t, func() bool {
			before := pjrt.Live()[kind]
			x, err := create()
			if !assert.NoError(t, err, kind) {
				return true
			}
			during := pjrt.Live()[kind]
			assert.NoError(t, x.Close(), kind)
			return during == before+1 && pjrt.Live()[kind] == before
		}, patience, time.Millisecond, kind)
	}
}

func TestAnExecutableDescribesItself(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, mixed)
	assert.Equal(t, "mixed", exe.Name())
	assert.Equal(t, [3]int{1, 1, 5}, [3]int{exe.NumReplicas(), exe.NumPartitions(), exe.NumOutputs()})
	assert.Same(t, client, exe.Client())

	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,3,4] i8[]", spell(parameters))
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, "f64[] f32[4,3,2] i8[] bf16[0,5] i1[3]", spell(outputs))
	outputs[1].Dims[0], parameters[0].Dims[0] = 99, 99
	again, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, int64(4), again[1].Dims[0], "the answer is the caller's own")
	again, err = exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, int64(2), again[0].Dims[0])

	layouts, err := exe.OutputLayouts()
	require.NoError(t, err)
	require.Len(t, layouts, 5)
	assert.Equal(t, pjrt.DeviceLayout{Text: "{2,1,0}", Layout: pjrt.RowMajor(3)}, layouts[1])
	assert.Equal(t, pjrt.DeviceLayout{Text: "{}", Layout: &pjrt.Layout{MinorToMajor: []int{}}}, layouts[0])

	costs, err := exe.CostAnalysis()
	if plugintest.Age(t) < 106 {
		require.NoError(t, err)
		names := make(map[string]any)
		for _, c := range costs {
			names[c.Name] = c.Value
		}
		assert.Contains(t, names, "bytes accessed")
	} else {
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		require.ErrorContains(t, err, "the plugin counts no costs; Module.Cost of package pjrt/hlo")
	}

	code, err := exe.GeneratedCodeSize()
	require.NoError(t, err)
	assert.Zero(t, code, "the plugin counts none")

	fingerprint, err := exe.Fingerprint()
	require.NoError(t, err)
	assert.NotEmpty(t, fingerprint)

	program, err := exe.OptimizedProgram()
	require.NoError(t, err)
	assert.Equal(t, pjrt.FormatHLOWithConfig, program.Format)
	assert.Equal(t, program.Format, pjrt.DetectFormat(program.Code))
}

func TestDifferentProgramsHaveDifferentFingerprints(t *testing.T) {
	client := newClient(t)
	print := func(code string) string {
		b, err := compile(t, client, code).Fingerprint()
		require.NoError(t, err)
		return string(b)
	}
	assert.Equal(t, print(add), print(add))
	assert.NotEqual(t, print(add), print(strings.ReplaceAll(add, "stablehlo.add", "stablehlo.multiply")))
}

func TestAnExecutableKnowsItsMemoryUse(t *testing.T) {
	client := newClient(t)
	stats, err := compile(t, client, mixed).MemoryStats()
	require.NoError(t, err)
	assert.Equal(t, int64(2*3*4*4+1), stats.Arguments)
	assert.GreaterOrEqual(t, stats.Outputs, int64(8+96+1+3))
	assert.Zero(t, stats.Aliased)
	donating := compile(t, client, strings.Replace(add, "%a: tensor<2x2xf32>", "%a: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}", 1))
	stats, err = donating.MemoryStats()
	require.NoError(t, err)
	assert.Equal(t, int64(16), stats.Aliased)
	if _, minor := client.Plugin().Version(); minor == 81 {
		assert.Zero(t, stats.TotalAllocation, "the plugin is too old for it")
	} else {
		assert.Equal(t, int64(32), stats.TotalAllocation, "two arguments, of which the result takes one")
	}
}

// Whatever the plugin lacks, a function, an extension or a feature, the error is of one
// kind.
func TestFunctionsNewerThanThePluginAreUnimplemented(t *testing.T) {
	old := pjrttest.New(t, pjrttest.Options{Minor: 81, Absent: []string{"PJRT_Executable_OutputMemoryKinds"}})
	old.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	client := old.Client()
	exe := compile(t, client, add)
	for name, query := range map[string]func() error{
		"OutputMemoryKinds":    func() error { _, err := exe.OutputMemoryKinds(); return err },
		"ParameterMemoryKinds": func() error { _, err := exe.ParameterMemoryKinds(); return err },
		"OutputShardings":      func() error { _, err := exe.OutputShardings(); return err },
		"ParameterShardings":   func() error { _, err := exe.ParameterShardings(); return err },
		"CompileOptions":       func() error { _, err := exe.CompileOptions(); return err },
		"Load":                 func() error { _, err := client.Load(context.Background(), exe.Executable, nil); return err },
		"ComputationOrigin": func() error {
			opts := &pjrt.LoadOptions{Foreign: true, ComputationOrigin: []int32{0, 0, 0}}
			_, err := client.DeserializeAndLoad(context.Background(), []byte("x"), opts)
			return err
		},
	} {
		require.ErrorIs(t, query(), pjrt.ErrUnimplemented, name)
	}
}

func TestAPartitionedProgramTakesShards(t *testing.T) {
	client := newClient(t)
	code := `module @sharded {
  func.func @main(%a: tensor<8x2xf32> {mhlo.sharding = "{devices=[4,1]0,1,2,3}"}) -> (tensor<8x2xf32> {mhlo.sharding = "{devices=[4,1]0,1,2,3}"}) {
    %0 = stablehlo.add %a, %a : tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
}`
	exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, &pjrt.CompileOptions{Partitions: 4, SPMD: true})
	require.NoError(t, err)
	defer exe.Close()
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,2] f32[2,2]", spell(append(parameters, outputs...)))
	assert.Len(t, exe.Devices(), 4)
}

// A loop over the shardings of the results may use the results by the same number.
func TestEachResultAndArgumentHasOneSharding(t *testing.T) {
	const cut = ` {mhlo.sharding = "{devices=[4]0,1,2,3}"}`
	programs := map[string][2]int{
		"func.func @main() { return }":                                                                 {0, 0},
		"func.func @main(%a: tensor<8xf32>" + cut + ") { return }":                                     {1, 0},
		"func.func @main(%a: tensor<8xf32>" + cut + ", %b: tensor<8xf32>) { return }":                  {2, 0},
		"func.func @main(%a: tensor<8xf32>" + cut + ") -> tensor<8xf32> { return %a : tensor<8xf32> }": {1, 1},
		"func.func @main() -> (tensor<8xf32>" + cut + ", tensor<i32>) { %0 = stablehlo.iota dim = 0 : tensor<8xf32> " +
			"%1 = stablehlo.constant dense<1> : tensor<i32> return %0, %1 : tensor<8xf32>, tensor<i32> }": {0, 2},
	}
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) { // the oldest has no function for it
		client := newClient(t)
		for program, want := range programs {
			exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(program)}, &pjrt.CompileOptions{Partitions: 4})
			require.NoError(t, err)
			parameters, err := exe.ParameterShardings()
			require.NoError(t, err, program)
			outputs, err := exe.OutputShardings()
			require.NoError(t, err, program)
			assert.Equal(t, want, [2]int{len(parameters), len(outputs)}, program)
			require.NoError(t, exe.Close())
		}
	})
}

func TestTupledArgumentsAreFlattened(t *testing.T) {
	client := newClient(t)
	exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(mixed)}, &pjrt.CompileOptions{TupledArguments: true})
	require.NoError(t, err)
	defer exe.Close()
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,3,4] i8[]", spell(parameters))
}

func TestAnExecutableSurvivesSerialization(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	exe := compile(t, client, add)
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	cancellable, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		client *pjrt.Client
	}{"same client": {ctx, client}, "other client": {cancellable, other}} {
		t.Run(name, func(t *testing.T) {
			loaded, err := c.client.DeserializeAndLoad(c.ctx, data, nil)
			require.NoError(t, err)
			defer loaded.Close()
			assert.Equal(t, "add", loaded.Name())
			parameters, err := loaded.Parameters()
			require.NoError(t, err)
			assert.Equal(t, "f32[2,2] f32[2,2]", spell(parameters))
			runAdd(t, loaded)
			_, err = loaded.Serialize(c.ctx)
			require.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "the plugin would write bytes that load but do not run")
		})
	}
	moved, err := client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{Compile: &pjrt.CompileOptions{DeviceIDs: [][]int{{3}}}})
	require.NoError(t, err)
	defer moved.Close()
	assert.Equal(t, []*pjrt.Device{client.Devices()[3]}, moved.Devices())
}

func TestMisuseOfSerializationIsRefused(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		data []byte
		opts *pjrt.LoadOptions
		want string
	}{
		"empty":         {ctx, nil, nil, "the serialized executable is empty"},
		"garbage":       {ctx, []byte("garbage"), &pjrt.LoadOptions{Foreign: true}, "PJRT_Executable_DeserializeAndLoad: "},
		"ended context": {ended, data, nil, "context canceled"},
		"bad options":   {ctx, data, &pjrt.LoadOptions{Compile: &pjrt.CompileOptions{DeviceIDs: [][]int{{9}}}}, "device 9, which does not exist"},
		"bad counts":    {ctx, data, &pjrt.LoadOptions{Compile: &pjrt.CompileOptions{Replicas: -1}}, "neither can be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := client.DeserializeAndLoad(c.ctx, c.data, c.opts)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, loaded)
		})
	}
	_, err = exe.Serialize(ended)
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.Load(ctx, nil, nil)
	require.ErrorContains(t, err, "the executable is nil")
	_, err = client.Load(ctx, &pjrt.Executable{}, nil)
	require.ErrorContains(t, err, "the executable is nil")
}

func TestADeletedExecutableDoesNotRun(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	deleted, err := exe.IsDeleted()
	require.NoError(t, err)
	assert.False(t, deleted)
	require.NoError(t, exe.Delete())
	require.NoError(t, exe.Delete())
	deleted, err = exe.IsDeleted()
	require.NoError(t, err)
	assert.True(t, deleted)
	x := upload(t, client, matrix(1, 2, 3, 4))
	_, err = exe.Execute(context.Background(), []*pjrt.Buffer{x, x}, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	outputs, err := exe.Outputs()
	require.NoError(t, err, "what is known about the program stays")
	assert.Equal(t, "f32[2,2]", spell(outputs))
}

func TestAClosedExecutableKeepsOnlyItsNameAndCounts(t *testing.T) {
	exe := compile(t, newClient(t), add)
	require.NoError(t, exe.Close())
	require.NoError(t, exe.Close())
	for name, query := range map[string]func() error{
		"Parameters":           func() error { _, err := exe.Parameters(); return err },
		"Outputs":              func() error { _, err := exe.Outputs(); return err },
		"OptimizedProgram":     func() error { _, err := exe.OptimizedProgram(); return err },
		"Serialize":            func() error { _, err := exe.Serialize(context.Background()); return err },
		"Fingerprint":          func() error { _, err := exe.Fingerprint(); return err },
		"CompileOptions":       func() error { _, err := exe.CompileOptions(); return err },
		"GeneratedCodeSize":    func() error { _, err := exe.GeneratedCodeSize(); return err },
		"CostAnalysis":         func() error { _, err := exe.CostAnalysis(); return err },
		"MemoryStats":          func() error { _, err := exe.MemoryStats(); return err },
		"OutputMemoryKinds":    func() error { _, err := exe.OutputMemoryKinds(); return err },
		"ParameterMemoryKinds": func() error { _, err := exe.ParameterMemoryKinds(); return err },
		"OutputLayouts":        func() error { _, err := exe.OutputLayouts(); return err },
		"ParameterLayouts":     func() error { _, err := exe.ParameterLayouts(); return err },
		"OutputShardings":      func() error { _, err := exe.OutputShardings(); return err },
		"ParameterShardings":   func() error { _, err := exe.ParameterShardings(); return err },
		"DeviceAssignment":     func() error { _, err := exe.DeviceAssignment(); return err },
		"Delete":               exe.Delete,
	} {
		require.ErrorIs(t, query(), pjrt.ErrClosed, name)
	}
	assert.Equal(t, "add", exe.Name())
	assert.Len(t, exe.Devices(), 1)
	deleted, err := exe.IsDeleted()
	require.NoError(t, err)
	assert.True(t, deleted)
}

func TestManyGoroutinesUseOneExecutable(t *testing.T) {
	exe := compile(t, newClient(t), mixed)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if i == 8 {
				exe.Close()
				return
			}
			for range 20 {
				outputs, err := exe.Outputs()
				if err == nil {
					assert.Len(t, outputs, 5)
				}
				if _, err := exe.OptimizedProgram(); err != nil {
					assert.ErrorIs(t, err, pjrt.ErrClosed)
				}
				if _, err := exe.Fingerprint(); err != nil {
					assert.ErrorIs(t, err, pjrt.ErrClosed)
				}
			}
		})
	}
	wg.Wait()
}

func TestProgramsWithManyArgumentsAndResultsRun(t *testing.T) {
	const n = 300
	var params, names, types []string
	for i := range n {
		params = append(params, fmt.Sprintf("%%a%d: tensor<%dxi32>", i, i+1))
		names = append(names, fmt.Sprintf("%%a%d", n-1-i))
		types = append(types, fmt.Sprintf("tensor<%dxi32>", n-i))
	}
	code := fmt.Sprintf("func.func @main(%s) -> (%s) { return %s : %s }", strings.Join(params, ", "), strings.Join(types, ", "), strings.Join(names, ", "), strings.Join(types, ", "))
	exe := compile(t, newClient(t), code)
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	require.Len(t, parameters, n)
	require.Len(t, outputs, n)
	for i := range n {
		assert.Equal(t, pjrt.Shape{Type: dtype.S32, Dims: []int64{int64(i + 1)}}, parameters[i])
		assert.Equal(t, parameters[i], outputs[n-1-i])
	}
}
