// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package trainbench

import (
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/zoo/transformer"
	"github.com/gomlx/gomlx/ml/zoo/transformer/generate"
	"github.com/stretchr/testify/require"
)

const (
	promptTokens = 8
	madeTokens   = 56
)

// generation is a language model with random weights, which generates with a cache of keys and
// values.
type generation struct {
	backend   compute.Backend
	store     *model.Store
	generator *generate.Generator
}

func newGeneration(tb testing.TB, backend compute.Backend) *generation {
	store := model.NewStore()
	newModel := func() *transformer.Model {
		return transformer.New(store.RootScope()).WithVocabSize(256).WithEmbedDim(256).WithNumLayers(4).
			WithNumHeads(4).WithHeadDim(64).WithMaxPosEmbed(128).WithRoPE(10000)
	}
	// This makes the weights.
	_, err := model.CallOnce(backend, store, func(_ *model.Scope, tokens *graph.Node) *graph.Node {
		return newModel().Logits(tokens, transformer.CallOptions{})
	}, tensors.FromFlatDataAndDimensions(make([]int32, promptTokens), 1, promptTokens))
	require.NoError(tb, err)
	m := newModel()
	m.PopulateKVCacheConfigs()
	g := &generation{backend: backend, store: store}
	g.generator = generate.New(transformer.MakeKVCacheModelFn(m)).
		WithKVCache(m.KVCache, 4, 64, dtypes.Float32).WithMaxLength(promptTokens + madeTokens)
	g.run(tb)
	return g
}

func (g *generation) run(tb testing.TB) {
	out, err := g.generator.Decode(g.backend, g.store.RootScope(), [][]int32{{1, 2, 3, 4, 5, 6, 7, 8}})
	require.NoError(tb, err)
	out.MustFinalizeAll()
}

// BenchmarkGeneration measures how many tokens a second backends generate, as BenchmarkGoMLX
// measures training. The backend in pure Go has no DynamicUpdateSlice, which the cache needs.
func BenchmarkGeneration(b *testing.B) {
	all := backendsOf(b, 0, 1)
	generations := make([]*generation, len(all))
	for i, backend := range all {
		generations[i] = newGeneration(b, backend)
	}
	times := turns(b.N, len(generations), func(i int) float64 {
		start := time.Now()
		generations[i].run(b)
		return time.Since(start).Seconds()
	})
	b.ReportMetric(0, "ns/op")
	for i := range all {
		b.ReportMetric(madeTokens/best(times[i]), names[i]+"-tokens/s")
	}
	b.ReportMetric(best(times[1])/best(times[0]), "pjrt/xla")
}
