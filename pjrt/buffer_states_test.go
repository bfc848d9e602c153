// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// statesWorld has what the states of a buffer are made of.
type statesWorld struct {
	t       testing.TB
	client  *pjrt.Client
	plus    *pjrt.LoadedExecutable // adds two arguments
	take    *pjrt.LoadedExecutable // puts the sum of two arguments in the place of the first
	hold    *pjrt.LoadedExecutable // runs until the handler of a custom call returns
	holdOwn *pjrt.LoadedExecutable // hold that puts its result in the place of its argument
	entered chan chan struct{}     // from the handler: the channel that lets it return
}

var holdHandler struct {
	sync.Once
	entered chan chan struct{}
}

func newStatesWorld(t testing.TB) *statesWorld {
	t.Helper()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: 2})
	holdHandler.Do(func() {
		holdHandler.entered = make(chan chan struct{})
		handler, err := cffi.NewHandler(func(*cffi.CallFrame) error {
			goOn := make(chan struct{})
			holdHandler.entered <- goOn
			<-goOn
			return nil
		}, nil)
		require.NoError(t, err)
		require.NoError(t, ffi.RegisterC(client.Plugin(), ffi.CustomCall{Target: "hold", Platform: "Host", Handler: handler}))
	})
	call := `  %0 = stablehlo.custom_call @hold(%a) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %a, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}`
	return &statesWorld{
		t: t, client: client, entered: holdHandler.entered,
		plus: compile(t, client, `func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}`),
		take: compile(t, client, `func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}`),
		hold:    compile(t, client, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"+call),
		holdOwn: compile(t, client, "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"+call),
	}
}

var stateShape = pjrt.Shape{Type: dtype.F32, Dims: []int64{4}}

func (w *statesWorld) ready() *pjrt.Buffer {
	b, err := pjrt.FromSlice(context.Background(), w.client, []float32{1, 2, 3, 4})
	require.NoError(w.t, err)
	return b
}

// pending returns a buffer without contents, and a function that provides them.
func (w *statesWorld) pending() (*pjrt.Buffer, func()) {
	b, alias, err := transfer.NewAlias(context.Background(), w.client, stateShape, nil)
	require.NoError(w.t, err)
	return b, func() {
		contents := w.ready()
		defer contents.Close()
		assert.NoError(w.t, alias.Fulfill(contents))
		alias.Close()
	}
}

// started runs a program without waiting for its end, and closes the results.
func (w *statesWorld) started(exe *pjrt.LoadedExecutable, args ...*pjrt.Buffer) {
	outs, done, err := exe.Start(context.Background(), args, nil)
	require.NoError(w.t, err)
	done.Close()
	outs[0].Close()
}

// held runs a program up to its custom call, and returns a function that ends it.
func (w *statesWorld) held(exe *pjrt.LoadedExecutable, b *pjrt.Buffer) (end func()) {
	over := make(chan error, 1)
	go func() {
		outs, err := exe.Execute(context.Background(), []*pjrt.Buffer{b}, nil)
		if err == nil {
			outs[0].Close()
		}
		over <- err
	}()
	select {
	case goOn := <-w.entered:
		return func() {
			close(goOn)
			assert.NoError(w.t, <-over)
		}
	case err := <-over:
		require.NoError(w.t, err)
		return nil
	}
}

// bufferStates make a buffer in a state, which lasts until end is called.
var bufferStates = map[string]func(w *statesWorld) (b *pjrt.Buffer, end func()){
	"ready": func(w *statesWorld) (*pjrt.Buffer, func()) { return w.ready(), func() {} },
	"an alias without contents": func(w *statesWorld) (*pjrt.Buffer, func()) {
		return w.pending()
	},
	"a buffer of a transfer manager without contents": func(w *statesWorld) (*pjrt.Buffer, func()) {
		m, err := transfer.NewManager(context.Background(), w.client, []pjrt.Shape{stateShape}, nil)
		require.NoError(w.t, err)
		b, err := m.Buffer(0)
		require.NoError(w.t, err)
		return b, func() {
			e, err := m.Send(0, make([]byte, 16), 0, true)
			if assert.NoError(w.t, err) {
				assert.NoError(w.t, e.Wait(context.Background()))
				e.Close()
			}
			m.Close()
		}
	},
	"an argument of an execution that has not begun": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		other, fill := w.pending()
		w.started(w.plus, b, other)
		other.Close()
		return b, fill
	},
	"donated": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		outs, err := w.take.Execute(context.Background(), []*pjrt.Buffer{b, w.other()}, nil)
		require.NoError(w.t, err)
		outs[0].Close()
		return b, func() {}
	},
	"donated without contents": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b, fill := w.pending()
		w.started(w.take, b, w.other())
		return b, fill
	},
	"donated to an execution that has not begun": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		other, fill := w.pending()
		w.started(w.take, b, other)
		other.Close()
		return b, fill
	},
	"an argument of a running execution": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		return b, w.held(w.hold, b)
	},
	"donated to a running execution": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		return b, w.held(w.holdOwn, b)
	},
	"referenced": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		r, err := b.Reference(context.Background())
		require.NoError(w.t, err)
		return b, func() { r.Close() }
	},
	"read in place": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		reading, goOn, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			over <- b.ReadInPlace(context.Background(), func([]byte) error {
				close(reading)
				<-goOn
				return nil
			})
		}()
		<-reading
		return b, func() {
			close(goOn)
			assert.NoError(w.t, <-over)
		}
	},
	"bound": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		bound, err := w.plus.Bind(context.Background(), pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
		require.NoError(w.t, err)
		return b, func() { bound.Close() }
	},
	"deleted": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		require.NoError(w.t, b.Delete())
		return b, func() {}
	},
	"failed": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b, alias, err := transfer.NewAlias(context.Background(), w.client, stateShape, nil)
		require.NoError(w.t, err)
		require.NoError(w.t, alias.Fail(errors.New("no contents")))
		return b, func() { alias.Close() }
	},
	"closed": func(w *statesWorld) (*pjrt.Buffer, func()) {
		b := w.ready()
		b.Close()
		return b, func() {}
	},
}

// other returns a second argument, which the test closes at its end.
func (w *statesWorld) other() *pjrt.Buffer {
	b := w.ready()
	w.t.Cleanup(func() { b.Close() })
	return b
}

// bufferCalls are all calls about a buffer. They close what they make.
var bufferCalls = map[string]func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error{
	"Close":     func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return b.Close() },
	"Delete":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return b.Delete() },
	"IsDeleted": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.IsDeleted()) },
	"Client":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { b.Client(); return nil },
	"Shape":     func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { b.Shape(); return nil },
	"String":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { _ = b.String(); return nil },
	"Device":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.Device()) },
	"Memory":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.Memory()) },
	"Layout":    func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.Layout()) },
	"HostDone":  func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { b.HostDone(); return nil },
	"IsOnCPU":   func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.IsOnCPU()) },
	"DynamicDims": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(b.DynamicDims())
	},
	"OnDeviceSize": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(b.OnDeviceSize())
	},
	"memories.LayoutOf": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(memories.LayoutOf(b))
	},
	"UnpaddedDims": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(b.UnpaddedDims(ctx))
	},
	"ReadyEvent": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		e, err := b.ReadyEvent()
		e.Close()
		return err
	},
	"Wait":   func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error { return b.Wait(ctx) },
	"ToHost": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error { return second(b.ToHost(ctx)) },
	"ToHostInto": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(b.ToHostInto(ctx, make([]byte, 16)))
	},
	"ToHostAsync": func(_ context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		e, err := b.ToHostAsync(make([]byte, 16))
		e.Close()
		return err
	},
	"ToHostStrided": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return b.ToHostStrided(ctx, make([]byte, 28), []int64{8})
	},
	"ReadInPlace": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return b.ReadInPlace(ctx, func(data []byte) error { _ = data[15]; return nil })
	},
	"Reference": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		r, err := b.Reference(ctx)
		r.Close()
		return err
	},
	"raw.ShareMemory": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		return second(raw.ShareMemory(ctx, b, o))
	},
	"Bitcast": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return closed(b.Bitcast(ctx, pjrt.Shape{Type: dtype.S32, Dims: []int64{4}}, nil))
	},
	"CopyToDevice": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		return closed(b.CopyToDevice(ctx, w.client.AddressableDevices()[1]))
	},
	"CopyToMemory": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		return closed(b.CopyToMemory(ctx, w.client.AddressableDevices()[1].DefaultMemory()))
	},
	"Execute": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, err := w.plus.Execute(ctx, []*pjrt.Buffer{b, o}, nil)
		return closedAll(outs, err)
	},
	"Execute twice": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		outs, err := w.take.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
		return closedAll(outs, err)
	},
	"Execute with donation": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, err := w.take.Execute(ctx, []*pjrt.Buffer{b, o}, nil)
		return closedAll(outs, err)
	},
	"Execute with Keep": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, err := w.take.Execute(ctx, []*pjrt.Buffer{b, o}, &pjrt.ExecuteOptions{Keep: []int{0}})
		return closedAll(outs, err)
	},
	"Execute with KeepAll": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, err := w.take.Execute(ctx, []*pjrt.Buffer{b, o}, &pjrt.ExecuteOptions{KeepAll: true})
		return closedAll(outs, err)
	},
	"Start with a Bound of a donated parameter": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		bound, err := w.take.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
		if err != nil {
			return err
		}
		defer bound.Close()
		o := w.ready()
		defer o.Close()
		outs, done, err := w.take.Start(ctx, []*pjrt.Buffer{o}, &pjrt.ExecuteOptions{Bound: bound})
		done.Close()
		return closedAll(outs, err)
	},
	"Start": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, done, err := w.plus.Start(ctx, []*pjrt.Buffer{b, o}, nil)
		done.Close()
		return closedAll(outs, err)
	},
	"Start with donation": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		o := w.ready()
		defer o.Close()
		outs, done, err := w.take.Start(ctx, []*pjrt.Buffer{b, o}, nil)
		done.Close()
		return closedAll(outs, err)
	},
	"Bind": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		bound, err := w.plus.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}})
		bound.Close()
		return err
	},
	"raw.AcquireContents": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		_, release, err := raw.AcquireContents(ctx, b)
		if err == nil {
			release()
		}
		return err
	},
	"raw.UnsafePointer": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return second(raw.UnsafePointer(ctx, b))
	},
	"transfer.Alias.Fulfill": func(ctx context.Context, w *statesWorld, b *pjrt.Buffer) error {
		alias, promise, err := transfer.NewAlias(ctx, w.client, stateShape, nil)
		if err != nil {
			return err
		}
		defer alias.Close()
		defer promise.Close()
		return promise.Fulfill(b)
	},
	"transfer.CopyRaw": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		return transfer.CopyRaw(ctx, b, make([]byte, 16), 0)
	},
	"transfer.StartCopyRaw": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		e, err := transfer.StartCopyRaw(ctx, b, make([]byte, 16), 0)
		e.Close()
		return err
	},
	"rawbuffer.Of": func(ctx context.Context, _ *statesWorld, b *pjrt.Buffer) error {
		r, err := rawbuffer.Of(ctx, b)
		r.Close()
		return err
	},
}

func closed(b *pjrt.Buffer, err error) error {
	b.Close()
	return err
}

func closedAll(outs []*pjrt.Buffer, err error) error {
	for _, b := range outs {
		b.Close()
	}
	return err
}

// Whatever a buffer waits for, no call about it waits longer than its context allows, and a
// call without a context does not wait. The calls run while the state lasts: if one of them
// waited for its end, the test would not end either.
func TestNoCallAboutABufferOutlivesItsContext(t *testing.T) {
	if !inChild(t) {
		return
	}
	w := newStatesWorld(t)
	for _, state := range slices.Sorted(maps.Keys(bufferStates)) {
		for _, call := range slices.Sorted(maps.Keys(bufferCalls)) {
			fmt.Println(state, "/", call) // the last line tells where a process ended
			b, end := bufferStates[state](w)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
			returned := make(chan error, 1)
			go func() { returned <- bufferCalls[call](ctx, w, b) }()
			select {
			case <-returned:
			case <-time.After(patience):
				t.Fatalf("a buffer that is %s: %s does not return", state, call)
			}
			cancel()
			b.Close()
			end()
		}
	}
}

// Two calls about one buffer in any state may run at the same time, while the state ends.
func TestAnyTwoCallsAboutABufferMayRunAtOnce(t *testing.T) {
	if !inChild(t) {
		return
	}
	w := newStatesWorld(t)
	states, calls := slices.Sorted(maps.Keys(bufferStates)), slices.Sorted(maps.Keys(bufferCalls))
	type round struct{ state, first, second string }
	var rounds []round
	for _, s := range states {
		for _, a := range calls {
			for _, b := range calls {
				rounds = append(rounds, round{s, a, b})
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(rounds), func(i, j int) { rounds[i], rounds[j] = rounds[j], rounds[i] })
	if testing.Short() {
		rounds = rounds[:len(rounds)/480]
	}
	for _, x := range rounds {
		fmt.Println(x.state, "/", x.first, "/", x.second)
		b, end := bufferStates[x.state](w)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		over := make(chan struct{})
		var both sync.WaitGroup
		for _, call := range []string{x.first, x.second} {
			both.Go(func() { _ = bufferCalls[call](ctx, w, b) })
		}
		go func() {
			both.Wait()
			close(over)
		}()
		if r.IntN(2) == 0 {
			end()
			end = func() {}
		}
		select {
		case <-over:
		case <-time.After(patience):
			t.Fatalf("a buffer that is %s: %s or %s does not return\n%s", x.state, x.first, x.second, allStacks())
		}
		cancel()
		b.Close()
		end()
	}
	t.Logf("%d rounds", len(rounds))
}

// The CPU plugin runs small programs within the C call that starts them.
func TestNoExecutionOutlivesItsContext(t *testing.T) {
	w := newStatesWorld(t)
	one := func(b *pjrt.Buffer) []*pjrt.Buffer { return []*pjrt.Buffer{b} }
	for name, execute := range map[string]func(context.Context, *pjrt.Buffer) error{
		"Execute": func(ctx context.Context, b *pjrt.Buffer) error { return second(w.hold.Execute(ctx, one(b), nil)) },
		"ExecuteInto": func(ctx context.Context, b *pjrt.Buffer) error {
			return w.hold.ExecuteInto(ctx, make([]*pjrt.Buffer, 1), one(b), nil)
		},
		"ExecuteAll": func(ctx context.Context, b *pjrt.Buffer) error {
			return second(w.hold.ExecuteAll(ctx, [][]*pjrt.Buffer{one(b)}, nil))
		},
		"Start": func(ctx context.Context, b *pjrt.Buffer) error {
			_, _, err := w.hold.Start(ctx, one(b), nil)
			return err
		},
		"StartAll": func(ctx context.Context, b *pjrt.Buffer) error {
			_, _, err := w.hold.StartAll(ctx, [][]*pjrt.Buffer{one(b)}, nil)
			return err
		},
		"a donating program": func(ctx context.Context, b *pjrt.Buffer) error {
			return second(w.holdOwn.Execute(ctx, one(b), nil))
		},
		"bound arguments": func(ctx context.Context, b *pjrt.Buffer) error {
			bound, err := w.hold.Bind(ctx, pjrt.Argument{Buffers: one(b)})
			if err != nil {
				return err
			}
			defer bound.Close()
			return second(w.hold.Execute(ctx, nil, &pjrt.ExecuteOptions{Bound: bound}))
		},
	} {
		b := w.ready()
		ctx, cancel := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() { returned <- execute(ctx, b) }()
		goOn := <-w.entered
		cancel()
		require.ErrorIs(t, <-returned, context.Canceled, name)
		assert.Equal(t, 1, w.client.InFlight(), "%s: the program still runs", name)
		require.NoError(t, b.Close(), name)
		close(goOn)
		require.Eventually(t, func() bool { return w.client.InFlight() == 0 }, patience, time.Millisecond, name)
	}
}

// Calls that were quick are made on the caller's goroutine, where no context can end them,
// but not those of a program that may take any time.
func TestALoopThatWasQuickIsNotTrusted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := standInClient(t, 1)
	loop := compile(t, client, `func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %m = %n) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %m : tensor<i32>, tensor<i32>
    }
  return %r#0 : tensor<i32>
}`)
	n, err := pjrt.FromScalar(ctx, client, int32(1))
	require.NoError(t, err)
	defer n.Close()
	for range 20 {
		require.NoError(t, closedAll(loop.Execute(ctx, []*pjrt.Buffer{n}, nil)))
	}
	// How long many rounds take depends on the machine, so the test decides when the loop ends.
	begun, end := make(chan struct{}), make(chan struct{})
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		close(begun)
		<-end
		return next(a)
	})
	go func() {
		<-begun
		cancel()
	}()
	_, err = loop.Execute(ctx, []*pjrt.Buffer{n}, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, client.InFlight(), "the loop still runs")
	close(end)
	require.Eventually(t, func() bool { return client.InFlight() == 0 }, patience, time.Millisecond)
}
