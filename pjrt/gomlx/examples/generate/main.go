// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command generate teaches a transformer of GoMLX a sentence, letter by letter, and lets it
// continue the first word with a cache of keys and values. It needs no C compiler; GOMLX_BACKEND
// selects a device other than the CPU.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph" //nolint:revive // as in GoMLX's own programs
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/zoo/transformer"
	"github.com/gomlx/gomlx/ml/zoo/transformer/generate"

	_ "github.com/purepjrt/purepjrt/pjrt/gomlx"
)

const (
	heads, headSize = 4, 16
	letters         = 128 // the tokens are bytes of ASCII
)

func newModel(scope *model.Scope) *transformer.Model {
	return transformer.New(scope).WithVocabSize(letters).WithEmbedDim(heads * headSize).WithNumLayers(2).
		WithNumHeads(heads).WithHeadDim(headSize).WithMaxPosEmbed(256).WithRoPE(10000)
}

func main() {
	text := flag.String("text", "The quick brown fox jumps over the lazy dog.", "what to learn")
	prompt := flag.String("prompt", "The", "how the text that is generated begins")
	steps := flag.Int("steps", 150, "steps of training")
	flag.Parse()
	if err := run(*text, *prompt, *steps); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(text, prompt string, steps int) error {
	compute.DefaultConfig = "pjrt:cpu"
	backend, err := compute.New()
	if err != nil {
		return err
	}
	defer backend.Finalize()

	store := model.NewStore()
	// Some of the random weights would need more steps.
	if err := store.SetRNGStateFromSeed(1); err != nil {
		return err
	}
	store.RootScope().SetParam(optimizer.ParamLearningRate, 0.003)
	next := func(scope *model.Scope, tokens *Node) *Node {
		return newModel(scope).Logits(tokens, transformer.CallOptions{})
	}
	trainer := train.NewTrainer(backend, store, next, loss.SparseCategoricalCrossEntropyLogits, optimizer.Adam().Done(), nil, nil)
	tokens := tokensOf(text)
	n := len(tokens) - 1
	for range steps {
		// The trainer finalizes what it is given.
		metrics, err := trainer.TrainStep(train.Batch{
			Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(tokens[:n], 1, n)},
			Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(tokens[1:], 1, n, 1)},
		})
		if err != nil {
			return err
		}
		for _, m := range metrics {
			m.MustFinalizeAll()
		}
	}

	m := newModel(store.RootScope())
	m.PopulateKVCacheConfigs()
	generator := generate.New(transformer.MakeKVCacheModelFn(m)).
		WithKVCache(m.KVCache, heads, headSize, dtypes.Float32).WithMaxLength(len(text))
	for turn := range 2 { // the first one compiles
		start := time.Now()
		out, err := generator.Decode(backend, store.RootScope(), [][]int32{tokensOf(prompt)})
		if err != nil {
			return err
		}
		if turn == 1 {
			fmt.Println(textOf(out.Value().([][]int32)[0]))
			made := float64(len(text) - len(prompt))
			fmt.Fprintf(os.Stderr, "%.0f tokens per second\n", made/time.Since(start).Seconds())
		}
	}
	return nil
}

func tokensOf(text string) (tokens []int32) {
	for _, b := range []byte(text) {
		tokens = append(tokens, int32(b%letters))
	}
	return tokens
}

func textOf(tokens []int32) string {
	text := make([]byte, len(tokens))
	for i, t := range tokens {
		text[i] = byte(t)
	}
	return string(text)
}
