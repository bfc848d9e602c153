// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/nn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attention has the sizes of what attends to what.
type attention struct {
	batch, heads, shared, queries, keys, size int
}

// weigh computes attention with loops, in the order batch, head, query, feature. allowed says
// what attends to what, and bias is added to a score.
func (a attention) weigh(q, k, v []float32, scale float64, allowed func(b, h, i, j int) bool, bias func(b, h, i, j int) float64) []float32 {
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
					w := math.Exp(score*scale + bias(b, h, i, j))
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
	bias := random(a.heads * a.queries * a.keys)
	boolean := make([]bool, a.queries*a.keys)
	for i := range boolean {
		boolean[i] = i >= a.keys && i%3 != 0 // the first query attends to nothing
	}
	perHead := make([]bool, a.batch*a.heads*a.queries*a.keys)
	for i := range perHead {
		perHead[i] = r.IntN(3) > 0
	}
	always := func(_, _, _, _ int) bool { return true }
	never := func(_, _, _, _ int) float64 { return 0 }
	type config = compute.ScaledDotProductAttentionConfig
	for name, c := range map[string]struct {
		extra   []array
		options func(x []compute.Value) *config
		scale   float64
		allowed func(b, h, i, j int) bool
		bias    func(b, h, i, j int) float64
	}{
		"plain":  {nil, func([]compute.Value) *config { return nil }, 1 / math.Sqrt(8), always, never},
		"scaled": {nil, func([]compute.Value) *config { return &config{Scale: 2} }, 2, always, never},
		"causal": {nil, func([]compute.Value) *config { return &config{Causal: true} }, 1 / math.Sqrt(8),
			func(_, _, i, j int) bool { return j <= i }, never},
		"biased, for each head": {[]array{arr(bias, 1, a.heads, a.queries, a.keys)},
			func(x []compute.Value) *config { return &config{Bias: x[0]} }, 1 / math.Sqrt(8), always,
			func(_, h, i, j int) float64 { return float64(bias[(h*a.queries+i)*a.keys+j]) }},
		"a mask of numbers": {[]array{arr(bias[:a.queries*a.keys], a.queries, a.keys)},
			func(x []compute.Value) *config { return &config{Mask: x[0]} }, 1 / math.Sqrt(8), always,
			func(_, _, i, j int) float64 { return float64(bias[i*a.keys+j]) }},
		"a mask": {[]array{arr(boolean, a.queries, a.keys)}, func(x []compute.Value) *config { return &config{Mask: x[0], Causal: true} },
			1 / math.Sqrt(8), func(_, _, i, j int) bool { return boolean[i*a.keys+j] && j <= i }, never},
		"lengths": {[]array{vec[int32](2, 3), vec[int32](5, 1)},
			func(x []compute.Value) *config { return &config{QuerySeqLen: x[0], KeyValueSeqLen: x[1]} }, 1 / math.Sqrt(8),
			func(b, _, i, j int) bool { return i < []int{2, 3}[b] && j < []int{5, 1}[b] }, never},
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
			want := arr(a.weigh(q, k, v, c.scale, c.allowed, c.bias), a.batch, a.heads, a.queries, a.size)
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
		"mask's size": attend(q, k, k, 0, &config{Mask: flat}),
		"bias":        attend(q, k, k, 0, &config{Bias: numbers}),
		"one length":  attend(q, k, k, 0, &config{QuerySeqLen: lengths}),
		"lengths":     attend(q, k, k, 0, &config{QuerySeqLen: lengths, KeyValueSeqLen: lengths}),
	} {
		if assert.Error(t, err, name) {
			assert.ErrorContains(t, err, "pjrt backend: ", name)
			assert.False(t, compute.IsNotImplemented(err), name)
		}
	}
	_, _, _, err := main.FusedScaledDotProductAttentionVJP(q, k, k, 0, nil, q, nil, q)
	assert.True(t, compute.IsNotImplemented(err))
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
