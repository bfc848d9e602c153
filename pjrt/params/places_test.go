// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

type attention struct {
	QKV    *pjrt.Buffer
	MLPOut *pjrt.Buffer
	Norm2  *sharding.Array `pjrt:"ln_2"`
}

type embedded struct{ Head *pjrt.Buffer }

func TestPlacesHaveTheNamesOfFilesOfWeights(t *testing.T) {
	t.Parallel()
	var model struct {
		embedded
		Title     string
		LayerNorm *pjrt.Buffer
		Blocks    []attention `pjrt:"h"`
		Pair      [2]*pjrt.Buffer
		Cache     *pjrt.Buffer `pjrt:"-"`
		Deep      *attention   `pjrt:"a.b"`
	}
	model.Blocks, model.Deep = make([]attention, 2), new(attention)
	places, err := params.Places(&model)
	require.NoError(t, err)
	var names, fields []string
	for _, p := range places {
		names, fields = append(names, p.Name), append(fields, p.Field)
	}
	assert.Equal(t, []string{
		"head", "layer_norm", "h.0.qkv", "h.0.mlp_out", "h.0.ln_2", "h.1.qkv", "h.1.mlp_out", "h.1.ln_2", "pair.0", "pair.1",
		"a.b.qkv", "a.b.mlp_out", "a.b.ln_2",
	}, names)
	assert.Equal(t, "embedded.Head", fields[0])
	assert.Equal(t, "Blocks[1].MLPOut", fields[6])
	assert.Same(t, &model.Blocks[1].MLPOut, places[6].Buffer)
	assert.Nil(t, places[6].Array)
	assert.Same(t, &model.Deep.Norm2, places[12].Array)
	assert.Nil(t, places[12].Buffer)
}

func TestValuesWithoutPlacesAreErrors(t *testing.T) {
	t.Parallel()
	var twice struct {
		A *pjrt.Buffer `pjrt:"x"`
		X *pjrt.Buffer
	}
	var argument struct{ A pjrt.Argument }
	var buffer *pjrt.Buffer
	for want, into := range map[string]any{
		"give a pointer to the value":                attention{},
		"of type *pjrt.Buffer; give a pointer":       buffer,
		"of type <nil>; give a pointer":              nil,
		`A and X have the same name, "x"`:            &twice,
		"A is of type pjrt.Argument; use a":          &argument,
		`["w"] cannot be changed because it is in`:   &map[string]*pjrt.Buffer{"w": nil},
		"Blocks is nil, so it is not known how many": &struct{ Blocks *attention }{},
		"is not exported":                            &struct{ w *pjrt.Buffer }{},
	} {
		_, err := params.Places(into)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}
}

func TestCloseClosesAllBuffers(t *testing.T) {
	client := newClient(t)
	before := pjrt.Live()["buffer"]
	var model struct {
		Layers [2]struct{ W *pjrt.Buffer }
		Other  pjrt.Argument
		None   *pjrt.Buffer
	}
	for _, b := range []**pjrt.Buffer{&model.Layers[0].W, &model.Layers[1].W} {
		var err error
		*b, err = pjrt.FromScalar(t.Context(), client, float32(1))
		require.NoError(t, err)
	}
	other, err := pjrt.FromScalar(t.Context(), client, float32(1))
	require.NoError(t, err)
	model.Other.Buffers = []*pjrt.Buffer{other}
	assert.Equal(t, before+3, pjrt.Live()["buffer"])
	require.NoError(t, params.Close(&model))
	assert.Equal(t, before, pjrt.Live()["buffer"])
	require.NoError(t, params.Close(model), "again")
	require.ErrorContains(t, params.Close(7), "holds no buffers")
}
