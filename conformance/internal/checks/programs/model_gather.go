// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// gatheringKey identifies a launch that is made one device at a time.
type gatheringKey struct {
	executable *capi.LoadedExecutable
	launch     int32
}

// gathering is such a launch of a program with one result of four elements of f32. Its
// lists are by addressable device.
type gathering struct {
	arguments [][]*capi.Buffer
	results   []*dependency // the caller already has them, and waits for them
	launched  int
}

// gather handles a call for one device of several, and reports whether the call was one.
// The last call of a launch executes it on all devices.
func (m *model) gather(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs, arguments [][]*capi.Buffer) bool {
	if a.ExecuteDevice == nil || len(arguments) != 1 || m.flaw == waitsForDevices {
		return false
	}
	out, err := mutant.Try(m.base, capi.LoadedExecutableAddressableDevicesArgs{Executable: a.Executable})
	devices := capi.Slice(out.AddressableDevices, out.NumAddressableDevices)
	at := slices.Index(devices, a.ExecuteDevice)
	if err != nil || len(devices) < 2 || at < 0 {
		return false
	}
	m.mu.Lock()
	client, key := m.client, gatheringKey{a.Executable, a.Options.LaunchID}
	g := m.gathered[key]
	if g == nil {
		g = &gathering{arguments: make([][]*capi.Buffer, len(devices)), results: make([]*dependency, len(devices))}
		m.gathered[key] = g
	}
	m.mu.Unlock()

	manager, b, err := m.pendingOn(client, a.ExecuteDevice, 4)
	if err != nil {
		answer(c, err)
		return true
	}
	_, results := lists(a, 1)
	results[0][0] = b
	if a.DeviceCompleteEvents != nil {
		e, _ := mutant.Try(m.base, capi.BufferReadyEventArgs{Buffer: b})
		*a.DeviceCompleteEvents = e.Event
	}
	m.mu.Lock()
	g.arguments[at], g.results[at] = slices.Clone(arguments[0]), &dependency{m: m, manager: manager}
	g.launched++
	complete := g.launched == len(devices)
	if complete {
		delete(m.gathered, key)
	}
	m.mu.Unlock()
	if complete {
		m.launch(a.Executable, g)
	}
	answer(c, nil)
	return true
}

// launch executes on all devices, and hands over the results.
func (m *model) launch(exe *capi.LoadedExecutable, g *gathering) {
	x := check.NewExecution(exe, 1, g.arguments...)
	_, err := mutant.Try(m.base, x.Args)
	for i, d := range g.results {
		var data []float32
		if err == nil {
			err = mutant.Finish(m.base, x.Events[i])
		}
		if err == nil {
			data, err = m.read(x.Outputs[i][0])
			mutant.Try(m.base, capi.BufferDestroyArgs{Buffer: x.Outputs[i][0]})
		}
		if err != nil {
			d.resolve(capi.ErrorCodeInternal, err.Error())
			continue
		}
		d.data = data
		d.resolve(capi.ErrorCodeOK, "")
	}
}
