// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Profiler records what a plugin does on its devices (extension Profiler). Its
// methods may be called from any goroutine, and are called one at a time.
type Profiler struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.Profiler]

	mu    sync.Mutex
	state profilerState // guarded by mu
}

type profilerState uint8

const (
	profilerNew profilerState = iota
	profilerRunning
	profilerStopped
)

// NewProfiler makes a profiler (PLUGIN_Profiler_Create), which does not record yet.
// options is a serialized tensorflow.ProfileOptions message; nil leaves all to the
// plugin. The caller closes the profiler. Plugins without a profiler give
// ErrUnimplemented; XLA's CPU plugin 0.81 is one.
func (p *Plugin) NewProfiler(options []byte) (*Profiler, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	var c capi.Call[capi.ProfilerCreateArgs]
	c.Args.Options, c.Args.OptionsSize = capi.BytesData(options)
	err := c.Do(p.table)
	runtime.KeepAlive(options)
	if err != nil {
		return nil, err
	}
	if c.Args.Profiler == nil {
		return nil, failed(ErrInternal, "the plugin gives no profiler")
	}
	table := p.table
	return &Profiler{table: table, ref: lifetime.New("profiler", c.Args.Profiler, nil, func(h *capi.Profiler) {
		var d capi.Call[capi.ProfilerDestroyArgs]
		d.Args.Profiler = h
		_ = d.Do(table) // there is nobody to tell
	})}, nil
}

// Start begins to record (PLUGIN_Profiler_Start), once.
func (x *Profiler) Start() error {
	return x.move(profilerNew, profilerRunning, "was started before; make another one", func(h *capi.Profiler) error {
		var c capi.Call[capi.ProfilerStartArgs]
		c.Args.Profiler = h
		return c.Do(x.table)
	})
}

// Stop ends the recording (PLUGIN_Profiler_Stop), once.
func (x *Profiler) Stop() error {
	return x.move(profilerRunning, profilerStopped, "is not recording", func(h *capi.Profiler) error {
		var c capi.Call[capi.ProfilerStopArgs]
		c.Args.Profiler = h
		return c.Do(x.table)
	})
}

// move calls do in the state from, and goes to the state to when it succeeds.
func (x *Profiler) move(from, to profilerState, otherwise string, do func(*capi.Profiler) error) error {
	h, err := x.ref.Acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state != from {
		return failed(ErrFailedPrecondition, "the profiler %s", otherwise)
	}
	if err := do(h); err != nil {
		return err
	}
	x.state = to
	return nil
}

// Data returns what was recorded, after Stop: a serialized XSpace message
// (PLUGIN_Profiler_CollectData), which xprof and TensorBoard read from files whose
// names end in .xplane.pb.
func (x *Profiler) Data() ([]byte, error) {
	h, err := x.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state != profilerStopped {
		return nil, failed(ErrFailedPrecondition, "the profiler has no data before Stop")
	}
	var size capi.Call[capi.ProfilerCollectDataArgs]
	size.Args.Profiler = h
	if err := size.Do(x.table); err != nil {
		return nil, err
	}
	n := size.Args.BufferSizeInBytes
	if n == 0 {
		return nil, nil
	}
	if n > 1<<40 {
		return nil, failed(ErrInternal, "the plugin claims a profile larger than any memory")
	}
	if size.Args.Buffer != nil {
		// Some plugins hand out their own memory at once, and copy nothing when
		// they are given some.
		return bytes.Clone(unsafe.Slice(size.Args.Buffer, n)), nil
	}
	data := make([]byte, n)
	var c capi.Call[capi.ProfilerCollectDataArgs]
	c.Args.Profiler, c.Args.Buffer, c.Args.BufferSizeInBytes = h, unsafe.SliceData(data), n
	err = c.Do(x.table)
	runtime.KeepAlive(data)
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Close gives the profiler up (PLUGIN_Profiler_Destroy). One that records is
// stopped first.
func (x *Profiler) Close() error {
	if x == nil {
		return nil
	}
	_ = x.Stop() // if it records
	return x.ref.Close()
}
