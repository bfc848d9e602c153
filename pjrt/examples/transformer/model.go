// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// weights has the model's weights in the order in which the programs take them, that of the fields
// in export.py. The tags are the names of GPT-2.
type weights struct {
	Tokens    *pjrt.Buffer `pjrt:"wte.weight"`
	Positions *pjrt.Buffer `pjrt:"wpe.weight"`
	Blocks    []block      `pjrt:"h"`
	Norm      pair         `pjrt:"ln_f"`
}

type block struct {
	AttentionNorm pair `pjrt:"ln_1"`
	Attention     pair `pjrt:"attn.c_attn"`
	AttentionOut  pair `pjrt:"attn.c_proj"`
	MLPNorm       pair `pjrt:"ln_2"`
	MLP           pair `pjrt:"mlp.c_fc"`
	MLPOut        pair `pjrt:"mlp.c_proj"`
}

// pair is a linear layer or a normalization.
type pair struct {
	Weight, Bias *pjrt.Buffer
}

// load puts the arrays that an index lists on the device. The files must have the arrays of the
// model and no others. They must not change while the model is in use: on a CPU, the buffers are
// the mapped files.
func (w *weights) load(ctx context.Context, client *pjrt.Client, index string) error {
	f, err := safetensors.Open(index)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.LoadInto(ctx, client, w, &safetensors.LoadOptions{Exact: true, Map: true})
}

// config has the sizes of the model.
type config struct {
	Vocabulary int `json:"n_vocab"`
	Context    int `json:"n_positions"`
	Width      int `json:"n_embd"`
	Heads      int `json:"n_head"`
	Layers     int `json:"n_layer"`
	Chunk      int `json:"chunk"` // tokens that the program chunk takes
}

// A program has a fixed shape, so there are two of the same function: chunk takes several tokens of
// a prompt at a time, token takes the one that was generated last.
type program struct {
	exe   *pjrt.LoadedExecutable
	bound *pjrt.Bound // with the weights, which both programs share
	size  int         // how many tokens it takes
}

func (p *program) close() {
	p.bound.Close()
	p.exe.Close()
}

type model struct {
	config   config
	client   *pjrt.Client
	compiled *cache.Cache
	weights  weights
	chunk    program
	token    func() (program, error) // waits until it is compiled
}

// load reads the model in a folder. Its programs are compiled unless they are in the cache: token
// while the model is in use already.
func load(ctx context.Context, client *pjrt.Client, compiled *cache.Cache, folder string) (*model, error) {
	c, err := readConfig(filepath.Join(folder, "config.json"))
	if err != nil {
		return nil, err
	}
	w := weights{Blocks: make([]block, c.Layers)}
	if err := w.load(ctx, client, filepath.Join(folder, "model.safetensors.index.json")); err != nil {
		return nil, err
	}
	m := &model{config: c, client: client, compiled: compiled, weights: w}
	// The first tokens need only chunk.
	m.token = sync.OnceValues(func() (program, error) { return m.compile(ctx, filepath.Join(folder, "token.mlir"), 1) })
	go m.token()
	if m.chunk, err = m.compile(ctx, filepath.Join(folder, "chunk.mlir"), c.Chunk); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func readConfig(file string) (c config, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	if min(c.Vocabulary, c.Context, c.Width, c.Heads, c.Layers, c.Chunk) < 1 || c.Width%c.Heads != 0 {
		return c, fmt.Errorf("%s: a model cannot have the sizes %+v", file, c)
	}
	return c, nil
}

// compile compiles a program and binds the weights to it. Weights of another shape are an error,
// with their name.
func (m *model) compile(ctx context.Context, file string, size int) (program, error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return program{}, err
	}
	exe, _, err := m.compiled.Compile(ctx, m.client, pjrt.Program{Code: code}, nil)
	if err != nil {
		return program{}, fmt.Errorf("%s: %w", file, err)
	}
	args, err := params.Arguments(m.weights)
	if err != nil {
		exe.Close()
		return program{}, err
	}
	bound, err := exe.Bind(ctx, args...)
	if err != nil {
		exe.Close()
		return program{}, fmt.Errorf("%s: %w", file, err)
	}
	return program{exe, bound, size}, nil
}

func (m *model) close() {
	if token, err := m.token(); err == nil {
		token.close()
	}
	m.chunk.close()
	params.Close(m.weights)
}

// A session is a text that the model continues. Sessions share the model; each is for one goroutine
// at a time.
type session struct {
	*model
	keys, values *pjrt.Buffer // of the tokens so far, in each layer; the programs replace them
	length       int          // of the text, in tokens
}

func (m *model) newSession(ctx context.Context) (*session, error) {
	c := m.config
	dims := []int64{int64(c.Layers), int64(c.Heads), int64(c.Context), int64(c.Width / c.Heads)}
	zeros := make([]float32, c.Layers*c.Context*c.Width)
	s := &session{model: m}
	var err error
	if s.keys, err = pjrt.FromSlice(ctx, m.client, zeros, dims...); err != nil {
		return nil, err
	}
	if s.values, err = pjrt.FromSlice(ctx, m.client, zeros, dims...); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *session) close() {
	s.keys.Close()
	s.values.Close()
}

// next adds tokens to the text and returns the one that most probably follows. After an error the
// session is unusable.
func (s *session) next(ctx context.Context, tokens []int32) (int32, error) {
	logits, err := s.add(ctx, tokens)
	if err != nil {
		return 0, err
	}
	last := logits[len(logits)-s.config.Vocabulary:]
	best := 0
	for token, logit := range last {
		if logit > last[best] {
			best = token
		}
	}
	return int32(best), nil
}

// add adds tokens to the text. It returns, for at least the last of them, the logits of the token
// that follows.
func (s *session) add(ctx context.Context, tokens []int32) (logits []float32, err error) {
	if len(tokens) == 0 {
		return nil, errors.New("there are no tokens to continue from: give a prompt")
	}
	if have := s.length + len(tokens); have > s.config.Context {
		return nil, fmt.Errorf("the text has %d tokens, and the model takes %d", have, s.config.Context)
	}
	for _, token := range tokens {
		if token < 0 || int(token) >= s.config.Vocabulary {
			return nil, fmt.Errorf("the model does not know token %d: it has %d tokens", token, s.config.Vocabulary)
		}
	}
	for len(tokens) > 0 {
		p := s.chunk
		if len(tokens) == 1 || s.length+p.size > s.config.Context {
			if p, err = s.token(); err != nil {
				return nil, err
			}
		}
		n := min(len(tokens), p.size)
		if logits, err = s.execute(ctx, p, tokens[:n]); err != nil {
			return nil, err
		}
		tokens = tokens[n:]
	}
	return logits, nil
}

// execute runs a program on as many tokens as it takes, or fewer. It pads fewer with zeros, whose
// keys and values are overwritten before any token sees them.
func (s *session) execute(ctx context.Context, p program, tokens []int32) ([]float32, error) {
	padded := make([]int32, p.size)
	copy(padded, tokens)
	x, err := pjrt.FromSlice(ctx, s.client, padded, int64(p.size))
	if err != nil {
		return nil, err
	}
	defer x.Close()
	start, err := pjrt.FromScalar(ctx, s.client, int32(s.length))
	if err != nil {
		return nil, err
	}
	defer start.Close()

	// Keys and values are donated: the program writes the new ones where the old ones were.
	outs, err := p.exe.Execute(ctx, []*pjrt.Buffer{s.keys, s.values, x, start}, &pjrt.ExecuteOptions{Bound: p.bound})
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	s.close()
	s.keys, s.values = outs[1], outs[2]
	s.length += len(tokens)
	logits, err := pjrt.ToSlice[float32](ctx, outs[0])
	if err != nil {
		return nil, err
	}
	return logits[:len(tokens)*s.config.Vocabulary], nil
}
