// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Profiler makes one recording of what a plugin does. Its methods may be called from any
// goroutine; only one of them calls C at a time.
type Profiler struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.Profiler]

	mu    sync.Mutex
	state state  // guarded by mu
	kept  []byte // guarded by mu; what Data has collected, or nil
}

type state uint8

const (
	made state = iota
	running
	stopped
	taken
)

// Options are the options of New.
type Options struct {
	// Profile is a serialized tensorflow.ProfileOptions message. If it is nil, the plugin
	// records its devices, its own work on the host, and the programs, as JAX asks for.
	Profile []byte
}

// usual are the options that JAX gives. Without any, XLA's plugin for CUDA records nothing.
var usual = func() (b []byte) {
	for _, f := range []struct {
		number protowire.Number
		value  uint64
	}{
		{2, 2}, // host_tracer_level
		{3, 1}, // device_tracer_level
		{5, 1}, // version
		{7, 1}, // enable_hlo_proto
	} {
		b = protowire.AppendTag(b, f.number, protowire.VarintType)
		b = protowire.AppendVarint(b, f.value)
	}
	return b
}()

// New makes a profiler (PLUGIN_Profiler_Create), which records nothing before Start. The
// caller closes it. opts may be nil. The error is pjrt.ErrUnimplemented if the plugin does
// not offer the extension.
func New(p *pjrt.Plugin, opts *Options) (*Profiler, error) {
	options := usual
	if opts != nil && opts.Profile != nil {
		options = opts.Profile
	}
	table := raw.Table(p)
	var c capi.Call[capi.ProfilerCreateArgs]
	c.Args.Options, c.Args.OptionsSize = capi.BytesData(options)
	err := c.Do(table)
	runtime.KeepAlive(options)
	if err != nil {
		return nil, err
	}
	return &Profiler{table: table, ref: lifetime.New("profiler", c.Args.Profiler, nil, func(h *capi.Profiler) {
		_, _ = capi.Do(table, capi.ProfilerDestroyArgs{Profiler: h})
	})}, nil
}

// Start begins the recording (PLUGIN_Profiler_Start). A profiler can be started only once;
// a second Start is an error, pjrt.ErrFailedPrecondition.
func (x *Profiler) Start() error {
	return x.move(made, running, "was already started: make another one", func(h *capi.Profiler) error {
		_, err := capi.Do(x.table, capi.ProfilerStartArgs{Profiler: h})
		return err
	})
}

// Stop ends the recording (PLUGIN_Profiler_Stop). The error is
// pjrt.ErrFailedPrecondition when the profiler is not recording.
func (x *Profiler) Stop() error {
	return x.move(running, stopped, "is not recording", func(h *capi.Profiler) error {
		_, err := capi.Do(x.table, capi.ProfilerStopArgs{Profiler: h})
		return err
	})
}

// move calls do if the profiler is in the state from. If do succeeds, the new state is to.
func (x *Profiler) move(from, to state, otherwise string, do func(*capi.Profiler) error) error {
	h, err := x.acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state != from {
		return pjrt.ErrFailedPrecondition.Errorf("the profiler %s", otherwise)
	}
	if err := do(h); err != nil {
		return err
	}
	x.state = to
	return nil
}

func (x *Profiler) acquire() (*capi.Profiler, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the profiler is nil: make one with profiler.New")
	}
	return x.ref.Acquire()
}

// maxProfile is the largest profile size that Data accepts.
const maxProfile = 1 << 40

// Data returns what was recorded, after Stop: a serialized XSpace message
// (PLUGIN_Profiler_CollectData). XProf and TensorBoard read it from a file whose name
// ends in .xplane.pb. The caller owns it. The profiler keeps it too, for the next call,
// until Take or Close.
func (x *Profiler) Data() ([]byte, error) {
	return x.read(func(h *capi.Profiler) ([]byte, error) {
		if x.kept == nil {
			data, err := x.collect(h)
			if err != nil {
				return nil, err
			}
			x.kept = data // plugins hand it out only once
		}
		return bytes.Clone(x.kept), nil
	})
}

func (x *Profiler) collect(h *capi.Profiler) ([]byte, error) {
	size, err := capi.Do(x.table, capi.ProfilerCollectDataArgs{Profiler: h})
	if err != nil {
		return nil, err
	}
	n := size.BufferSizeInBytes
	if n == 0 {
		return []byte{}, nil
	}
	if n > maxProfile {
		return nil, size.Function().Misbehaved("reported a profile of %d bytes, more than any machine has memory for", n)
	}
	if size.Buffer != nil {
		// Some plugins return memory of their own from this first call, and copy nothing
		// in a second one.
		return whole(bytes.Clone(unsafe.Slice(size.Buffer, n))), nil
	}
	data := make([]byte, n)
	_, err = capi.Do(x.table, capi.ProfilerCollectDataArgs{Profiler: h, Buffer: unsafe.SliceData(data), BufferSizeInBytes: n})
	runtime.KeepAlive(data)
	if err != nil {
		return nil, err
	}
	return whole(data), nil
}

// Take is like [Profiler.Data], but also removes the recorded data from the profiler, so that the
// plugin need not keep it (PLUGIN_Profiler_Consume and PLUGIN_Profiler_Serialize, API 0.113).
func (x *Profiler) Take() ([]byte, error) {
	return x.read(func(h *capi.Profiler) ([]byte, error) {
		data, err := x.consume(h)
		if x.state == taken && x.kept != nil {
			data, err, x.kept = x.kept, nil, nil // the plugin has handed it out to Data
		}
		return data, err
	})
}

func (x *Profiler) consume(h *capi.Profiler) ([]byte, error) {
	consume, err := capi.Do(x.table, capi.ProfilerConsumeArgs{Profiler: h})
	if err != nil {
		return nil, err
	}
	x.state = taken
	defer func() {
		_, _ = capi.Do(x.table, capi.ProfilerConsumeResultDestroyArgs{ConsumeResult: consume.Result}) // it returns nothing
	}()
	c, err := capi.Do(x.table, capi.ProfilerSerializeArgs{Profiler: h, ConsumeResult: consume.Result})
	if err != nil {
		return nil, err
	}
	if c.SerializedSize > maxProfile {
		return nil, c.Function().Misbehaved("reported a profile of %d bytes, more than any machine has memory for",
			c.SerializedSize)
	}
	return whole(capi.Bytes(c.SerializedBytes, c.SerializedSize)), nil
}

// read returns what do returns, if there is data. x.mu is held meanwhile.
func (x *Profiler) read(do func(*capi.Profiler) ([]byte, error)) ([]byte, error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	x.mu.Lock()
	defer x.mu.Unlock()
	switch x.state {
	case stopped:
		return do(h)
	case taken:
		return nil, pjrt.ErrFailedPrecondition.Errorf("the data of the profiler was already taken")
	}
	return nil, pjrt.ErrFailedPrecondition.Errorf("the profiler has no data before Stop")
}

// whole returns the fields of a message without the zeros after them: libtpu reports a byte more
// than there is, and readers would refuse the file.
func whole(data []byte) []byte {
	end := 0
	_ = visit(data, func(f field) error {
		end += len(f.raw)
		return nil
	})
	if len(bytes.Trim(data[end:], "\x00")) > 0 {
		return data // damaged, which the reader will report
	}
	return data[:end]
}

// Close stops the profiler if it is recording, and destroys it (PLUGIN_Profiler_Destroy). Closing
// again does nothing.
func (x *Profiler) Close() error {
	if x == nil {
		return nil
	}
	_ = x.Stop() // fails if the profiler is not recording
	x.mu.Lock()
	x.kept = nil
	x.mu.Unlock()
	return x.ref.Close()
}
