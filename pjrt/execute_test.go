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
)

// comingLater uploads an array whose contents come only when the test calls come, or
// at its end. Programs that use it are under way until then.
func comingLater(t testing.TB, c *pjrt.Client, a pjrt.HostArray) (b *pjrt.Buffer, come func()) {
	t.Helper()
	m, err := c.NewTransferManager(context.Background(), []pjrt.Shape{a.Shape()}, nil)
	require.NoError(t, err)
	b, err = m.Buffer(0)
	require.NoError(t, err)
	come = sync.OnceFunc(func() {
		e, err := m.TransferData(0, a.Data, 0, true)
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

func TestAStartedProgramRunsOn(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	x, err := exe.Start(ctx, []*pjrt.Buffer{arg, arg}, nil)
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
	outs := x.Outputs()
	require.Len(t, outs, 1)
	// The next program waits for its argument. Nothing needs the arguments, the
	// executable or the outputs any longer once programs use them.
	y, err := exe.Start(ctx, []*pjrt.Buffer{outs[0], arg}, &pjrt.ExecuteOptions{LaunchID: math.MaxInt32})
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
	assert.Equal(t, []float32{3, 6, 9, 12}, read(t, y.Outputs()[0]))
}

func TestAnExecutionOutlivesItsContext(t *testing.T) {
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
	assert.Equal(t, before, pjrt.Live()["buffer"], "an output is left")

	x, err := exe.Start(context.Background(), args, nil)
	require.NoError(t, err)
	defer x.Close()
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, x.Wait(ctx), context.DeadlineExceeded)
	come()
	require.NoError(t, x.Wait(context.Background()), "a second waiter")
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, x.Outputs()[0]))
}

func TestAFailedArgumentFailsTheExecution(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	m, err := client.NewTransferManager(t.Context(), []pjrt.Shape{matrix(0, 0, 0, 0).Shape()}, nil)
	require.NoError(t, err)
	arg, err := m.Buffer(0)
	require.NoError(t, err)
	defer arg.Close()
	x, err := exe.Start(t.Context(), []*pjrt.Buffer{arg, arg}, nil)
	require.NoError(t, err)
	defer x.Close()
	defer x.Outputs()[0].Close()
	require.NoError(t, m.SetBufferError(0, &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "gone"}))
	require.NoError(t, m.Close())
	require.Error(t, x.Wait(t.Context()))
	assert.ErrorContains(t, x.Err(), "gone")
	_, err = x.Outputs()[0].ToHost(t.Context())
	require.ErrorContains(t, err, "gone")
	before := pjrt.Live()["buffer"]
	outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg, arg}, nil)
	require.ErrorContains(t, err, "gone")
	assert.Nil(t, outs)
	assert.Equal(t, before, pjrt.Live()["buffer"])
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

func TestDonation(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, donor)
	cases := map[string]struct {
		donation pjrt.Donation
		consumed bool
		want     string // of an error
	}{
		"as compiled":         {pjrt.Donation{}, true, ""},
		"all":                 {pjrt.DonateAll(), true, ""},
		"none":                {pjrt.DonateNone(), false, ""},
		"only the first":      {pjrt.DonateOnly(0), true, ""},
		"only the second":     {pjrt.DonateOnly(1), false, ""},
		"only nothing":        {pjrt.DonateOnly(), false, ""},
		"except the first":    {pjrt.DonateExcept(0), false, ""},
		"except the second":   {pjrt.DonateExcept(1, 1), true, ""},
		"except nothing":      {pjrt.DonateExcept(), true, ""},
		"only what is not":    {pjrt.DonateOnly(2), false, "the donation names argument 2, there are 2"},
		"except a negative":   {pjrt.DonateExcept(-1), false, "the donation names argument -1, there are 2"},
		"except what is not":  {pjrt.DonateExcept(0, 7), false, "the donation names argument 7, there are 2"},
		"only the impossible": {pjrt.DonateOnly(math.MinInt64), false, "the donation names argument -9223372036854775808"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(10, 20, 30, 40))
			outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, b}, &pjrt.ExecuteOptions{Donation: c.donation})
			if c.want != "" {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, c.want)
			} else {
				require.NoError(t, err)
				assert.Equal(t, []float32{11, 22, 33, 44}, read(t, outs[0]))
				assert.Equal(t, []float32{-10, -20, -30, -40}, read(t, outs[1]))
			}
			again, err := exe.Execute(ctx, []*pjrt.Buffer{b, a}, &pjrt.ExecuteOptions{Donation: pjrt.DonateNone()})
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
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, &pjrt.ExecuteOptions{Donation: pjrt.DonateNone()})
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		outs[1].Close()
	})
}

func TestMisuseOfExecuteOptionsIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{a, a}
	closed, err := client.Plugin().NewExecuteContext()
	require.NoError(t, err)
	closed.Close()
	ignore := func([]byte, int, bool) error { return nil }
	cases := map[string]struct {
		opts pjrt.ExecuteOptions
		want string
	}{
		"launch id":         {pjrt.ExecuteOptions{LaunchID: 1 << 31}, "launch id 2147483648 does not fit into 32 bits"},
		"negative launch":   {pjrt.ExecuteOptions{LaunchID: math.MinInt64}, "does not fit into 32 bits"},
		"closed context":    {pjrt.ExecuteOptions{Context: closed}, "execute context is closed"},
		"empty context":     {pjrt.ExecuteOptions{Context: new(pjrt.ExecuteContext)}, "belongs to another plugin"},
		"empty slices":      {pjrt.ExecuteOptions{MultiSlice: new(pjrt.MultiSliceConfig)}, "belongs to another plugin"},
		"location":          {pjrt.ExecuteOptions{CallLocation: "a\x00b"}, "has a zero byte in it"},
		"incarnations":      {pjrt.ExecuteOptions{Incarnations: map[int]int64{-1: 1}}, "processes with numbers of 31 bits, not -1"},
		"large process":     {pjrt.ExecuteOptions{Incarnations: map[int]int64{1 << 31: 1}}, "not 2147483648"},
		"transfers":         {pjrt.ExecuteOptions{Transfers: make([]pjrt.HostTransfers, 2)}, "there are 2 sets of transfers for the 1 devices"},
		"no transfers":      {pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{}}, "there are 0 sets of transfers for the 1 devices"},
		"nil send":          {pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{{Send: map[int64]pjrt.SendFunc{1: ignore, 3: nil}}}}, "the function that takes what is sent on channel 3 is nil"},
		"nil recv":          {pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{{Recv: map[int64]pjrt.RecvFunc{4: nil}}}}, "the function that gives what is received on channel 4 is nil"},
		"nil output":        {pjrt.ExecuteOptions{HLOOutputs: []pjrt.HLOOutput{{ID: 5}}}, "the function for output operation 5 is nil"},
		"negative operands": {pjrt.ExecuteOptions{HLOOutputs: []pjrt.HLOOutput{{ID: 5, Operands: -1, Func: func(pjrt.HLOValue) {}}}}, "puts out -1 values"},
		"outputs too new":   {pjrt.ExecuteOptions{HLOOutputs: []pjrt.HLOOutput{{ID: 5, Func: func(pjrt.HLOValue) {}}}}, "came with API 0.112; the plugin has API 0.81"},
		"nil device":        {pjrt.ExecuteOptions{Device: new(pjrt.Device)}, "belongs to another client"},
	}
	handles := capi.LiveHandles()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			outs, err := exe.Execute(ctx, args, &c.opts)
			require.Error(t, err)
			assert.Nil(t, outs)
			assert.ErrorContains(t, err, c.want)
			x, err := exe.Start(ctx, args, &c.opts)
			require.Error(t, err)
			assert.Nil(t, x)
			assert.Equal(t, handles, capi.LiveHandles(), "a callback is left")
		})
	}
	all := pjrt.ExecuteOptions{
		LaunchID: math.MinInt32, CallLocation: "test.go:1", Incarnations: map[int]int64{0: 5, 2: -1},
		Transfers: []pjrt.HostTransfers{{}}, Donation: pjrt.DonateNone(),
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
		_, err = none.Start(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, err = none.StartAll(ctx, nil, nil)
		require.ErrorContains(t, err, "the executable is nil")
		_, err = none.Bind(ctx)
		require.ErrorContains(t, err, "the executable is nil")
		require.ErrorContains(t, none.ExecuteInto(ctx, nil, nil, nil), "the executable is nil")
	}
	err = exe.ExecuteInto(ctx, make([]*pjrt.Buffer, 2), args, nil)
	require.ErrorContains(t, err, "there is room for 2 results, the program has 1")
	_, err = exe.Execute(ctx, []*pjrt.Buffer{a, new(pjrt.Buffer)}, nil)
	require.ErrorContains(t, err, "argument 1 belongs to another client")
}

// executeTestType registers a type of custom calls, which a process can do once.
var executeTestType = func() func(*capi.Table) int64 {
	var once sync.Once
	var id int64
	return func(table *capi.Table) int64 {
		once.Do(func() {
			var c capi.Call[capi.FFITypeRegisterArgs]
			c.Args.TypeName, c.Args.TypeNameSize = capi.StringData("purepjrt execute test")
			c.Args.TypeInfo = new(capi.FFITypeInfo)
			if err := c.Do(table); err != nil {
				panic(err)
			}
			id = c.Args.TypeID
		})
		return id
	}
}()

func TestAnExecuteContextServesManyExecutions(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	context, err := client.Plugin().NewExecuteContext()
	require.NoError(t, err)
	id := executeTestType(client.Plugin().Table())
	require.NoError(t, context.AddUserData(id, 42))
	require.Error(t, context.AddUserData(id, 43), "a second value of the type")
	var running []*pjrt.Execution
	for range 4 {
		x, err := exe.Start(ctx, []*pjrt.Buffer{a, a}, &pjrt.ExecuteOptions{Context: context})
		require.NoError(t, err)
		running = append(running, x)
	}
	require.NoError(t, context.Close())
	require.ErrorIs(t, context.AddUserData(id, 44), pjrt.ErrClosed)
	require.NoError(t, (*pjrt.ExecuteContext)(nil).Close())
	require.ErrorIs(t, (*pjrt.ExecuteContext)(nil).AddUserData(1, 1), pjrt.ErrInvalidArgument)
	for _, x := range running {
		require.NoError(t, x.Wait(ctx))
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, x.Outputs()[0]))
		x.Close()
	}
	require.Eventually(t, func() bool { return pjrt.Live()["execute context"] == 0 }, 5*time.Second, time.Millisecond)
}

func TestExecutionsInFlightAreBounded(t *testing.T) {
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
			var running []*pjrt.Execution
			start := func(ctx context.Context) error {
				x, err := exe.Start(ctx, args, nil)
				if err == nil {
					running = append(running, x)
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
			for _, x := range running {
				require.NoError(t, x.Wait(context.Background()))
				x.Outputs()[0].Close()
				x.Close()
			}
		})
	}
}

// XLA's CPU plugin waits within the call while 32 executions are under way.
func TestCallersDoNotWaitInThePlugin(t *testing.T) {
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
			x, err := exe.Start(ctx, args, nil)
			if err != nil {
				assert.ErrorIs(t, err, context.Canceled)
				return
			}
			x.Outputs()[0].Close()
			x.Close()
		})
	}
	waiting.Wait()
	time.Sleep(20 * time.Millisecond) // let them begin
	assert.Greater(t, client.InFlight(), 0)
	cancel()
	cancelled.Wait()
	now, _ := threads(t)
	assert.Less(t, now, 100)
	come()
	finished.Wait()
	require.Eventually(t, func() bool { return client.InFlight() == 0 }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return pjrt.Live()["buffer"] == buffers && pjrt.Live()["event"] == 0 }, 10*time.Second, time.Millisecond)
	outs, err := exe.Execute(t.Context(), args, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
}
