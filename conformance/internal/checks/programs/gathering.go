// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// launchKey identifies a launch that is made one device at a time.
type launchKey struct {
	executable *capi.LoadedExecutable
	id         int32
}

// gathering is such a launch of a program with one result of four f32. Its lists are by
// addressable device.
type gathering struct {
	arguments [][]*capi.Buffer
	results   []capi.ClientCreateAliasBufferArgs // the caller has them, and waits for them
	launched  int
}

// gathers puts faults in front of the in-memory plugin, which executes a program on one device
// without the others, as it would be if the last call of a launch that is made one device at a time
// executed the program on all devices.
func gathers(memory *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	var client atomic.Pointer[capi.Client]
	var mu sync.Mutex
	launches := make(map[launchKey]*gathering)
	return serve.Wrap(memory, append(faults,
		mutant.Changed(func(a *capi.ClientCreateArgs, _ int64) { client.Store(a.Client) }),
		serve.Around(func(c *serve.Invocation, a *execution) {
			out, _ := mutant.Try(c.Table(), capi.LoadedExecutableAddressableDevicesArgs{Executable: a.Executable})
			devices := capi.Slice(out.AddressableDevices, out.NumAddressableDevices)
			at := slices.Index(devices, a.ExecuteDevice)
			if len(devices) < 2 || at < 0 {
				c.Forward()
				return
			}
			arguments, results := lists(a, 1)
			mu.Lock()
			defer mu.Unlock()
			key := launchKey{a.Executable, a.Options.LaunchID}
			g := launches[key]
			if g == nil {
				n := len(devices)
				g = &gathering{arguments: make([][]*capi.Buffer, n), results: make([]capi.ClientCreateAliasBufferArgs, n)}
				launches[key] = g
			}
			g.arguments[at], g.results[at] = slices.Clone(arguments[0]), promised(c.Table(), client.Load(), a.ExecuteDevice)
			results[0][0] = g.results[at].AliasBuffer
			if a.DeviceCompleteEvents != nil {
				ready, _ := mutant.Try(c.Table(), capi.BufferReadyEventArgs{Buffer: results[0][0]})
				*a.DeviceCompleteEvents = ready.Event
			}
			if g.launched++; g.launched == len(devices) {
				delete(launches, key)
				g.launch(c.Table(), a.Executable)
			}
		}))...)
}

// promised makes a buffer of four f32 that stands for a later one.
func promised(t *capi.Table, client *capi.Client, device *capi.Device) capi.ClientCreateAliasBufferArgs {
	memory, _ := mutant.Try(t, capi.DeviceDefaultMemoryArgs{Device: device})
	args := capi.ClientCreateAliasBufferArgs{Client: client, Memory: memory.Memory, ShapeElementType: capi.BufferTypeF32}
	args.ShapeDims, args.ShapeNumDims = check.First([]int64{4})
	args, _ = mutant.Try(t, args)
	return args
}

// launch executes on all devices, and hands over the results.
func (g *gathering) launch(t *capi.Table, exe *capi.LoadedExecutable) {
	x := check.NewExecution(exe, 1, g.arguments...)
	_, err := mutant.Try(t, x.Args)
	for i, r := range g.results {
		args := capi.ClientFulfillAliasBufferArgs{Client: r.Client, FulfillAliasBufferCb: r.FulfillAliasBufferCb, Buffer: x.Outputs[i][0],
			StatusCode: capi.CodeOf(err)}
		mutant.Try(t, args)
		mutant.Try(t, capi.BufferDestroyArgs{Buffer: args.Buffer})
		mutant.Try(t, capi.EventDestroyArgs{Event: x.Events[i]})
	}
}
