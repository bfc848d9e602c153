// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// comingLater uploads an array whose contents come only when the test calls come, or
// at its end. Programs that use it are under way until then.
func comingLater(t testing.TB, c *pjrt.Client, a pjrt.HostArray) (b *pjrt.Buffer, come func()) {
	t.Helper()
	m, err := transfer.NewManager(context.Background(), c, []pjrt.Shape{a.Shape()}, nil)
	require.NoError(t, err)
	b, err = m.Buffer(0)
	require.NoError(t, err)
	come = sync.OnceFunc(func() {
		e, err := m.Send(0, a.Data, 0, true)
		if assert.NoError(t, err) {
			assert.NoError(t, e.Wait(context.Background()))
			e.Close()
		}
		m.Close()
	})
	t.Cleanup(func() {
		come()
		b.Close()
	})
	return b, come
}

func TestStartReturnsBeforeTheProgramEnds(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	outs, x, err := exe.Start(ctx, []*pjrt.Buffer{arg, arg}, nil)
	require.NoError(t, err)
	defer x.Close()
	ready, err := x.Ready()
	require.NoError(t, err)
	assert.False(t, ready)
	require.NoError(t, x.Err())
	select {
	case <-x.Done():
		t.Error("done before its end")
	default:
	}
	require.Len(t, outs, 1)
	// The next program waits for its argument. Arguments, executable and outputs may be
	// closed once programs use them.
	yOuts, y, err := exe.Start(ctx, []*pjrt.Buffer{outs[0], arg}, &pjrt.ExecuteOptions{LaunchID: math.MaxInt32})
	require.NoError(t, err)
	defer y.Close()
	arg.Close()
	outs[0].Close()
	exe.Close()
	called := make(chan error, 1)
	require.NoError(t, y.OnReady(func(err error) { called <- err }))
	ready, err = y.Ready()
	require.NoError(t, err)
	assert.False(t, ready)
	come()
	require.NoError(t, y.Wait(ctx))
	<-y.Done()
	require.NoError(t, <-called)
	require.NoError(t, x.Wait(ctx))
	assert.Equal(t, []float32{3, 6, 9, 12}, read(t, yOuts[0]))
}

func TestAnExecutionOutlivesItsContext(t *testing.T) {
	nothingAlive(t)
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{arg, arg}
	before := pjrt.Live()["buffer"]
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	outs, err := exe.Execute(ctx, args, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Nil(t, outs)
	require.Eventually(t, func() bool { return pjrt.Live()["buffer"] == before }, patience, time.Millisecond, "an output is left")

	xOuts, x, err := exe.Start(context.Background(), args, nil)
	require.NoError(t, err)
	defer x.Close()
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, x.Wait(ctx), context.DeadlineExceeded)
	come()
	require.NoError(t, x.Wait(context.Background()), "a second waiter")
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, xOuts[0]))
}

func TestAFailedArgumentFailsTheExecution(t *testing.T) {
	nothingAlive(t)
	client := newClient(t)
	exe := compile(t, client, add)
	m, err := transfer.NewManager(t.Context(), client, []pjrt.Shape{matrix(0, 0, 0, 0).Shape()}, nil)
	require.NoError(t, err)
	arg, err := m.Buffer(0)
	require.NoError(t, err)
	defer arg.Close()
	xOuts, x, err := exe.Start(t.Context(), []*pjrt.Buffer{arg, arg}, nil)
	require.NoError(t, err)
	defer x.Close()
	defer xOuts[0].Close()
	require.NoError(t, m.Fail(0, &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "gone"}))
	require.NoError(t, m.Close())
	require.Error(t, x.Wait(t.Context()))
	assert.ErrorContains(t, x.Err(), "gone")
	_, err = xOuts[0].ToHost(t.Context())
	require.ErrorContains(t, err, "gone")
	before := pjrt.Live()["buffer"]
	outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg, arg}, nil)
	require.ErrorContains(t, err, "gone")
	assert.Nil(t, outs)
	require.Eventually(t, func() bool { return pjrt.Live()["buffer"] == before }, patience, time.Millisecond)
}

func TestManyGoroutinesExecute(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			mine, err := client.BufferFromHost(ctx, matrix(float32(g), 0, 0, 0), nil)
			if !assert.NoError(t, err) {
				return
			}
			defer mine.Close()
			sum := mine
			for range 50 {
				outs, err := exe.Execute(ctx, []*pjrt.Buffer{sum, a}, nil)
				if !assert.NoError(t, err) {
					return
				}
				if sum != mine {
					sum.Close()
				}
				sum = outs[0]
			}
			got, err := sum.ToHost(ctx)
			assert.NoError(t, err)
			assert.Equal(t, matrix(float32(g)+50, 100, 150, 200), got)
			sum.Close()
		})
	}
	wg.Wait()
}

// donor adds its arguments into the memory of the first one.
const donor = `module @donor {
  func.func @main(%a: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    %1 = stablehlo.negate %b : tensor<2x2xf32>
    return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}`

func TestDonatedArgumentsLoseTheirContents(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, donor)
	cases := map[string]struct {
		keep     []int
		all      bool
		consumed bool
		want     string // of an error
	}{
		"as compiled":   {nil, false, true, ""},
		"all":           {nil, true, false, ""},
		"the first":     {[]int{0}, false, false, ""},
		"the second":    {[]int{1, 1}, false, true, ""},
		"both":          {[]int{1, 0}, false, false, ""},
		"a negative":    {[]int{-1}, false, false, "the option Keep names parameter -1, and the program has 2"},
		"what is not":   {[]int{0, 7}, false, false, "the option Keep names parameter 7, and the program has 2"},
		"the smallest":  {[]int{math.MinInt64}, false, false, "names parameter -9223372036854775808"},
		"all and wrong": {[]int{7}, true, false, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(10, 20, 30, 40))
			outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, b}, &pjrt.ExecuteOptions{Keep: c.keep, KeepAll: c.all})
			if c.want != "" {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, c.want)
			} else {
				require.NoError(t, err)
				assert.Equal(t, []float32{11, 22, 33, 44}, read(t, outs[0]))
				assert.Equal(t, []float32{-10, -20, -30, -40}, read(t, outs[1]))
			}
			again, err := exe.Execute(ctx, []*pjrt.Buffer{b, a}, &pjrt.ExecuteOptions{KeepAll: true})
			if c.consumed {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, "argument 1 was deleted, or donated to an earlier execution")
				_, err = a.ToHost(ctx)
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []float32{11, 22, 33, 44}, read(t, again[0]))
			again[1].Close()
		})
	}
	t.Run("one buffer twice", func(t *testing.T) {
		a := upload(t, client, matrix(1, 2, 3, 4))
		_, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, &pjrt.ExecuteOptions{KeepAll: true})
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		outs[1].Close()
	})
}

func TestMisuseOfExecuteOptionsIsRefused(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{a, a}
	ignore := func([]byte, int, bool) error { return nil }
	cases := map[string]struct {
		opts pjrt.ExecuteOptions
		want string
	}{
		"launch id":          {pjrt.ExecuteOptions{LaunchID: 1 << 31}, "launch id 2147483648 does not fit into 32 bits"},
		"negative launch":    {pjrt.ExecuteOptions{LaunchID: math.MinInt64}, "does not fit into 32 bits"},
		"nil extension":      {pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{nil}}, "extension 0 of the execution is nil"},
		"location":           {pjrt.ExecuteOptions{CallLocation: "a\x00b"}, "has a NUL byte in it"},
		"incarnations":       {pjrt.ExecuteOptions{Incarnations: map[int]int64{-1: 1}}, "names process -1, and processes have the numbers 0 to 2147483647"},
		"large process":      {pjrt.ExecuteOptions{Incarnations: map[int]int64{1 << 31: 1}}, "names process 2147483648"},
		"extension then nil": {pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{transfer.Hosts{{Send: map[int64]transfer.SendFunc{1: ignore}}}, nil}}, "extension 1 of the execution is nil"},
		"wrong extension":    {pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{make(transfer.Hosts, 2)}}, "transfer.Hosts has 2 hosts, but the program runs on 1 devices"},
		"nil device":         {pjrt.ExecuteOptions{Device: new(pjrt.Device)}, "the device is nil"},
	}
	handles := capi.LiveHandles()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			outs, err := exe.Execute(ctx, args, &c.opts)
			require.Error(t, err)
			assert.Nil(t, outs)
			assert.ErrorContains(t, err, c.want)
			_, x, err := exe.Start(ctx, args, &c.opts)
			require.Error(t, err)
			assert.Nil(t, x)
			assert.Equal(t, handles, capi.LiveHandles(), "a callback is left")
		})
	}
	old := pjrttest.New(t, pjrttest.Options{Minor: 81})
	old.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	tooNew := pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{transfer.Outputs{{ID: 5, Func: func(transfer.Value) {}}}}}
	oldArg := upload(t, old.Client(), matrix(1, 2, 3, 4))
	_, err := compile(t, old.Client(), add).Execute(ctx, []*pjrt.Buffer{oldArg, oldArg}, &tooNew)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "came with API 0.112, but the plugin has API 0.81")
	assert.Equal(t, handles, capi.LiveHandles(), "a callback is left")
	all := pjrt.ExecuteOptions{
		LaunchID: math.MinInt32, CallLocation: "test.go:1", Incarnations: map[int]int64{0: 5, 2: -1},
		Extensions: []pjrt.ExecuteExtension{transfer.Hosts{{}}}, KeepAll: true,
	}
	outs, err := exe.Execute(ctx, args, &all)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
	assert.Equal(t, handles, capi.LiveHandles())

	for _, none := range []*pjrt.LoadedExecutable{nil, new(pjrt.LoadedExecutable)} {
		_, err = none.Execute(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, err = none.ExecuteAll(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, _, err = none.Start(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, _, err = none.StartAll(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, err = none.Bind(ctx)
		require.ErrorContains(t, err, "the executable is nil")
		require.ErrorContains(t, none.ExecuteInto(ctx, nil, nil, nil), "the executable is nil")
	}
	err = exe.ExecuteInto(ctx, make([]*pjrt.Buffer, 2), args, nil)
	require.ErrorContains(t, err, "there is room for 2 results, and the program has 1")
	_, err = exe.Execute(ctx, []*pjrt.Buffer{a, new(pjrt.Buffer)}, nil)
	require.ErrorContains(t, err, "argument 1 belongs to another client")
}

func TestLimitInFlightBoundsTheExecutions(t *testing.T) {
	client := newClient(t)
	for name, limit := range map[string]func(*pjrt.LoadedExecutable, int){
		"of the program": (*pjrt.LoadedExecutable).LimitInFlight,
		"of the client":  func(_ *pjrt.LoadedExecutable, n int) { client.LimitInFlight(n) },
	} {
		t.Run(name, func(t *testing.T) {
			exe := compile(t, client, add)
			arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
			args := []*pjrt.Buffer{arg, arg}
			limit(exe, 2)
			defer limit(exe, 0)
			var running []*pjrt.Event
			var results []*pjrt.Buffer
			start := func(ctx context.Context) error {
				outs, x, err := exe.Start(ctx, args, nil)
				if err == nil {
					running, results = append(running, x), append(results, outs...)
				}
				return err
			}
			require.NoError(t, start(context.Background()))
			require.NoError(t, start(context.Background()))
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
			defer cancel()
			require.ErrorIs(t, start(ctx), context.DeadlineExceeded, "the third")
			_, err := exe.Execute(ctx, args, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			go func() {
				time.Sleep(2 * time.Millisecond)
				come()
			}()
			require.NoError(t, start(context.Background()), "it waits")
			first, err := running[0].Ready()
			require.NoError(t, err)
			second, err := running[1].Ready()
			require.NoError(t, err)
			assert.True(t, first || second, "a third is under way")
			outs, err := exe.Execute(context.Background(), args, nil)
			require.NoError(t, err)
			outs[0].Close()
			limit(exe, 0)
			for range 4 {
				require.NoError(t, start(context.Background()), "no limit")
			}
			for i, x := range running {
				require.NoError(t, x.Wait(context.Background()))
				results[i].Close()
				x.Close()
			}
		})
	}
}

// XLA's CPU plugin waits within the call while 32 executions are under way.
func TestCallersDoNotWaitInThePlugin(t *testing.T) {
	nothingAlive(t)
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{arg, arg}
	buffers := pjrt.Live()["buffer"]
	ctx, cancel := context.WithCancel(t.Context())
	var waiting, cancelled, finished sync.WaitGroup
	for i := range 2000 {
		waiting.Add(1)
		group, ctx := &cancelled, ctx
		if i%4 == 0 {
			group, ctx = &finished, context.Background()
		}
		group.Go(func() {
			waiting.Done()
			if i%2 == 0 {
				outs, err := exe.Execute(ctx, args, nil)
				if ctx.Err() != nil {
					assert.ErrorIs(t, err, context.Canceled)
					return
				}
				if assert.NoError(t, err) {
					outs[0].Close()
				}
				return
			}
			xOuts, x, err := exe.Start(ctx, args, nil)
			if err != nil {
				assert.ErrorIs(t, err, context.Canceled)
				return
			}
			xOuts[0].Close()
			x.Close()
		})
	}
	waiting.Wait()
	require.Eventually(t, func() bool { return client.InFlight() > 0 }, patience, time.Millisecond)
	time.Sleep(20 * time.Millisecond) // let more begin
	cancel()
	cancelled.Wait()
	now, _ := threads(t)
	// On a busy machine, some hundred threads get no processor in the middle of a short call.
	assert.Less(t, now, 1000, "half of the callers")
	come()
	finished.Wait()
	require.Eventually(t, func() bool { return client.InFlight() == 0 }, patience, time.Millisecond)
	require.Eventually(t, func() bool {
		return pjrt.Live()["buffer"] == buffers && pjrt.Live()["event"] == 0
	}, patience, time.Millisecond)
	outs, err := exe.Execute(t.Context(), args, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
}

// The calls of a program that is run again and again look at less than a first one.
func TestAContextThatHasEndedExecutesNothing(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	x := upload(t, client, matrix(1, 2, 3, 4))
	args, outs := []*pjrt.Buffer{x, x}, make([]*pjrt.Buffer, 1)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 500 {
		require.NoError(t, exe.ExecuteInto(context.Background(), outs, args, nil))
		require.NoError(t, outs[0].Close())
		outs[0] = nil
		require.ErrorIs(t, exe.ExecuteInto(ended, outs, args, nil), context.Canceled)
		require.Nil(t, outs[0])
	}
}
