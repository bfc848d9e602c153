// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// fill acquires the arguments and fills in the frame.
func (l *launch) fill(ctx context.Context, h *capi.LoadedExecutable) error {
	e, f, devices := l.exe, &l.frame, len(l.devices)
	args := l.numArguments()
	var err error
	if f.keep, err = l.opts.kept(f.keep[:0], args); err != nil {
		return err
	}
	donates := l.entry.donates && len(f.keep) < args
	layouts := e.layouts()
	withLayouts := len(layouts) == args // otherwise they are unknown
	// Some plugins want an address even for an empty list, so it has room for one more.
	f.arguments = slices.Grow(f.arguments[:0], devices*args+1)
	f.argumentLists, f.outputLists = f.argumentLists[:0], f.outputLists[:0]
	for d, list := range l.lists {
		f.argumentLists = append(f.argumentLists, unsafe.SliceData(f.arguments[len(f.arguments):cap(f.arguments)]))
		given := 0
		for i := range args {
			if l.bound != nil {
				if bh := l.bound.handles[d*args+i]; bh != nil {
					f.arguments = append(f.arguments, bh)
					continue
				}
			}
			b := list[given]
			bh, err := b.ref.Acquire()
			if err != nil {
				return fmt.Errorf("%w: %s: %w", ErrInvalidArgument, l.argument(d, given), err)
			}
			argument := heldArgument{b, bh, turnUse}
			if donates {
				argument.turn = l.turnOf(i)
			}
			if withLayouts {
				if err := l.checkLayout(d, given, b, bh, layouts[i]); err != nil {
					l.held = append(l.held, argument)
					return err
				}
			}
			if err := l.hold(ctx, d, given, argument); err != nil {
				return err
			}
			given++
		}
	}
	if l.entry.donates && len(f.keep) > 0 && e.client.copiesKept {
		if err := l.copyKept(ctx, args); err != nil {
			return err
		}
	}
	f.outputs = slices.Grow(f.outputs[:0], devices*e.numOutputs+1)[:devices*e.numOutputs]
	for d := range devices {
		f.outputLists = append(f.outputLists, unsafe.SliceData(f.outputs[d*e.numOutputs:cap(f.outputs)]))
	}
	f.events = slices.Grow(f.events[:0], devices)[:devices]

	a := &f.call.Args
	a.Executable = h
	a.Options = f.options
	a.ArgumentLists = unsafe.SliceData(f.argumentLists)
	a.NumDevices = uintptr(devices)
	a.NumArgs = uintptr(args)
	a.OutputLists = unsafe.SliceData(f.outputLists)
	a.DeviceCompleteEvents = unsafe.SliceData(f.events)
	a.ExecuteDevice = nil
	if only := l.only[0]; only != nil {
		a.ExecuteDevice = only.handle
	}
	if err := l.fillOptions(); err != nil {
		return err
	}
	l.follow(ctx)
	return nil
}

// fillOptions fills in PJRT_ExecuteOptions.
func (l *launch) fillOptions() error {
	o, c := l.opts, l.frame.options
	*c = capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	if keep := l.frame.keep; len(keep) > 0 {
		c.NonDonatableInputIndices, c.NumNonDonatableInputIndices = unsafe.SliceData(keep), uintptr(len(keep))
	}
	if o.LaunchID < math.MinInt32 || o.LaunchID > math.MaxInt32 {
		return invalid("the launch id %d does not fit into 32 bits", o.LaunchID)
	}
	c.LaunchID = int32(o.LaunchID)
	if o.CallLocation != "" {
		if strings.IndexByte(o.CallLocation, 0) >= 0 {
			return invalid("the call location %q has a NUL byte in it", o.CallLocation)
		}
		c.CallLocation = capi.CString(o.CallLocation)
	}
	if len(o.Incarnations) > 0 {
		tasks, ids, err := incarnations(o.Incarnations)
		if err != nil {
			return err
		}
		c.NumTasks, c.TaskIDs, c.IncarnationIDs = uintptr(len(tasks)), unsafe.SliceData(tasks), unsafe.SliceData(ids)
	}
	for i, x := range o.Extensions {
		if x == nil {
			return invalid("extension %d of the execution is nil", i)
		}
		done, err := x.ExtendExecute(l.exe.client, l.devices, c)
		if err != nil {
			return err
		}
		if done != nil {
			l.extended = append(l.extended, done)
		}
	}
	return nil
}

// incarnations returns the processes and the incarnation of each as two lists for C.
func incarnations(of map[int]int64) (tasks []int32, ids []int64, err error) {
	tasks = make([]int32, 0, len(of))
	for task := range of {
		if task < 0 || task > math.MaxInt32 {
			return nil, nil, invalid("the option Incarnations names process %d, and processes have the numbers 0 to %d",
				task, math.MaxInt32)
		}
		tasks = append(tasks, int32(task))
	}
	slices.Sort(tasks)
	ids = make([]int64, len(tasks))
	for i, task := range tasks {
		ids[i] = of[int(task)]
	}
	return tasks, ids, nil
}
