// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Execution is a program that was started. Its methods may be called from any
// goroutine.
type Execution struct {
	devices []*Device
	outputs [][]*Buffer
	events  []*Event // one for each device

	done func() <-chan struct{}
	once sync.Once
}

// Outputs returns the results on the first device, all there are for a program
// on one. They are the caller's, whatever becomes of the Execution: they must be
// closed even if the execution fails. They may be used at once; what uses them
// waits for their contents.
func (x *Execution) Outputs() []*Buffer {
	if x == nil || len(x.outputs) == 0 {
		return nil
	}
	return slices.Clone(x.outputs[0])
}

// DeviceOutputs returns the results on each device, in the order of Devices, to
// which the same applies as to those of Outputs.
func (x *Execution) DeviceOutputs() [][]*Buffer {
	if x == nil {
		return nil
	}
	all := make([][]*Buffer, len(x.outputs))
	for i, outs := range x.outputs {
		all[i] = slices.Clone(outs)
	}
	return all
}

// Devices returns the devices that run the program.
func (x *Execution) Devices() []*Device {
	if x == nil {
		return nil
	}
	return slices.Clone(x.devices)
}

// Events returns an event for each device, in the order of Devices: it is ready
// when the device is done. They belong to the Execution.
func (x *Execution) Events() []*Event { return slices.Clone(x.list()) }

// list returns the events. Those of a nil Execution are one nil Event, which
// answers everything with an error.
func (x *Execution) list() []*Event {
	if x == nil || len(x.events) == 0 {
		return []*Event{nil}
	}
	return x.events
}

// Wait waits until all devices are done, and returns the first error of one, in
// the order of Devices. When ctx ends first, Wait returns ctx's error and the
// execution goes on.
func (x *Execution) Wait(ctx context.Context) error {
	var first error
	for i, e := range x.list() {
		err := e.Wait(ctx)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if first == nil {
			first = x.name(i, err)
		}
	}
	return first
}

// Ready reports whether all devices are done. It never blocks.
func (x *Execution) Ready() (bool, error) {
	for _, e := range x.list() {
		if ready, err := e.Ready(); err != nil || !ready {
			return false, err
		}
	}
	return true, nil
}

// Err returns the first error of a device, in the order of Devices. It is nil
// when there is none, and as long as all devices work. It never blocks.
func (x *Execution) Err() error {
	for i, e := range x.list() {
		if err := e.Err(); err != nil {
			return x.name(i, err)
		}
	}
	return nil
}

// name adds the device to an error, if there are several.
func (x *Execution) name(i int, err error) error {
	if err == nil || x == nil || len(x.devices) < 2 {
		return err
	}
	return fmt.Errorf("%v: %w", x.devices[i], err)
}

// Done returns a channel that is closed when all devices are done. Err has the
// error then. The channel of a closed Execution is closed.
func (x *Execution) Done() <-chan struct{} {
	if events := x.list(); len(events) == 1 {
		return events[0].Done()
	}
	x.once.Do(func() {
		done := make(chan struct{})
		var left atomic.Int32
		left.Store(int32(len(x.events)) + 1)
		one := func(error) {
			if left.Add(-1) == 0 {
				close(done)
			}
		}
		for _, e := range x.list() {
			if err := e.OnReady(one); err != nil {
				one(err)
			}
		}
		one(nil)
		x.done = func() <-chan struct{} { return done }
	})
	return x.done()
}

// OnReady calls fn, in a goroutine of its own, with what Err returns once all
// devices are done.
func (x *Execution) OnReady(fn func(error)) error {
	if fn == nil {
		return invalid("the function is nil")
	}
	events := x.list()
	left := new(atomic.Int32)
	left.Store(int32(len(events)))
	errs := make([]error, len(events))
	for i, e := range events {
		if err := e.OnReady(func(err error) {
			if errs[i] = x.name(i, err); left.Add(-1) == 0 {
				fn(first(errs))
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first error that is one.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Close gives up the events. The execution goes on, and the outputs stay.
func (x *Execution) Close() error {
	for _, e := range x.list() {
		e.Close()
	}
	return nil
}
