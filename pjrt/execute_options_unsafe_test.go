// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

func TestExecuteOptionsReachThePlugin(t *testing.T) {
	client := standInClient(t, 2)
	exe := compileWith(t, client, allReduce(2), &pjrt.CompileOptions{Replicas: 2})
	a := uploadTo(t, client.Devices()[0], floats(1, 2, 3))
	b := uploadTo(t, client.Devices()[1], floats(1, 2, 3))
	ended := 0
	extension := extendFunc(func(c *pjrt.Client, devices []*pjrt.Device, options *capi.ExecuteOptions) (func(), error) {
		assert.Same(t, client, c)
		assert.Equal(t, client.Devices()[:2], devices)
		options.MultiSliceConfig = (*capi.MultiSliceConfig)(unsafe.Pointer(new([16]byte)))
		return func() { ended++ }, nil
	})
	var seen capi.ExecuteOptions
	var tasks []int32
	var incarnations, keep []int64
	var location string
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		seen = *a.Options
		tasks = capi.Slice(seen.TaskIDs, seen.NumTasks)
		incarnations = capi.Slice(seen.IncarnationIDs, seen.NumTasks)
		keep = capi.Slice(seen.NonDonatableInputIndices, seen.NumNonDonatableInputIndices)
		location = capi.GoString(seen.CallLocation)
		assert.Nil(t, a.ExecuteDevice)
		assert.EqualValues(t, 2, a.NumDevices)
		assert.EqualValues(t, 1, a.NumArgs)
		plain := *a
		plain.Options = &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
		return next(&plain)
	})
	run := func(opts *pjrt.ExecuteOptions) {
		t.Helper()
		outs, err := exe.ExecuteAll(t.Context(), [][]*pjrt.Buffer{{a}, {b}}, opts)
		require.NoError(t, err)
		for _, o := range outs {
			assert.Equal(t, []float32{2, 4, 6}, read(t, o[0]))
		}
	}
	run(nil)
	assert.Equal(t, capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}, seen, "all zero")
	run(&pjrt.ExecuteOptions{
		LaunchID: -5, CallLocation: "train.go:42", Incarnations: map[int]int64{7: 70, 0: -1, 3: 30},
		Extensions: []pjrt.ExecuteExtension{extension}, KeepAll: true,
	})
	assert.EqualValues(t, -5, seen.LaunchID)
	assert.Equal(t, "train.go:42", location)
	assert.Equal(t, []int32{0, 3, 7}, tasks)
	assert.Equal(t, []int64{-1, 30, 70}, incarnations)
	assert.Equal(t, []int64{0}, keep)
	assert.NotNil(t, seen.MultiSliceConfig)
	assert.Equal(t, 1, ended)
	assert.False(t, seen.UseMajorToMinorDataLayoutForCallbacks)
	run(nil)
	assert.Equal(t, capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}, seen, "nothing stays")
	run(&pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{make(transfer.Hosts, 2)}})
	assert.True(t, seen.UseMajorToMinorDataLayoutForCallbacks)
	assert.Zero(t, seen.NumSendOps+seen.NumRecvOps)
	refusal := extendFunc(func(*pjrt.Client, []*pjrt.Device, *capi.ExecuteOptions) (func(), error) { return nil, pjrt.ErrAborted })
	_, err := exe.ExecuteAll(t.Context(), [][]*pjrt.Buffer{{a}, {b}},
		&pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{extension, refusal}})
	require.ErrorIs(t, err, pjrt.ErrAborted)
	assert.Equal(t, 2, ended, "what was begun is ended when the execution does not begin")
}

// The plugin makes a set of the parameters that it is told to keep, in each execution. So a Bound
// names only those whose arguments the program could take.
func TestABoundNamesOnlyParametersThatTheProgramCouldTake(t *testing.T) {
	client := standInClient(t, 1)
	var keep []int64
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		keep = slices.Clone(capi.Slice(a.Options.NonDonatableInputIndices, a.Options.NumNonDonatableInputIndices))
		return next(a)
	})
	for name, c := range map[string]struct {
		program string
		bound   []int // parameters
		opts    pjrt.ExecuteOptions
		silent  bool // the plugin does not say what the program takes
		want    []int64
	}{
		"a program that takes none":     {program: add, bound: []int{0}},
		"all that it takes":             {program: linear, bound: []int{1, 2}, want: []int64{1, 2}},
		"one that it takes, one other":  {program: linear, bound: []int{0, 2}, want: []int64{2}},
		"no argument that it takes":     {program: linear, bound: []int{0}},
		"what the caller keeps as well": {program: linear, bound: []int{0, 2}, opts: pjrt.ExecuteOptions{Keep: []int{1}}, want: []int64{1, 2}},
		"an unknown program":            {program: linear, bound: []int{0, 2}, silent: true, want: []int64{0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.silent {
				on(t, func(*capi.ExecutableOptimizedProgramArgs, func(*capi.ExecutableOptimizedProgramArgs) uintptr) uintptr {
					return failWith(pjrt.ErrUnimplemented, "unknown")
				})
			}
			exe := compile(t, client, c.program)
			parameters, err := exe.Parameters()
			require.NoError(t, err)
			args := make([]pjrt.Argument, len(parameters))
			for _, p := range c.bound {
				args[p] = argument(upload(t, client, matrix(1, 2, 3, 4)))
			}
			c.opts.Bound = bind(t, exe, args...)
			for range 5 { // the last ones use the launch of the one before
				keep = []int64{-1}
				open := make([]*pjrt.Buffer, len(parameters)-len(c.bound))
				for i := range open {
					open[i] = upload(t, client, matrix(1, 2, 3, 4))
				}
				outs, err := exe.Execute(t.Context(), open, &c.opts)
				require.NoError(t, err)
				assert.Equal(t, c.want, keep)
				for _, o := range outs {
					o.Close()
				}
				for _, p := range c.bound {
					assert.Equal(t, []float32{1, 2, 3, 4}, read(t, args[p].Buffers[0]))
				}
			}
		})
	}
}

// extendFunc is an extension of executions.
type extendFunc func(*pjrt.Client, []*pjrt.Device, *capi.ExecuteOptions) (func(), error)

func (f extendFunc) ExtendExecute(c *pjrt.Client, devices []*pjrt.Device, options *capi.ExecuteOptions) (func(), error) {
	return f(c, devices, options)
}

// exhausted has the first executions fail, before they begin when early, and
// counts them.
func exhausted(t *testing.T, failures int32, code capi.ErrorCode, early bool, also func()) *atomic.Int32 {
	calls := new(atomic.Int32)
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		n := calls.Add(1)
		if also != nil {
			also()
		}
		if n > failures {
			return next(a)
		}
		if early {
			return failWith(code, "no room")
		}
		if failure := next(a); failure != 0 {
			return failure
		}
		h := *a.DeviceCompleteEvents
		d := new(capi.Call[capi.EventDestroyArgs])
		d.Args.Event = h
		if err := d.Do(standIn.real); err != nil {
			panic(err)
		}
		var e *standInEvent
		e, *a.DeviceCompleteEvents = newStandInEvent()
		e.set(code, "no room")
		return 0
	})
	return calls
}

func TestAnExecutionOutOfMemoryIsTriedOnceMore(t *testing.T) {
	nothingAlive(t)
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{a, a}
	for name, c := range map[string]struct {
		failures int32
		code     capi.ErrorCode
		late     bool
		opts     *pjrt.ExecuteOptions
		calls    int32
		ok       bool
	}{
		"once":            {1, pjrt.ErrResourceExhausted, false, nil, 2, true},
		"late":            {1, pjrt.ErrResourceExhausted, true, nil, 2, true},
		"twice":           {2, pjrt.ErrResourceExhausted, false, nil, 2, false},
		"twice and late":  {2, pjrt.ErrResourceExhausted, true, nil, 2, false},
		"not wanted":      {1, pjrt.ErrResourceExhausted, false, &pjrt.ExecuteOptions{NoRetry: true}, 1, false},
		"another error":   {1, pjrt.ErrInternal, false, nil, 1, false},
		"with a callback": {1, pjrt.ErrResourceExhausted, false, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{transfer.Outputs{{Func: func(transfer.Value) {}}}}}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := pjrt.Live()["buffer"]
			calls := exhausted(t, c.failures, c.code, !c.late, nil)
			outs, err := exe.Execute(t.Context(), args, c.opts)
			assert.Equal(t, c.calls, calls.Load())
			if !c.ok {
				require.ErrorIs(t, err, c.code)
				assert.Nil(t, outs)
				require.Eventually(t, func() bool { return pjrt.Live()["buffer"] <= before }, patience, time.Millisecond)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
			outs[0].Close()
		})
	}
	t.Run("started", func(t *testing.T) {
		calls := exhausted(t, 1, pjrt.ErrResourceExhausted, true, nil)
		xOuts, x, err := exe.Start(t.Context(), args, nil)
		require.NoError(t, err)
		defer x.Close()
		assert.EqualValues(t, 2, calls.Load())
		require.NoError(t, x.Wait(t.Context()))
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, xOuts[0]))
	})
	t.Run("what is forgotten makes room", func(t *testing.T) {
		keepGarbage(t)
		begin := time.Now()
		for {
			require.True(t, collecting.Until(func() bool { return pjrt.Live()["buffer"] == 1 }), "the argument")
			before := pjrt.Live()["buffer"]
			func() {
				for range 50 {
					_, err := client.BufferFromHost(t.Context(), matrix(1, 2, 3, 4), nil)
					require.NoError(t, err)
				}
			}()
			var left []int
			exhausted(t, 1, pjrt.ErrResourceExhausted, true, func() { left = append(left, pjrt.Live()["buffer"]-before) })
			outs, err := exe.Execute(t.Context(), args, nil)
			require.NoError(t, err)
			outs[0].Close()
			require.Len(t, left, 2)
			assert.Equal(t, 50, left[0])
			if left[1] > 1 && time.Since(begin) < patience {
				continue // on a busy machine the library may not wait long enough
			}
			assert.LessOrEqual(t, left[1], 1, "tried again before the buffers were gone")
			break
		}
	})
	t.Run("not after a donation", func(t *testing.T) {
		exe := compile(t, client, donor)
		mine := upload(t, client, matrix(1, 2, 3, 4))
		calls := exhausted(t, 1, pjrt.ErrResourceExhausted, false, nil)
		_, err := exe.Execute(t.Context(), []*pjrt.Buffer{mine, a}, nil)
		require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
		assert.EqualValues(t, 1, calls.Load())
	})
	t.Run("on a real plugin", func(t *testing.T) {
		client := newClient(t)
		exe := compile(t, client, `module @huge {
  func.func @main(%x: tensor<f32>) -> tensor<1099511627776xf32> {
    %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    return %0 : tensor<1099511627776xf32>
  }
}`)
		x := upload(t, client, pjrt.HostArray{Type: floats(1).Type, Data: floats(1).Data})
		for range 2 {
			outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{x}, nil)
			require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
			assert.Nil(t, outs)
		}
	})
}

// noMoreThan reports whether there are no more objects of any kind than before. There may
// be fewer: those that earlier tests forgot.
func noMoreThan(before, now map[string]int) bool {
	for kind, n := range now {
		if n > before[kind] {
			return false
		}
	}
	return true
}

func TestAFailedExecutionLeavesNothing(t *testing.T) {
	client := standInClient(t, 2)
	a := uploadTo(t, client.Devices()[0], floats(1, 2, 3))
	b := uploadTo(t, client.Devices()[1], floats(1, 2, 3))
	args := [][]*pjrt.Buffer{{a}, {b}}
	fail := func(t *testing.T) (calls *atomic.Int32) {
		calls = new(atomic.Int32)
		on(t, func(*capi.BufferElementTypeArgs, func(*capi.BufferElementTypeArgs) uintptr) uintptr {
			calls.Add(1)
			return failWith(pjrt.ErrDataLoss, "no type")
		})
		return calls
	}
	for name, c := range map[string]struct {
		fault func(t *testing.T)
		want  error
		text  string
	}{
		"the call": {func(t *testing.T) {
			on(t, func(a *capi.LoadedExecutableExecuteArgs, _ func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
				// After an error nobody owns these handles.
				**a.OutputLists = (*capi.Buffer)(unsafe.Pointer(a))
				*a.DeviceCompleteEvents = (*capi.Event)(unsafe.Pointer(a))
				return failWith(pjrt.ErrAborted, "never started")
			})
		}, pjrt.ErrAborted, "never started"},
		"the type of an output": {func(t *testing.T) { fail(t) }, pjrt.ErrDataLoss, "no type"},
		"the dimensions of an output": {func(t *testing.T) {
			on(t, func(*capi.BufferDimensionsArgs, func(*capi.BufferDimensionsArgs) uintptr) uintptr {
				return failWith(pjrt.ErrDataLoss, "no dimensions")
			})
		}, pjrt.ErrDataLoss, "no dimensions"},
		"one device": {func(t *testing.T) {
			event := delayExecutions(t)
			go func() {
				first, second := event(), event()
				second.set(pjrt.ErrUnavailable, "out of order")
				first.set(capi.ErrorCodeOK, "")
			}()
		}, pjrt.ErrUnavailable, client.Devices()[1].String() + ": UNAVAILABLE: out of order"},
		"an output is missing": {func(t *testing.T) {
			on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
				failure := next(a)
				out := unsafe.Slice(a.OutputLists, 2)[1]
				d := new(capi.Call[capi.BufferDestroyArgs])
				d.Args.Buffer = *out
				if err := d.Do(standIn.real); err != nil {
					panic(err)
				}
				*out = nil
				return failure
			})
		}, pjrt.ErrInternal, "the plugin left output 0 empty"},
	} {
		for _, started := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				exe := compileWith(t, client, allReduce(2), &pjrt.CompileOptions{Replicas: 2})
				before, events := pjrt.Live(), standInEvents()
				destroyed := count[capi.BufferDestroyArgs](t)
				c.fault(t)
				if started {
					xOuts, x, err := exe.StartAll(t.Context(), args, nil)
					if err == nil { // the event has the error
						err = x.Wait(t.Context())
						assert.ErrorIs(t, x.Err(), c.want)
						called := make(chan error)
						require.NoError(t, x.OnReady(func(err error) { called <- err }))
						assert.ErrorIs(t, <-called, c.want)
						<-x.Done()
						for _, outs := range xOuts {
							outs[0].Close()
						}
						x.Close()
					}
					require.ErrorIs(t, err, c.want)
					assert.ErrorContains(t, err, c.text)
				} else {
					outs, err := exe.ExecuteAll(t.Context(), args, nil)
					require.ErrorIs(t, err, c.want)
					assert.ErrorContains(t, err, c.text)
					assert.Nil(t, outs)
				}
				require.Eventually(t, func() bool { return noMoreThan(before, pjrt.Live()) && standInEvents() <= events },
					patience, time.Millisecond, "something is left")
				switch name {
				case "the call":
					assert.Zero(t, destroyed())
				case "an output is missing":
					assert.Equal(t, 1, destroyed())
				default:
					assert.Equal(t, 2, destroyed(), "each output once")
				}
			})
		}
	}
}

func TestACancelledExecutionLeavesNothing(t *testing.T) {
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	event := delayExecutions(t)
	exe.LimitInFlight(1)
	destroyed := count[capi.BufferDestroyArgs](t)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan *standInEvent, 1)
	go func() {
		begun <- event()
		cancel()
	}()
	_, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return destroyed() == 1 }, patience, time.Millisecond)
	assert.Equal(t, 1, standInEvents(), "the plugin is not done")
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, _, err = exe.Start(short, []*pjrt.Buffer{a, a}, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it still counts")
	(<-begun).set(pjrt.ErrInternal, "nobody cares")
	require.Eventually(t, func() bool { return standInEvents() == 0 }, patience, time.Millisecond)
	xOuts, x, err := exe.Start(t.Context(), []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	event().set(capi.ErrorCodeOK, "")
	require.NoError(t, x.Wait(t.Context()))
	xOuts[0].Close()
	x.Close()
}

func TestExecutionsWorkInAPluginThatGivesNoEvents(t *testing.T) {
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	event := delayExecutions(t)
	delayed := func() func(*capi.LoadedExecutableExecuteArgs, func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		return func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
			failure := next(a)
			d := new(capi.Call[capi.EventDestroyArgs])
			d.Args.Event = *a.DeviceCompleteEvents
			if err := d.Do(standIn.real); err != nil {
				panic(err)
			}
			*a.DeviceCompleteEvents = nil
			return failure
		}
	}()
	_ = event
	on(t, delayed)
	client.LimitInFlight(1)
	for range 3 {
		outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{a, a}, nil)
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		xOuts, x, err := exe.Start(t.Context(), []*pjrt.Buffer{a, a}, nil)
		require.NoError(t, err)
		ready, err := x.Ready()
		require.NoError(t, err)
		assert.True(t, ready)
		<-x.Done()
		require.NoError(t, x.Err())
		require.NoError(t, x.Wait(t.Context()))
		called := make(chan error)
		require.NoError(t, x.OnReady(func(err error) { called <- err }))
		require.NoError(t, <-called)
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, xOuts[0]))
		require.NoError(t, x.Close())
	}
}

func TestExecutionsWorkInAPluginThatDescribesNothing(t *testing.T) {
	client := standInClient(t, 2)
	unimplemented := func() uintptr { return failWith(pjrt.ErrUnimplemented, "unknown") }
	on(t, func(*capi.BufferDeviceArgs, func(*capi.BufferDeviceArgs) uintptr) uintptr { return unimplemented() })
	on(t, func(*capi.BufferIsDeletedArgs, func(*capi.BufferIsDeletedArgs) uintptr) uintptr {
		return unimplemented()
	})
	on(t, func(*capi.ExecutableOptimizedProgramArgs, func(*capi.ExecutableOptimizedProgramArgs) uintptr) uintptr {
		return unimplemented()
	})
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
	portable := compileWith(t, client, add, &pjrt.CompileOptions{Portable: true})
	outs, err = portable.Execute(t.Context(), []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
	runtime.KeepAlive(exe)
}
