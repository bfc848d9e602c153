// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// profiler is one PLUGIN_Profiler. The plugin's mu guards its fields.
type profiler struct {
	started, stopped bool
	since            time.Time
	events           []profiled
	data             []byte // nil until it is asked for
}

// profiled is an execution on one device.
type profiled struct {
	program    string
	device     int
	begin, end time.Time
}

// record records the beginning of an execution; the returned function records its end.
func (p *Plugin) record(program string, devices []*device) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.recording) == 0 {
		return func() {}
	}
	begin := time.Now()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for x := range p.recording {
			for _, d := range devices {
				x.events = append(x.events, profiled{program, d.id, begin, time.Now()})
			}
		}
	}
}

func (p *Plugin) profilerCreate(a *capi.ProfilerCreateArgs) error {
	if a.Options == nil && a.OptionsSize > 0 {
		return invalid("the profile options are null and have %d bytes", a.OptionsSize)
	}
	a.Profiler = makeHandle[capi.Profiler](p, new(profiler), true)
	return nil
}

func (p *Plugin) profilerDestroy(a *capi.ProfilerDestroyArgs) error {
	return destroy(p, a.Profiler, func(x *profiler) {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.recording, x)
	})
}

func (p *Plugin) profilerStart(a *capi.ProfilerStartArgs) error {
	x, err := find[*profiler](p, a.Profiler)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.started {
		return capi.ErrorCodeFailedPrecondition.Errorf("the profiler was already started")
	}
	x.started, x.since = true, time.Now()
	p.recording[x] = true
	return nil
}

func (p *Plugin) profilerStop(a *capi.ProfilerStopArgs) error {
	x, err := find[*profiler](p, a.Profiler)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !x.started || x.stopped {
		return capi.ErrorCodeFailedPrecondition.Errorf("the profiler is not recording")
	}
	x.stopped = true
	delete(p.recording, x)
	return nil
}

// collect returns what a profiler has recorded.
func (p *Plugin) collect(h *capi.Profiler) ([]byte, error) {
	x, err := find[*profiler](p, h)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !x.stopped {
		return nil, capi.ErrorCodeFailedPrecondition.Errorf("the profiler has no data before it is stopped")
	}
	if x.data == nil {
		x.data = x.space()
	}
	return x.data, nil
}

func (p *Plugin) profilerCollectData(a *capi.ProfilerCollectDataArgs) error {
	data, err := p.collect(a.Profiler)
	if err != nil {
		return err
	}
	// The caller's buffer has the size that an earlier call reported.
	copy(elements(a.Buffer, uintptr(len(data))), data)
	a.BufferSizeInBytes = uintptr(len(data))
	return nil
}

// consumedProfile is one PLUGIN_Profiler_ConsumeResult.
type consumedProfile struct{ data []byte }

func (p *Plugin) profilerConsume(a *capi.ProfilerConsumeArgs) error {
	data, err := p.collect(a.Profiler)
	if err != nil {
		return err
	}
	a.Result = makeHandle[capi.ProfilerConsumeResult](p, &consumedProfile{slices.Clone(data)}, true)
	return nil
}

func (p *Plugin) profilerConsumeResultDestroy(a *capi.ProfilerConsumeResultDestroyArgs) {
	_ = destroy[*consumedProfile](p, a.ConsumeResult, nil) // the function returns nothing
}

func (p *Plugin) profilerSerialize(a *capi.ProfilerSerializeArgs) error {
	if _, err := find[*profiler](p, a.Profiler); err != nil {
		return err
	}
	r, err := find[*consumedProfile](p, a.ConsumeResult)
	if err == nil {
		a.SerializedBytes, a.SerializedSize = list(r.data)
	}
	return err
}

// space returns the events as a serialized XSpace. It has a plane with one line for each
// device, and a kind of event for each program.
func (x *profiler) space() []byte {
	byDevice := make(map[int][]profiled)
	var devices []int
	for _, e := range x.events {
		if byDevice[e.device] == nil {
			devices = append(devices, e.device)
		}
		byDevice[e.device] = append(byDevice[e.device], e)
	}
	slices.Sort(devices)
	if devices == nil {
		devices = []int{0} // an empty plane, so that the profile is not empty
	}
	var space []byte
	for _, id := range devices {
		space = wire.AppendBytes(space, 1, x.plane(id, byDevice[id]))
	}
	return space
}

func (x *profiler) plane(id int, events []profiled) []byte {
	kinds := make(map[string]int)
	var names []string
	line := wire.AppendInt(nil, 1, 1)
	line = wire.AppendBytes(line, 2, "Programs")
	line = wire.AppendInt(line, 3, x.since.UnixNano())
	for _, e := range events {
		if kinds[e.program] == 0 {
			names = append(names, e.program)
			kinds[e.program] = len(names)
		}
		event := wire.AppendInt(nil, 1, kinds[e.program])
		event = wire.AppendInt(event, 2, e.begin.Sub(x.since).Nanoseconds()*1000)
		event = wire.AppendInt(event, 3, e.end.Sub(e.begin).Nanoseconds()*1000)
		line = wire.AppendBytes(line, 4, event)
	}
	plane := wire.AppendInt(nil, 1, id)
	plane = wire.AppendBytes(plane, 2, fmt.Appendf(nil, "/device:PJRTTEST:%d", id))
	plane = wire.AppendBytes(plane, 3, line)
	for i, name := range names {
		kind := wire.AppendBytes(wire.AppendInt(nil, 1, i+1), 2, name)
		plane = wire.AppendBytes(plane, 4, wire.AppendBytes(wire.AppendInt(nil, 1, i+1), 2, kind))
	}
	return plane
}
