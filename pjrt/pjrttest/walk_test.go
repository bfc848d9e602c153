// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// world is the plugin of a walk.
type world struct {
	p   *pjrttest.Plugin
	c   *pjrt.Client
	ctx context.Context
}

// has reports whether the plugin has a function. If the plugin lacks it, has requires that
// err says so.
func (w *world) has(t testing.TB, function string, err error) bool {
	t.Helper()
	if w.p.Plugin().Supports(function) {
		require.NoError(t, err, function)
		return true
	}
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, function)
	return false
}

// buffer uploads a vector of float32.
func (w *world) buffer(t testing.TB, d *pjrt.Device, values ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf(values, int64(len(values))), &pjrt.BufferOptions{Device: d})
	require.NoError(t, err)
	return b
}

// values downloads a vector of float32.
func (w *world) values(t testing.TB, b *pjrt.Buffer) []float32 {
	t.Helper()
	values, err := pjrt.ToSlice[float32](w.ctx, b)
	require.NoError(t, err)
	return values
}

// compile compiles a module with a main function of this signature.
func (w *world) compile(t testing.TB, name, signature string, opts *pjrt.CompileOptions) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := w.c.Compile(w.ctx, module(name, signature), opts)
	require.NoError(t, err)
	return exe
}

func module(name, signature string) pjrt.Program {
	return pjrt.Program{Code: []byte(fmt.Sprintf("module @%s {\n  func.func @main%s {\n  }\n}\n", name, signature))}
}

// register registers the programs that walks run.
func register(p *pjrttest.Plugin) {
	add := pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] })
	p.Program("add", pjrttest.Signature{}, add)
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	p.Program("identity", pjrttest.Signature{}, pjrttest.Identity)
	p.Program("fails", pjrttest.Signature{}, pjrttest.Failing(&pjrt.Error{Code: pjrt.ErrDataLoss, Message: "the bits are gone"}))
	p.Program("panics", pjrttest.Signature{}, func([]pjrt.HostArray) ([]pjrt.HostArray, error) { panic("what now") })
	p.Program("lies", pjrttest.Signature{}, pjrttest.Return(pjrt.ArrayOf([]int8{1}, 1)))
	// A launch computes the sum over all devices.
	p.AddProgram(pjrttest.Program{Name: "allreduce", Launch: func(l *pjrttest.Launch) error {
		sum := make([]float32, len(l.Args[0][0].Data)/4)
		for d := range l.Places {
			x, err := pjrttest.Values[float32](l.Args[d][0])
			if err != nil {
				return err
			}
			for i := range sum {
				sum[i] += x[i]
			}
		}
		for d := range l.Places {
			l.Results[d] = []pjrt.HostArray{pjrt.ArrayOf(append([]float32(nil), sum...), int64(len(sum)))}
		}
		return nil
	}})
}

// patience is how long tests wait for what must happen. It is far more than is needed,
// because the machine may be busy.
const patience = time.Minute

// minors are the API versions on which walks run: the oldest, that of a plugin in use, one
// from before objects had function tables, and the newest.
var minors = []int{57, 81, 104, capi.APIMinor}

// walk runs a function on plugins of several versions, in a few goroutines each, and
// requires that nothing is left afterwards.
func walk(t *testing.T, opts pjrttest.Options, fn func(t testing.TB, w *world)) {
	t.Helper()
	for _, minor := range minors {
		t.Run(fmt.Sprintf("0.%d", minor), func(t *testing.T) {
			t.Parallel()
			o := opts
			o.Minor = minor
			p := pjrttest.New(t, o)
			register(p)
			client := p.Client()
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					defer cancel()
					fn(t, &world{p: p, c: client, ctx: ctx})
				})
			}
			group.Wait()
			settled(t, p)
		})
	}
}

// settled requires that callers hold no object except the client.
func settled(t testing.TB, p *pjrttest.Plugin) {
	t.Helper()
	collecting.Until(func() bool { return len(p.Live()) <= 1 })
	assert.Equal(t, map[string]int{"PJRT_Client": 1}, p.Live())
}

// released waits until no memory of the device is in use. An operation that nobody waits for
// uses its memory until it has run, even when all buffers are closed.
func released(t testing.TB, d *pjrt.Device) {
	t.Helper()
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		stats, err := d.MemoryStats()
		require.NoError(t, err)
		assert.Zero(t, stats.InUse, "all memory is released")
	}, patience, 10*time.Millisecond)
}

func TestPropertiesOfClientsDevicesAndMemories(t *testing.T) {
	t.Parallel()
	opts := pjrttest.Options{
		Devices: 2, Processes: 2, ProcessIndex: 1, PlatformName: "toy", PlatformVersion: "toy 3", DeviceKind: "toy v1",
		Attributes:       []pjrt.Attribute{{Name: "flavour", Value: "sweet"}},
		DeviceAttributes: func(id int) []pjrt.Attribute { return []pjrt.Attribute{{Name: "row", Value: int64(id / 2)}} },
	}
	walk(t, opts, func(t testing.TB, w *world) {
		c := w.c
		assert.Equal(t, "toy", c.PlatformName())
		assert.Equal(t, "toy 3", c.PlatformVersion())
		assert.Equal(t, 1, c.ProcessIndex())
		assert.Contains(t, w.p.Plugin().Attributes(), pjrt.Attribute{Name: "flavour", Value: "sweet"})
		oldest, newest, ok := stablehlo.Versions(w.p.Plugin().Attributes())
		assert.True(t, ok && oldest.Compare(newest) < 0)

		require.Len(t, c.Devices(), 4)
		require.Len(t, c.AddressableDevices(), 2)
		for i, d := range c.Devices() {
			assert.Equal(t, i, d.ID())
			assert.Equal(t, i/2, d.ProcessIndex())
			assert.Equal(t, i >= 2, d.Addressable())
			assert.Equal(t, "toy v1", d.Kind())
			assert.Contains(t, d.Description().Attributes(), pjrt.Attribute{Name: "row", Value: int64(i / 2)})
			assert.NotEmpty(t, d.Description().DebugString())
			found, err := c.LookupDevice(i)
			require.NoError(t, err)
			assert.Same(t, d, found)
		}
		for i, d := range c.AddressableDevices() {
			assert.Equal(t, i, d.LocalHardwareID())
			found, err := c.LookupAddressableDevice(i)
			require.NoError(t, err)
			assert.Same(t, d, found)
			require.Len(t, d.Memories(), 2)
			assert.Equal(t, "device", d.DefaultMemory().Kind())
			assert.Equal(t, "pinned_host", d.Memories()[1].Kind())
			for _, m := range d.Memories() {
				assert.Equal(t, []*pjrt.Device{d}, m.Devices())
				assert.NotEmpty(t, m.DebugString())
			}
			stats, err := d.MemoryStats()
			require.NoError(t, err)
			assert.EqualValues(t, 1<<30, *stats.Limit)
			if attributes, err := d.LiveAttributes(); w.has(t, "PJRT_Device_GetAttributes", err) {
				assert.Equal(t, d.Description().Attributes(), attributes)
			}
			if end, err := d.TrackAsyncWork("a load"); w.has(t, "PJRT_Device_CreateAsyncTrackingEvent", err) {
				end()
			}
			w.has(t, "PJRT_Device_ClearMemoryStats", d.ClearMemoryStats())
			reason := &pjrt.Error{Code: pjrt.ErrAborted, Message: "enough"}
			if poisoned, err := distributed.PoisonExecution(d, 7, reason); w.has(t, "PJRT_Device_PoisonExecution", err) {
				assert.False(t, poisoned)
			}
		}
		_, err := c.LookupDevice(4)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = c.LookupAddressableDevice(2)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)

		assignment, err := c.DefaultDeviceAssignment(2, 2)
		require.NoError(t, err)
		assert.Equal(t, [][]*pjrt.Device{c.Devices()[:2], c.Devices()[2:]}, assignment)
		assignment, err = c.DefaultDeviceAssignment(1, 2)
		require.NoError(t, err)
		assert.Equal(t, [][]*pjrt.Device{c.AddressableDevices()}, assignment)

		processes := []distributed.Process{{
			ID: 1, Incarnation: 9, State: distributed.Failed, Err: &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "gone"},
		}}
		if err := distributed.UpdateProcesses(c, processes); w.p.Plugin().Supports("PJRT_Client_UpdateGlobalProcessInfo") && err == nil {
			assert.Equal(t, processes, w.p.Processes())
		} else {
			assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
		}
		memory := dtype.Bytes(pjrt.AlignedSlice[float32](1024))
		if mapping, err := transfer.MapDMA(c, memory); w.has(t, "PJRT_Client_DmaMap", err) {
			assert.NoError(t, mapping.Close())
		}
	})
}

func TestTopologies(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		plugin := w.p.Plugin()
		own, err := w.c.Topology()
		require.NoError(t, err)
		made, err := plugin.NewTopology(w.ctx, "2x3", nil)
		require.NoError(t, err)
		defer made.Close()
		for topology, n := range map[*pjrt.Topology]int{own: 2, made: 6} {
			devices, err := topology.Devices()
			require.NoError(t, err)
			assert.Len(t, devices, n)
			assert.Equal(t, "pjrttest", topology.PlatformName())
			assert.Contains(t, topology.Attributes(), pjrt.Attribute{Name: "device_count", Value: int64(n)})
			data, err := topology.Serialize()
			require.NoError(t, err)
			if again, err := plugin.DeserializeTopology(w.ctx, data); w.has(t, "PJRT_TopologyDescription_Deserialize", err) {
				same, err := again.Devices()
				require.NoError(t, err)
				assert.Len(t, same, n)
				bytes, err := again.Serialize()
				require.NoError(t, err)
				assert.Equal(t, data, bytes)
				require.NoError(t, again.Close())
				data[len(data)-1] ^= 1
				_, err = plugin.DeserializeTopology(w.ctx, data)
				assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			}
			if kinds, err := topology.MemoryKindIDs(); w.has(t, "PJRT_TopologyDescription_GetMemorySpaceKindIds", err) {
				assert.Equal(t, []int{0, 1}, kinds)
			}
			shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}
			canonical, err := topology.CanonicalShape(1, shape, nil)
			if w.has(t, "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace", err) {
				assert.Equal(t, shape, canonical.Shape)
				assert.Equal(t, []int{1, 0}, canonical.Layout.MinorToMajor)
			}
		}
		if one, err := own.Fingerprint(); w.has(t, "PJRT_TopologyDescription_Fingerprint", err) {
			other, err := made.Fingerprint()
			require.NoError(t, err)
			assert.NotEqual(t, one, other)
		}
		for _, name := range []string{"nope", "0x2", "2x", "-1"} {
			_, err := plugin.NewTopology(w.ctx, name, nil)
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		}
	})
}

func TestAheadOfTime(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		topology, err := w.p.Plugin().NewTopology(w.ctx, "2", nil)
		require.NoError(t, err)
		defer topology.Close()
		exe, err := w.p.Plugin().CompileFor(w.ctx, topology, module("double", "(%a: tensor<2xf32>) -> tensor<2xf32>"), nil)
		require.NoError(t, err)
		defer exe.Close()
		data, err := exe.Serialize(w.ctx)
		require.NoError(t, err)
		var all []*pjrt.LoadedExecutable
		loaded, err := w.c.DeserializeAndLoad(w.ctx, data, nil)
		require.NoError(t, err)
		all = append(all, loaded)
		if loaded, err := w.c.Load(w.ctx, exe, nil); w.has(t, "PJRT_Client_Load", err) {
			all = append(all, loaded)
		}
		in := w.buffer(t, nil, 1, 2)
		defer in.Close()
		for _, loaded := range all {
			out, err := loaded.Execute(w.ctx, []*pjrt.Buffer{in}, nil)
			require.NoError(t, err)
			assert.Equal(t, []float32{2, 4}, w.values(t, out[0]))
			require.NoError(t, out[0].Close())
			require.NoError(t, loaded.Close())
		}
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		e, promise, err := w.p.Plugin().NewEvent()
		if !w.has(t, "PJRT_Event_Create", err) {
			return
		}
		ready, err := e.Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		told := make(chan error, 1)
		require.NoError(t, e.OnReady(func(err error) { told <- err }))
		ctx, cancel := context.WithTimeout(w.ctx, time.Millisecond)
		assert.ErrorIs(t, e.Wait(ctx), context.DeadlineExceeded)
		cancel()
		require.NoError(t, promise.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "stop"}))
		assert.ErrorIs(t, e.Wait(w.ctx), pjrt.ErrAborted)
		assert.ErrorContains(t, <-told, "stop")
		assert.Error(t, promise.Fulfill(), "a second time")
		require.NoError(t, e.Close())
	})
}
