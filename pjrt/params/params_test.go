// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	pjrttest.NoLeaks(t)
	return pjrttest.New(t, pjrttest.Options{Devices: 4}).Client()
}

func upload(t testing.TB, c *pjrt.Client, x ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(t.Context(), c, x, int64(len(x)))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

type layer struct {
	Weights, Bias *pjrt.Buffer
	Size          int
	notes         string
}

type model struct {
	layer
	Layers []layer
	Norms  [2]*pjrt.Buffer
	Named  map[string]*pjrt.Buffer
	Head   *layer
	Open   pjrt.Argument
	Skip   *pjrt.Buffer `pjrt:"-"`
	client *pjrt.Client // no buffer
	//lint:ignore U1000 Arguments must skip it
	hidden map[int]string
}

func TestArgumentsOfStructs(t *testing.T) {
	client := newClient(t)
	var all []*pjrt.Buffer
	next := func() *pjrt.Buffer {
		b := upload(t, client, float32(len(all)))
		all = append(all, b)
		return b
	}
	m := model{client: client, layer: layer{notes: "none"}}
	m.Weights, m.Bias = next(), next()
	m.Layers = []layer{{Weights: next(), Bias: next()}, {Weights: next(), Bias: next()}}
	last := next()
	m.Norms = [2]*pjrt.Buffer{next(), next()}
	m.Named = map[string]*pjrt.Buffer{"b": last, "a": next()}
	m.Head = &layer{Weights: next(), Bias: next()}
	args, err := params.Arguments(&m, last)
	require.NoError(t, err)
	want := []struct {
		name   string
		buffer *pjrt.Buffer
	}{
		{"[0].layer.Weights", all[0]},
		{"[0].layer.Bias", all[1]},
		{"[0].Layers[0].Weights", all[2]},
		{"[0].Layers[0].Bias", all[3]},
		{"[0].Layers[1].Weights", all[4]},
		{"[0].Layers[1].Bias", all[5]},
		{"[0].Norms[0]", all[7]},
		{"[0].Norms[1]", all[8]},
		{`[0].Named["a"]`, all[9]},
		{`[0].Named["b"]`, all[6]},
		{"[0].Head.Weights", all[10]},
		{"[0].Head.Bias", all[11]},
		{"[0].Open", nil},
		{"[1]", all[6]},
	}
	require.Len(t, args, len(want))
	for i, w := range want {
		assert.Equal(t, w.name, args[i].Name)
		if w.buffer == nil {
			assert.Empty(t, args[i].Buffers, w.name)
		} else {
			assert.Equal(t, []*pjrt.Buffer{w.buffer}, args[i].Buffers, w.name)
		}
	}
	one, err := params.Arguments(layer{Weights: all[0], Bias: all[1]})
	require.NoError(t, err)
	assert.Equal(t, "Weights", one[0].Name)

	type loop struct {
		Next *loop
		B    *pjrt.Buffer
	}
	endless := &loop{B: all[0]}
	endless.Next = endless
	type secret struct{ weights *pjrt.Buffer }
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"nil":          {nil, "the value is nil"},
		"nil pointer":  {(*layer)(nil), "the value is nil"},
		"a number":     {7, "the value is of type int, which holds no buffers"},
		"in a slice":   {[]any{all[0], "x"}, "[1] is of type string, which holds no buffers"},
		"int keys":     {map[int]*pjrt.Buffer{}, "the keys of a map must be strings"},
		"nil inside":   {struct{ Head *layer }{}, "Head is nil"},
		"itself":       {endless, "is nested more than 64 deep"},
		"not exported": {secret{all[0]}, "weights may hold buffers but is not exported: export it, or tag"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := params.Arguments(c.value)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestScanFillsStructs(t *testing.T) {
	client := newClient(t)
	results := []*pjrt.Buffer{upload(t, client, 0), upload(t, client, 1), upload(t, client, 2)}
	var l layer
	var extra *pjrt.Buffer
	require.NoError(t, params.Scan(results, &l, &extra))
	assert.Equal(t, results, []*pjrt.Buffer{l.Weights, l.Bias, extra})
	list := make([]*pjrt.Buffer, 3)
	require.NoError(t, params.Scan(results, &list))
	assert.Equal(t, results, list)
	for name, c := range map[string]struct {
		into []any
		want string
	}{
		"too few":     {[]any{&l}, "the destinations have 2 places for 3 results"},
		"too many":    {[]any{&l, &l}, "the destinations have 4 places for 3 results"},
		"a value":     {[]any{l, &extra}, "destination 0 is of type params_test.layer; give a pointer"},
		"a buffer":    {[]any{&l, extra}, "destination 1 is of type *pjrt.Buffer; give a pointer"},
		"nil":         {[]any{nil}, "destination 0 is of type <nil>"},
		"nil pointer": {[]any{(*layer)(nil)}, "destination 0"},
		"map":         {[]any{&map[string]*pjrt.Buffer{"a": nil, "b": nil, "c": nil}}, "cannot be changed"},
		"argument":    {[]any{&l, &pjrt.Argument{}}, "is of type pjrt.Argument; Scan stores these results in places of type *pjrt.Buffer"},
		"array":       {[]any{&l, &struct{ A *sharding.Array }{}}, "A is of type *sharding.Array; Scan stores these results in places of type *pjrt.Buffer"},
	} {
		t.Run(name, func(t *testing.T) {
			before := l
			err := params.Scan(results, c.into...)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			assert.Equal(t, before, l, "nothing changed")
		})
	}
}

func TestShardedArraysAreArguments(t *testing.T) {
	client := newClient(t)
	mesh, err := sharding.NewMesh(client.Devices(), sharding.Axis{Name: "x", Size: 4})
	require.NoError(t, err)
	array, err := mesh.Scatter(t.Context(), pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4), sharding.Partition{"x"})
	require.NoError(t, err)
	defer array.Close()
	bias := upload(t, client, 5)
	args, err := params.Arguments(struct {
		Weights *sharding.Array
		Bias    *pjrt.Buffer
		Later   pjrt.Argument
		Rest    []*sharding.Array
	}{Weights: array, Bias: bias, Rest: []*sharding.Array{array}})
	require.NoError(t, err)
	assert.Equal(t, []pjrt.Argument{
		{Name: "Weights", Buffers: array.Buffers()},
		{Name: "Bias", Buffers: []*pjrt.Buffer{bias}},
		{Name: "Later"},
		{Name: "Rest[0]", Buffers: array.Buffers()},
	}, args)
	_, err = params.Arguments(struct{ Weights *sharding.Array }{new(sharding.Array)})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "Weights is a sharding.Array without parts")
}

func TestShardedResultsAreScanned(t *testing.T) {
	client := newClient(t)
	mesh, err := sharding.NewMesh(client.Devices(), sharding.Axis{Name: "x", Size: 4})
	require.NoError(t, err)
	a, err := mesh.Scatter(t.Context(), pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4), sharding.Partition{"x"})
	require.NoError(t, err)
	defer a.Close()
	var out struct {
		Y     *sharding.Array
		State []*sharding.Array
	}
	out.State = make([]*sharding.Array, 1)
	require.NoError(t, params.Scan([]*sharding.Array{a, nil}, &out))
	assert.Same(t, a, out.Y)
	assert.Nil(t, out.State[0])
	require.ErrorContains(t, params.Scan([]*pjrt.Buffer{nil, nil}, &out), "Y is of type *sharding.Array; Scan stores these results in places of type *pjrt.Buffer")
	require.ErrorContains(t, params.Scan([]*sharding.Array{a}, &out), "2 places for 1 results")
}

// An array on the host is no argument, and is not dropped either.
func TestHostArraysAreUploaded(t *testing.T) {
	client := newClient(t)
	b := upload(t, client, 3)
	value := struct {
		W    pjrt.HostArray
		Bias *pjrt.Buffer
		Rest []pjrt.HostArray
	}{pjrt.ArrayOf([]float32{1, 2}), b, []pjrt.HostArray{pjrt.ArrayOf([]int8{5})}}
	_, err := params.Arguments(value)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "W is an array on the host: let Upload copy it to a device")
	args, made, err := params.Upload(t.Context(), client, &pjrt.BufferOptions{Device: client.Devices()[2]}, value)
	require.NoError(t, err)
	require.Len(t, made, 2)
	assert.Equal(t, []pjrt.Argument{
		{Name: "W", Buffers: made[:1]}, {Name: "Bias", Buffers: []*pjrt.Buffer{b}}, {Name: "Rest[0]", Buffers: made[1:]},
	}, args)
	d, err := made[1].Device()
	require.NoError(t, err)
	assert.Same(t, client.Devices()[2], d)
	for _, m := range made {
		require.NoError(t, m.Close())
	}
	value.Rest[0].Data = nil
	_, _, err = params.Upload(t.Context(), client, nil, value)
	require.ErrorContains(t, err, "Rest[0]: ")
	_, _, err = params.Upload(t.Context(), nil, nil, value)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}

// The list that Arguments returns can be bound as it is.
func TestAProgramTakesAShardedModel(t *testing.T) {
	pjrttest.NoLeaks(t)
	p := pjrttest.New(t, pjrttest.Options{Devices: 2})
	client := p.Client()
	p.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(`module @add {
  func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`)}, &pjrt.CompileOptions{Replicas: 2})
	require.NoError(t, err)
	defer exe.Close()
	mesh, err := sharding.NewMesh(exe.Devices(), sharding.Axis{Name: "batch", Size: 2})
	require.NoError(t, err)
	array, err := mesh.Scatter(t.Context(), pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4), sharding.Partition{"batch"})
	require.NoError(t, err)
	defer array.Close()
	args, err := params.Arguments(struct {
		Parts  *sharding.Array
		Shared *pjrt.Buffer
	}{array, upload(t, client, 10, 20)})
	require.NoError(t, err)
	bound, err := exe.Bind(t.Context(), args...)
	require.NoError(t, err)
	defer bound.Close()
	outs, err := exe.ExecuteAll(t.Context(), nil, &pjrt.ExecuteOptions{Bound: bound})
	require.NoError(t, err)
	sum, err := mesh.Join(array.Shape(), array.Partition(), []*pjrt.Buffer{outs[0][0], outs[1][0]})
	require.NoError(t, err)
	defer sum.Close()
	got, err := sum.Gather(t.Context())
	require.NoError(t, err)
	assert.Equal(t, pjrt.ArrayOf([]float32{11, 22, 13, 24}, 4), got)
}

type activation interface{ apply() }

type relu int

func (relu) apply() {}

type dense struct{ W *pjrt.Buffer }

func (*dense) apply() {}

// A field with room for buffers is visited or is an error; only the tag leaves it out.
func TestOnlyFieldsWithoutRoomAreLeftOut(t *testing.T) {
	client := newClient(t)
	b := upload(t, client, 1)
	type link struct {
		//lint:ignore U1000 Arguments must skip it
		next *link
	}
	args, err := params.Arguments(struct {
		Client   *pjrt.Client
		exe      *pjrt.LoadedExecutable
		devices  []*pjrt.Device
		topology *pjrt.Topology
		ready    *pjrt.Event
		shape    pjrt.Shape
		mu       *sync.Mutex
		sizes    map[int][]string
		done     chan struct{}
		loop     *link
		compute  func(*pjrt.Buffer) *pjrt.Buffer
		run      *pjrt.Bound `pjrt:"-"`
		cache    any         `pjrt:"-"`
		W        *pjrt.Buffer
		Layers   []activation
	}{Client: client, W: b, Layers: []activation{&dense{b}, relu(1), &dense{b}}})
	require.NoError(t, err)
	var names []string
	for _, a := range args {
		names = append(names, a.Name)
	}
	assert.Equal(t, []string{"W", "Layers[0].W", "Layers[2].W"}, names)

	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"an interface":             {struct{ a activation }{}, "a may hold buffers but is not exported"},
		"any":                      {struct{ a any }{}, "a may hold buffers but is not exported"},
		"deep inside":              {struct{ m map[string][]*[2]chan dense }{}, "m may hold buffers but is not exported"},
		"a key":                    {struct{ m map[*pjrt.Buffer]int }{}, "m may hold buffers but is not exported"},
		"an exported key":          {struct{ M map[*pjrt.Buffer]int }{}, "the keys of a map must be strings"},
		"a channel":                {struct{ C chan *pjrt.Buffer }{}, "C is of type chan *pjrt.Buffer; buffers cannot be taken out of a channel"},
		"a nil interface":          {struct{ A activation }{}, "A is nil"},
		"a buffer by value":        {&struct{ B pjrt.Buffer }{}, "B is of type pjrt.Buffer; use a *pjrt.Buffer"},
		"an array by value":        {struct{ A sharding.Array }{}, "A is of type sharding.Array; use a *sharding.Array"},
		"an array not exported":    {struct{ a *sharding.Array }{}, "a may hold buffers but is not exported"},
		"an argument not exported": {struct{ a []pjrt.Argument }{}, "a may hold buffers but is not exported"},
		"bound arguments": {struct{ Run *pjrt.Bound }{new(pjrt.Bound)},
			"Run is of type pjrt.Bound, which may hold buffers that cannot be taken out"},
		"an executable": {new(pjrt.LoadedExecutable), "the value is of type pjrt.LoadedExecutable, which holds no buffers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := params.Arguments(c.value)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			if strings.Contains(err.Error(), "may hold") {
				assert.ErrorContains(t, err, "tag the field `pjrt:\"-\"`")
			}
		})
	}
}

// A weight that was forgotten is told with its field, before anything is bound or copied.
func TestANilWeightIsNamedAtOnce(t *testing.T) {
	client := newClient(t)
	b := upload(t, client, 1)
	type weights struct{ W, B *pjrt.Buffer }
	for want, value := range map[string]any{
		"B is nil: fill it":                      weights{b, nil},
		"Layers[1].B is nil":                     &struct{ Layers []weights }{[]weights{{b, b}, {b, nil}}},
		"[1] is nil":                             []*pjrt.Buffer{b, nil},
		`["w"] is nil`:                           map[string]*pjrt.Buffer{"w": nil},
		"the value is nil":                       (*pjrt.Buffer)(nil),
		"Parts is nil":                           struct{ Parts *sharding.Array }{},
		"Each is nil":                            struct{ Each pjrt.Argument }{pjrt.Argument{Buffers: []*pjrt.Buffer{b, nil}}},
		"Any is nil":                             struct{ Any any }{(*pjrt.Buffer)(nil)},
		"or tag the field `pjrt:\"-\"` to leave": weights{nil, b},
	} {
		_, err := params.Arguments(value)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
		_, made, err := params.Upload(t.Context(), client, nil, pjrt.ArrayOf([]float32{1}), value)
		require.ErrorContains(t, err, "is nil", want)
		require.Empty(t, made)
	}
	_, _, err := params.Upload(t.Context(), client, nil, struct{ W pjrt.HostArray }{})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "W: ")
}
