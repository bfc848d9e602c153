// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	layers "github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/nn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
)

// attention has the sizes of what attends to what.
type attention struct {
	batch, heads, shared, queries, keys, size int
}

// weigh computes attention with loops, in the order batch, head, query, feature. allowed says
// what attends to what.
func (a attention) weigh(q, k, v []float32, scale float64, allowed func(b, h, i, j int) bool) []float32 {
	at := func(x []float32, heads, rows, b, h, i, d int) float64 {
		return float64(x[((b*heads+h)*rows+i)*a.size+d])
	}
	group := a.heads / a.shared
	var out []float32
	for b := range a.batch {
		for h := range a.heads {
			for i := range a.queries {
				sum, mean := 0.0, make([]float64, a.size)
				for j := range a.keys {
					if !allowed(b, h, i, j) {
						continue
					}
					score := 0.0
					for d := range a.size {
						score += at(q, a.heads, a.queries, b, h, i, d) * at(k, a.shared, a.keys, b, h/group, j, d)
					}
					w := math.Exp(score * scale)
					sum += w
					for d := range a.size {
						mean[d] += w * at(v, a.shared, a.keys, b, h/group, j, d)
					}
				}
				for d := range a.size {
					if sum > 0 {
						mean[d] /= sum
					}
					out = append(out, float32(mean[d]))
				}
			}
		}
	}
	return out
}

func TestAttentionWeighsValuesByTheirKeys(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = r.Float32()*2 - 1
		}
		return list
	}
	a := attention{batch: 2, heads: 4, shared: 2, queries: 3, keys: 5, size: 8}
	q, k, v := random(a.batch*a.heads*a.queries*a.size), random(a.batch*a.shared*a.keys*a.size), random(a.batch*a.shared*a.keys*a.size)
	boolean := make([]bool, a.queries*a.keys)
	for i := range boolean {
		boolean[i] = i >= a.keys && i%3 != 0 // the first query attends to nothing
	}
	perHead := make([]bool, a.batch*a.heads*a.queries*a.keys)
	for i := range perHead {
		perHead[i] = r.IntN(3) > 0
	}
	always := func(_, _, _, _ int) bool { return true }
	type config = compute.ScaledDotProductAttentionConfig
	for name, c := range map[string]struct {
		extra   []array
		options func(x []compute.Value) *config
		scale   float64
		allowed func(b, h, i, j int) bool
	}{
		"plain":  {nil, func([]compute.Value) *config { return nil }, 1 / math.Sqrt(8), always},
		"scaled": {nil, func([]compute.Value) *config { return &config{Scale: 2} }, 2, always},
		"causal": {nil, func([]compute.Value) *config { return &config{Causal: true} }, 1 / math.Sqrt(8),
			func(_, _, i, j int) bool { return j <= i }},
		"a mask": {[]array{arr(boolean, a.queries, a.keys)}, func(x []compute.Value) *config { return &config{Mask: x[0], Causal: true} },
			1 / math.Sqrt(8), func(_, _, i, j int) bool { return boolean[i*a.keys+j] && j <= i }},
		"lengths": {[]array{vec[int32](2, 3), vec[int32](5, 1)},
			func(x []compute.Value) *config { return &config{QuerySeqLen: x[0], KeyValueSeqLen: x[1]} }, 1 / math.Sqrt(8),
			func(b, _, i, j int) bool { return i < []int{2, 3}[b] && j < []int{5, 1}[b] }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]array{arr(q, a.batch, a.heads, a.queries, a.size), arr(k, a.batch, a.shared, a.keys, a.size),
				arr(v, a.batch, a.shared, a.keys, a.size)}, c.extra...)
			got := run(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
				out, states, err := f.FusedScaledDotProductAttention(x[0], x[1], x[2], compute.AttentionAxesLayoutBHSD, c.options(x[3:]))
				if err != nil {
					return nil, err
				}
				assert.Empty(t, states)
				// The other layout gives the same.
				for i := range 3 {
					if x[i], err = f.Transpose(x[i], 0, 2, 1, 3); err != nil {
						return nil, err
					}
				}
				other, _, err := f.FusedScaledDotProductAttention(x[0], x[1], x[2], compute.AttentionAxesLayoutBSHD, c.options(x[3:]))
				if err != nil {
					return nil, err
				}
				other, err = f.Transpose(other, 0, 2, 1, 3)
				return []compute.Value{out, other}, err
			}, args...)
			want := arr(a.weigh(q, k, v, c.scale, c.allowed), a.batch, a.heads, a.queries, a.size)
			same(t, want, got[0])
			same(t, want, got[1])
		})
	}
}

func TestAttentionThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	main := open(t, "").Builder("errors").Main()
	parameter := func(name string, t dtypes.DType, dims ...int) compute.Value {
		x, err := main.Parameter(name, shapes.Make(t, dims...), nil)
		if err != nil {
			panic(err)
		}
		return x
	}
	q := parameter("q", dtypes.Float32, 2, 4, 3, 8)
	k := parameter("k", dtypes.Float32, 2, 2, 5, 8)
	odd := parameter("odd", dtypes.Float32, 2, 3, 5, 8)
	half := parameter("half", dtypes.Float16, 2, 2, 5, 8)
	flat := parameter("flat", dtypes.Float32, 2, 8)
	numbers := parameter("numbers", dtypes.Int32, 3, 5)
	booleans := parameter("booleans", dtypes.Bool, 2, 8)
	lengths := parameter("lengths", dtypes.Float32, 2)
	attend := func(q, k, v compute.Value, layout compute.AttentionAxesLayout, o *compute.ScaledDotProductAttentionConfig) error {
		_, _, err := main.FusedScaledDotProductAttention(q, k, v, layout, o)
		return err
	}
	type config = compute.ScaledDotProductAttentionConfig
	for name, err := range map[string]error{
		"layout":      attend(q, k, k, 9, nil),
		"heads":       attend(q, odd, odd, 0, nil),
		"dtypes":      attend(q, half, half, 0, nil),
		"ranks":       attend(q, flat, k, 0, nil),
		"nil":         attend(q, nil, k, 0, nil),
		"mask":        attend(q, k, k, 0, &config{Mask: numbers}),
		"mask's size": attend(q, k, k, 0, &config{Mask: booleans}),
		"one length":  attend(q, k, k, 0, &config{QuerySeqLen: lengths}),
		"lengths":     attend(q, k, k, 0, &config{QuerySeqLen: lengths, KeyValueSeqLen: lengths}),
	} {
		if assert.Error(t, err, name) {
			assert.ErrorContains(t, err, "pjrt backend: ", name)
			assert.False(t, compute.IsNotImplemented(err), name)
		}
	}
	for name, d := range map[string]compute.Value{"size": k, "dtype": half, "rank": flat, "nil": nil} {
		_, _, _, err := main.FusedScaledDotProductAttentionVJP(q, k, k, 0, nil, q, nil, d)
		assert.ErrorContains(t, err, "pjrt backend: ", name)
	}
	// GoMLX then makes it of other operations, and so finds the gradients of these too.
	for name, o := range map[string]*config{"bias": {Bias: q}, "mask of numbers": {Mask: q}} {
		assert.True(t, compute.IsNotImplemented(attend(q, k, k, 0, o)), name)
	}
	for name, call := range map[string]func() (compute.Value, error){
		"FusedQuantizedDense":      func() (compute.Value, error) { return main.FusedQuantizedDense(flat, flat, nil, nil, 0) },
		"QuantizedEmbeddingLookup": func() (compute.Value, error) { return main.QuantizedEmbeddingLookup(flat, numbers, nil) },
		"FusedDense": func() (compute.Value, error) {
			return main.FusedDense(flat, flat, nil, compute.DenseConfig{Activation: compute.ActivationRelu})
		},
	} {
		_, err := call()
		assert.True(t, errors.Is(err, compute.ErrNotImplemented), name)
		assert.ErrorContains(t, err, "pjrt backend: "+name)
	}
}

// A cache of compiled programs knows them by their text.
func TestAttentionIsTheSameProgramEachTime(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	text := func() string {
		main := b.Builder("attention").Main()
		c := chain{t, main}
		q := c.must(main.Parameter("q", shapes.Make(dtypes.Float32, 2, 4, 3, 8), nil))
		lengths := c.must(main.Parameter("lengths", shapes.Make(dtypes.Int32, 2), nil))
		o := &compute.ScaledDotProductAttentionConfig{QuerySeqLen: lengths, KeyValueSeqLen: lengths, Causal: true}
		out, states, err := main.FusedScaledDotProductAttention(q, q, q, compute.AttentionAxesLayoutBHSD, o)
		require.NoError(t, err)
		dQuery, dKey, dValues, err := main.FusedScaledDotProductAttentionVJP(q, q, q, compute.AttentionAxesLayoutBHSD, o, out, states, q)
		require.NoError(t, err)
		require.NoError(t, main.Return([]compute.Value{out, dQuery, dKey, dValues}, nil))
		text, err := gomlx.Text(main.Builder())
		require.NoError(t, err)
		return text
	}
	first := text()
	for range 20 {
		require.Equal(t, first, text())
	}
}

// The gradients are those of the attention that GoMLX makes of other operations.
func TestTheGradientOfAttentionIsGoMLXs(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	r := rand.New(rand.NewPCG(3, 4))
	random := func(dims ...int) *tensors.Tensor {
		flat := make([]float32, 2*4*6*8)
		for i := range flat {
			flat[i] = r.Float32()*2 - 1
		}
		return tensors.FromFlatDataAndDimensions(flat[:dims[0]*dims[1]*dims[2]*dims[3]], dims...)
	}
	for _, layout := range []layers.AxesLayout{layers.LayoutBHSD, layers.LayoutBSHD} {
		shape := func(heads, positions int) []int {
			if layout == layers.LayoutBHSD {
				return []int{2, heads, positions, 8}
			}
			return []int{2, positions, heads, 8}
		}
		for name, o := range map[string]layers.CoreOptions{
			"plain":  {},
			"causal": {UseCausalMask: true, Scale: 0.3},
			"biased": {Scale: 0.3},
			"masked": {},
		} {
			t.Run(layout.String()+"/"+name, func(t *testing.T) {
				var fused bool
				exec := graph.MustNewExec(b, func(in []*graph.Node) []*graph.Node {
					var all []*graph.Node
					for _, o.DisableFusion = range []bool{false, true} {
						switch name {
						case "biased":
							o.AttentionBias = in[4]
						case "masked": // in a way that does not depend on the layout
							zero := graph.ScalarZero(in[4].Graph(), dtypes.Float32)
							o.AttentionMask = graph.GreaterThan(graph.ReduceSum(in[4], 0, 1), zero)
							if layout == layers.LayoutBHSD {
								o.AttentionMask = graph.ExpandAxes(o.AttentionMask, 0, 1)
							} else {
								o.AttentionMask = graph.ExpandAxes(o.AttentionMask, 0, 2)
							}
						}
						out, _ := layers.Core(in[0], in[1], in[2], layout, o)
						total := graph.ReduceAllSum(graph.Mul(out, in[3]))
						wanted := in[:3]
						if name == "biased" {
							wanted = []*graph.Node{in[0], in[1], in[2], in[4]}
						}
						all = append(all, graph.Gradient(total, wanted...)...)
					}
					fused = strings.Contains(in[0].Graph().String(), "FusedScaledDotProductAttentionVJP(")
					return all
				})
				query, key, values, weights := shape(4, 6), shape(2, 6), shape(2, 6), shape(4, 6)
				results := exec.MustCall(random(query...), random(key...), random(values...), random(weights...), random(2, 4, 6, 6))
				assert.Equal(t, name != "biased", fused)
				n := len(results) / 2
				for i := range n {
					assert.True(t, results[i].InDelta(results[n+i], 1e-4), "gradient %d", i)
				}
			})
		}
	}
}

// GoMLX 0.28 asks backends for a dense layer without activation if it has no number for the
// activation.
func TestADenseLayerKeepsItsActivation(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	dense := graph.MustNewExec(b, func(x, w *graph.Node) *graph.Node {
		return nn.Dense(x, w, nil, compute.DenseLayoutInputOutputs, activation.TypeLeakyRelu)
	})
	require.Equal(t, compute.ActivationNone, activation.TypeLeakyRelu.ToBackend())
	y := dense.MustCall([][]float32{{1, -1}}, [][]float32{{10}, {110}})[0]
	assert.InDelta(t, -30, y.Value().([][]float32)[0][0], 1e-4)
}
