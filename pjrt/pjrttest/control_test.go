// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// start starts a plugin with the programs of the walks.
func start(t testing.TB, opts pjrttest.Options) *world {
	t.Helper()
	p := pjrttest.New(t, opts)
	register(p)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return &world{p: p, c: p.Client(), ctx: ctx}
}

// ready reports whether a buffer is ready, and with which error.
func ready(t testing.TB, b *pjrt.Buffer) (bool, error) {
	t.Helper()
	e, err := b.ReadyEvent()
	require.NoError(t, err)
	defer e.Close()
	over, err := e.Ready()
	require.NoError(t, err)
	if !over {
		return false, nil
	}
	return true, e.Wait(context.Background())
}

func TestHeldOperationsWaitForTheTest(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	double := w.compile(t, "double", "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
	w.p.Hold()
	a := w.buffer(t, nil, 1)
	b := w.buffer(t, nil, 2)
	xOuts, x, err := double.Start(w.ctx, []*pjrt.Buffer{a}, nil)
	require.NoError(t, err)
	held := w.p.Held()
	require.Len(t, held, 3)
	assert.Equal(t, "PJRT_Client_BufferFromHostBuffer on device 0", held[0].String())
	assert.Equal(t, "PJRT_LoadedExecutable_Execute", held[2].Function())
	assert.Equal(t, "double", held[2].Program())

	held[1].Release()
	over, err := ready(t, b)
	assert.True(t, over)
	assert.NoError(t, err)
	over, _ = ready(t, a)
	assert.False(t, over)
	held[2].Release()
	time.Sleep(time.Millisecond)
	over, err = x.Ready()
	require.NoError(t, err)
	assert.False(t, over, "its argument is still pending")
	assert.Equal(t, 1, w.p.Release(5))
	require.NoError(t, x.Wait(w.ctx))
	w.p.Resume()
	assert.Equal(t, []float32{2}, w.values(t, xOuts[0]))
	closeAll(t, append(xOuts, a, b)...)
	require.NoError(t, x.Close())
	require.NoError(t, double.Close())
	settled(t, w.p)
}

func TestHeldOperationsCanFail(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	w.p.Hold()
	a, b := w.buffer(t, nil, 1), w.buffer(t, nil, 2)
	held := w.p.Held()
	held[0].Fail(&pjrt.Error{Code: pjrt.ErrUnavailable, Message: "the link is down"})
	held[0].Fail(fmt.Errorf("later"))
	held[0].Release()
	over, err := ready(t, a)
	assert.True(t, over)
	assert.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.ErrorContains(t, err, "the link is down")
	over, _ = ready(t, b)
	assert.False(t, over)
	held[1].Fail(nil)
	_, err = ready(t, b)
	assert.ErrorIs(t, err, pjrt.ErrCancelled)
	closeAll(t, a, b)
}

func TestWaitHeldSeesWhatOtherGoroutinesBegin(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	w.p.Hold()
	done := make(chan []float32)
	go func() {
		b := w.buffer(t, nil, 3)
		values, _ := pjrt.ToSlice[float32](context.Background(), b) // which does not wait before it begins the transfer
		_ = b.Close()
		done <- values
	}()
	held, err := w.p.WaitHeld(w.ctx, 2)
	require.NoError(t, err)
	require.Len(t, held, 2)
	assert.Equal(t, "PJRT_Buffer_ToHostBuffer", held[1].Function())
	held[1].Release()
	held[0].Release()
	assert.Equal(t, []float32{3}, <-done)

	ctx, cancel := context.WithTimeout(w.ctx, time.Millisecond)
	defer cancel()
	_, err = w.p.WaitHeld(ctx, 1)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestHeldTransfersHaveNotReadTheHostsMemory(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	w.p.Hold()
	for semantics, want := range map[pjrt.HostBufferSemantics]float32{pjrt.OnlyDuringCall: 1, pjrt.UntilTransferCompletes: 2} {
		data := []float32{1}
		b, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf(data, 1), &pjrt.BufferOptions{Semantics: semantics})
		require.NoError(t, err)
		data[0] = 2 // a program must not do that before HostDone is ready
		w.p.Resume()
		assert.Equal(t, []float32{want}, w.values(t, b), semantics)
		w.p.Hold()
		closeAll(t, b)
	}
	w.p.Resume()
}

func TestExecutionsCanBePoisoned(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	double := w.compile(t, "double", "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
	a := w.buffer(t, nil, 1)
	w.p.Hold()
	xOuts, x, err := double.Start(w.ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{LaunchID: 7})
	require.NoError(t, err)
	device := w.c.AddressableDevices()[0]
	reason := &pjrt.Error{Code: pjrt.ErrAborted, Message: "enough", Payloads: []capi.Payload{{Key: "why", Value: []byte("late")}}}
	poisoned, err := distributed.PoisonExecution(device, 8, reason)
	require.NoError(t, err)
	assert.False(t, poisoned)
	poisoned, err = distributed.PoisonExecution(device, 7, reason)
	require.NoError(t, err)
	assert.True(t, poisoned)
	err = x.Wait(w.ctx)
	assert.ErrorContains(t, err, "enough")
	var e *pjrt.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, reason.Payloads, e.Payloads)
	assert.Empty(t, w.p.Held())
	poisoned, err = distributed.PoisonExecution(device, 7, reason)
	require.NoError(t, err)
	assert.False(t, poisoned, "the execution is over")
	closeAll(t, append(xOuts, a)...)
	require.NoError(t, x.Close())
}

func TestFaults(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	upload := func() error {
		b, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf([]float32{1}, 1), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		return b.Wait(w.ctx)
	}
	const function = "PJRT_Client_BufferFromHostBuffer"
	w.p.Fail(function, pjrt.ErrUnavailable, "first", pjrttest.Times(1))
	w.p.Fail(function, pjrt.ErrAborted, "then", pjrttest.After(1), pjrttest.Times(1), pjrttest.Async())
	assert.ErrorContains(t, upload(), "first")
	assert.NoError(t, upload())
	err := upload()
	assert.ErrorIs(t, err, pjrt.ErrAborted)
	assert.NoError(t, upload())
	end := w.p.Fail(function, pjrt.ErrInternal, "always")
	assert.Error(t, upload())
	assert.Error(t, upload())
	end()
	assert.NoError(t, upload())
	assert.Equal(t, 7, w.p.Calls(function))
	settled(t, w.p)

	assert.PanicsWithValue(t, `pjrttest: the plugin has no function "PJRT_Nonsense"; give a C name, such as PJRT_Client_Compile`, func() {
		w.p.Fail("PJRT_Nonsense", pjrt.ErrInternal, "")
	})
	assert.Panics(t, func() { w.p.Fail(function, capi.ErrorCodeOK, "") })
}

func TestBlockedCallsWait(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	const function = "PJRT_TopologyDescription_Create"
	create := func(ctx context.Context) <-chan error {
		result := make(chan error, 1)
		calls := p.Calls(function)
		go func() {
			o, err := p.Plugin().NewTopology(ctx, "", nil)
			if err == nil {
				err = o.Close()
			}
			result <- err
		}()
		require.Eventually(t, func() bool { return p.Calls(function) > calls }, patience, time.Millisecond)
		return result
	}
	end, endOther := p.Block(function), p.Block(function)
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp, waits := create(ctx), create(context.Background())
	cancel()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	end()
	end()
	time.Sleep(time.Millisecond)
	assert.Empty(t, waits, "there is another block")
	assert.Empty(t, p.Live())
	endOther()
	require.NoError(t, <-waits)
	// The topology that nobody waited for is made and destroyed too, before calls are counted.
	require.Eventually(t, func() bool { return p.Calls("PJRT_TopologyDescription_Destroy") == 2 }, patience, time.Millisecond)

	end = p.Block(function)
	p.Fail(function, pjrt.ErrUnavailable, "later", pjrttest.After(1), pjrttest.Times(1))
	waits, fails := create(context.Background()), create(context.Background())
	end()
	assert.ErrorContains(t, errors.Join(<-waits, <-fails), "later")

	p.Block(function)
	cancelled := create(context.Background())
	require.NoError(t, p.Close())
	require.ErrorIs(t, <-cancelled, pjrt.ErrCancelled)
	assert.PanicsWithValue(t, `pjrttest: the plugin has no function "PJRT_Nonsense"; give a C name, such as PJRT_Client_Compile`, func() {
		p.Block("PJRT_Nonsense")
	})
}

func TestMemoryIsLimited(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Memories: []pjrttest.MemoryOptions{{Kind: "device", Bytes: 100}}})
	device := w.c.AddressableDevices()[0]
	use := func() int64 {
		stats, err := device.MemoryStats()
		require.NoError(t, err)
		return stats.InUse
	}
	a := w.buffer(t, nil, make([]float32, 20)...)
	assert.Equal(t, int64(80), use())
	_, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf(make([]float32, 6), 6), nil)
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	assert.ErrorContains(t, err, "24 bytes do not fit in device of device 0, where 80 of 100 bytes are in use")

	// A result takes the memory of a donated argument when nothing else is free.
	const signature = "(%%a: tensor<20xf32>%s) -> tensor<20xf32>"
	keeps := w.compile(t, "double", fmt.Sprintf(signature, ""), nil)
	_, err = keeps.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	donates := w.compile(t, "double", fmt.Sprintf(signature, " {tf.aliasing_output = 0 : i32}"), nil)
	out, err := donates.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
	require.NoError(t, err)
	assert.Equal(t, int64(80), use())
	require.NoError(t, out[0].Delete())
	released(t, device)
	closeAll(t, a, out[0])
	stats, err := device.MemoryStats()
	require.NoError(t, err)
	assert.EqualValues(t, 80, *stats.PeakInUse)
	require.NoError(t, device.ClearMemoryStats())
	stats, err = device.MemoryStats()
	require.NoError(t, err)
	assert.Zero(t, *stats.PeakInUse)
	require.NoError(t, keeps.Close())
	require.NoError(t, donates.Close())
	settled(t, w.p)
}

func TestAbsentFunctionsAndExtensions(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Absent: []string{"PJRT_Device_MemoryStats"}, Extensions: []capi.ExtensionType{}})
	_, err := w.c.AddressableDevices()[0].MemoryStats()
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.Empty(t, w.p.Table().Extensions())
	exe := w.compile(t, "identity", "() -> ()", nil)
	defer exe.Close()
	_, err = exe.OutputLayouts()
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)

	all := start(t, pjrttest.Options{})
	assert.NotEmpty(t, all.p.Table().Extensions())

	node := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize, Type: capi.ExtensionTypeCallback}
	own := start(t, pjrttest.Options{Nodes: []*capi.ExtensionBase{node}})
	assert.Len(t, own.p.Table().Extensions(), len(all.p.Table().Extensions()))
	assert.Same(t, node, own.p.Table().Extension(capi.ExtensionTypeCallback).Node, "in place of the plugin's own")
}

func TestWrongOptionsAreErrors(t *testing.T) {
	t.Parallel()
	for text, o := range map[string]pjrttest.Options{
		"Options.Devices is -1":                                {Devices: -1},
		"Options.Minor is 56":                                  {Minor: 56},
		"Options.Minor is 999":                                 {Minor: 999},
		"Options.ProcessIndex is 1, but there are 1 processes": {ProcessIndex: 1},
		"Options.Memories is empty":                            {Memories: []pjrttest.MemoryOptions{}},
		`has the kind "" and 0 bytes`:                          {Memories: []pjrttest.MemoryOptions{{}}},
		`names "PJRT_What", which is not a function`:           {Absent: []string{"PJRT_What"}},
		"the extension FFI is not supported":                   {Extensions: []capi.ExtensionType{capi.ExtensionTypeFFI}},
		"CrossHostTransfers needs a network":                   {Extensions: []capi.ExtensionType{capi.ExtensionTypeCrossHostTransfers}},
		"Options.Attributes":                                   {Attributes: []pjrt.Attribute{{Name: "x", Value: struct{}{}}}},
		"Options.DeviceAttributes(0)": {DeviceAttributes: func(int) []pjrt.Attribute {
			return []pjrt.Attribute{{Name: "x", Value: struct{}{}}}
		}},
		"an option in Options.CreateOptions has no name": {CreateOptions: []pjrt.Attribute{{}}},
	} {
		_, err := pjrttest.Start(o)
		assert.ErrorContains(t, err, text)
	}
}

func TestAttributesOfDevicesChange(t *testing.T) {
	t.Parallel()
	var temperature atomic.Int64
	w := start(t, pjrttest.Options{DeviceAttributes: func(int) []pjrt.Attribute {
		return []pjrt.Attribute{{Name: "temperature", Value: temperature.Load()}}
	}})
	device := w.c.Devices()[0]
	for want := range int64(3) {
		temperature.Store(want)
		got, err := device.LiveAttributes()
		require.NoError(t, err)
		assert.Contains(t, got, pjrt.Attribute{Name: "temperature", Value: want})
	}
	assert.Contains(t, device.Description().Attributes(), pjrt.Attribute{Name: "temperature", Value: int64(0)})
	settled(t, w.p)
}

func TestCreateOptions(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{CreateOptions: []pjrt.Attribute{{Name: "flavour", Value: ""}}})
	create := func(options ...pjrt.Attribute) (*pjrt.Client, error) {
		return w.p.Plugin().NewClient(w.ctx, &pjrt.ClientOptions{Create: options})
	}
	options := []pjrt.Attribute{{Name: "flavour", Value: "sour"}, {Name: "device_count", Value: int64(3)}}
	c, err := create(options...)
	require.NoError(t, err)
	assert.Len(t, c.Devices(), 3)
	assert.Equal(t, options, w.p.CreateOptions())
	require.NoError(t, c.Close())
	for text, o := range map[string]pjrt.Attribute{
		`there is no create option "no_such"`: {Name: "no_such", Value: int64(1)},
		`"flavour" has type int64`:            {Name: "flavour", Value: int64(1)},
		"device_count is 0":                   {Name: "device_count", Value: int64(0)},
		"node_id is 1, but num_nodes is 1":    {Name: "node_id", Value: int64(1)},
	} {
		_, err := create(o)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, text)
	}
}

func TestProcessesMeetInTheKeyValueStore(t *testing.T) {
	t.Parallel()
	store := kv.NewMemory()
	clients := make([]*pjrt.Client, 3)
	var group sync.WaitGroup
	for node := range clients {
		p := pjrttest.New(t, pjrttest.Options{Devices: node + 1})
		group.Go(func() {
			c, err := p.Plugin().NewClient(context.Background(), &pjrt.ClientOptions{
				KeyValueStore: store, NodeID: node, NumNodes: len(clients),
			})
			if assert.NoError(t, err) {
				clients[node] = c
			}
		})
	}
	group.Wait()
	for node, c := range clients {
		require.NotNil(t, c)
		assert.Equal(t, node, c.ProcessIndex())
		assert.Len(t, c.AddressableDevices(), node+1)
		assert.Len(t, c.Devices(), 1+2+3)
		require.NoError(t, c.Close())
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	p := pjrttest.New(t, pjrttest.Options{})
	_, err := p.Plugin().NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: kv.NewMemory(), NumNodes: 2})
	assert.ErrorIs(t, err, context.DeadlineExceeded, "the other process never arrives")
}

func TestLiveCountsTheObjectsThatAreLeft(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	a := w.buffer(t, nil, 1)
	e, err := a.ReadyEvent()
	require.NoError(t, err)
	assert.Equal(t, 1, w.p.Live()["PJRT_Buffer"])
	assert.Equal(t, 1, w.p.Live()["PJRT_Event"])
	require.NoError(t, e.Close())
	closeAll(t, a)
	settled(t, w.p)
}

func TestNoLeaksOfAPluginFailsTheTest(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	p := pjrttest.New(r, pjrttest.Options{NoLeaks: true})
	e, promise, err := p.Plugin().NewEvent()
	require.NoError(t, err)
	assert.Equal(t, "pjrttest: the test left objects in the plugin: map[PJRT_Event:1]", r.finish())
	require.NoError(t, e.Close())
	require.NoError(t, promise.Close())

	r = &recorder{TB: t}
	p = pjrttest.New(r, pjrttest.Options{NoLeaks: true})
	_, err = pjrt.FromSlice(context.Background(), p.Client(), []float32{1}, 1)
	require.NoError(t, err)
	assert.Empty(t, r.finish(), "forgotten objects are freed")
}

func TestObjectsThatOutliveAPluginDoNoHarm(t *testing.T) {
	t.Parallel()
	p, err := pjrttest.Start(pjrttest.Options{})
	require.NoError(t, err)
	b, err := pjrt.FromSlice(context.Background(), p.Client(), []float32{1}, 1)
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close(), "again")
	values, err := pjrt.ToSlice[float32](context.Background(), b)
	require.NoError(t, err)
	assert.Equal(t, []float32{1}, values)
	require.NoError(t, b.Close())
	assert.Eventually(t, func() bool { return len(p.Live()) == 0 }, patience, time.Millisecond)
}

func TestClosingThePluginEndsHeldOperations(t *testing.T) {
	t.Parallel()
	p, err := pjrttest.Start(pjrttest.Options{})
	require.NoError(t, err)
	p.Hold()
	b, err := pjrt.FromSlice(context.Background(), p.Client(), []float32{1}, 1)
	require.NoError(t, err)
	waited := make(chan error)
	go func() { waited <- b.Wait(context.Background()) }()
	require.NoError(t, p.Close())
	assert.ErrorIs(t, <-waited, pjrt.ErrCancelled)
	require.NoError(t, b.Close())
}

func TestMorePluginsThanThereAreTables(t *testing.T) {
	t.Parallel()
	n := serve.MaxTables() + 20
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			p, err := pjrttest.Start(pjrttest.Options{Devices: i%3 + 1})
			if !assert.NoError(t, err) {
				return
			}
			assert.Len(t, p.Client().Devices(), i%3+1)
			assert.NoError(t, p.Close())
		})
	}
	group.Wait()
}

func TestProgramsThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	w.p.Program("quits", pjrttest.Signature{}, func([]pjrt.HostArray) ([]pjrt.HostArray, error) {
		runtime.Goexit()
		return nil, nil
	})
	quits := w.compile(t, "quits", "() -> ()", nil)
	fine := w.compile(t, "identity", "() -> ()", nil)
	_, err := quits.Execute(w.ctx, nil, nil)
	assert.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "ended its goroutine")
	_, err = fine.Execute(w.ctx, nil, nil)
	assert.NoError(t, err, "the device goes on")
	require.NoError(t, quits.Close())
	require.NoError(t, fine.Close())
}

func TestWrongRegistrationsOfProgramsPanic(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{})
	for _, x := range []pjrttest.Program{
		{Func: pjrttest.Identity}, {Name: "x"}, {Name: "x", Func: pjrttest.Identity, Launch: func(*pjrttest.Launch) error { return nil }},
	} {
		assert.Panics(t, func() { p.AddProgram(x) })
	}
}

func TestProgramsAreFoundByNameAndMatch(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	one := pjrttest.Signature{Parameters: []pjrt.Shape{}, Results: []pjrt.Shape{{Type: pjrt.ScalarOf[int32](0).Type, Dims: []int64{}}}}
	number := func(n int32) pjrttest.Func { return pjrttest.Return(pjrt.ScalarOf[int32](n)) }
	w.p.Program("old", one, number(1))
	w.p.Program("old", one, number(2))
	w.p.AddProgram(pjrttest.Program{Signature: one, Func: number(3), Match: func(code []byte, format pjrt.Format) bool {
		return format == pjrt.FormatHLO || string(code) == "anything\n"
	}})
	for _, x := range []struct {
		program pjrt.Program
		want    int32
	}{
		{pjrt.Program{Code: []byte("old")}, 2},
		{pjrt.Program{Code: []byte("module @old attributes {a = 1} {}")}, 2},
		{pjrt.Program{Code: []byte(`module @"old" {}`)}, 2},
		{pjrt.Program{Code: []byte("anything\n")}, 3},
		{pjrt.Program{Code: []byte{10, 1, 'x'}, Format: pjrt.FormatHLO}, 3},
	} {
		exe, err := w.c.Compile(w.ctx, x.program, nil)
		require.NoError(t, err, string(x.program.Code))
		out, err := exe.Execute(w.ctx, nil, nil)
		require.NoError(t, err)
		got, err := pjrt.ToScalar[int32](w.ctx, out[0])
		require.NoError(t, err)
		assert.Equal(t, x.want, got, string(x.program.Code))
		closeAll(t, out...)
		require.NoError(t, exe.Close())
	}
	for _, code := range []string{"module @older {}", "older", "module @ol {}"} {
		_, err := w.c.Compile(w.ctx, pjrt.Program{Code: []byte(code)}, nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, code)
	}
	_, err := w.c.Compile(w.ctx, pjrt.Program{Code: []byte("double")}, nil)
	assert.ErrorContains(t, err, "register it with a Signature", "the name alone has no types")
}

func TestWrongProgramsAndOptionsAreErrors(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Devices: 2})
	text := string(module("double", "(%a: tensor<1xf32> {a.b = \"}\\\"{\"}) -> tensor<1xf32> // {\n").Code)
	compile := func(text string, opts *pjrt.CompileOptions) error {
		exe, err := w.c.Compile(w.ctx, pjrt.Program{Code: []byte(text), Format: pjrt.FormatMLIR}, opts)
		if err != nil {
			return err
		}
		return exe.Close()
	}
	require.NoError(t, compile(text, nil))
	for n := 1; n < len(text)-2; n++ {
		assert.ErrorIs(t, compile(text[:n], nil), pjrt.ErrInvalidArgument, text[:n])
	}
	for bad, want := range map[string]string{
		text + "}":            `an unexpected "}" in line 6`,
		text + "({)}":         `an unexpected ")"`,
		"module @double {":    "the program is truncated",
		"module @double { \"": "within a string",
		"module @double {}":   "cannot be read from its text",
		string(module("double", "(%a: !t)").Code):                                                            "register it with a Signature",
		string(module("double", "(%a: tensor<1xf32> {tf.aliasing_output = 3 : i32}) -> tensor<1xf32>").Code): "with result 3 of 1",
		string(module("double", `() -> (tensor<2x2xf32> {mhlo.layout_mode = "{0,0}"})`).Code):                "not an order of 2 dimensions",
		string(module("double", `() -> (tensor<2x2xf32> {mhlo.layout_mode = "sideways"})`).Code):             "is not a layout mode",
	} {
		err := compile(bad, nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, bad)
		assert.ErrorContains(t, err, want, bad)
	}
	err := compile(text, &pjrt.CompileOptions{Flags: map[string]any{"xla_no_such_flag": true}, AllowUnknownFlags: true})
	assert.ErrorContains(t, err, "xla_no_such_flag")
	assert.NoError(t, compile(text, &pjrt.CompileOptions{Flags: map[string]any{"xla_cpu_enable_fast_math": true}}))
	shape := pjrt.Shape{Type: pjrt.ScalarOf[float32](0).Type, Dims: []int64{1}}
	assert.NoError(t, compile(text, &pjrt.CompileOptions{ResultLayout: &pjrt.ShapeLayout{Shape: shape, Layout: pjrt.RowMajor(1)}}))
	other := pjrt.Shape{Type: shape.Type, Dims: []int64{2}}
	assert.Error(t, compile(text, &pjrt.CompileOptions{ResultLayout: &pjrt.ShapeLayout{Shape: other}}))
}

func TestResultsHaveTheLayoutThatTheProgramAsksFor(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	exe := w.compile(t, "identity", `(%a: tensor<2x3xi8>) -> (tensor<2x3xi8> {mhlo.layout_mode = "{0,1}"})`, nil)
	defer exe.Close()
	a, err := pjrt.FromSlice(w.ctx, w.c, []int8{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
	require.NoError(t, err)
	layouts, err := exe.OutputLayouts()
	require.NoError(t, err)
	assert.Equal(t, "{0,1}", layouts[0].Text)
	raw := make([]byte, 6)
	require.NoError(t, transfer.CopyRaw(w.ctx, out[0], raw, 0))
	assert.Equal(t, []byte{1, 4, 2, 5, 3, 6}, raw)
	got, err := pjrt.ToSlice[int8](w.ctx, out[0])
	require.NoError(t, err)
	assert.Equal(t, []int8{1, 2, 3, 4, 5, 6}, got)
	closeAll(t, a, out[0])
}
