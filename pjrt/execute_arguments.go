// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
)

// takeLists sets the arguments of an execution on several devices. No list means one
// without arguments.
func (l *launch) takeLists(args [][]*Buffer) {
	if l.lists = append(l.lists, args...); len(args) == 0 {
		l.lists = append(l.lists, nil)
	}
}

// chooseDevices sets the devices of the launch. For a portable program it also sets the
// device that the plugin is told to run on.
func (l *launch) chooseDevices() error {
	e, want := l.exe, l.opts.Device
	l.devices, l.only[0] = e.devices, nil
	if want != nil {
		if _, err := want.handleFor(e.client); err != nil {
			return err
		}
	}
	if len(e.devices) == 0 {
		if want == nil {
			want = l.firstDevice()
		}
		if want == nil {
			return errNoDevice
		}
		l.only[0] = want
		l.devices = l.only[:]
		return nil
	}
	switch {
	case want == nil || len(e.devices) == 1 && e.devices[0] == want:
		return nil
	case len(e.devices) > 1:
		// A plugin would wait for the other devices, and then end the process.
		return invalid("the program runs on its %d devices together, and cannot run on %v alone: use ExecuteAll or StartAll",
			len(e.devices), want)
	}
	return invalid("the program was compiled for %v and cannot run on %v: compile it for that device, or set CompileOptions.Portable",
		e.devices[0], want)
}

// firstDevice returns the device of the first argument. If there is no argument, or its
// device is unknown, it returns the first device of the client.
func (l *launch) firstDevice() *Device {
	c := l.exe.client
	if len(l.lists) > 0 && len(l.lists[0]) > 0 {
		if b := l.lists[0][0]; b != nil && b.client == c {
			if h, err := b.ref.Acquire(); err == nil {
				defer b.ref.Release()
				if d := c.deviceByHandle[l.calls.deviceOf(c.table, b, h)]; d != nil {
					return d
				}
			}
		}
	}
	if len(c.addressable) == 0 {
		return nil
	}
	return c.addressable[0]
}

// checkArguments compares the arguments with the parameters of the program, if the
// plugin states them. It makes one list of arguments for each device.
func (l *launch) checkArguments() error {
	switch n := len(l.devices); {
	case len(l.lists) == n:
	case len(l.lists) == 1:
		for range n - 1 {
			l.lists = append(l.lists, l.lists[0])
		}
	default:
		return invalid("there are %d lists of arguments for the %d devices that run the program", len(l.lists), n)
	}
	for d, args := range l.lists {
		if len(args) != len(l.lists[0]) {
			return invalid("there are %d arguments for %v and %d for %v", len(l.lists[0]), l.devices[0], len(args), l.devices[d])
		}
		for i, b := range args {
			switch {
			case b == nil:
				return invalid("%s is nil", l.argument(d, i))
			case b.client != l.exe.client:
				return invalid("%s belongs to another client", l.argument(d, i))
			}
		}
	}
	given := len(l.lists[0])
	if l.bound != nil && given != len(l.bound.open) {
		return l.bound.wrongNumber(given)
	}
	if l.entry.err != nil {
		return nil // the parameters are unknown
	}
	shapes := l.entry.parameters
	if n := l.numArguments(); n != len(shapes) {
		return invalid("the program takes %d arguments, not %d", len(shapes), n)
	}
	for d, args := range l.lists {
		for i, b := range args {
			if want := shapes[l.parameter(i)]; !b.shape.Equal(want) {
				return invalid("%s is %v, and the program takes %v", l.argument(d, i), b.shape, want)
			}
		}
	}
	return nil
}

// checkLayout compares the layout of argument i of device number d, which is acquired, with
// the one that the program was compiled for.
func (l *launch) checkLayout(d, i int, b *Buffer, h *capi.Buffer, want *Layout) error {
	if got := b.otherLayout(want, h); got != nil {
		return wrongLayout(l.argument(d, i), got, want)
	}
	return nil
}

// numArguments returns the number of arguments on each device, bound ones included.
func (l *launch) numArguments() int {
	if l.bound != nil {
		return l.bound.parameters
	}
	return len(l.lists[0])
}

// parameter returns which parameter of the program takes argument i of the call.
func (l *launch) parameter(i int) int {
	return l.bound.parameter(i)
}

// argument names argument i of device number d for errors.
func (l *launch) argument(d, i int) string {
	name := fmt.Sprintf("argument %d", i)
	if p := l.parameter(i); p != i {
		name += fmt.Sprintf(" (parameter %d)", p)
	}
	if len(l.devices) > 1 {
		name += fmt.Sprintf(" for %v", l.devices[d])
	}
	return name
}
