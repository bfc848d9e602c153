// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func device(t *testing.T) *pjrt.Client {
	plugin := plugintest.Plugin(t)
	client, err := plugin.NewClient(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return client
}

// empty returns a cache without programs.
func empty(t *testing.T) *cache.Cache {
	c, err := cache.Open(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	return c
}

func start(t *testing.T, m *model) *session {
	s, err := m.newSession(t.Context())
	require.NoError(t, err)
	t.Cleanup(s.close)
	return s
}

// expected is what JAX computes with the model, without a cache.
type expected struct {
	Prompt string
	Tokens []int32     // that follow the prompt
	Logits [][]float32 // after each token of the text but the last
}

func fromJAX(t *testing.T) (e expected, text []int32) {
	data, err := os.ReadFile("testdata/jax.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &e))
	require.NotEmpty(t, e.Tokens)
	for _, b := range []byte(e.Prompt) {
		text = append(text, int32(b))
	}
	return e, append(text, e.Tokens...)
}

func TestTheModelComputesWhatJAXDoes(t *testing.T) {
	t.Parallel()
	m, err := load(t.Context(), device(t), empty(t), "model")
	require.NoError(t, err)
	t.Cleanup(m.close)
	e, text := fromJAX(t)
	prompt := len(text) - len(e.Tokens)

	t.Run("tokens", func(t *testing.T) {
		s := start(t, m)
		var have []int32
		for next := text[:prompt]; len(have) < len(e.Tokens); next = have[len(have)-1:] {
			token, err := s.next(t.Context(), next)
			require.NoError(t, err)
			have = append(have, token)
		}
		assert.Equal(t, e.Tokens, have)
	})
	// However the text is cut, the cache has what was given before.
	for name, cut := range map[string]int{"in chunks": m.chunk.size, "token by token": 1, "in pieces that are no chunks": 5} {
		t.Run("logits "+name, func(t *testing.T) {
			s := start(t, m)
			at := 0
			for piece := range slices.Chunk(text[:len(text)-1], cut) {
				logits, err := s.add(t.Context(), piece)
				require.NoError(t, err)
				require.Len(t, logits, len(piece)*m.config.Vocabulary)
				for row := range slices.Chunk(logits, m.config.Vocabulary) {
					for token, have := range row {
						want := e.Logits[at][token]
						if math.Abs(float64(have-want)) > 1e-3 {
							t.Fatalf("after token %d, token %d has logit %v, and JAX says %v", at, token, have, want)
						}
					}
					at++
				}
			}
			assert.Equal(t, len(e.Logits), at)
		})
	}
	t.Run("what cannot be added", func(t *testing.T) {
		s := start(t, m)
		for says, tokens := range map[string][]int32{
			"no tokens to continue from":                     nil,
			"does not know token 128":                        {1, 128},
			"does not know token -1":                         {-1},
			"the text has 65 tokens, and the model takes 64": make([]int32, m.config.Context+1),
		} {
			_, err := s.next(t.Context(), tokens)
			require.ErrorContains(t, err, says)
		}
		// The rest of the context is not a whole number of chunks.
		_, err := s.add(t.Context(), text[:3])
		require.NoError(t, err)
		_, err = s.add(t.Context(), make([]int32, m.config.Context-3))
		require.NoError(t, err)
		_, err = s.next(t.Context(), []int32{1})
		require.ErrorContains(t, err, "the text has 65 tokens")
	})
}

func TestAModelThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	client := device(t)
	for name, c := range map[string]struct {
		file, old, replacement string
		says                   string
	}{
		"one layer fewer":        {"config.json", `"n_layer": 3`, `"n_layer": 2`, `no place, such as "h.2.`},
		"one layer more":         {"config.json", `"n_layer": 3`, `"n_layer": 4`, `has no array "h.3.`},
		"no heads":               {"config.json", `"n_head": 4`, `"n_head": 0`, "a model cannot have the sizes"},
		"heads that do not fit":  {"config.json", `"n_head": 4`, `"n_head": 5`, "a model cannot have the sizes"},
		"an index without names": {"model.safetensors.index.json", "weight_map", "weights", "has no weight_map"},
		"another shape":          {"model-00001-of-00002.safetensors", `"shape": [64, 32]`, `"shape": [32, 64]`, "Positions"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.CopyFS(folder, os.DirFS("model")))
			file := filepath.Join(folder, c.file)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			changed := strings.Replace(string(text), c.old, c.replacement, 1)
			require.NotEqual(t, string(text), changed)
			require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
			_, err = load(t.Context(), client, empty(t), folder)
			require.ErrorContains(t, err, c.says)
		})
	}
}
