// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// maker is a function that gives a shape to the plugin, or would if the shape were valid.
type maker func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error

func closedBuffer(b *pjrt.Buffer, err error) error {
	return errors.Join(err, b.Close())
}

var makers = map[string]maker{
	"BufferFromHost": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(c.BufferFromHost(ctx, pjrt.HostArray{Type: s.Type, Dims: s.Dims}, nil))
	},
	"BufferFromHost with strides": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		strides := make([]int64, len(s.Dims))
		return closedBuffer(c.BufferFromHost(ctx, pjrt.HostArray{Type: s.Type, Dims: s.Dims}, &pjrt.BufferOptions{Strides: strides}))
	},
	"BufferFromHost with a layout": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		opts := &pjrt.BufferOptions{Layout: pjrt.RowMajor(len(s.Dims))}
		return closedBuffer(c.BufferFromHost(ctx, pjrt.HostArray{Type: s.Type, Dims: s.Dims}, opts))
	},
	"FromSlice": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(pjrt.FromSlice(ctx, c, []float32{}, s.Dims...))
	},
	"BufferFromReader": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(c.BufferFromReader(ctx, bytes.NewReader(nil), s, nil))
	},
	"UninitializedBuffer": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(c.UninitializedBuffer(ctx, s, nil))
	},
	"ErrorBuffer": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(c.ErrorBuffer(ctx, s, errors.New("no"), nil))
	},
	"ViewOfHostMemory": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(c.ViewOfHostMemory(ctx, pjrt.HostArray{Type: s.Type, Dims: s.Dims}, nil))
	},
	"ViewOfDeviceMemory": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		return closedBuffer(raw.ViewOfDeviceMemory(ctx, c, pjrt.HostAlignment, s, nil))
	},
	"CheckShape": func(_ context.Context, c *pjrt.Client, s pjrt.Shape) error { return raw.CheckShape(c, s) },
	"NewManager": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		m, err := transfer.NewManager(ctx, c, []pjrt.Shape{s}, nil)
		return errors.Join(err, m.Close())
	},
	"NewAlias": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		b, a, err := transfer.NewAlias(ctx, c, s, nil)
		return errors.Join(err, b.Close(), a.Close())
	},
	"memories.DefaultLayout": func(_ context.Context, c *pjrt.Client, s pjrt.Shape) error {
		_, err := memories.DefaultLayout(c, s)
		return err
	},
	"memories.DefaultLayoutFor": func(_ context.Context, c *pjrt.Client, s pjrt.Shape) error {
		t, err := c.Topology()
		if err == nil {
			_, err = memories.DefaultLayoutFor(t, s)
		}
		return err
	},
	"CanonicalShape": func(_ context.Context, c *pjrt.Client, s pjrt.Shape) error {
		t, err := c.Topology()
		if err == nil {
			_, err = t.CanonicalShape(0, s, nil)
		}
		return err
	},
	"Bitcast": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		b, err := pjrt.FromSlice(ctx, c, []float32{}, 0)
		if err != nil {
			return err
		}
		defer b.Close()
		return closedBuffer(b.Bitcast(ctx, s, nil))
	},
	"Scatter": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		m, err := sharding.NewMesh(c.Devices()[:1], sharding.Axis{Name: "x", Size: 1})
		if err != nil {
			return err
		}
		a, err := m.Scatter(ctx, pjrt.HostArray{Type: s.Type, Dims: s.Dims}, nil)
		return errors.Join(err, a.Close())
	},
	"PartShape": func(_ context.Context, c *pjrt.Client, s pjrt.Shape) error {
		m, err := sharding.NewMesh(c.Devices()[:1], sharding.Axis{Name: "x", Size: 1})
		if err == nil {
			_, err = m.PartShape(s, nil)
		}
		return err
	},
	"ArgumentLayouts": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		o := &pjrt.CompileOptions{ArgumentLayouts: []pjrt.ShapeLayout{{Shape: s}, {Shape: s}}}
		e, err := c.Compile(ctx, pjrt.Program{Code: []byte(add)}, o)
		return errors.Join(err, e.Close())
	},
	"ResultLayout": func(ctx context.Context, c *pjrt.Client, s pjrt.Shape) error {
		o := &pjrt.CompileOptions{ResultLayout: &pjrt.ShapeLayout{Shape: s, Layout: pjrt.RowMajor(len(s.Dims))}}
		e, err := c.Compile(ctx, pjrt.Program{Code: []byte(add)}, o)
		return errors.Join(err, e.Close())
	},
}

// A plugin multiplies the dimensions before a 0, and ends the process when that overflows.
func TestAZeroHidesNoOverflowFromAnyMaker(t *testing.T) {
	if !inChild(t) {
		return
	}
	ctx := context.Background()
	client := newClient(t)
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		for _, dims := range [][]int64{
			{1 << 31, 1 << 31, 0}, {0, 1 << 31, 1 << 31}, {1 << 31, 0, 1 << 31},
			{math.MaxInt64, 0}, {0, math.MaxInt64}, {math.MaxInt64, math.MaxInt64, 0}, {1 << 61, 0}, {1 << 46, 0},
			{0, -1}, {-1, 0}, {math.MinInt64, 0},
		} {
			shape := pjrt.Shape{Type: dtype.F32, Dims: dims}
			fmt.Fprintln(os.Stderr, name, shape) // the last line is the culprit if the process ends
			err := makers[name](ctx, client, shape)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, "%s of %v", name, shape)
			assert.NotContains(t, err.Error(), "PJRT_", "%s of %v reached the plugin", name, shape)
		}
		for _, dims := range [][]int64{{0}, {1 << 20, 0}, {0, 1 << 20, 1 << 10}} {
			shape := pjrt.Shape{Type: dtype.F32, Dims: dims}
			fmt.Fprintln(os.Stderr, name, shape)
			err := makers[name](ctx, client, shape)
			if err != nil {
				assert.NotContains(t, err.Error(), "too large", "%s of %v", name, shape)
			}
		}
	}
}

// With Shardy a pass over HLO makes the tuple of the arguments. XLA ends the process if that pass
// is left out.
func TestTupledArgumentsNeedThePassThatMakesTheTuple(t *testing.T) {
	if !inChild(t) {
		return
	}
	client := newClient(t)
	for name, c := range map[string]struct {
		options pjrt.CompileOptions
		refused bool
	}{
		"Shardy":               {pjrt.CompileOptions{Shardy: true}, false},
		"backend only":         {pjrt.CompileOptions{BackendOnly: true}, false},
		"Shardy, backend only": {pjrt.CompileOptions{Shardy: true, BackendOnly: true}, true},
		"no pass":              {pjrt.CompileOptions{Shardy: true, Flags: map[string]any{"xla_disable_all_hlo_passes": true}}, true},
		"not that pass":        {pjrt.CompileOptions{Shardy: true, Flags: map[string]any{"xla_disable_hlo_passes": "shardy-xla"}}, true},
		"another pass only":    {pjrt.CompileOptions{Shardy: true, Flags: map[string]any{"xla_enable_hlo_passes_only": "dce"}}, true},
		"no pass, as a message": {
			pjrt.CompileOptions{Shardy: true, DebugOptions: []byte{0xc0, 0x06, 1}}, true,
		},
	} {
		c.options.TupledArguments = true
		exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, &c.options)
		exe.Close()
		if c.refused {
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, "TupledArguments and Shardy", name)
		} else {
			assert.NoError(t, err, name)
		}
	}
}

// XLA ends the process on a tuple where the program has none, or one with other elements.
func TestTuplesOfArgumentLayoutsMustMatchTheProgram(t *testing.T) {
	if !inChild(t) {
		return
	}
	ctx := context.Background()
	client := newClient(t)
	f := pjrt.ShapeLayout{Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}}
	tuple := func(elements ...pjrt.ShapeLayout) pjrt.ShapeLayout {
		return pjrt.ShapeLayout{Tuple: append([]pjrt.ShapeLayout{}, elements...)}
	}
	text := pjrt.Program{Code: []byte(add)}
	exe := compile(t, client, add)
	optimized, err := exe.OptimizedProgram()
	require.NoError(t, err)
	optimized.Code, err = hlo.Module(optimized.Code)
	require.NoError(t, err)
	optimized.Format = pjrt.FormatHLO
	tupled, err := client.Compile(ctx, text, &pjrt.CompileOptions{TupledArguments: true})
	require.NoError(t, err)
	defer tupled.Close()
	hloOfTuple, err := tupled.OptimizedProgram()
	require.NoError(t, err)
	hloOfTuple.Code, err = hlo.Module(hloOfTuple.Code)
	require.NoError(t, err)
	hloOfTuple.Format = pjrt.FormatHLO
	serialized, err := exe.Serialize(ctx)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		program pjrt.Program
		layouts []pjrt.ShapeLayout
		tupled  bool
		want    string // of the error; "" if the program is compiled
	}{
		"arrays":                 {text, []pjrt.ShapeLayout{f, f}, false, ""},
		"tuple and array":        {text, []pjrt.ShapeLayout{tuple(f), f}, false, "argument layout 0 and parameter 0 of the program are not tuples"},
		"array and tuple":        {text, []pjrt.ShapeLayout{f, tuple(f)}, false, "argument layout 1 and parameter 1"},
		"empty tuple":            {text, []pjrt.ShapeLayout{f, tuple()}, false, "argument layout 1 and parameter 1"},
		"one tuple for two":      {text, []pjrt.ShapeLayout{tuple(f, f)}, false, "1 ArgumentLayouts, and the program has 2 parameters"},
		"tupled":                 {text, []pjrt.ShapeLayout{tuple(f, f)}, true, ""},
		"tupled, nested":         {text, []pjrt.ShapeLayout{tuple(f, tuple(f))}, true, "argument layout 0 and parameter 0"},
		"tupled, once more":      {text, []pjrt.ShapeLayout{tuple(tuple(f, f))}, true, "argument layout 0 and parameter 0"},
		"tupled, three":          {text, []pjrt.ShapeLayout{tuple(f, f, f)}, true, "argument layout 0 and parameter 0"},
		"tupled, two":            {text, []pjrt.ShapeLayout{tuple(f), tuple(f)}, true, "2 ArgumentLayouts, and the program has 1 parameters"},
		"HLO, tuple":             {optimized, []pjrt.ShapeLayout{tuple(f), f}, false, "argument layout 0 and parameter 0"},
		"tupled HLO":             {optimized, nil, true, "the program has 2 parameters where one tuple is needed"},
		"HLO":                    {optimized, []pjrt.ShapeLayout{f, f}, false, ""},
		"HLO of a tuple":         {hloOfTuple, []pjrt.ShapeLayout{tuple(f, f)}, true, ""},
		"tupled HLO of a tuple":  {hloOfTuple, nil, true, ""},
		"HLO, three elements":    {hloOfTuple, []pjrt.ShapeLayout{tuple(f, f, f)}, true, "argument layout 0 and parameter 0"},
		"HLO of a tuple, arrays": {hloOfTuple, []pjrt.ShapeLayout{f, tuple(f)}, true, "2 ArgumentLayouts, and the program has 1 parameters"},
		"types that cannot be read": {
			pjrt.Program{Code: []byte("func.func @main(%a: tuple<tensor<2x2xf32>>) { return }")},
			[]pjrt.ShapeLayout{tuple(f)}, false, "parameter", // which cannot be read, or ends the process of API 0.81
		},
	} {
		fmt.Fprintln(os.Stderr, name)
		opts := &pjrt.CompileOptions{ArgumentLayouts: c.layouts, TupledArguments: c.tupled}
		e, err := client.Compile(ctx, c.program, opts)
		if c.want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, c.want, name)
		}
		e.Close()
		// Loading an executable with such options must not end the process either.
		loaded, err := client.DeserializeAndLoad(ctx, serialized, &pjrt.LoadOptions{Compile: opts})
		loaded.Close()
		if c.tupled {
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, "only compiling can change how a program takes its arguments", name)
		}
	}
}
