// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// A tour does with a plugin what programs do, from opening it to closing the last object. A
// step goes on after a failed call.
type tour struct {
	table    *capi.Table
	patience time.Duration // how long a call has before its context ends
	cacheDir string        // for executables on disk

	plugin   *pjrt.Plugin
	client   *pjrt.Client
	topology *pjrt.Topology
	exe      *pjrt.LoadedExecutable
	a, b     *pjrt.Buffer

	step    string
	calls   []tourCall
	closers []closer
}

// tourCall is the outcome of one call.
type tourCall struct {
	step, name string
	err        error
}

type closer struct {
	name  string
	close func() error
}

// tourSteps are the steps in their order. What programs do every day comes first.
var tourSteps = []struct {
	name     string
	everyday bool
	run      func(*tour)
}{
	{"open", true, (*tour).open},
	{"client", true, (*tour).newClient},
	{"devices", true, (*tour).listDevices},
	{"memories", true, (*tour).listMemories},
	{"compile", true, (*tour).compile},
	{"describe", true, (*tour).describeProgram},
	{"upload", true, (*tour).upload},
	{"execute", true, (*tour).execute},
	{"download", true, (*tour).download},
	{"copy", true, (*tour).copy},
	{"cache", true, (*tour).keep},
	{"topology", false, (*tour).listTopology},
	{"statistics", false, (*tour).statistics},
	{"buffers", false, (*tour).describeBuffers},
	{"makers", false, (*tour).makeBuffers},
	{"events", false, (*tour).events},
	{"transfers", false, (*tour).transfers},
	{"processes", false, (*tour).processes},
	{"extensions", false, (*tour).extensions},
	{"close", true, (*tour).closeAll},
}

// TestWhatProgramsDoEveryDay takes the steps with the plugin of PJRT_TEST_PLUGIN.
func TestWhatProgramsDoEveryDay(t *testing.T) {
	if !inChild(t) {
		return
	}
	table, err := capi.Open(plugintest.Chosen(t))
	require.NoError(t, err)
	x := &tour{table: table, patience: patience, cacheDir: t.TempDir()}
	x.run(nil)
	everyday := make(map[string]bool)
	for _, s := range tourSteps {
		everyday[s.name] = s.everyday
	}
	for _, c := range x.calls {
		switch {
		case everyday[c.step] || errors.Is(c.err, errPanic) || errors.Is(c.err, errValue):
			assert.NoError(t, c.err, "%s/%s", c.step, c.name)
		case c.err != nil:
			t.Logf("%s/%s: %v", c.step, c.name, c.err)
		}
	}
}

// run takes all steps, and first calls before with the name of each.
func (x *tour) run(before func(step string)) {
	for _, s := range tourSteps {
		x.step = s.name
		if before != nil {
			before(s.name)
		}
		s.run(x)
	}
}

// errPanic is the error of a call that panicked.
var errPanic = errors.New("panic")

// errValue is the error of a call that succeeded with a wrong value.
var errValue = errors.New("wrong value")

// do makes a call with a context that ends, and notes its error.
func (x *tour) do(name string, call func(ctx context.Context) error) (ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), x.patience)
	defer cancel()
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%w: %v\n%s", errPanic, v, debug.Stack())
			}
		}()
		return call(ctx)
	}()
	x.calls = append(x.calls, tourCall{x.step, name, err})
	return err == nil
}

// later closes an object at the end of the tour.
func (x *tour) later(name string, close func() error) {
	x.closers = append(x.closers, closer{name, close})
}

// keepBuffer is for calls that make a buffer.
func (x *tour) keepBuffer(name string, b *pjrt.Buffer, err error) error {
	if b != nil {
		x.later(name, b.Close)
	}
	return err
}

func second[T any](_ T, err error) error { return err }

func (x *tour) open() {
	x.do("Plugin", func(context.Context) (err error) {
		x.plugin, err = raw.Plugin(x.table)
		return err
	})
	x.do("String", func(context.Context) error { _ = x.plugin.String() + fmt.Sprint(x.plugin.Attributes()); return nil })
}

func (x *tour) newClient() {
	x.do("NewClient", func(ctx context.Context) (err error) {
		if x.client, err = x.plugin.NewClient(ctx, nil); err == nil {
			x.later("Client", x.client.Close)
		}
		return err
	})
	x.do("String", func(context.Context) error {
		_ = x.client.String() + x.client.PlatformName() + x.client.PlatformVersion()
		return nil
	})
}

func (x *tour) listDevices() {
	for i, d := range x.client.Devices() {
		x.do("String", func(context.Context) error {
			_ = fmt.Sprint(d, d.ID(), d.Kind(), d.ProcessIndex(), d.LocalHardwareID())
			_ = fmt.Sprint(d.Description().DebugString(), d.Description().Attributes())
			return nil
		})
		if i > 0 {
			continue
		}
		x.do("LookupDevice", func(context.Context) error { return second(x.client.LookupDevice(d.ID())) })
		x.do("LookupAddressableDevice", func(context.Context) error {
			return second(x.client.LookupAddressableDevice(max(d.LocalHardwareID(), 0)))
		})
	}
	if x.client != nil {
		x.do("DefaultDeviceAssignment", func(context.Context) error { return second(x.client.DefaultDeviceAssignment(1, 1)) })
	}
}

func (x *tour) listMemories() {
	for _, d := range x.client.AddressableDevices() {
		x.do("Memories", func(context.Context) error {
			_ = fmt.Sprint(d.Memories(), d.DefaultMemory())
			return nil
		})
	}
	for _, m := range x.client.Memories() {
		x.do("String", func(context.Context) error {
			_ = fmt.Sprint(m, m.ID(), m.Kind(), m.KindID(), m.DebugString(), m.Devices())
			return nil
		})
	}
}

func (x *tour) program() pjrt.Program { return pjrt.Program{Code: []byte(add)} }

func (x *tour) compile() {
	if x.client == nil {
		return
	}
	x.do("Compile", func(ctx context.Context) (err error) {
		if x.exe, err = x.client.Compile(ctx, x.program(), nil); err == nil {
			x.later("LoadedExecutable", x.exe.Close)
		}
		return err
	})
}

func (x *tour) describeProgram() {
	if x.exe == nil {
		return
	}
	e := x.exe
	x.do("String", func(context.Context) error {
		_ = fmt.Sprint(e, e.Executable, e.Name(), e.NumOutputs(), e.NumPartitions(), e.NumReplicas(), e.Devices())
		return nil
	})
	x.do("Parameters", func(context.Context) error { return second(e.Parameters()) })
	x.do("Outputs", func(context.Context) error { return second(e.Outputs()) })
	x.do("DeviceAssignment", func(context.Context) error { return second(e.DeviceAssignment()) })
	x.do("IsDeleted", func(context.Context) error { return second(e.IsDeleted()) })
}

func (x *tour) upload() {
	if x.client == nil {
		return
	}
	x.do("BufferFromHost", func(ctx context.Context) (err error) {
		x.a, err = x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		return x.keepBuffer("Buffer", x.a, err)
	})
	x.do("BufferFromHost with zero-copy", func(ctx context.Context) (err error) {
		data := pjrt.AlignedSlice[float32](4)
		copy(data, []float32{10, 20, 30, 40})
		x.b, err = x.client.BufferFromHost(ctx, pjrt.ArrayOf(data, 2, 2), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
		return x.keepBuffer("Buffer", x.b, err)
	})
	if x.b != nil {
		x.do("Wait", x.b.Wait)
	}
}

// expect returns an error unless the buffer holds want.
func (x *tour) expect(ctx context.Context, b *pjrt.Buffer, want pjrt.HostArray) error {
	got, err := b.ToHost(ctx)
	if err == nil && (got.Type != want.Type || !bytes.Equal(got.Data, want.Data)) {
		err = fmt.Errorf("%w: %v", errValue, got)
	}
	return err
}

func (x *tour) execute() {
	if x.exe == nil || x.a == nil || x.b == nil {
		return
	}
	args := []*pjrt.Buffer{x.a, x.b}
	closeAll := func(list []*pjrt.Buffer) {
		for _, b := range list {
			x.do("Close", func(context.Context) error { return b.Close() })
		}
	}
	x.do("Execute", func(ctx context.Context) error {
		outs, err := x.exe.Execute(ctx, args, nil)
		defer closeAll(outs)
		if err == nil && len(outs) == 1 {
			err = x.expect(ctx, outs[0], matrix(11, 22, 33, 44))
		}
		return err
	})
	x.do("Execute without an end", func(context.Context) error {
		outs, err := x.exe.Execute(context.Background(), args, nil)
		closeAll(outs)
		return err
	})
	x.do("Start", func(ctx context.Context) error {
		outs, done, err := x.exe.Start(ctx, args, nil)
		if err != nil {
			return err
		}
		defer closeAll(outs)
		defer done.Close()
		return done.Wait(ctx)
	})
	x.do("ExecuteAll", func(ctx context.Context) error {
		lists, err := x.exe.ExecuteAll(ctx, [][]*pjrt.Buffer{args}, nil)
		for _, outs := range lists {
			closeAll(outs)
		}
		return err
	})
	x.do("Bind", func(ctx context.Context) error {
		bound, err := x.exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{x.a}})
		if err != nil {
			return err
		}
		defer bound.Close()
		outs, err := x.exe.Execute(ctx, []*pjrt.Buffer{x.b}, &pjrt.ExecuteOptions{Bound: bound})
		closeAll(outs)
		return err
	})
	x.do("Execute with a copy", func(ctx context.Context) error {
		devices := x.client.AddressableDevices()
		far, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), &pjrt.BufferOptions{Device: devices[len(devices)-1]})
		if err != nil {
			return err
		}
		defer far.Close()
		outs, err := x.exe.Execute(ctx, []*pjrt.Buffer{far, x.b}, &pjrt.ExecuteOptions{CopyArguments: true})
		closeAll(outs)
		return err
	})
}

func (x *tour) download() {
	if x.a == nil {
		return
	}
	b := x.a
	x.do("ToHost", func(ctx context.Context) error { return x.expect(ctx, b, matrix(1, 2, 3, 4)) })
	x.do("ToHost without an end", func(context.Context) error {
		return x.expect(context.Background(), b, matrix(1, 2, 3, 4))
	})
	into := func(fill func(dst []byte) error) error {
		dst := make([]byte, 16)
		err := fill(dst)
		if err == nil && !bytes.Equal(dst, matrix(1, 2, 3, 4).Data) {
			err = fmt.Errorf("%w: %v", errValue, dst)
		}
		return err
	}
	x.do("ToHostInto", func(ctx context.Context) error {
		return into(func(dst []byte) error { return second(b.ToHostInto(ctx, dst)) })
	})
	x.do("ToHostAsync", func(ctx context.Context) error {
		return into(func(dst []byte) error {
			e, err := b.ToHostAsync(dst)
			if err != nil {
				return err
			}
			defer e.Close()
			return e.Wait(ctx)
		})
	})
	x.do("ReadInPlace", func(ctx context.Context) error {
		return into(func(dst []byte) error {
			return b.ReadInPlace(ctx, func(data []byte) error { copy(dst, data); return nil })
		})
	})
}

func (x *tour) copy() {
	if x.a == nil {
		return
	}
	devices := x.client.AddressableDevices()
	if len(devices) == 0 {
		return
	}
	d := devices[len(devices)-1]
	x.do("CopyToDevice", func(ctx context.Context) error {
		b, err := x.a.CopyToDevice(ctx, d)
		if err != nil {
			return err
		}
		defer b.Close()
		return x.expect(ctx, b, matrix(1, 2, 3, 4))
	})
	if m := d.DefaultMemory(); m != nil {
		x.do("CopyToMemory", func(ctx context.Context) error {
			b, err := x.a.CopyToMemory(ctx, m)
			if err != nil {
				return err
			}
			defer b.Close()
			return x.expect(ctx, b, matrix(1, 2, 3, 4))
		})
	}
}

func (x *tour) keep() {
	if x.exe == nil {
		return
	}
	x.do("Serialize", func(ctx context.Context) error {
		data, err := x.exe.Serialize(ctx)
		if err != nil {
			return err
		}
		e, err := x.client.DeserializeAndLoad(ctx, data, nil)
		if err != nil {
			return err
		}
		defer e.Close()
		return second(e.Outputs())
	})
	x.do("cache", func(ctx context.Context) error {
		c, err := cache.Open(x.cacheDir, cache.Options{})
		if err != nil {
			return err
		}
		for range 2 {
			e, _, err := c.Compile(ctx, x.client, x.program(), nil)
			if err != nil {
				return err
			}
			e.Close()
		}
		return nil
	})
}

func (x *tour) listTopology() {
	if x.client == nil {
		return
	}
	x.do("Topology", func(context.Context) (err error) { x.topology, err = x.client.Topology(); return err })
	x.do("NewTopology", func(ctx context.Context) error {
		t, err := x.plugin.NewTopology(ctx, "", nil)
		t.Close()
		return err
	})
	t := x.topology
	if t == nil {
		return
	}
	x.do("String", func(context.Context) error {
		_ = fmt.Sprint(t, t.PlatformName(), t.PlatformVersion(), t.Attributes())
		return nil
	})
	x.do("Devices", func(context.Context) error { return second(t.Devices()) })
	x.do("Fingerprint", func(context.Context) error { return second(t.Fingerprint()) })
	x.do("MemoryKindIDs", func(context.Context) error { return second(t.MemoryKindIDs()) })
	x.do("CanonicalShape", func(context.Context) error {
		ids, _ := t.MemoryKindIDs()
		if len(ids) == 0 {
			ids = []int{0}
		}
		return second(t.CanonicalShape(ids[0], pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}, nil))
	})
	x.do("Serialize", func(ctx context.Context) error {
		data, err := t.Serialize()
		if err != nil {
			return err
		}
		again, err := x.plugin.DeserializeTopology(ctx, data)
		again.Close()
		return err
	})
	x.do("CompileFor", func(ctx context.Context) error {
		e, err := x.plugin.CompileFor(ctx, t, x.program(), nil)
		if err != nil {
			return err
		}
		defer e.Close()
		loaded, err := x.client.Load(ctx, e, nil)
		loaded.Close()
		return err
	})
}

func (x *tour) statistics() {
	if x.client == nil {
		return
	}
	for _, d := range x.client.AddressableDevices()[:min(1, len(x.client.AddressableDevices()))] {
		x.do("LiveAttributes", func(context.Context) error { return second(d.LiveAttributes()) })
		x.do("MemoryStats", func(context.Context) error { return second(d.MemoryStats()) })
		x.do("ClearMemoryStats", func(context.Context) error { return d.ClearMemoryStats() })
		x.do("TrackAsyncWork", func(context.Context) error {
			end, err := d.TrackAsyncWork("work")
			if err == nil {
				end()
			}
			return err
		})
	}
	if x.exe == nil {
		return
	}
	e := x.exe
	x.do("GeneratedCodeSize", func(context.Context) error { return second(e.GeneratedCodeSize()) })
	x.do("CostAnalysis", func(context.Context) error { return second(e.CostAnalysis()) })
	x.do("Executable.MemoryStats", func(context.Context) error { return second(e.MemoryStats()) })
	x.do("OutputMemoryKinds", func(context.Context) error { return second(e.OutputMemoryKinds()) })
	x.do("ParameterMemoryKinds", func(context.Context) error { return second(e.ParameterMemoryKinds()) })
	x.do("OptimizedProgram", func(context.Context) error { return second(e.OptimizedProgram()) })
	x.do("Fingerprint", func(context.Context) error { return second(e.Fingerprint()) })
	x.do("CompileOptions", func(context.Context) error { return second(e.CompileOptions()) })
	x.do("OutputLayouts", func(context.Context) error { return second(e.OutputLayouts()) })
	x.do("ParameterLayouts", func(context.Context) error { return second(e.ParameterLayouts()) })
	x.do("OutputShardings", func(context.Context) error { return second(e.OutputShardings()) })
	x.do("ParameterShardings", func(context.Context) error { return second(e.ParameterShardings()) })
	x.do("LogicalIDs", func(context.Context) error { return second(sharding.LogicalIDs(e)) })
}

func (x *tour) describeBuffers() {
	if x.a == nil {
		return
	}
	b := x.a
	x.do("String", func(context.Context) error { _ = b.String(); return nil })
	x.do("Device", func(context.Context) error { return second(b.Device()) })
	x.do("Memory", func(context.Context) error {
		m, err := b.Memory()
		_ = m.String()
		return err
	})
	x.do("Layout", func(context.Context) error { return second(b.Layout()) })
	x.do("OnDeviceSize", func(context.Context) error { return second(b.OnDeviceSize()) })
	x.do("IsOnCPU", func(context.Context) error { return second(b.IsOnCPU()) })
	x.do("IsDeleted", func(context.Context) error { return second(b.IsDeleted()) })
	x.do("DynamicDims", func(context.Context) error { return second(b.DynamicDims()) })
	x.do("UnpaddedDims", func(ctx context.Context) error { return second(b.UnpaddedDims(ctx)) })
	x.do("UnsafePointer", func(ctx context.Context) error { return second(raw.UnsafePointer(ctx, b)) })
	x.do("Aliases", func(ctx context.Context) error { return second(raw.ShareMemory(ctx, b, x.b)) })
	x.do("Reference", func(ctx context.Context) error {
		r, err := b.Reference(ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		return second(r.Address())
	})
	x.do("Delete", func(ctx context.Context) error {
		b, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.Delete(); err != nil {
			return err
		}
		return second(b.IsDeleted())
	})
}

func (x *tour) makeBuffers() {
	if x.client == nil {
		return
	}
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}
	x.do("UninitializedBuffer", func(ctx context.Context) error {
		b, err := x.client.UninitializedBuffer(ctx, shape, nil)
		return x.keepBuffer("Buffer", b, err)
	})
	x.do("ErrorBuffer", func(ctx context.Context) error {
		b, err := x.client.ErrorBuffer(ctx, shape, errors.New("broken"), nil)
		return x.keepBuffer("Buffer", b, err)
	})
	x.do("ViewOfHostMemory", func(ctx context.Context) error {
		b, err := x.client.ViewOfHostMemory(ctx, pjrt.ArrayOf(pjrt.AlignedSlice[float32](4), 2, 2), nil)
		return x.keepBuffer("Buffer", b, err)
	})
	x.do("Bitcast", func(ctx context.Context) error {
		b, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		c, err := b.Bitcast(ctx, pjrt.Shape{Type: dtype.S32, Dims: []int64{4}}, nil)
		c.Close()
		return err
	})
}

func (x *tour) events() {
	if x.plugin == nil {
		return
	}
	x.do("NewEvent", func(ctx context.Context) error {
		e, promise, err := x.plugin.NewEvent()
		if err != nil {
			return err
		}
		defer e.Close()
		if err := promise.Fulfill(); err != nil {
			return err
		}
		return e.Wait(ctx)
	})
	if x.a == nil {
		return
	}
	x.do("ReadyEvent", func(ctx context.Context) error {
		e, err := x.a.ReadyEvent()
		if err != nil {
			return err
		}
		defer e.Close()
		_ = e.String()
		if _, err := e.Ready(); err != nil {
			return err
		}
		select {
		case <-e.Done():
		case <-ctx.Done():
		}
		return e.Err()
	})
}

func (x *tour) transfers() {
	if x.a == nil || x.b == nil {
		return
	}
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}
	x.do("Manager", func(ctx context.Context) error {
		m, err := transfer.NewManager(ctx, x.client, []pjrt.Shape{shape, shape, shape}, nil)
		if err != nil {
			return err
		}
		defer m.Close()
		var errs []error
		note := func(err error) { errs = append(errs, err) }
		note(second(m.Device()))
		note(m.AddMetadata(map[string]string{"a": "b"}))
		var buffers []*pjrt.Buffer
		for i := range 3 {
			b, err := m.Buffer(i)
			note(x.keepBuffer("Buffer", b, err))
			buffers = append(buffers, b)
		}
		sent := func(e *pjrt.Event, err error) {
			if note(err); err == nil {
				note(e.Wait(ctx))
				e.Close()
			}
		}
		sent(m.Send(0, matrix(1, 2, 3, 4).Data, 0, true))
		if b := buffers[0]; b != nil && errors.Join(errs...) == nil {
			note(x.expect(ctx, b, matrix(1, 2, 3, 4)))
		}
		sent(m.SendArray(1, matrix(1, 2, 3, 4)))
		note(m.Fail(2, errors.New("broken")))
		return errors.Join(errs...)
	})
	for _, code := range []string{add, strings.Replace(add, "%a: tensor<2x2xf32>", "%a: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}", 1)} {
		x.do("Execute with pending arguments", func(ctx context.Context) error { return x.executePending(ctx, code) })
	}
	x.do("Alias", func(ctx context.Context) error {
		b, alias, err := transfer.NewAlias(ctx, x.client, shape, nil)
		if err != nil {
			return err
		}
		defer b.Close()
		defer alias.Close()
		source, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer source.Close()
		if err := alias.Fulfill(source); err != nil {
			return err
		}
		return x.expect(ctx, b, matrix(1, 2, 3, 4))
	})
	x.do("CopyRaw", func(ctx context.Context) error { return transfer.CopyRaw(ctx, x.a, make([]byte, 8), 4) })
	x.do("StartCopyRaw", func(ctx context.Context) error {
		e, err := transfer.StartCopyRaw(ctx, x.a, make([]byte, 8), 4)
		if err != nil {
			return err
		}
		defer e.Close()
		return e.Wait(ctx)
	})
	x.do("PrepareCopyRaw", func(ctx context.Context) error {
		r, err := transfer.PrepareCopyRaw(ctx, x.a, 0, 16)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := r.Fulfill(make([]byte, 16)); err != nil {
			return err
		}
		return r.Event().Wait(ctx)
	})
	x.do("DonateAfter", func(ctx context.Context) error {
		b, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		c, d, err := transfer.DonateAfter(ctx, b)
		if err != nil {
			return err
		}
		defer c.Close()
		defer d.Close()
		return d.Fulfill()
	})
	x.do("MapDMA", func(context.Context) error {
		m, err := transfer.MapDMA(x.client, make([]byte, 1<<12))
		if err != nil {
			return err
		}
		return m.Close()
	})
}

// executePending runs a program whose argument gets its contents while it runs.
func (x *tour) executePending(ctx context.Context, code string) error {
	exe, err := x.client.Compile(ctx, pjrt.Program{Code: []byte(code)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	m, err := transfer.NewManager(ctx, x.client, []pjrt.Shape{{Type: dtype.F32, Dims: []int64{2, 2}}}, nil)
	if err != nil {
		return err
	}
	a, err := m.Buffer(0)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	var sending sync.WaitGroup
	var sendErr error
	sending.Go(func() {
		var e *pjrt.Event
		if e, sendErr = m.Send(0, matrix(1, 2, 3, 4).Data, 0, true); sendErr == nil {
			e.Wait(ctx)
			e.Close()
		}
		m.Close() // fails the buffer if no piece was sent
	})
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, x.b}, nil)
	sending.Wait()
	a.Close()
	if err = errors.Join(err, sendErr); err == nil && len(outs) == 1 {
		err = x.expect(ctx, outs[0], matrix(11, 22, 33, 44))
	}
	for _, b := range outs {
		b.Close()
	}
	return err
}

func (x *tour) processes() {
	if x.client == nil {
		return
	}
	for _, d := range x.client.AddressableDevices()[:min(1, len(x.client.AddressableDevices()))] {
		x.do("PoisonExecution", func(context.Context) error {
			return second(distributed.PoisonExecution(d, 1, &pjrt.Error{Code: pjrt.ErrAborted, Message: "gone"}))
		})
	}
	x.do("UpdateProcesses", func(context.Context) error {
		return distributed.UpdateProcesses(x.client, []distributed.Process{{ID: 0, State: distributed.Connected}})
	})
}

// tourHandler is the handler of a custom call. A process has room for only a few.
var tourHandler = sync.OnceValues(func() (cffi.Handler, error) {
	return cffi.NewHandler(func(*cffi.CallFrame) error { return nil }, nil)
})

// targets counts the names of custom calls: a plugin accepts each only once.
var targets atomic.Int64

func (x *tour) extensions() {
	if x.client == nil {
		return
	}
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}
	x.do("memories.DefaultLayout", func(context.Context) error { return second(memories.DefaultLayout(x.client, shape)) })
	x.do("executables.RuntimeABIVersion", func(context.Context) error { return second(executables.RuntimeABIVersion(x.client)) })
	x.do("phasecompile.Phases", func(context.Context) error { return second(phasecompile.Phases(x.plugin)) })
	x.do("ffi.RegisterType", func(context.Context) error {
		return second(ffi.RegisterType(x.plugin, fmt.Sprint("type of tour ", targets.Add(1))))
	})
	x.do("ffi.Register", func(context.Context) error {
		h, err := tourHandler()
		if err != nil {
			return err
		}
		return ffi.RegisterC(x.plugin, ffi.CustomCall{Target: fmt.Sprint("tour", targets.Add(1)), Platform: "Host", Handler: h})
	})
	x.do("ffi.NewContext", func(context.Context) error {
		c, err := ffi.NewContext(x.plugin)
		if err != nil {
			return err
		}
		defer c.Close()
		return c.AddUserData(1, 1)
	})
	x.do("profiler", func(context.Context) error {
		p, err := profiler.New(x.plugin, nil)
		if err != nil {
			return err
		}
		defer p.Close()
		err = errors.Join(p.Start(), p.Stop())
		return errors.Join(err, second(p.Data()))
	})
	for _, d := range x.client.AddressableDevices()[:min(1, len(x.client.AddressableDevices()))] {
		x.do("memories.OfDevice", func(context.Context) error { return second(memories.OfDevice(d)) })
		x.do("gpu.StreamOf", func(context.Context) error { return second(gpu.StreamOf(d)) })
	}
	if t := x.topology; t != nil {
		x.do("memories.DefaultLayoutFor", func(context.Context) error { return second(memories.DefaultLayoutFor(t, shape)) })
		x.do("memories.OfTopology", func(context.Context) error { return second(memories.OfTopology(t)) })
		x.do("tputopology.Chips", func(context.Context) error { return second(tpu.Chips(t)) })
		x.do("tputopology.Processes", func(context.Context) error { return second(tpu.Processes(t)) })
		x.do("tputopology.ChipsPerProcess", func(context.Context) error { return second(tpu.ChipsPerProcess(t)) })
		x.do("tputopology.CoresPerChip", func(context.Context) error { return second(tpu.CoresPerChip(t)) })
		x.do("megascale.AOTConfig", func(context.Context) error {
			c, err := megascale.AOTConfig(t, 2)
			if err != nil {
				return err
			}
			defer c.Close()
			_, err1 := c.NumSlices()
			_, err2 := c.SliceID()
			_, err3 := c.DevicesPerSlice()
			_, err4 := c.Serialize()
			return errors.Join(err1, err2, err3, err4)
		})
		x.do("phasecompile.Compile", func(ctx context.Context) error {
			phases, err := phasecompile.Phases(x.plugin)
			if err != nil || len(phases) == 0 {
				return err
			}
			program := phasecompile.Program{Code: []byte(add), Format: string(pjrt.FormatMLIR)}
			return second(phasecompile.Compile(ctx, t, []phasecompile.Program{program}, phases[:1], nil))
		})
	}
	if x.exe != nil {
		x.do("executables.ABIVersionOf", func(context.Context) error { return second(executables.ABIVersionOf(x.exe.Executable)) })
		x.do("executables.Metadata", func(context.Context) error { return second(executables.Metadata(x.exe.Executable)) })
	}
	if x.a == nil {
		return
	}
	x.do("memories.LayoutOf", func(context.Context) error { return second(memories.LayoutOf(x.a)) })
	x.do("stream.Wait", func(context.Context) error { return gpu.Stream(1).Wait(x.a) })
	x.do("rawbuffer.Of", func(ctx context.Context) error {
		b, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		r, err := rawbuffer.Of(ctx, b)
		if err != nil {
			return err
		}
		defer r.Close()
		return errors.Join(second(r.Memory()), second(r.HostAddress()),
			r.CopyFromHost(ctx, make([]byte, 4), 0), r.CopyToHost(ctx, make([]byte, 4), 4))
	})
	devices := x.client.Devices()
	x.do("crosshost.Send", func(ctx context.Context) error {
		b, err := x.client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		if err != nil {
			return err
		}
		defer b.Close()
		events, err := crosshost.Send(ctx, x.client, []crosshost.Outgoing{{Buffer: b, To: devices[len(devices)-1], Key: 1}}, nil)
		for _, e := range events {
			e.Close()
		}
		return err
	})
	x.do("crosshost.Receive", func(ctx context.Context) error {
		list, err := crosshost.Receive(ctx, devices[0], []crosshost.Incoming{{Shape: shape, From: devices[len(devices)-1], Key: 1}}, nil)
		for _, b := range list {
			b.Close()
		}
		return err
	})
	x.do("crosshost.NewReceiver", func(ctx context.Context) error {
		// XLA's plugin for CUDA waits for the other end, which there is not.
		ctx, stop := context.WithTimeout(ctx, x.patience/10)
		defer stop()
		r, err := crosshost.NewReceiver(ctx, x.client, []pjrt.Shape{shape}, nil)
		if err != nil {
			return err
		}
		for _, b := range r.Buffers() {
			b.Close()
		}
		return second(r.Descriptors(ctx))
	})
	x.do("crosshost.CopyToRemoteDevice", func(ctx context.Context) error {
		return second(crosshost.CopyToRemoteDevice(ctx, x.a, []byte("descriptor")))
	})
}

func (x *tour) closeAll() {
	for _, c := range slices.Backward(x.closers) {
		x.do(c.name, func(context.Context) error { return c.close() })
	}
}
