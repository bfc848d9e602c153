// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/custompartitioner"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestCustomCallsOfGPUs(t *testing.T) {
	var got []capi.GPURegisterCustomCallArgs
	p := servePlugin(t, &serve.Plugin{GPU: &serve.GPUCustomCall{CustomCall: func(a *capi.GPURegisterCustomCallArgs) error {
		if capi.String(a.FunctionName, a.FunctionNameSize) == "refused" {
			return pjrt.ErrResourceExhausted.Errorf("too many")
		}
		got = append(got, *a)
		return nil
	}}})
	require.NoError(t, gpu.Register(p, gpu.CustomCall{Target: "old", Untyped: nothing}))
	require.NoError(t, gpu.Register(p, gpu.CustomCall{Target: "new", Execute: 1, Prepare: 2, Initialize: 3, Instantiate: 4, Replayable: true}))
	require.Len(t, got, 2)
	assert.EqualValues(t, 0, got[0].APIVersion)
	assert.Equal(t, nothing, got[0].HandlerExecute)
	assert.EqualValues(t, 1, got[1].APIVersion)
	assert.Equal(t, [4]uintptr{1, 2, 3, 4},
		[4]uintptr{got[1].HandlerExecute, got[1].HandlerPrepare, got[1].HandlerInitialize, got[1].HandlerInstantiate})
	assert.EqualValues(t, capi.FFIHandlerTraitsBitsCommandBufferCompatible, got[1].Traits)
	require.ErrorIs(t, gpu.Register(p, gpu.CustomCall{Target: "new", Execute: 1}), pjrt.ErrAlreadyExists)
	require.ErrorIs(t, gpu.Register(p, gpu.CustomCall{Target: "refused", Execute: 1}), pjrt.ErrResourceExhausted)
	for want, c := range map[string]gpu.CustomCall{
		"is empty":                {Execute: 1},
		"contains a zero byte":    {Target: "a\x00", Execute: 1},
		"has no function":         {Target: "a", Prepare: 1},
		"function and handlers":   {Target: "a", Untyped: 1, Execute: 1},
		"function and handlers: ": {Target: "a", Untyped: 1, Initialize: 1},
	} {
		err := gpu.Register(p, c)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}
	require.ErrorIs(t, gpu.Register(nil, gpu.CustomCall{Target: "a", Execute: 1}), pjrt.ErrInvalidArgument)
}

func TestPartitionersThatAPluginRefusesAreForgotten(t *testing.T) {
	p := servePlugin(t, &serve.Plugin{CustomPartitioner: &serve.CustomPartitionerExtension{
		RegisterCustomPartitioner: func(*capi.RegisterCustomPartitionerArgs) error {
			return pjrt.ErrResourceExhausted.Errorf("too many")
		},
		RegisterBatchPartitionable: func(*capi.RegisterBatchPartitionableArgs) error { return nil },
	}})
	require.ErrorIs(t, custompartitioner.Register(p, "x", custompartitioner.Partitioner{}), pjrt.ErrResourceExhausted)
	require.NoError(t, custompartitioner.RegisterBatch(p, "x"))
	require.ErrorIs(t, custompartitioner.Register(p, "x", custompartitioner.Partitioner{}), pjrt.ErrAlreadyExists)
	for _, target := range []string{"", "a\x00"} {
		require.ErrorIs(t, custompartitioner.Register(p, target, custompartitioner.Partitioner{}), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, custompartitioner.RegisterBatch(p, target), pjrt.ErrInvalidArgument)
	}
	require.ErrorIs(t, custompartitioner.RegisterBatch(nil, "x"), pjrt.ErrInvalidArgument)
}

func TestMisuseOfCollectivesIsAnErrorHere(t *testing.T) {
	ctx := t.Context()
	s := onStandIn(t)
	job, err := megascale.NewContext(s.plugin)
	require.NoError(t, err)
	defer job.Close()
	x, err := job.Collectives(megascale.Processes{Addresses: []string{"a"}, Devices: 1}, nil)
	require.NoError(t, err)
	for want, c := range map[string]megascale.Clique{
		"there are 0 and 1":              {Ranks: []int{0}},
		"there are 1 and 0":              {Devices: []int{0}},
		"there is no device -1 among":    {Devices: []int{-1}, Ranks: []int{0}},
		"there is no rank 1 among 1":     {Devices: []int{5}, Ranks: []int{1}},
		"returned 1 communicators for 2": {Devices: []int{5, 6}, Ranks: []int{0, 1}},
	} {
		_, err = x.Join(ctx, c)
		require.ErrorContains(t, err, want)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	clique := megascale.Clique{Devices: []int{0}, Ranks: []int{0}}
	_, err = x.Join(over, clique)
	require.ErrorIs(t, err, context.Canceled)
	list, err := x.Join(ctx, clique)
	require.NoError(t, err)
	c := list[0]
	one, two := make([]float32, 1), make([]float32, 2)
	for want, start := range map[string]func() (*pjrt.Event, error){
		"1 elements are sent, and received has room for 2": func() (*pjrt.Event, error) { return megascale.AllReduce(c, two, one, megascale.Sum, nil) },
		"2 elements are sent, and received has room for 1": func() (*pjrt.Event, error) { return megascale.Permute(c, one, two, 0, nil, nil) },
		"not a multiple of the 2 that are received":        func() (*pjrt.Event, error) { return megascale.ReduceScatter(c, two, one, megascale.Sum, nil) },
		"not a multiple of the 2 that are sent":            func() (*pjrt.Event, error) { return megascale.AllGather(c, one, two, nil) },
		"not a multiple of the 0":                          func() (*pjrt.Event, error) { return megascale.AllGather(c, one, nil, nil) },
		"there is no rank -1":                              func() (*pjrt.Event, error) { return megascale.Permute(c, one, one, 0, []int{-1}, nil) },
		"and received has room for 0":                      func() (*pjrt.Event, error) { return megascale.AllToAll(c, nil, [][]float32{one}, nil) },
		"array for rank 1 has 2 elements": func() (*pjrt.Event, error) {
			return megascale.AllToAll(c, [][]float32{one, one}, [][]float32{one, two}, nil)
		},
		"there is no device -2": func() (*pjrt.Event, error) {
			return megascale.AllReduce(c, one, one, megascale.Sum, &megascale.Operation{Devices: []int{-2}})
		},
		"there cannot be 3 local devices among 1": func() (*pjrt.Event, error) {
			return megascale.AllReduce(c, one, one, megascale.Sum, &megascale.Operation{Devices: []int{0}, Local: 3})
		},
		"the communicator is nil": func() (*pjrt.Event, error) { return megascale.AllReduce(nil, one, one, megascale.Sum, nil) },
	} {
		_, err := start()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, x.Close())
	_, err = x.Join(ctx, clique)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = c.Describe()
	require.NoError(t, err, "a communicator keeps its collectives")
	require.NoError(t, c.Close())
	for _, none := range []*megascale.Collectives{nil, {}} {
		_, err = none.Join(ctx, clique)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
	}
}

func TestMisuseOfJobsIsAnErrorHere(t *testing.T) {
	ctx := t.Context()
	s := onStandIn(t)
	x, err := megascale.NewContext(s.plugin)
	require.NoError(t, err)
	for want, call := range map[string]func() error{
		"devices, not 0":           func() error { return second(x.Config(s.topology, megascale.Job{})) },
		"no slice 2 in a job of 2": func() error { return second(x.Config(s.topology, megascale.Job{Slices: 2, Slice: 2})) },
		"no host -1":               func() error { return second(x.Config(s.topology, megascale.Job{Slices: 2, Host: -1})) },
		"topology is nil":          func() error { return second(x.Config(nil, megascale.Job{Slices: 2})) },
		"different plugins": func() error {
			other := pjrttest.New(t, pjrttest.Options{})
			return second(x.Config(topologyOf(t, other.Client()), megascale.Job{Slices: 2}))
		},
		"there are 0 and 1": func() error { return second(x.Collectives(megascale.Processes{Devices: 1}, nil)) },
		"2 slices for 1 process": func() error {
			return second(x.Collectives(megascale.Processes{Addresses: []string{"a"}, Devices: 1, Slices: []int{0, 1}}, nil))
		},
		"impossible number -1 in the list of places": func() error {
			return second(x.Collectives(megascale.Processes{Addresses: []string{"a"}, Devices: 1, Places: []int{-1}}, nil))
		},
		"or the time -1s is negative": func() error { return x.Unblock(ctx, 1, -time.Second) },
		"no device -1 in slice 0":     func() error { return second(megascale.DeviceInJob(s.plugin, 0, -1)) },
		"no device -1 in a job":       func() error { _, _, err := megascale.DeviceInSlice(s.plugin, -1); return err },
		"no port 70000":               func() error { return second(megascale.Addresses(s.plugin, &megascale.AddressOptions{Port: 70000})) },
		"has no name":                 func() error { return second(megascale.OnError(s.plugin, "", func([]byte) {})) },
		"function of the handler x":   func() error { return second(megascale.OnError(s.plugin, "x", nil)) },
		"has no error: set Err":       func() error { _, _, err := megascale.Failure{}.Serialize(s.plugin); return err },
		"does not fit into 32 bits": func() error {
			_, _, err := megascale.Failure{Err: pjrt.ErrInternal, Kind: 1 << 40}.Serialize(s.plugin)
			return err
		},
		"the context is nil":    func() error { return (*megascale.Context)(nil).Start(ctx) },
		"the aggregator is nil": func() error { return (*megascale.Aggregator)(nil).Add("", nil) },
		"the digest is nil":     func() error { return (*megascale.Digest)(nil).Log() },
		"the plugin is nil":     func() error { return second(megascale.NewAggregator(nil, "")) },
	} {
		err := call()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, x.Close())
	require.NoError(t, x.Close())
	require.ErrorIs(t, x.Start(ctx), pjrt.ErrClosed)
}

// Errors of the network reach Go until the handler is closed.
func TestErrorsOfTheNetworkAreReportedToGo(t *testing.T) {
	type registered struct {
		fn capi.MegascaleErrorHandler
		to uintptr
	}
	handlers := make(map[string]registered)
	p := servePlugin(t, &serve.Plugin{Megascale: &serve.MegascaleExtension{
		RegisterMegascaleErrorHandler: func(a *capi.MegascaleRegisterErrorHandlerArgs) error {
			handlers[capi.String(a.HandlerName, a.HandlerNameSize)] = registered{a.Handler, a.UserData}
			return nil
		},
		UnregisterMegascaleErrorHandler: func(a *capi.MegascaleUnregisterErrorHandlerArgs) error {
			delete(handlers, capi.String(a.HandlerName, a.HandlerNameSize))
			return nil
		},
	}})
	var told []string
	live := capi.LiveHandles()
	h, err := megascale.OnError(p, "mine", func(b []byte) { told = append(told, string(b)) })
	require.NoError(t, err)
	data, size := capi.StringData("the link is down")
	mine := handlers["mine"]
	mine.fn.Call(data, size, mine.to)
	assert.Equal(t, []string{"the link is down"}, told)
	require.NoError(t, h.Close())
	assert.Empty(t, handlers)
	mine.fn.Call(data, size, mine.to)
	assert.Len(t, told, 1, "a late call finds nothing")
	assert.Equal(t, live, capi.LiveHandles())
}

// readyAtOnce is the table of a device event that has already happened.
var readyAtOnce = &capi.DeviceEventFunctionTable{
	StructSize: capi.DeviceEventFunctionTableSize,
	IncRef:     capi.DeviceEventFunctionTableIncRef(nothing),
	DecRef:     capi.DeviceEventFunctionTableDecRef(nothing),
	AndThen: capi.DeviceEventFunctionTableAndThen(purego.NewCallback(func(_ uintptr, then capi.DeviceEventAndThen, arg uintptr) uintptr {
		then.Call(arg)
		return 0
	})),
	GetErrorIfPresent: capi.DeviceEventFunctionTableGetErrorIfPresent(nothing),
}

func TestARawBufferReportsWhenItsMemoryIsAllocated(t *testing.T) {
	memory := &capi.RawBuffer{Vtable: &capi.RawBufferFunctionTable{
		StructSize: capi.RawBufferFunctionTableSize,
		MakeAllocationReadyEvent: capi.RawBufferFunctionTableMakeAllocationReadyEvent(
			purego.NewCallback(func(_ *capi.RawBuffer, e *capi.DeviceEvent) uintptr {
				*e = capi.DeviceEvent{Vtable: readyAtOnce, DeviceEvent: 1}
				return 0
			})),
	}}
	own := &serve.RawBufferExtension{
		RawBufferCreateRawAliasOfBuffer: func(a *capi.RawBufferCreateRawAliasOfBufferArgs) error { a.RawBuffer = memory; return nil },
		RawBufferDestroy:                func(*capi.RawBufferDestroyArgs) error { return nil },
		RawBufferGetOnDeviceSizeInBytes: func(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) error { a.OnDeviceSizeInBytes = 4; return nil },
	}
	for _, minor := range []int{0, 111} {
		p := withExtensions(t, &serve.Plugin{RawBuffer: own}, pjrttest.Options{Minor: minor, Extensions: []capi.ExtensionType{}})
		r, err := rawbuffer.Of(t.Context(), upload(t, p.Client(), 1))
		require.NoError(t, err)
		e, err := r.AllocationReady()
		if minor != 0 {
			require.ErrorIs(t, err, pjrt.ErrUnimplemented)
			require.NoError(t, r.Close())
			continue
		}
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.NoError(t, e.Wait(t.Context()), "the event keeps the memory")
		require.NoError(t, e.Close())
	}
}
