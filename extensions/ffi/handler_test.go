// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

var targets atomic.Int32

// target returns a name that nothing is registered under. What is registered stays until the
// process ends, and tests may run more than once in it.
func target() string { return fmt.Sprintf("purepjrt.go_%d", targets.Add(1)) }

// unary is a call with one vector as its argument, and one as its result.
type unary struct {
	In  ffi.Arg[float32]
	Out ffi.Ret[float32]
}

// handle registers a handler and returns a program that calls it with attributes.
func handle[T any](t testing.TB, c *pjrt.Client, attributes string, fn func(*ffi.Call, *T) error) *pjrt.LoadedExecutable {
	t.Helper()
	name := target()
	require.NoError(t, ffi.Register(c.Plugin(), name, fn))
	return compile(t, c, withAttributes(name, attributes))
}

func withAttributes(name, attributes string) string {
	return `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @` + name + `(%a) {api_version = 4 : i32, backend_config = {` + attributes + `}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
}

func execute(t testing.TB, exe *pjrt.LoadedExecutable, opts *pjrt.ExecuteOptions, args ...*pjrt.Buffer) ([]*pjrt.Buffer, error) {
	t.Helper()
	return exe.Execute(context.Background(), args, opts)
}

func TestArgumentsAndResultsAreViewsOfTheProgramsMemory(t *testing.T) {
	client := newClient(t)
	exe := handle(t, client, "", func(c *ffi.Call, op *unary) error {
		assert.Equal(t, []int64{4}, op.In.Dims)
		assert.Equal(t, []int64{4}, op.Out.Dims)
		assert.NotZero(t, op.In.Address)
		assert.NotEqual(t, op.In.Address, op.Out.Address)
		assert.Equal(t, cffi.ExecutionStageExecute, c.Stage())
		for i, x := range op.In.Data {
			op.Out.Data[i] = x * x
		}
		return nil
	})
	outs, err := execute(t, exe, nil, upload(t, client, 1, 2, 3, 4))
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 4, 9, 16}, read(t, outs[0]))
}

func TestACallTakesAndMakesAnyNumberOfArraysOfAnyType(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	type op struct {
		First ffi.Arg[dtype.BFloat16]
		Rest  []ffi.AnyArg
		Mask  ffi.Ret[bool]
		Other []ffi.AnyRet
	}
	name := target()
	require.NoError(t, ffi.Register(client.Plugin(), name, func(_ *ffi.Call, x *op) error {
		assert.Len(t, x.First.Data, 2)
		require.Len(t, x.Rest, 2)
		assert.Equal(t, dtype.S4, x.Rest[0].Type)
		assert.Equal(t, []byte{0x21}, x.Rest[0].Bytes, "two packed elements")
		_, err := x.Rest[0].Array()
		assert.ErrorContains(t, err, "the elements of i4[2] are packed")
		scalar, err := x.Rest[1].Array()
		require.NoError(t, err)
		assert.Empty(t, scalar.Dims)
		for i, v := range x.First.Data {
			x.Mask.Data[i] = v.Float32() > 0
		}
		require.Len(t, x.Other, 2)
		for _, r := range x.Other {
			copy(r.Bytes, scalar.Data)
		}
		assert.Empty(t, x.Other[1].Bytes)
		return nil
	}))
	exe := compile(t, client, `func.func @main(%a: tensor<2xbf16>, %b: tensor<2xi4>, %c: tensor<f64>) -> (tensor<2xi1>, tensor<f64>, tensor<0x3xi8>) {
  %0:3 = stablehlo.custom_call @`+name+`(%a, %b, %c) {api_version = 4 : i32} : (tensor<2xbf16>, tensor<2xi4>, tensor<f64>) -> (tensor<2xi1>, tensor<f64>, tensor<0x3xi8>)
  return %0#0, %0#1, %0#2 : tensor<2xi1>, tensor<f64>, tensor<0x3xi8>
}`)
	a, err := pjrt.FromSlice(ctx, client, []dtype.BFloat16{dtype.Round[dtype.BFloat16](-1), dtype.Round[dtype.BFloat16](2)}, 2)
	require.NoError(t, err)
	b, err := pjrt.FromSlice(ctx, client, []dtype.Int4{1, 2}, 2)
	require.NoError(t, err)
	c, err := pjrt.FromScalar(ctx, client, 2.5)
	require.NoError(t, err)
	for range 3 {
		outs, err := execute(t, exe, nil, a, b, c)
		require.NoError(t, err)
		mask, err := pjrt.ToSlice[bool](ctx, outs[0])
		require.NoError(t, err)
		assert.Equal(t, []bool{false, true}, mask)
		value, err := pjrt.ToSlice[float64](ctx, outs[1])
		require.NoError(t, err)
		assert.Equal(t, []float64{2.5}, value)
	}
}

type mode string

func TestAttributesAreDecodedIntoTheStruct(t *testing.T) {
	client := newClient(t)
	type op struct {
		In       ffi.Arg[float32]
		Out      ffi.Ret[float32]
		Flag     bool
		Small    int8
		Count    int
		MaxSteps uint16
		Float    float32
		Wide     float64
		Text     string
		Numbers  []int64
		Floats   []float64
		Empty    []int32
		Where    struct {
			Layer int32
			Name  string
			Deep  struct{ X []float32 }
		}
		Named mode   `ffi:"mode"`
		None  string `ffi:"none,optional"`
		Map   map[string]any
		Any   any
		Rest  map[string]any `ffi:",rest"`
	}
	var got []op
	exe := handle(t, client, `flag = true, small = -3 : i8, count = 7 : i64, max_steps = 500 : i32, float = 1.5 : f32, wide = 2.5 : f32,
    text = "a\22b", numbers = array<i64: 1, 2>, floats = array<f32: 1.0, 2.0>, empty = array<i32>,
    where = {layer = 2 : i64, name = "x", deep = {x = array<f32: 3.0>}}, mode = "fast", map = {a = 1 : i32}, any = 9 : i64, other = "o", another = 1.0 : f64`,
		func(_ *ffi.Call, x *op) error {
			c := *x
			c.In, c.Out = ffi.Arg[float32]{}, ffi.Ret[float32]{}
			got = append(got, c)
			return nil
		})
	want := op{Flag: true, Small: -3, Count: 7, MaxSteps: 500, Float: 1.5, Wide: 2.5, Text: `a"b`,
		Numbers: []int64{1, 2}, Floats: []float64{1, 2}, Empty: []int32{}, Named: "fast",
		Map: map[string]any{"a": int32(1)}, Any: int64(9), Rest: map[string]any{"other": "o", "another": 1.0}}
	want.Where.Layer, want.Where.Name, want.Where.Deep.X = 2, "x", []float32{3}
	a := upload(t, client, 1, 2, 3, 4)
	for range 2 {
		_, err := execute(t, exe, nil, a)
		require.NoError(t, err)
	}
	assert.Equal(t, []op{want, want}, got)
}

func TestOneHandlerServesProgramsWithDifferentAttributes(t *testing.T) {
	client := newClient(t)
	type scale struct {
		In     ffi.Arg[float32]
		Out    ffi.Ret[float32]
		Factor float32 `ffi:"factor,optional"`
		Shifts []int32 `ffi:"shifts,optional"`
	}
	name := target()
	var kept [][]int32
	require.NoError(t, ffi.Register(client.Plugin(), name, func(_ *ffi.Call, x *scale) error {
		for i, v := range x.In.Data {
			x.Out.Data[i] = v * x.Factor
		}
		kept = append(kept, x.Shifts)
		return nil
	}))
	a := upload(t, client, 1, 2, 3, 4)
	for _, c := range []struct {
		attributes string
		want       []float32
		shifts     []int32
	}{
		{"factor = 2.0 : f32, shifts = array<i32: 1, 2>", []float32{2, 4, 6, 8}, []int32{1, 2}},
		{"factor = 3.0 : f32, shifts = array<i32: 3, 4>", []float32{3, 6, 9, 12}, []int32{3, 4}},
		{"", []float32{0, 0, 0, 0}, nil},
	} {
		outs, err := execute(t, compile(t, client, withAttributes(name, c.attributes)), nil, a)
		require.NoError(t, err)
		assert.Equal(t, c.want, read(t, outs[0]))
		assert.Equal(t, c.shifts, kept[len(kept)-1])
	}
	assert.Equal(t, []int32{1, 2}, kept[0], "what a handler keeps does not change")
}

func TestAHandlerThatDoesNotFitTheProgramSaysWhy(t *testing.T) {
	client := newClient(t)
	a := upload(t, client, 1, 2, 3, 4)
	for _, c := range []struct {
		name       string
		attributes string
		register   func(name string) error
		want       string
	}{
		{"argument", "", registerFor[struct {
			In  ffi.Arg[float64]
			Out ffi.Ret[float32]
		}](client), "argument 0 (In) is f32[4], and the handler takes f64"},
		{"result", "", registerFor[struct {
			In  ffi.Arg[float32]
			Out ffi.Ret[int32]
		}](client), "result 0 (Out) is f32[4], and the handler makes i32"},
		{"more arguments", "", registerFor[struct {
			In, Mask ffi.Arg[float32]
			Out      ffi.Ret[float32]
		}](client), "the call has 1 arguments, and the handler takes 2 (In, Mask)"},
		{"fewer results", "", registerFor[struct {
			In ffi.Arg[float32]
		}](client), "the call has 1 results, and the handler takes 0 ()"},
		{"at least", "", registerFor[struct {
			In, Mask ffi.Arg[float32]
			More     []ffi.AnyArg
			Out      ffi.Ret[float32]
		}](client), "the call has 1 arguments, and the handler takes at least 2 (In, Mask)"},
		{"missing attribute", "scale = 1.0 : f32", registerFor[struct {
			In     ffi.Arg[float32]
			Out    ffi.Ret[float32]
			Factor float32
		}](client), `the attribute "factor" is missing: the call has ["scale"]`},
		{"unknown attribute", "factor = 1.0 : f32, scale = 1.0 : f32", registerFor[struct {
			In     ffi.Arg[float32]
			Out    ffi.Ret[float32]
			Factor float32
		}](client), `the handler has no attribute "scale": it has ["factor"]`},
		{"too wide", "factor = 1.5 : f64", registerFor[struct {
			In     ffi.Arg[float32]
			Out    ffi.Ret[float32]
			Factor float32
		}](client), `the attribute "factor" is the number 1.5 of type f64, and the handler takes float32`},
		{"too large", "count = 300 : i64", registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Count uint8
		}](client), `the attribute "count" is the number 300 of type i64, and the handler takes uint8`},
		{"negative", "count = -1 : i64", registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Count uint
		}](client), `the attribute "count" is the number -1 of type i64, and the handler takes uint`},
		{"text", `count = "three"`, registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Count int
		}](client), `the attribute "count" is the string "three", and the handler takes int`},
		{"array", `count = array<i64: 1, 2>`, registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Count []bool
		}](client), `the attribute "count" is an array of 2 numbers of type i64, and the handler takes []bool`},
		{"in a dictionary", `where = {layer = 1.0 : f32}`, registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Where struct{ Layer int }
		}](client), `the attribute "where" is a dictionary: the attribute "layer" is the number 1 of type f32, and the handler takes int`},
		{"no dictionary", `where = 1 : i32`, registerFor[struct {
			In    ffi.Arg[float32]
			Out   ffi.Ret[float32]
			Where struct{ Layer int }
		}](client), `the attribute "where" is the number 1 of type i32, and the handler takes a dictionary`},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := target()
			require.NoError(t, c.register(name))
			_, err := execute(t, compile(t, client, withAttributes(name, c.attributes)), nil, a)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			require.ErrorContains(t, err, "the custom call "+name+": "+c.want)
		})
	}
}

// registerFor returns a function that registers a handler that must not be called.
func registerFor[T any](client *pjrt.Client) func(name string) error {
	return func(name string) error {
		return ffi.Register(client.Plugin(), name, func(*ffi.Call, *T) error { return errors.New("the handler was called") })
	}
}

func TestStructsThatCannotDescribeACallAreErrors(t *testing.T) {
	client := newClient(t)
	for _, c := range []struct {
		register func(string) error
		want     string
	}{
		{registerFor[int](client), "takes a pointer to a struct that describes the call, not int"},
		{registerFor[struct{ in ffi.Arg[float32] }](client), "the field in is not exported"},
		{registerFor[struct{ count int }](client), "the field count is not exported"},
		{registerFor[struct{ In ffi.Arg[dtype.Int4] }](client), "elements of type i4 are packed in memory, so the field In must be an AnyArg"},
		{registerFor[struct {
			In   []ffi.AnyArg
			Last ffi.AnyArg
		}](client), "the field Last comes after In, which takes all other arguments"},
		{registerFor[struct{ F func() }](client), "the field F: no attribute fits into a func()"},
		{registerFor[struct{ F []string }](client), "the field F: no attribute fits into a []string"},
		{registerFor[struct{ F struct{ G chan int } }](client), "the field F: the field G: no attribute fits into a chan int"},
		{registerFor[struct {
			A int `ffi:"x"`
			B int `ffi:"x"`
		}](client), `two fields take the attribute "x"`},
		{registerFor[struct {
			A int `ffi:"x,needed"`
		}](client), `the field A has the unknown option "needed" in its tag`},
		{registerFor[struct {
			A int `ffi:",rest"`
		}](client), `the field A has the tag ",rest", which is only for one map[string]any`},
	} {
		err := c.register(target())
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, c.want)
	}
}

func TestImpossibleRegistrationsAreErrors(t *testing.T) {
	client := newClient(t)
	p := client.Plugin()
	fn := func(*ffi.Call, *unary) error { return nil }
	name := target()
	require.NoError(t, ffi.Register(p, name, fn))
	stages := ffi.Handler[unary, int]{
		Instantiate: func(*ffi.Call, *unary) (int, error) { return 1, nil },
		Execute:     func(*ffi.Call, *unary, int) error { return nil },
	}
	staged := target()
	require.NoError(t, ffi.RegisterHandler(p, staged, stages))
	for what, err := range map[string]error{
		"name taken":            ffi.Register(p, name, fn),
		"by stages":             ffi.Register(p, staged, fn),
		"stages, taken":         ffi.RegisterHandler(p, name, stages),
		"stages, by stages":     ffi.RegisterHandler(p, staged, stages),
		"in C":                  ffi.RegisterC(p, ffi.CustomCall{Target: name, Platform: "Host", Handler: 1}),
		"in C, taken by stages": ffi.RegisterC(p, ffi.CustomCall{Target: staged, Platform: "Host", Handler: 1}),
	} {
		require.ErrorIs(t, err, pjrt.ErrAlreadyExists, what)
		require.ErrorContains(t, err, "for the platform Host is registered already", what)
	}
	for _, other := range []string{"host", "HOST", "cpu", "CPU"} {
		err := ffi.RegisterC(p, ffi.CustomCall{Target: name, Platform: other, Handler: 1})
		require.ErrorIs(t, err, pjrt.ErrAlreadyExists, "%s is the same platform to XLA", other)
	}
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"nil plugin":  {ffi.Register(nil, "x", fn), "the plugin is nil"},
		"nil":         {ffi.Register[unary](p, "x", nil), "the handler of the custom call x is nil"},
		"no Execute":  {ffi.RegisterHandler(p, "x", ffi.Handler[unary, int]{}), "the handler of the custom call x is nil"},
		"no name":     {ffi.Register(p, "", fn), "the custom call has no name"},
		"a zero byte": {ffi.Register(p, "a\x00", fn), "contains a zero byte"},
	} {
		require.ErrorIs(t, c.err, pjrt.ErrInvalidArgument, what)
		require.ErrorContains(t, c.err, c.want, what)
	}
	require.NoError(t, ffi.RegisterHandler(p, name, ffi.Handler[unary, struct{}]{
		Platform: "CUDA", Replayable: true, Execute: func(*ffi.Call, *unary, struct{}) error { return nil },
	}), "another platform")

	err := ffi.Register(pjrttest.New(t, pjrttest.Options{}).Plugin(), "x", fn)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.ErrorContains(t, err, "PJRT_FFI_Register_Handler")
	require.ErrorContains(t, err, "FFI")
}

func TestErrorsAndPanicsOfHandlersFailTheExecution(t *testing.T) {
	client := newClient(t)
	a := upload(t, client, 1, 2, 3, 4)
	for what, c := range map[string]struct {
		fn   func(*ffi.Call, *unary) error
		is   error
		want string
	}{
		"error": {func(*ffi.Call, *unary) error { return errors.New("no such row") }, pjrt.ErrUnknown, "no such row"},
		"code": {func(*ffi.Call, *unary) error {
			return &pjrt.Error{Code: pjrt.ErrOutOfRange, Message: "row 7 of 4"}
		}, pjrt.ErrOutOfRange, "row 7 of 4"},
		"panic": {func(_ *ffi.Call, op *unary) error { op.Out.Data[4] = 1; return nil }, pjrt.ErrInternal, "index out of range [4] with length 4"},
	} {
		exe := handle(t, client, "", c.fn)
		for range 3 {
			_, err := execute(t, exe, nil, a)
			require.ErrorIs(t, err, c.is, what)
			require.ErrorContains(t, err, c.want, what)
		}
	}
}

// Nothing can return to the plugin then, so the goroutine that executes ends, too: as it would if
// there were no C between the two. What the plugin still uses can be closed all the same: newer
// plugins for CPUs would wait forever before they destroy it.
func TestAHandlerThatEndsItsGoroutineEndsTheExecution(t *testing.T) {
	client := newClient(t)
	a := upload(t, client, 1, 2, 3, 4)
	exe := handle(t, client, "", func(*ffi.Call, *unary) error { runtime.Goexit(); return nil })
	weight := upload(t, client, 1, 2, 3, 4)
	bound, err := exe.Bind(t.Context(), pjrt.Argument{Buffers: []*pjrt.Buffer{weight}})
	require.NoError(t, err)
	type attempt struct {
		name string
		ctx  context.Context
		args []*pjrt.Buffer
		opts *pjrt.ExecuteOptions
	}
	for _, x := range []attempt{
		{"without an end", context.Background(), []*pjrt.Buffer{a}, nil},
		{"with an end", t.Context(), []*pjrt.Buffer{a}, nil},
		{"with a bound argument", context.Background(), nil, &pjrt.ExecuteOptions{Bound: bound}},
	} {
		ended, returned := make(chan struct{}), false
		go func() {
			defer close(ended)
			_, _ = exe.Execute(x.ctx, x.args, x.opts)
			returned = true
		}()
		<-ended
		assert.False(t, returned, x.name)
		assert.Zero(t, client.InFlight(), x.name)
		_, release, err := raw.AcquireToConsume(a)
		require.NoError(t, err, "%s: nothing uses the argument any more", x.name)
		release()
	}
	require.NoError(t, bound.Close())
	require.NoError(t, weight.Close())
	require.NoError(t, a.Close())
	require.NoError(t, exe.Close())
	require.NoError(t, client.Close())
}

// closer is a state that reports when it is closed.
type closer struct {
	factor float32
	closed chan struct{}
}

func (c *closer) Close() error {
	close(c.closed)
	return nil
}

func TestAnExecutableKeepsAState(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	type op struct {
		In     ffi.Arg[float32]
		Out    ffi.Ret[float32]
		Factor float32
	}
	var made []*closer
	name := target()
	require.NoError(t, ffi.RegisterHandler(client.Plugin(), name, ffi.Handler[op, *closer]{
		Instantiate: func(c *ffi.Call, x *op) (*closer, error) {
			assert.Equal(t, cffi.ExecutionStageInstantiate, c.Stage())
			assert.Equal(t, context.Background(), c.Context())
			_, ok := ffi.Value[string](c)
			assert.False(t, ok)
			if x.Factor == 0 {
				return nil, errors.New("the factor is zero")
			}
			made = append(made, &closer{x.Factor, make(chan struct{})})
			return made[len(made)-1], nil
		},
		Prepare:    func(*ffi.Call, *op, *closer) error { return nil },
		Initialize: func(*ffi.Call, *op, *closer) error { return nil },
		Execute: func(_ *ffi.Call, x *op, state *closer) error {
			for i, v := range x.In.Data {
				x.Out.Data[i] = v * state.factor
			}
			return nil
		},
	}))
	a := upload(t, client, 1, 2, 3, 4)
	two, three := compile(t, client, withAttributes(name, "factor = 2.0 : f32")), compile(t, client, withAttributes(name, "factor = 3.0 : f32"))
	for range 2 {
		outs, err := execute(t, two, nil, a)
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		outs, err = execute(t, three, nil, a)
		require.NoError(t, err)
		assert.Equal(t, []float32{3, 6, 9, 12}, read(t, outs[0]))
	}
	require.Len(t, made, 2)
	require.NoError(t, two.Close())
	<-made[0].closed
	select {
	case <-made[1].closed:
		t.Error("the other executable still needs its state")
	default:
	}
	require.NoError(t, three.Close())
	<-made[1].closed

	_, err := client.Compile(ctx, pjrt.Program{Code: []byte(withAttributes(name, "factor = 0.0 : f32"))}, nil)
	require.ErrorContains(t, err, "the factor is zero")
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(withAttributes(name, "factor = 1 : i32"))}, nil)
	require.ErrorContains(t, err, `the attribute "factor" is the number 1 of type i32, and the handler takes float32`)
}

func TestHandlersRunOnSeveralThreads(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	type op struct {
		In   ffi.Arg[float32]
		Out  ffi.Ret[float32]
		Text string
		Add  []float32
	}
	var calls atomic.Int64
	exe := handle(t, client, `text = "t", add = array<f32: 1.0, 2.0, 3.0, 4.0>`, func(_ *ffi.Call, x *op) error {
		calls.Add(1)
		if x.Text != "t" {
			return errors.New(x.Text)
		}
		for i, v := range x.In.Data {
			x.Out.Data[i] = v + x.Add[i]
		}
		return nil
	})
	var group sync.WaitGroup
	for g := range 8 {
		a := upload(t, client, float32(g), float32(g), float32(g), float32(g))
		group.Go(func() {
			for range 200 {
				outs, err := exe.Execute(ctx, []*pjrt.Buffer{a}, nil)
				if !assert.NoError(t, err) {
					return
				}
				got, err := pjrt.ToSlice[float32](ctx, outs[0])
				assert.NoError(t, err)
				assert.Equal(t, []float32{float32(g) + 1, float32(g) + 2, float32(g) + 3, float32(g) + 4}, got)
				outs[0].Close()
			}
		})
	}
	group.Wait()
	assert.EqualValues(t, 1600, calls.Load())
}

func TestAHandlerFindsWhatItsExecutionWasGiven(t *testing.T) {
	client := newClient(t)
	type key struct{}
	data, err := ffi.NewContext(client.Plugin())
	require.NoError(t, err)
	defer data.Close()
	id := testType(t, client.Plugin())
	require.NoError(t, data.AddUserData(id, 42))
	var kept *ffi.Call
	exe := handle(t, client, "", func(c *ffi.Call, x *unary) error {
		kept = c
		word, err := c.UserData(id)
		if c.RunID() != 77 {
			assert.ErrorIs(t, err, pjrt.ErrNotFound)
			assert.Zero(t, word)
			_, ok := ffi.Value[string](c)
			assert.False(t, ok)
			return nil
		}
		assert.NoError(t, err)
		assert.EqualValues(t, 42, word)
		assert.Equal(t, "deep", c.Context().Value(key{}))
		text, ok := ffi.Value[string](c)
		assert.True(t, ok)
		assert.Equal(t, "hello", text)
		text2, ok := ffi.Value[fmt.Stringer](c)
		assert.True(t, ok)
		assert.Equal(t, "1s", text2.String())
		assert.Equal(t, "main", c.Program())
		device, err := c.Device()
		assert.NoError(t, err)
		assert.Zero(t, device)
		_, err = c.Stream()
		assert.ErrorContains(t, err, "XLA_FFI_Stream_Get")
		_, err = c.Options()
		assert.ErrorIs(t, err, pjrt.ErrUnimplemented, "the plugin is of API 0.81")
		frame, err := c.Frame()
		assert.NoError(t, err)
		assert.Equal(t, 1, frame.Args.Len())
		return nil
	})
	a := upload(t, client, 1, 2, 3, 4)
	_, err = exe.Execute(context.WithValue(context.Background(), key{}, "deep"), []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{
		LaunchID: 77, Extensions: []pjrt.ExecuteExtension{ffi.Values{1, "hello", time.Second}, data},
	})
	require.NoError(t, err)
	_, err = execute(t, exe, nil, a)
	require.NoError(t, err)

	require.NotNil(t, kept)
	for _, err := range []error{
		second(kept.Device()), second(kept.Stream()), second(kept.Options()), second(kept.UserData(id)), second(kept.Frame()),
	} {
		require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
		require.ErrorContains(t, err, "is over: its handler has returned")
	}
}

func second[T any](_ T, err error) error { return err }

func TestAHandlerThatDoesNotReturnDelaysNoCaller(t *testing.T) {
	client := newClient(t)
	entered, release := make(chan struct{}), make(chan struct{})
	exe := handle(t, client, "", func(c *ffi.Call, _ *unary) error {
		close(entered)
		<-c.Context().Done() // a handler can know
		<-release
		return nil
	})
	a := upload(t, client, 1, 2, 3, 4)
	_, err := exe.Execute(canceledAfter(entered), []*pjrt.Buffer{a}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, exe.Close())
	require.NoError(t, a.Close())
	close(release)
	require.Eventually(t, func() bool { return client.InFlight() == 0 }, time.Minute, time.Millisecond)
}

// canceledAfter returns a context that ends once a handler has been entered.
func canceledAfter(entered <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-entered
		cancel()
	}()
	return ctx
}

// Whether the caller leaves before the plugin returns what the handler returned is left to chance.
func TestAHandlerThatReturnsWithItsContextGivesTheErrorOfTheContext(t *testing.T) {
	client := newClient(t)
	entered := make(chan struct{}, 1)
	exe := handle(t, client, "", func(c *ffi.Call, _ *unary) error {
		entered <- struct{}{}
		<-c.Context().Done()
		return fmt.Errorf("stopped: %w", c.Context().Err())
	})
	a := upload(t, client, 1, 2, 3, 4)
	for range 50 {
		_, err := exe.Execute(canceledAfter(entered), []*pjrt.Buffer{a}, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "pjrt.LoadedExecutable.Execute of main: context canceled")
	}
}

func TestAProgramWithoutItsHandlerSaysWhereToGetOne(t *testing.T) {
	client := newClient(t)
	for name, want := range map[string]string{
		"nobody_has_this":   "No FFI handler registered for nobody_has_this on a platform Host (canonical host): register one with Register of extensions/ffi",
		"lapack_spotrf_ffi": `: import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`,
		"lapack_zheevd_ffi": `: import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`,
		"lapack_sheevd_ffi": ": register one with Register of extensions/ffi",
	} {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(withAttributes(name, ""))}, nil)
		require.ErrorIs(t, err, pjrt.ErrNotFound)
		require.ErrorContains(t, err, want)
	}
	for name, want := range map[string]string{
		"nobody_has_this": "untyped custom call to nobody_has_this for Host: plugins for CPUs take none: write the call with api_version = 4",
		"lapack_sgeev":    ": export the program again with a newer JAX",
		"blas_ztrsm":      ": export the program again with a newer JAX",
	} {
		untyped := strings.Replace(withAttributes(name, ""), "{api_version = 4 : i32, backend_config = {}} ", "", 1)
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(untyped)}, nil)
		require.ErrorIs(t, err, pjrt.ErrNotFound)
		require.ErrorContains(t, err, want)
	}
}

func TestAnEmptyCallIsAnError(t *testing.T) {
	for _, c := range []*ffi.Call{nil, new(ffi.Call)} {
		assert.Empty(t, c.Target())
		assert.Zero(t, c.Stage())
		assert.Zero(t, c.RunID())
		assert.Empty(t, c.Program())
		assert.Equal(t, context.Background(), c.Context())
		_, ok := ffi.Value[int](c)
		assert.False(t, ok)
		for _, err := range []error{second(c.Device()), second(c.Stream()), second(c.Options()), second(c.UserData(1)), second(c.Frame())} {
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		}
	}
	var x raw.Execution
	assert.Equal(t, context.Background(), x.Context())
	assert.Empty(t, x.Program())
	assert.False(t, x.HasContext())
	_, ok := raw.Extension[ffi.Values](x)
	assert.False(t, ok)
}

func TestAnyArgIsAnArrayIfTheHostCanReadIt(t *testing.T) {
	t.Parallel()
	empty, err := ffi.AnyArg{Type: dtype.F32, Dims: []int64{0, 3}, Address: 64}.Array()
	require.NoError(t, err, "an empty array needs no memory, whatever its address is")
	assert.Equal(t, "[]", empty.String())
	_, err = ffi.AnyArg{Type: dtype.F32, Dims: []int64{1, 3}, Address: 64}.Array()
	require.ErrorContains(t, err, "the memory of f32[1,3] is a device's")
}
