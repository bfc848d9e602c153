// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// newLaunch returns a launch with one user, the caller.
func (e *LoadedExecutable) newLaunch(opts *ExecuteOptions) *launch {
	x := &e.executions
	l := x.spare.Swap(nil)
	if l == nil {
		l, _ = x.launches.Get().(*launch)
	}
	if l == nil {
		l = &launch{exe: e, entry: e.entry()}
		l.users.Store(1)
		l.frame.options = new(capi.ExecuteOptions)
	}
	if opts == nil {
		opts = &defaultExecuteOptions
	}
	l.opts = opts
	return l
}

// Retain adds a user of the launch.
func (l *launch) Retain() { l.users.Add(1) }

// Release removes a user. The last one gives back what the execution held.
func (l *launch) Release() {
	if l.users.Load() != 1 {
		if l.users.Add(-1) > 0 {
			return
		}
		l.users.Store(1)
	}
	for i, done := range l.extended {
		done()
		l.extended[i] = nil
	}
	l.unfollow()
	l.giveDonated()
	l.leave()
	l.unknown = false
	// An unused launch must not keep anything alive. The outputs and events were taken out
	// of the frame one by one.
	f := &l.frame
	clear(l.lists)
	clear(f.arguments)
	l.lists, l.extended = l.lists[:0], l.extended[:0]
	f.arguments, f.outputs, f.events, f.keep = f.arguments[:0], f.outputs[:0], f.events[:0], f.keep[:0]
	*f.options = capi.ExecuteOptions{}
	l.opts, l.only[0], l.devices = nil, nil, nil
	if x := &l.exe.executions; !x.spare.CompareAndSwap(nil, l) {
		x.launches.Put(l)
	}
}

// leave ends the admission, and releases the executable or the Bound that was acquired.
func (l *launch) leave() {
	if l.bound != nil {
		l.bound.ref.Release()
	}
	l.admission.leave()
	if l.inUse {
		l.exe.ref.Release()
	}
	l.bound, l.inUse = nil, false
}
