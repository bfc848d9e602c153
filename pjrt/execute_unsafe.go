// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// executions is what an executable keeps for its executions.
type executions struct {
	// spare is a launch to use again, if there is one, and launches are others:
	// most programs run one execution at a time, for which a pool is slow.
	spare    atomic.Pointer[launch]
	launches sync.Pool // of *launch
	limit    inFlight
	// shapes are those of the outputs, which are the same each time.
	shapes atomic.Pointer[[]Shape]
}

// launch is one execution from its checks to its end, with all memory that C
// reads for it. It is used again for later ones. Those who need it until some
// event is ready count as users.
type launch struct {
	exe   *LoadedExecutable
	opts  *ExecuteOptions
	users atomic.Int32
	bound *Bound // which knows the other arguments, or nil
	inUse bool   // the executable is acquired
	// counted says that the launch counts as one of the client's in flight, aside
	// that it passed the gate, and abandoned that the call goes on without the
	// caller.
	counted, aside, abandoned bool

	lists   [][]*Buffer // the arguments that the call gave, for each device
	devices []*Device   // that run the program
	only    *Device     // to name to the plugin, or nil
	one     [1]*Device  // room for devices

	held    []*Buffer // acquired until the call is over
	handles []*capi.Buffer
	outputs []*capi.Buffer
	copies  []*capi.Buffer // arguments made for this execution
	keep    []int64        // positions of the arguments not to donate
	context *ExecuteContext
	slices  *MultiSliceConfig
	slots   [2]chan struct{}
	// callbacks that the program may call until its end.
	callbacks []capi.Handle

	call          capi.Call[capi.LoadedExecutableExecuteArgs]
	options       *capi.ExecuteOptions
	argumentLists []**capi.Buffer
	outputLists   []**capi.Buffer
	events        []*capi.Event

	// Calls about buffers and events.
	device      capi.Call[capi.BufferDeviceArgs]
	deleted     capi.Call[capi.BufferIsDeletedArgs]
	elementType capi.Call[capi.BufferElementTypeArgs]
	dims        capi.Call[capi.BufferDimensionsArgs]
	copyTo      capi.Call[capi.BufferCopyToDeviceArgs]
	destroy     capi.Call[capi.BufferDestroyArgs]
	event       eventCalls
}

var noExecuteOptions ExecuteOptions

// newLaunch returns a launch with one user, the caller.
func (e *LoadedExecutable) newLaunch(opts *ExecuteOptions) *launch {
	l := e.executions.spare.Swap(nil)
	if l == nil {
		l, _ = e.executions.launches.Get().(*launch)
	}
	if l == nil {
		l = &launch{exe: e, options: new(capi.ExecuteOptions)}
	}
	if opts == nil {
		opts = &noExecuteOptions
	}
	l.opts = opts
	l.users.Store(1)
	return l
}

// Release ends a use of the launch. The last one gives back what the execution
// held.
func (l *launch) Release() {
	if l.users.Add(-1) > 0 {
		return
	}
	for i, h := range l.callbacks {
		h.Delete()
		l.callbacks[i] = 0
	}
	if l.context != nil {
		l.context.ref.Release()
	}
	if l.bound != nil {
		l.bound.ref.Release()
	}
	l.leave()
	l.abandoned = false
	// Nothing must be reachable from a launch that nobody uses.
	if l.inUse {
		l.inUse = false
		l.exe.ref.Release()
	}
	clear(l.lists)
	clear(l.handles)
	clear(l.outputs)
	clear(l.events)
	l.lists, l.handles, l.outputs, l.events = l.lists[:0], l.handles[:0], l.outputs[:0], l.events[:0]
	l.callbacks, l.keep = l.callbacks[:0], l.keep[:0]
	l.opts, l.context, l.only, l.one[0], l.devices, l.bound = nil, nil, nil, nil, nil, nil
	if x := &l.exe.executions; !x.spare.CompareAndSwap(nil, l) {
		x.launches.Put(l)
	}
}

// execute runs the program and waits for its end. The outputs are in l.outputs
// then.
func (l *launch) execute(ctx context.Context) (err error) {
	op := begin(ctx, OperationExecute, subject{client: l.exe.client, program: l.exe.name, devices: l.exe.devices})
	defer op.end(&err)
	if err := l.prepare(ctx); err != nil {
		return err
	}
	op.on(l.only)
	defer l.releaseArguments()
	err = l.attempt(ctx)
	if l.mayRetry(err) {
		collect(ctx)
		err = better(err, l.attempt(ctx))
	}
	return err
}

func (l *launch) attempt(ctx context.Context) error {
	if err := l.do(ctx); err != nil {
		return err
	}
	return l.wait(ctx)
}

// start runs the program without waiting for its end.
func (l *launch) start(ctx context.Context) (started *Execution, err error) {
	op := begin(ctx, OperationExecute, subject{client: l.exe.client, program: l.exe.name, devices: l.exe.devices})
	defer op.endStarted(&started, &err)
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	op.on(l.only)
	defer l.releaseArguments()
	err = l.do(ctx)
	if l.mayRetry(err) {
		collect(ctx)
		err = better(err, l.do(ctx))
	}
	if err != nil {
		return nil, err
	}
	client := l.exe.client
	x := &Execution{devices: slices.Clone(l.devices), events: make([]*Event, len(l.events))}
	for i, h := range l.events {
		x.events[i] = newEvent(client.table, h, client.ref)
		if h == nil {
			continue
		}
		l.events[i] = nil // it is the Event's now
		if ready, err := l.event.isReady(client.table, h); err == nil && !ready {
			l.users.Add(1)
			_ = x.events[i].OnReady(func(error) { l.Release() })
		}
	}
	if x.outputs, err = l.adoptAll(); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// prepare checks everything, and fills in the call. When it succeeds the
// arguments and the executable are held, until releaseArguments.
func (l *launch) prepare(ctx context.Context) error {
	e := l.exe
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.chooseDevices(); err != nil {
		return err
	}
	if err := l.checkArguments(); err != nil {
		return err
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	h, err := e.ref.Acquire()
	if err != nil {
		return err
	}
	l.inUse = true
	if err := l.fill(h); err != nil {
		l.releaseArguments()
		return err
	}
	return nil
}

// fill acquires the arguments and fills in the call.
func (l *launch) fill(h *capi.LoadedExecutable) error {
	e, devices := l.exe, len(l.devices)
	args := l.numArguments()
	// Never empty: some plugins want an address.
	l.handles = slices.Grow(l.handles[:0], devices*args+1)
	l.argumentLists, l.outputLists = l.argumentLists[:0], l.outputLists[:0]
	for d, list := range l.lists {
		l.argumentLists = append(l.argumentLists, unsafe.SliceData(l.handles[len(l.handles):cap(l.handles)]))
		given := 0
		for i := range args {
			if l.bound != nil {
				if bh := l.bound.handles[d*args+i]; bh != nil {
					l.handles = append(l.handles, bh)
					continue
				}
			}
			b := list[given]
			bh, err := b.ref.Acquire()
			if err != nil {
				return fmt.Errorf("%w: %s: %w", ErrInvalidArgument, l.argument(d, given), err)
			}
			l.held = append(l.held, b)
			if bh, err = l.place(d, given, bh); err != nil {
				return err
			}
			l.handles = append(l.handles, bh)
			given++
		}
	}
	l.outputs = slices.Grow(l.outputs[:0], devices*e.numOutputs+1)[:devices*e.numOutputs]
	for d := range devices {
		l.outputLists = append(l.outputLists, unsafe.SliceData(l.outputs[d*e.numOutputs:cap(l.outputs)]))
	}
	l.events = slices.Grow(l.events[:0], devices)[:devices]

	a := &l.call.Args
	a.Executable = h
	a.Options = l.options
	a.ArgumentLists = unsafe.SliceData(l.argumentLists)
	a.NumDevices = uintptr(devices)
	a.NumArgs = uintptr(args)
	a.OutputLists = unsafe.SliceData(l.outputLists)
	a.DeviceCompleteEvents = unsafe.SliceData(l.events)
	a.ExecuteDevice = nil
	if l.only != nil {
		a.ExecuteDevice = l.only.handle
	}
	return l.fillOptions(args)
}

// fillOptions fills in PJRT_ExecuteOptions.
func (l *launch) fillOptions(args int) error {
	o, c := l.opts, l.options
	*c = capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	if o.LaunchID < math.MinInt32 || o.LaunchID > math.MaxInt32 {
		return invalid("launch id %d does not fit into 32 bits", o.LaunchID)
	}
	c.LaunchID = int32(o.LaunchID)
	keep, err := o.Donation.keep(l.keep[:0], args)
	if err != nil {
		return err
	}
	if l.bound != nil {
		keep = append(keep, l.bound.keep...)
	}
	if l.keep = keep; len(keep) > 0 {
		c.NonDonatableInputIndices, c.NumNonDonatableInputIndices = unsafe.SliceData(keep), uintptr(len(keep))
	}
	if o.Context != nil {
		h, err := o.Context.acquireFor(l.exe.client)
		if err != nil {
			return err
		}
		c.Context, l.context = h, o.Context
	}
	if o.CallLocation != "" {
		if strings.IndexByte(o.CallLocation, 0) >= 0 {
			return invalid("the call location %q has a zero byte in it", o.CallLocation)
		}
		c.CallLocation = capi.CString(o.CallLocation)
	}
	if len(o.Incarnations) > 0 {
		if err := fillIncarnations(c, o.Incarnations); err != nil {
			return err
		}
	}
	if o.MultiSlice != nil {
		h, err := o.MultiSlice.acquireFor(l.exe.client)
		if err != nil {
			return err
		}
		c.MultiSliceConfig, l.slices = h, o.MultiSlice
	}
	if o.Transfers != nil {
		if err := l.fillTransfers(o.Transfers); err != nil {
			return err
		}
	}
	return l.fillOutputCallbacks(o.HLOOutputs)
}

func fillIncarnations(c *capi.ExecuteOptions, incarnations map[int]int64) error {
	tasks := make([]int32, 0, len(incarnations))
	for task := range incarnations {
		if task < 0 || task > math.MaxInt32 {
			return invalid("incarnations are for processes with numbers of 31 bits, not %d", task)
		}
		tasks = append(tasks, int32(task))
	}
	slices.Sort(tasks)
	ids := make([]int64, len(tasks))
	for i, task := range tasks {
		ids[i] = incarnations[int(task)]
	}
	c.NumTasks, c.TaskIDs, c.IncarnationIDs = uintptr(len(tasks)), unsafe.SliceData(tasks), unsafe.SliceData(ids)
	return nil
}

// do calls the plugin. Some plugins wait in the call while many executions are
// under way; do returns when ctx ends then, and the call goes on with all that
// the launch holds.
func (l *launch) do(ctx context.Context) error {
	flight := &l.exe.client.flight
	if flight.enterDirect() {
		defer flight.leaveDirect()
		return l.invoke()
	}
	leave, err := flight.passGate(ctx)
	if err != nil {
		return err
	}
	if l.aside {
		flight.aside.Add(-1) // it passed before, in a call that failed
	}
	l.aside = true
	if ctx.Done() != nil {
		return l.doAside(ctx, leave)
	}
	defer leave()
	return l.invoke()
}

// doAside is do in a goroutine of its own. It calls leave when the call is over,
// which that goroutine does if nobody waits for it any longer.
func (l *launch) doAside(ctx context.Context, leave func()) error {
	done := newResult[error]()
	l.users.Add(1)
	go func() {
		defer l.Release()
		err := l.invoke()
		if done.offer(err) {
			return
		}
		leave()
		l.discard()
		l.giveArguments()
	}()
	select {
	case <-done.ready:
	case <-ctx.Done():
		if done.abandon() {
			l.abandoned = true
			return ctx.Err()
		}
	}
	leave()
	return done.value
}

// discard gives up what an execution made that nobody waits for.
func (l *launch) discard() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.wait(ended)
	l.destroyOutputs()
}

// invoke makes the call.
func (l *launch) invoke() error {
	// The program may take the contents of any of them.
	for _, b := range l.held {
		b.references.beginConsume()
	}
	err := l.call.Do(l.exe.client.table)
	for _, b := range l.held {
		b.references.endConsume()
	}
	runtime.KeepAlive(l)
	if err != nil {
		// There is nothing in them that is ours.
		clear(l.outputs)
		clear(l.events)
		if errors.Is(err, ErrInvalidArgument) {
			err = l.explain(err)
		}
	}
	return err
}

// explain looks for an argument that another execution consumed at the same
// time, or after it was bound.
func (l *launch) explain(err error) error {
	n := l.numArguments()
	for i, h := range l.handles {
		l.deleted.Args.Buffer = h
		if derr := l.deleted.Do(l.exe.client.table); derr == nil && l.deleted.Args.IsDeleted {
			return fmt.Errorf("parameter %d of %v was deleted, or donated to another execution: %w", i%n, l.devices[i/n], err)
		}
	}
	return err
}

// wait waits for all devices and takes the events. When it fails the outputs are
// destroyed.
func (l *launch) wait(ctx context.Context) error {
	table := l.exe.client.table
	var err error
	for i, h := range l.events {
		if h == nil {
			continue
		}
		l.events[i] = nil
		l.users.Add(1)
		werr := waitRaw(ctx, table, h, &l.event, l)
		if werr != nil && err == nil {
			err = werr
			if len(l.devices) > 1 && ctx.Err() == nil {
				err = fmt.Errorf("%v: %w", l.devices[i], werr)
			}
		}
	}
	if err != nil {
		l.destroyOutputs()
	}
	return err
}

func (l *launch) destroyOutputs() {
	for i, h := range l.outputs {
		l.outputs[i] = nil
		if h == nil {
			continue
		}
		l.destroy.Args.Buffer = h
		_ = l.destroy.Do(l.exe.client.table) // there is nobody to tell
	}
}

// releaseArguments ends what prepare began: the plugin has its own hold of the
// arguments by now.
func (l *launch) releaseArguments() {
	if !l.abandoned {
		l.giveArguments()
	}
}

func (l *launch) giveArguments() {
	for i, b := range l.held {
		b.ref.Release()
		l.held[i] = nil
	}
	l.held = l.held[:0]
	for i, h := range l.copies {
		l.destroy.Args.Buffer = h
		_ = l.destroy.Do(l.exe.client.table) // there is nobody to tell
		l.copies[i] = nil
	}
	l.copies = l.copies[:0]
	if l.slices != nil {
		l.slices.ref.Release()
		l.slices = nil
	}
}

// place checks that an argument has contents and is where the program runs, and
// copies it there if it may.
func (l *launch) place(d, i int, h *capi.Buffer) (*capi.Buffer, error) {
	c := l.exe.client
	l.deleted.Args.Buffer = h
	if err := l.deleted.Do(c.table); err == nil && l.deleted.Args.IsDeleted {
		return nil, invalid("%s was deleted, or donated to an earlier execution", l.argument(d, i))
	}
	at := l.deviceOfBuffer(l.lists[d][i], h)
	if at == nil || at == l.devices[d].handle {
		return h, nil
	}
	if !l.opts.CopyArguments {
		return nil, invalid("%s is on %v, the program runs on %v: copy it there, or set CopyArguments", l.argument(d, i), c.deviceFor(at), l.devices[d])
	}
	l.copyTo.Args.Buffer, l.copyTo.Args.DstDevice = h, l.devices[d].handle
	if err := l.copyTo.Do(c.table); err != nil {
		return nil, err
	}
	l.copies = append(l.copies, l.copyTo.Args.DstBuffer)
	return l.copyTo.Args.DstBuffer, nil
}

// deviceOf returns the device of a buffer, or nil when the plugin does not tell.
func (l *launch) deviceOf(h *capi.Buffer) *capi.Device {
	l.device.Args.Buffer = h
	if err := l.device.Do(l.exe.client.table); err != nil {
		return nil
	}
	return l.device.Args.Device
}

// deviceOfBuffer is deviceOf, asked once for each buffer.
func (l *launch) deviceOfBuffer(b *Buffer, h *capi.Buffer) *capi.Device {
	at := b.device.Load()
	if at == nil {
		at = l.deviceOf(h)
		b.device.Store(at)
	}
	return at
}

// deviceFor returns the device with the handle h, or nil.
func (c *Client) deviceFor(h *capi.Device) *Device {
	for _, d := range c.devices {
		if d.handle == h {
			return d
		}
	}
	return nil
}

// adopt makes the outputs of device number d buffers of the caller. When it
// fails nothing is left of any output.
func (l *launch) adopt(d int, outs []*Buffer) error {
	e := l.exe
	n := e.numOutputs
	handles := l.outputs[d*n : d*n+n]
	shapes, err := l.outputShapes(handles)
	if err != nil {
		l.destroyOutputs()
		return err
	}
	for i, h := range handles {
		handles[i] = nil // it is the Buffer's now
		if l.opts.ReuseResults && outs[i].refill(e.client, h, shapes[i]) {
			continue
		}
		outs[i] = e.client.newBufferOf(h, shapes[i])
	}
	return nil
}

// adoptAll is adopt for all devices.
func (l *launch) adoptAll() ([][]*Buffer, error) {
	all := make([][]*Buffer, len(l.devices))
	for d := range all {
		all[d] = make([]*Buffer, l.exe.numOutputs)
		if err := l.adopt(d, all[d]); err != nil {
			for _, outs := range all[:d] {
				for _, b := range outs {
					b.Close()
				}
			}
			return nil, err
		}
	}
	return all, nil
}

// outputShapes returns the shapes of the outputs of one device. They are asked
// for once.
func (l *launch) outputShapes(handles []*capi.Buffer) ([]Shape, error) {
	e := l.exe
	for i, h := range handles {
		if h == nil {
			return nil, &Error{Code: ErrInternal, Func: l.call.Function().Name, Message: fmt.Sprintf("the plugin left output %d empty", i)}
		}
	}
	if s := e.executions.shapes.Load(); s != nil {
		return *s, nil
	}
	shapes := make([]Shape, len(handles))
	for i, h := range handles {
		l.elementType.Args.Buffer, l.dims.Args.Buffer = h, h
		if err := l.elementType.Do(e.client.table); err != nil {
			return nil, err
		}
		if err := l.dims.Do(e.client.table); err != nil {
			return nil, err
		}
		shapes[i] = Shape{dtype.Type(l.elementType.Args.Type), capi.Slice(l.dims.Args.Dims, l.dims.Args.NumDims)}
	}
	e.executions.shapes.Store(&shapes)
	return shapes, nil
}

// mayRetry reports whether the program may run once more after err: a device was
// out of memory, and the attempt left nothing behind.
func (l *launch) mayRetry(err error) bool {
	if err == nil || l.opts.NoRetry || !errors.Is(err, ErrResourceExhausted) || len(l.opts.Transfers) > 0 || len(l.opts.HLOOutputs) > 0 {
		return false
	}
	for _, h := range l.handles {
		l.deleted.Args.Buffer = h
		if err := l.deleted.Do(l.exe.client.table); err != nil || l.deleted.Args.IsDeleted {
			return false
		}
	}
	return true
}

// better returns the error of a second attempt, unless only the first one says
// what the matter is.
func better(first, second error) error {
	if second == nil || errors.Is(second, ErrResourceExhausted) || !errors.Is(second, ErrInvalidArgument) {
		return second
	}
	return first
}
