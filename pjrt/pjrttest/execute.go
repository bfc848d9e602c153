// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// firstExecuteOptions is the size of the first version of PJRT_ExecuteOptions, up to
// launch_id.
const firstExecuteOptions = 52

func (p *Plugin) loadedExecutableExecute(a *capi.LoadedExecutableExecuteArgs) error {
	e, err := find[*loaded](p, a.Executable)
	if err != nil {
		return err
	}
	if e.isDeleted() {
		return capi.ErrorCodeFailedPrecondition.Errorf("the executable %s was deleted", e.name)
	}
	options, err := read(a.Options, "PJRT_ExecuteOptions", firstExecuteOptions)
	if err != nil {
		return err
	}
	devices, ids, err := e.executionDevices(a)
	if err != nil {
		return err
	}
	l := &launch{p: p, exe: e, id: options.LaunchID, devices: devices, ids: ids}
	if err := l.check(a, &options); err != nil {
		return err
	}
	return l.begin(a)
}

// executionDevices returns the devices that an execution runs on.
func (e *loaded) executionDevices(a *capi.LoadedExecutableExecuteArgs) ([]*device, []capi.LogicalDeviceIDs, error) {
	devices, ids := e.devices, e.ids
	if a.ExecuteDevice != nil {
		d, err := find[*device](e.p, a.ExecuteDevice)
		if err != nil {
			return nil, nil, err
		}
		if d.client != e.client {
			return nil, nil, invalid("device %d belongs to another client", d.id)
		}
		if err := d.reachable(); err != nil {
			return nil, nil, err
		}
		i := slices.Index(e.devices, d)
		switch {
		case e.portable:
			ids = []capi.LogicalDeviceIDs{{}}
		case i >= 0:
			ids = e.ids[i : i+1]
		default:
			return nil, nil, invalid("the program was not compiled for device %d", d.id)
		}
		devices = []*device{d}
	}
	if a.NumDevices != uintptr(len(devices)) {
		return nil, nil, invalid("the execution has arguments for %d devices, but runs on %d", a.NumDevices, len(devices))
	}
	if len(devices) == 0 {
		return nil, nil, invalid("the program has no devices in this process; if it is portable, give execute_device")
	}
	return devices, ids, nil
}

// argument is one argument on one device.
type argument struct {
	buffer   *buffer
	contents *contents
	donated  bool
}

// check returns an error for anything that is wrong, before anything is consumed.
func (l *launch) check(a *capi.LoadedExecutableExecuteArgs, options *capi.ExecuteOptions) error {
	e := l.exe
	switch {
	case a.NumArgs != uintptr(len(e.parameters)):
		return invalid("the program %s takes %d arguments, but got %d", e.name, len(e.parameters), a.NumArgs)
	case a.ArgumentLists == nil && a.NumArgs > 0:
		return invalid("the argument lists are null")
	case a.OutputLists == nil && len(e.results) > 0:
		return invalid("the output lists are null")
	case options.NonDonatableInputIndices == nil && options.NumNonDonatableInputIndices > 0:
		return invalid("the list of inputs not to donate is null and has %d elements", options.NumNonDonatableInputIndices)
	}
	if options.Context != nil {
		if _, err := find[*executeContext](l.p, options.Context); err != nil {
			return err
		}
	}
	if options.MultiSliceConfig != nil && l.p.offers(capi.ExtensionTypeMultiSlice) {
		if _, err := find[*sliceConfig](l.p, options.MultiSliceConfig); err != nil {
			return err
		}
	}
	if err := l.takeCallbacks(options); err != nil {
		return err
	}
	kept := slices.Clone(elements(options.NonDonatableInputIndices, options.NumNonDonatableInputIndices))
	for i, c := range e.consumed {
		if c.must && slices.Contains(kept, int64(i)) {
			return invalid("argument %d of the program %s must be donated", i, e.name)
		}
	}
	lists := elements(a.ArgumentLists, a.NumDevices)
	outputs := elements(a.OutputLists, a.NumDevices)
	uses := make(map[*buffer]bool) // whether one is a donation
	for d, device := range l.devices {
		if len(e.results) > 0 && outputs[d] == nil {
			return invalid("the output list of device %d is null", device.id)
		}
		var row []argument
		if a.NumArgs > 0 {
			if lists[d] == nil {
				return invalid("the argument list of device %d is null", device.id)
			}
			for i, h := range elements(lists[d], a.NumArgs) {
				b, err := find[*buffer](l.p, h)
				if err != nil {
					return fmt.Errorf("argument %d for device %d: %w", i, device.id, err)
				}
				if err := l.checkArgument(b, i, device); err != nil {
					return err
				}
				_, consumed := e.consumed[i]
				donated := consumed && !slices.Contains(kept, int64(i))
				if was, again := uses[b]; again && (was || donated) {
					return invalid("argument %d for device %d is donated, but also used in another place of the same execution", i,
						device.id)
				}
				uses[b] = donated
				row = append(row, argument{buffer: b, donated: donated})
			}
		}
		l.args = append(l.args, row)
	}
	return nil
}

func (l *launch) checkArgument(b *buffer, i int, d *device) error {
	switch want := l.exe.parameters[i]; {
	case b.client != l.exe.client:
		return invalid("argument %d for device %d belongs to another client", i, d.id)
	case b.isDeleted():
		b.mu.Lock()
		defer b.mu.Unlock()
		return invalid("argument %d for device %d was %s", i, d.id, b.gone)
	case b.in.device != d:
		return invalid("argument %d is on device %d, but the program runs on device %d", i, b.in.device.id, d.id)
	case !b.shape.Equal(want):
		return invalid("argument %d for device %d is %v, but the program %s takes %v", i, d.id, b.shape, l.exe.name, want)
	}
	return nil
}

// begin takes the arguments, makes room for the results and starts the execution.
func (l *launch) begin(a *capi.LoadedExecutableExecuteArgs) error {
	if err := l.takeArguments(); err != nil {
		return err
	}
	if err := l.makeResults(); err != nil {
		l.restore()
		return err
	}
	l.over = newFuture()
	var deps []*future
	for d := range l.devices {
		for _, x := range l.args[d] {
			deps = append(deps, x.contents.ready)
		}
		if len(l.exe.results) > 0 {
			outs := elements(elements(a.OutputLists, a.NumDevices)[d], uintptr(len(l.exe.results)))
			for i, r := range l.results[d] {
				outs[i] = r.in.newBuffer(l.exe.results[i], l.exe.resultOrders[i], r.contents.use())
			}
		}
		if a.DeviceCompleteEvents != nil {
			elements(a.DeviceCompleteEvents, a.NumDevices)[d] = l.p.newEvent(l.over)
		}
	}
	l.op = &Operation{
		p: l.p, function: a.Function().Name, device: l.devices[0].id, program: l.exe.name,
		queue: &l.devices[0].queue, run: l.run,
	}
	c := l.exe.client
	c.mu.Lock()
	c.launches[l] = true
	c.mu.Unlock()
	l.p.start(l.op, deps)
	return nil
}

// takeArguments takes the contents of the arguments; buffers lose donated contents.
func (l *launch) takeArguments() error {
	for d := range l.args {
		for i := range l.args[d] {
			x := &l.args[d][i]
			var err error
			if x.donated {
				x.contents, err = x.buffer.take("donated")
			} else {
				x.contents, err = x.buffer.use()
			}
			if err != nil {
				l.restore()
				return err
			}
		}
	}
	return nil
}

// restore undoes takeArguments.
func (l *launch) restore() {
	for d := range l.args {
		for i := range l.args[d] {
			x := &l.args[d][i]
			switch {
			case x.contents == nil:
			case x.donated:
				x.buffer.restore(x.contents)
			default:
				x.contents.release()
			}
			x.contents = nil
		}
	}
}

// result is the place of one result on one device.
type result struct {
	in       *memory
	contents *contents // the execution holds a use
}

// makeResults makes room for the results, where possible in the memory of donated
// arguments.
func (l *launch) makeResults() error {
	e := l.exe
	for d, device := range l.devices {
		donors := l.donors(d)
		row := make([]result, len(e.results))
		l.results = append(l.results, row)
		for i, s := range e.results {
			in := device.memories[slices.IndexFunc(device.memories, func(m *memory) bool { return m.kind == e.resultKinds[i] })]
			data := donors.take(i, in, deviceSize(s))
			if data == nil {
				var err error
				if data, err = in.newStorage(deviceSize(s)); err != nil {
					l.dropResults()
					return fmt.Errorf("result %d of the program %s: %w", i, e.name, err)
				}
			}
			row[i] = result{in, newContents(data, newFuture())}
		}
	}
	return nil
}

func (l *launch) dropResults() {
	for _, row := range l.results {
		for _, r := range row {
			if r.contents != nil {
				r.contents.end(nil)
			}
		}
	}
}

// donors are the contents of donated arguments that nothing else uses, by the number of
// the result that takes their memory, or -1 for any result.
type donors map[int][]*storage

func (l *launch) donors(d int) donors {
	all := make(donors)
	for i, x := range l.args[d] {
		if !x.donated || x.contents.users.Load() != 1 {
			continue
		}
		if s := x.contents.data; s != nil && !s.constant && s.uses.Load() == 1 {
			at := l.exe.consumed[i].result
			all[at] = append(all[at], s)
		}
	}
	return all
}

// take returns a use of donated memory for a result, or nil if none fits.
func (d donors) take(result int, in *memory, size int64) *storage {
	for _, at := range []int{result, -1} {
		for i, s := range d[at] {
			if s.in == in && int64(len(s.bytes)) == size {
				d[at] = slices.Delete(d[at], i, i+1)
				return s.use()
			}
		}
	}
	return nil
}
