// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ints adds an Int32.
func ints(x *graph.Node, n int32) *graph.Node { return graph.Const(x.Graph(), n) }

// positions adds the numbers below the size k.
func positions(x, k *graph.Node) *graph.Node {
	return graph.DynamicIota(x.Graph(), dtypes.Float32, 0, graph.NamedDynamicDim("k", k))
}

// GoMLX computes with what it is told about shapes: a mean divides by the size of an axis. GoMLX's
// own backend, which knows how sizes follow from others, is the witness.
func TestSizesOfAllKindsAreThoseOfGoMLXsBackend(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	witness, err := gobackend.New("")
	require.NoError(t, err)
	defer witness.Finalize()
	zero := func(x *graph.Node) *graph.Node { return graph.Scalar(x.Graph(), dtypes.Float32, 0) }
	padded := func(x, end *graph.Node) *graph.Node {
		return graph.DynamicPad(x, zero(x), graph.DynamicPadAxisSpec{EndNode: end, TargetAxisName: "padded"})
	}
	for name, build := range map[string]func(x, n *graph.Node) []*graph.Node{
		"at most 8": func(x, n *graph.Node) []*graph.Node {
			v := positions(x, graph.Min(n, ints(x, 8)))
			return []*graph.Node{v, graph.ReduceAllMean(v)}
		},
		"at least 6": func(x, n *graph.Node) []*graph.Node {
			v := positions(x, graph.Max(n, ints(x, 6)))
			return []*graph.Node{v, graph.Add(x, graph.Iota(x.Graph(), x.Shape(), 0)), graph.ReduceAllMean(v), graph.ReduceAllMean(x)}
		},
		"at least 1": func(x, n *graph.Node) []*graph.Node {
			return []*graph.Node{positions(x, graph.Max(n, ints(x, 1))), graph.ReduceAllSum(graph.OnesLike(x))}
		},
		"two or three": func(x, n *graph.Node) []*graph.Node {
			v := positions(x, graph.AddScalar(graph.Mod(n, ints(x, 2)), 2))
			return []*graph.Node{v, graph.ReduceAllMean(v)}
		},
		"up to a multiple of 64": func(x, n *graph.Node) []*graph.Node {
			up := graph.MulScalar(graph.Div(graph.AddScalar(n, 63), ints(x, 64)), 64)
			return []*graph.Node{graph.ReduceAllMean(padded(x, graph.Sub(up, n)))}
		},
		"down to a multiple of 2": func(x, n *graph.Node) []*graph.Node {
			return []*graph.Node{positions(x, graph.MulScalar(graph.Div(n, ints(x, 2)), 2)), graph.ReduceAllSum(x)}
		},
		"padded to 8 with a mask": func(x, n *graph.Node) []*graph.Node {
			y := padded(x, graph.Max(graph.Sub(ints(x, 8), n), ints(x, 0)))
			return []*graph.Node{graph.ReduceAllSum(y), graph.ReduceAllSum(graph.Iota(x.Graph(), x.Shape(), 0))}
		},
		"a gradient": func(x, n *graph.Node) []*graph.Node {
			w := graph.Scalar(x.Graph(), dtypes.Float32, 3)
			loss := graph.ReduceAllMean(graph.Mul(positions(x, graph.Min(n, ints(x, 8))), w))
			return []*graph.Node{loss, graph.Gradient(loss, w)[0]}
		},
		"a slice": func(x, n *graph.Node) []*graph.Node {
			v := positions(x, graph.Min(n, ints(x, 5)))
			return []*graph.Node{graph.Slice(x, graph.AxisRange(0, 3)), graph.ReduceAllMean(v)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var execs []*graph.Exec
			for _, on := range []compute.Backend{b, witness} {
				exec := graph.MustNewExec(on, func(x *graph.Node) []*graph.Node { return build(x, graph.DimensionSize(x, 0)) })
				execs = append(execs, exec.WithDynamicAxes([]string{"n"}))
			}
			for _, n := range []int{4, 9, 130} {
				x := make([]float32, n)
				for i := range x {
					x[i] = float32(1 + i%3)
				}
				got, want := execs[0].MustCall(x), execs[1].MustCall(x)
				for i := range want {
					require.Equal(t, want[i].Shape().Dimensions, got[i].Shape().Dimensions, "result %d for %d elements", i, n)
					w, g := tensors.MustCopyFlatData[float32](want[i]), tensors.MustCopyFlatData[float32](got[i])
					assert.InDeltaSlice(t, w, g, 1e-4, "result %d for %d elements", i, n)
				}
			}
		})
	}
}

var vectors = shapes.MakeDynamic(dtypes.Float32, []int{shapes.DynamicDim}, []string{"n"})

// middling adds 1 for sizes from 9 to 400, which no trial instance has, and 0 for others.
func middling(c chain, n compute.Value) compute.Value {
	atMost1 := func(v compute.Value) compute.Value { return c.must(c.f.Min(v, c.number(1))) }
	above := atMost1(c.must(c.f.Max(c.must(c.f.Sub(n, c.number(8))), c.number(0))))
	return c.must(c.f.Mul(above, atMost1(c.must(c.f.Div(c.number(400), c.must(c.f.Max(n, c.number(1))))))))
}

// What GoMLX is told about shapes is a guess from a few sizes.
func TestASizeThatIsNotWhatGoMLXWasToldIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	iota := func(c chain, size compute.Value) compute.Value {
		return c.must(c.f.DynamicIota(dtypes.Float32, 0, compute.DynamicDimensionSpec{Name: "k", Value: size}))
	}
	for name, c := range map[string]struct {
		build func(c chain, x, n compute.Value) compute.Value
		want  []string
	}{
		"a constant": {func(c chain, _, n compute.Value) compute.Value {
			return iota(c, c.must(c.f.Add(middling(c, n), c.number(3))))
		}, []string{"DynamicIota, result 0", "axis 0 is 4", "was 3 for all"}},
		"another axis": {func(c chain, _, n compute.Value) compute.Value {
			return iota(c, c.must(c.f.Add(middling(c, n), n)))
		}, []string{"DynamicIota, result 0", "axis 0 is 21", `the axis "n", which is 20`}},
		"another computed axis": {func(c chain, x, n compute.Value) compute.Value {
			iota(c, c.must(c.f.Mul(n, c.number(2))))
			twice := c.must(c.f.DynamicIota(dtypes.Float32, 0, compute.DynamicDimensionSpec{Name: "k",
				Value: c.must(c.f.Add(middling(c, n), c.must(c.f.Add(n, n))))}))
			return c.must(c.f.Concatenate(0, x, twice))
		}, []string{"DynamicIota, result 0", "axis 0 is 41", `the axis "k", which is 40`}},
		"in a closure": {func(c chain, x, n compute.Value) compute.Value {
			yes := c.must(c.f.Constant([]bool{true}))
			branch := func() compute.Function {
				f, err := closure(c.f, one(func(f compute.Function, _ []compute.Value) (compute.Value, error) {
					inner := chain{c.t, f}
					return f.ReduceSum(iota(inner, inner.must(f.Add(middling(inner, n), n))))
				}))
				require.NoError(c.t, err)
				return f
			}
			out, err := c.f.If(yes, branch(), branch())
			require.NoError(c.t, err)
			return out[0]
		}, []string{"DynamicIota, result 0", "axis 0 is 21", `the axis "n", which is 20`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe := compile(t, b, one(func(f compute.Function, x []compute.Value) (compute.Value, error) {
				return c.build(chain{t, f}, x[0], must(t)(f.DynamicDimensionSize(x[0], 0))), nil
			}), vectors)
			for _, n := range []int{5, 2000} {
				_, err := exe.Execute(upload(t, b, vec(make([]float32, n)...)), nil, 0)
				assert.NoError(t, err, "%d elements", n)
			}
			for range 2 {
				_, err := exe.Execute(upload(t, b, vec(make([]float32, 20)...)), nil, 0)
				for _, text := range append(c.want, "for the sizes n=20", "need a program of their own") {
					assert.ErrorContains(t, err, text)
				}
			}
		})
	}
}

func must(t testing.TB) func(compute.Value, error) compute.Value { return chain{t: t}.must }

// Programs need not fit all trial sizes, but must fit more than one.
func TestProgramsFitTheSizesThatTheyAreFor(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	name := func(name string, v compute.Value) compute.DynamicDimensionSpec {
		return compute.DynamicDimensionSpec{Name: name, Value: v}
	}
	cubes := shapes.MakeDynamic(dtypes.Float32, []int{-1, -1, -1}, []string{"a", "b", "c"})
	for name, c := range map[string]struct {
		shape shapes.Shape
		build func(c chain, x compute.Value) compute.Value
		arg   array
		want  []int
	}{
		"sizes below 8": {vectors, func(c chain, x compute.Value) compute.Value {
			n := c.must(c.f.DynamicDimensionSize(x, 0))
			return c.must(c.f.DynamicIota(dtypes.Int32, 0, name("rest", c.must(c.f.Sub(c.number(8), n)))))
		}, vec[float32](1, 2, 3), []int{5}},
		"sizes from 3000 on": {vectors, func(c chain, x compute.Value) compute.Value {
			return c.must(c.f.Slice(x, []int{2990}, []int{3000}, nil))
		}, vec(make([]float32, 3001)...), []int{10}},
		"sizes that divide": {vectors, func(c chain, x compute.Value) compute.Value {
			n := c.must(c.f.DynamicDimensionSize(x, 0))
			return c.must(c.f.DynamicIota(dtypes.Int32, 0, name("part", c.must(c.f.Div(c.number(12), n)))))
		}, vec[float32](1, 2, 3), []int{4}},
		"a product of sizes": {cubes, func(c chain, x compute.Value) compute.Value {
			size := func(axis int) compute.Value { return c.must(c.f.DynamicDimensionSize(x, axis)) }
			product := c.must(c.f.Mul(c.must(c.f.Mul(size(0), size(1))), size(2)))
			return c.must(c.f.DynamicReshape(x, name("product", product)))
		}, arr(make([]float32, 24), 2, 3, 4), []int{24}},
		"a square": {vectors, func(c chain, x compute.Value) compute.Value {
			n := c.must(c.f.DynamicDimensionSize(x, 0))
			twice := c.must(c.f.Add(n, n))
			square := c.must(c.f.DynamicIota(dtypes.Int32, 0, name("rows", twice), name("columns", twice)))
			row := c.must(c.f.DynamicIota(dtypes.Int32, 0, compute.DynamicDimensionSpec{Name: "columns"}))
			shape, err := c.f.Shape(square)
			require.NoError(c.t, err)
			return c.must(c.f.Add(square, c.must(c.f.BroadcastInDim(row, shape, []int{1}))))
		}, vec[float32](1, 2), []int{4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe := compile(t, b, of1(func(f compute.Function, x compute.Value) (compute.Value, error) {
				return c.build(chain{t, f}, x), nil
			}), c.shape)
			out, err := exe.Execute(upload(t, b, c.arg), nil, 0)
			require.NoError(t, err)
			assert.Equal(t, c.want, download(t, b, out[0]).dims)
		})
	}
	main := b.Builder("misfits").Main()
	c := chain{t, main}
	x, y := c.must(main.Parameter("x", vectors, nil)), c.must(main.Parameter("y", grids, nil))
	for name, err := range map[string]error{
		"a size that only one trial has": second(main.Add(x, c.must(main.Constant(make([]float32, 7), 7)))),
		"another axis":                   second(main.DotGeneral(x, []int{0}, nil, y, []int{0}, nil, compute.DotGeneralConfig{})),
		"a size that no trial has":       second(main.Slice(x, []int{1 << 21}, []int{1<<21 + 1}, nil)),
	} {
		assert.ErrorContains(t, err, "pjrt backend: ", name)
	}
}

// A parameter may have an axis that is as large as one that the program computes.
func TestAParameterTakesTheNameOfAComputedAxis(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	builder := b.Builder("mask")
	main := builder.Main()
	c := chain{t, main}
	x := c.must(main.Parameter("x", vectors, nil))
	zero := c.must(main.Constant([]float32{0}))
	padded := c.must(main.DynamicPad(x, zero, compute.DynamicPadAxis{End: 2, TargetAxisName: "padded"}))
	mask := c.must(main.Parameter("mask", shapes.MakeDynamic(dtypes.Float32, []int{-1}, []string{"padded"}), nil))
	require.NoError(t, main.Return([]compute.Value{c.must(main.Add(padded, mask))}, nil))
	exe, err := builder.Compile()
	require.NoError(t, err)
	same(t, vec[float32](2, 2, 1), runOn(t, b, exe, []array{vec[float32](1), vec[float32](1, 2, 1)})[0])
	_, err = exe.Execute(upload(t, b, vec[float32](1), vec[float32](1, 2)), nil, 0)
	assert.ErrorContains(t, err, `axis 0 is 3 for these sizes of axes, and was as large as the axis "padded", which is 2`)
}

// The results of a program, whose axes the backend has named, are arguments of another.
func TestAParameterHasTheShapeOfAnotherProgramsResult(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	twice := of1(func(f compute.Function, x compute.Value) (compute.Value, error) { return f.Concatenate(0, x, x) })
	first := compile(t, b, twice, vectors)
	second := compile(t, b, twice, first.Outputs()[0])
	out, err := first.Execute(upload(t, b, vec[float32](1, 2)), nil, 0)
	require.NoError(t, err)
	out, err = second.Execute(out, nil, 0)
	require.NoError(t, err)
	same(t, vec[float32](1, 2, 1, 2, 1, 2, 1, 2), download(t, b, out[0]))
}

// Numbers of arguments may be negative, unlike sizes of axes.
func TestSizesFollowFromNegativeArguments(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, of1(func(f compute.Function, n compute.Value) (compute.Value, error) {
		c := chain{t, f}
		return c.must(f.DynamicIota(dtypes.Int32, 0, compute.DynamicDimensionSpec{Name: "k", Value: c.must(f.Max(n, c.number(0)))})), nil
	}), i32)
	for _, n := range []int32{3, 0, -2} {
		assert.Equal(t, []int{int(max(n, 0))}, runOn(t, b, exe, []array{scalar(n)})[0].dims)
	}
}
