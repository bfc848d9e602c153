// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// linear computes x*scale - shift, and -x. It would consume x and shift.
const linear = `module @linear {
  func.func @main(%scale: tensor<2x2xf32>, %x: tensor<2x2xf32> {tf.aliasing_output = 1 : i32}, %shift: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.multiply %x, %scale : tensor<2x2xf32>
    %1 = stablehlo.subtract %0, %shift : tensor<2x2xf32>
    %2 = stablehlo.negate %x : tensor<2x2xf32>
    return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}`

func bind(t testing.TB, exe *pjrt.LoadedExecutable, args ...pjrt.Argument) *pjrt.Bound {
	t.Helper()
	b, err := exe.Bind(context.Background(), args...)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// with are the options of an execution with bound arguments.
func with(b *pjrt.Bound) *pjrt.ExecuteOptions { return &pjrt.ExecuteOptions{Bound: b} }

func argument(b ...*pjrt.Buffer) pjrt.Argument { return pjrt.Argument{Buffers: b} }

func TestMoreArgumentsAreBoundToABound(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, linear)
	scale, shift := upload(t, client, matrix(2, 2, 2, 2)), upload(t, client, matrix(1, 1, 1, 1))
	first := bind(t, exe, pjrt.Argument{Name: "scale"}, pjrt.Argument{Name: "x"}, argument(shift))
	assert.Equal(t, []int{0, 1}, first.OpenParameters())
	second, err := first.Bind(ctx, argument(scale))
	require.NoError(t, err)
	defer second.Close()
	assert.Equal(t, []int{1}, second.OpenParameters())
	assert.Equal(t, []int{0, 1}, first.OpenParameters(), "it stays as it is")
	require.NoError(t, first.Close())
	require.NoError(t, shift.Close())
	for range 2 {
		x := upload(t, client, matrix(1, 10, 100, 1000))
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, with(second))
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 19, 199, 1999}, read(t, outs[0]), "shift is kept, though the program would take it")
		outs[1].Close()
	}
	_, err = exe.Execute(ctx, nil, with(second))
	require.ErrorContains(t, err, "takes 1 more arguments, not 0; Bind got no buffers for x")
	_, err = second.Bind(ctx, argument(scale), argument(scale))
	require.ErrorContains(t, err, "the bound program takes 1 more arguments, not 2")
	_, err = first.Bind(ctx)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	all, err := second.Bind(ctx, argument(upload(t, client, matrix(1, 2, 3, 4))))
	require.NoError(t, err)
	defer all.Close()
	require.NoError(t, second.Close())
	outs, err := exe.Execute(ctx, nil, with(all))
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 3, 5, 7}, read(t, outs[0]))
	outs[1].Close()
}

// Bind reads the parameters of the program first. Here the executable is closed meanwhile.
func TestAnExecutableThatIsClosedWhileItIsBoundIsDestroyedOnce(t *testing.T) {
	ctx := context.Background()
	var exe *pjrt.LoadedExecutable
	destroyed := make(map[*capi.LoadedExecutable]int)
	wrapped, err := serve.Wrap(raw.Table(newClient(t).Plugin()),
		serve.Around(func(c *serve.Invocation, _ *capi.ExecutableOptimizedProgramArgs) {
			c.Forward()
			exe.Close()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableDestroyArgs) {
			if destroyed[a.Executable]++; destroyed[a.Executable] == 1 {
				c.Forward()
			}
		}))
	require.NoError(t, err)
	plugin, err := raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	exe = compile(t, client, add)
	bound, err := exe.Bind(ctx)
	if err == nil {
		require.NoError(t, bound.Close())
	}
	require.NoError(t, client.Close())
	require.Len(t, destroyed, 1)
	for _, n := range destroyed {
		assert.Equal(t, 1, n)
	}
	require.NoError(t, wrapped.Close())
}

func TestClosingTheExecutableEndsABoundProgram(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, linear)
	scale, shift := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(1, 1, 1, 1))
	bound := bind(t, exe, argument(scale), pjrt.Argument{}, argument(shift))
	assert.Equal(t, []int{1}, bound.OpenParameters())
	exe.Close()
	outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{upload(t, client, matrix(1, 10, 100, 1000))}, with(bound))
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Nil(t, outs)
}

func TestABoundProgramTakesTheOpenArguments(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, linear)
	scale, shift := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(1, 1, 1, 1))
	bound := bind(t, exe, argument(scale), pjrt.Argument{}, argument(shift))
	require.NoError(t, scale.Close(), "it is kept")
	want := []float32{0, 19, 299, 3999}
	for range 3 {
		x := upload(t, client, matrix(1, 10, 100, 1000))
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, with(bound))
		require.NoError(t, err)
		assert.Equal(t, want, read(t, outs[0]))
		assert.Equal(t, []float32{-1, -10, -100, -1000}, read(t, outs[1]))
		_, err = exe.Execute(ctx, []*pjrt.Buffer{x}, with(bound))
		require.ErrorContains(t, err, "argument 0 (parameter 1) was deleted, or donated", "an open argument is donated as usual")
	}
	x := upload(t, client, matrix(1, 10, 100, 1000))
	keep := &pjrt.ExecuteOptions{Bound: bound, Keep: []int{1}}
	runningOuts, running, err := exe.Start(ctx, []*pjrt.Buffer{x}, keep)
	require.NoError(t, err)
	require.NoError(t, running.Wait(ctx))
	assert.Equal(t, want, read(t, runningOuts[0]))
	runningOuts[1].Close()
	running.Close()
	outs := make([]*pjrt.Buffer, 2)
	require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{x}, keep))
	assert.Equal(t, want, read(t, outs[0]))
	outs[1].Close()
	all, err := exe.ExecuteAll(ctx, [][]*pjrt.Buffer{{x}}, keep)
	require.NoError(t, err)
	assert.Equal(t, want, read(t, all[0][0]))
	all[0][1].Close()

	for name, c := range map[string]struct {
		args []*pjrt.Buffer
		want string
	}{
		"none":          {nil, "the bound program takes 1 more arguments, not 0"},
		"too many":      {[]*pjrt.Buffer{x, x}, "the bound program takes 1 more arguments, not 2"},
		"nil":           {[]*pjrt.Buffer{nil}, "argument 0 (parameter 1) is nil"},
		"shape":         {[]*pjrt.Buffer{upload(t, client, floats(1))}, "argument 0 (parameter 1) is f32[1], and the program takes f32[2,2]"},
		"another's":     {[]*pjrt.Buffer{upload(t, newClient(t), matrix(1, 2, 3, 4))}, "argument 0 (parameter 1) belongs to another client"},
		"another place": {[]*pjrt.Buffer{uploadTo(t, client.Devices()[1], matrix(1, 2, 3, 4))}, "argument 0 (parameter 1) is on"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := exe.Execute(ctx, c.args, with(bound))
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			require.ErrorContains(t, exe.ExecuteInto(ctx, outs, c.args, with(bound)), c.want)
			_, _, err = exe.Start(ctx, c.args, with(bound))
			require.ErrorContains(t, err, c.want)
		})
	}
	require.ErrorContains(t, exe.ExecuteInto(ctx, nil, []*pjrt.Buffer{x}, keep), "there is room for 0 results, and the program has 2")
	require.NoError(t, bound.Close())
	require.NoError(t, bound.Close())
	_, err = exe.Execute(ctx, []*pjrt.Buffer{x}, keep)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	var none *pjrt.Bound
	require.NoError(t, none.Close())
	assert.Empty(t, none.OpenParameters())
	other := compile(t, client, linear)
	for name, b := range map[string]*pjrt.Bound{"another program's": bound, "empty": new(pjrt.Bound)} {
		require.NoError(t, b.Close(), name)
		_, err = other.Execute(ctx, []*pjrt.Buffer{x}, with(b))
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		require.ErrorContains(t, err, "the bound arguments belong to another executable", name)
	}
}

// A call that waits in the plugin when its context ends still uses the arguments.
func TestBoundArgumentsMayBeClosedDuringAnExecution(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	fixed, err := client.BufferFromHost(t.Context(), matrix(1, 2, 3, 4), nil)
	require.NoError(t, err)
	bound, err := exe.Bind(t.Context(), argument(fixed))
	require.NoError(t, err)
	fixed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			xOuts, x, err := exe.Start(ctx, []*pjrt.Buffer{arg}, with(bound))
			if err != nil {
				assert.ErrorIs(t, err, context.Canceled)
				return
			}
			xOuts[0].Close()
			x.Close()
		})
	}
	require.Eventually(t, func() bool { return client.InFlight() > 0 }, patience, time.Millisecond)
	time.Sleep(20 * time.Millisecond) // let more begin
	cancel()
	all.Wait()
	bound.Close()
	exe.Close()
	assert.Positive(t, pjrt.Live()["bound arguments"])
	come()
	require.Eventually(t, func() bool { return pjrt.Live()["bound arguments"] == 0 }, time.Minute, time.Millisecond)
}

func TestMisuseOfBindIsRefused(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, linear)
	a, gone := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(1, 2, 3, 4))
	gone.Close()
	donated := upload(t, client, matrix(1, 2, 3, 4))
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, donated, a}, &pjrt.ExecuteOptions{Keep: []int{0, 2}})
	require.NoError(t, err)
	outs[0].Close()
	outs[1].Close()
	cases := map[string]struct {
		args []pjrt.Argument
		want string
	}{
		"too many":        {make([]pjrt.Argument, 4), "the program takes 3 arguments, not 4"},
		"nil":             {[]pjrt.Argument{argument(a), argument(nil)}, "argument 1 is nil"},
		"closed":          {[]pjrt.Argument{argument(a), argument(gone)}, "argument 1: buffer is closed"},
		"donated":         {[]pjrt.Argument{argument(donated)}, "argument 0 was deleted, or donated to an earlier execution"},
		"two buffers":     {[]pjrt.Argument{argument(a, a)}, "argument 0 has 2 buffers for 1 devices"},
		"shape":           {[]pjrt.Argument{{Buffers: []*pjrt.Buffer{upload(t, client, floats(1))}, Name: "model.W"}}, "argument 0 (model.W) is f32[1], and the program takes f32[2,2]"},
		"another place":   {[]pjrt.Argument{argument(uploadTo(t, client.Devices()[1], matrix(1, 2, 3, 4)))}, "argument 0 is on"},
		"another's":       {[]pjrt.Argument{argument(upload(t, newClient(t), matrix(1, 2, 3, 4)))}, "argument 0 belongs to another client"},
		"empty buffer":    {[]pjrt.Argument{argument(new(pjrt.Buffer))}, "argument 0 belongs to another client"},
		"open, then nil":  {[]pjrt.Argument{{}, {}, argument(nil)}, "argument 2 is nil"},
		"first fine":      {[]pjrt.Argument{argument(a), argument(a), argument(gone)}, "argument 2: buffer is closed"},
		"named and fine":  {[]pjrt.Argument{argument(a), argument(a), {Buffers: []*pjrt.Buffer{nil}, Name: "shift"}}, "argument 2 (shift) is nil"},
		"several of none": {[]pjrt.Argument{argument(nil, nil)}, "argument 0 has 2 buffers for 1 devices"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bound, err := exe.Bind(ctx, c.args...)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.Nil(t, bound)
			assert.ErrorContains(t, err, c.want)
		})
	}
	portable := compileWith(t, client, linear, &pjrt.CompileOptions{Portable: true})
	_, err = portable.Bind(ctx)
	require.ErrorContains(t, err, "the program has no devices to bind arguments on, because it is portable, or because the plugin names none")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = exe.Bind(ended, argument(a))
	require.ErrorIs(t, err, context.Canceled)
	exe.Close()
	_, err = exe.Bind(ctx, argument(a))
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestASharedArgumentIsCopiedOnce(t *testing.T) {
	ctx := context.Background()
	client := cpuDevices(t, 4)
	exe := compileWith(t, client, allReduce(4), &pjrt.CompileOptions{Replicas: 4})
	shared := uploadTo(t, client.Devices()[1], floats(1, 2, 3))
	bound := bind(t, exe, argument(shared))
	shared.Close()
	for range 2 {
		outs, err := exe.ExecuteAll(ctx, nil, with(bound))
		require.NoError(t, err)
		require.Len(t, outs, 4)
		for _, o := range outs {
			assert.Equal(t, []float32{4, 8, 12}, read(t, o[0]))
		}
	}
	var each []*pjrt.Buffer
	for i, d := range exe.Devices() {
		each = append(each, uploadTo(t, d, floats(float32(i), 0, 0)))
	}
	apart := bind(t, exe, argument(each...))
	xOuts, x, err := exe.StartAll(ctx, nil, with(apart))
	require.NoError(t, err)
	defer x.Close()
	for _, o := range xOuts {
		assert.Equal(t, []float32{6, 0, 0}, read(t, o[0]))
	}
	each[0], each[1] = each[1], each[0]
	_, err = exe.Bind(ctx, argument(each...))
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "argument 0 is on")
}

func TestManyGoroutinesExecuteWithTheSameBoundArguments(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	bound := bind(t, exe, argument(upload(t, client, matrix(1, 2, 3, 4))))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			mine, err := client.BufferFromHost(ctx, matrix(float32(g), 0, 0, 0), nil)
			if !assert.NoError(t, err) {
				return
			}
			defer mine.Close()
			for range 100 {
				outs, err := exe.Execute(ctx, []*pjrt.Buffer{mine}, with(bound))
				if !assert.NoError(t, err) {
					return
				}
				got, err := outs[0].ToHost(ctx)
				assert.NoError(t, err)
				assert.Equal(t, matrix(float32(g)+1, 2, 3, 4), got)
				outs[0].Close()
			}
		})
	}
	wg.Wait()
}

func TestForgottenBoundArgumentsAreReleased(t *testing.T) {
	nothingAlive(t)
	keepGarbage(t)
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	before := pjrt.Live()["buffer"]
	func() {
		a, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		_, err = exe.Bind(ctx, argument(a))
		require.NoError(t, err)
	}()
	assert.Equal(t, before+1, pjrt.Live()["buffer"])
	require.True(t, collecting.Until(func() bool { return pjrt.Live()["buffer"] == before }))
}

func TestAModelUpdatesItsWeightsInPlace(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, donor)
	var state struct{ Sum, Last *pjrt.Buffer }
	require.NoError(t, params.Scan([]*pjrt.Buffer{upload(t, client, matrix(0, 0, 0, 0)), upload(t, client, matrix(0, 0, 0, 0))}, &state))
	step := upload(t, client, matrix(1, 2, 3, 4))
	bound := bind(t, exe, pjrt.Argument{}, argument(step))
	outs := make([]*pjrt.Buffer, 2)
	for range 5 {
		old := state
		require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{state.Sum}, with(bound)))
		require.NoError(t, params.Scan(outs, &state))
		old.Sum.Close()
		old.Last.Close()
	}
	assert.Equal(t, []float32{5, 10, 15, 20}, read(t, state.Sum))
	assert.Equal(t, []float32{-1, -2, -3, -4}, read(t, state.Last))
	assert.Equal(t, dtype.F32, state.Sum.Shape().Type)
}

func TestABoundBufferIsNotDonated(t *testing.T) {
	ctx := context.Background()
	w := newStatesWorld(t)
	b, o := w.ready(), w.ready()
	defer o.Close()
	bound, err := w.plus.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
	require.NoError(t, err)
	again, err := w.take.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
	require.NoError(t, err)
	donate := func() error {
		outs, err := w.take.Execute(ctx, []*pjrt.Buffer{b, o}, nil)
		return closedAll(outs, err)
	}
	require.ErrorIs(t, donate(), pjrt.ErrFailedPrecondition)
	require.ErrorContains(t, donate(), "close the Bound first")
	require.NoError(t, bound.Close())
	require.Error(t, donate(), "the other Bound has it")
	require.NoError(t, again.Close())
	require.NoError(t, again.Close())
	require.NoError(t, donate())
	require.ErrorContains(t, donate(), "donated")
}

func TestTheContentsOfADeletedBufferGoWithItsLastBound(t *testing.T) {
	ctx := context.Background()
	w := newStatesWorld(t)
	o := w.ready()
	defer o.Close()
	for _, closes := range []bool{false, true} {
		b := w.ready()
		defer b.Close()
		var bounds []*pjrt.Bound
		for range 2 {
			bound, err := w.plus.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
			require.NoError(t, err)
			bounds = append(bounds, bound)
		}
		h, release, err := raw.AcquireBuffer(b)
		require.NoError(t, err)
		defer release()
		gone := func() bool {
			var c capi.Call[capi.BufferIsDeletedArgs]
			c.Args.Buffer = h
			require.NoError(t, c.Do(raw.Table(w.client.Plugin())))
			return c.Args.IsDeleted
		}
		require.NoError(t, b.Delete())
		_, err = w.plus.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
		require.Error(t, err)
		for _, bound := range bounds {
			assert.False(t, gone())
			outs, err := w.plus.Execute(ctx, []*pjrt.Buffer{o}, &pjrt.ExecuteOptions{Bound: bound})
			require.NoError(t, err)
			got, err := pjrt.ToSlice[float32](ctx, outs[0])
			require.NoError(t, err)
			assert.Equal(t, []float32{2, 4, 6, 8}, got)
			outs[0].Close()
			if closes {
				b.Close()
			}
			require.NoError(t, bound.Close())
		}
		assert.True(t, gone())
	}
}

// The plugin blocks executions for ever that need a buffer of which one donates the contents
// and another keeps them.
func TestABufferIsBoundAndDonatedAtOnce(t *testing.T) {
	if !inChild(t) {
		return
	}
	w := newStatesWorld(t)
	for i := range 400 {
		b, end := bufferStates["an argument of an execution that has not begun"](w)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		var both sync.WaitGroup
		for _, call := range []string{"Start with a Bound of a donated parameter", "Start with donation"} {
			both.Go(func() { _ = bufferCalls[call](ctx, w, b) })
		}
		if i%2 == 0 {
			end()
		}
		both.Wait()
		if i%2 != 0 {
			end()
		}
		cancel()
		b.Close()
	}
}
