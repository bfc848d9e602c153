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
	"time"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

// executions holds what an executable needs for its executions.
type executions struct {
	again  atomic.Pointer[launch]  // for executeInto; only who is alone in the client's traffic may use or change it
	quick  quickness               // of the last calls
	short  quickness               // of the last executions, from the call to the end
	limit  limit                   // of executions under way
	shapes atomic.Pointer[[]Shape] // of the results, the same for each execution
	// spare is one launch to use again, and launches has more. Most programs run one
	// execution at a time, for which a pool is slow.
	spare    atomic.Pointer[launch]
	launches sync.Pool // of *launch
}

// launch is one execution from its checks to its end, with all memory that C reads for
// it. Later executions use it again.
type launch struct {
	exe     *LoadedExecutable
	entry   *entry    // of the executable
	layouts []*Layout // of its parameters, empty if unknown
	opts    *ExecuteOptions
	bound   *Bound // has the other arguments, or is nil

	// users are the caller, and whoever needs the launch until an event is ready. A launch
	// that is not in use has one, so that most executions need not change it.
	users     atomic.Int32
	admission admission
	inUse     bool // the executable is acquired
	abandoned bool // the call goes on without the caller, and gives the arguments back itself
	over      bool // the execution has succeeded, so that all its buffers have their contents
	aside     *asideCall

	repeats bool     // executeInto may use it for the next execution
	uses    int      // by executeInto
	pace    pace     // of these uses
	shapes  []*Shape // of the last argument of each parameter, which fitted
	boundID uint64   // of the Bound whose handles are in the frame
	// replaced has the results that those of executeInto replace; empty if there are too many, or
	// if no execution with ReuseResults has come.
	replaced []replacedResult

	lists   [][]*Buffer // the arguments of the call, for each device
	devices []*Device   // run the program
	only    *Device     // the device that the plugin is told to run on, or nil
	one     [1]*Device  // memory for devices
	blank   *Buffer     // for the first result, or nil

	held     []heldArgument // are acquired until the call is over
	donated  []heldArgument // are acquired, and taken, until the execution is over
	copies   []*capi.Buffer // arguments that were copied for this execution, until it is over
	unknown  bool           // the plugin failed to say whether the execution is over
	extended []func()       // from the execution's extensions, to be called at its end
	follows  following

	frame launchFrame
	calls bufferCalls
	event eventCalls
}

// launchFrame is the memory that C reads and writes in PJRT_LoadedExecutable_Execute.
type launchFrame struct {
	call          capi.Call[capi.LoadedExecutableExecuteArgs]
	options       *capi.ExecuteOptions
	plain         bool // options has its defaults, but for the parameters to keep
	arguments     []*capi.Buffer
	argumentLists []**capi.Buffer
	outputs       []*capi.Buffer
	outputLists   []**capi.Buffer
	events        []*capi.Event
	keep          []int64 // parameters whose arguments are not donated
	ownKeep       []int64 // memory for keep

	// atOnce is call, and the wait for the event at atOnceEvent and its end: see executeInto.
	atOnce      capi.Sequence
	atOnceEvent **capi.Event
}

// newLaunch returns a launch with one user, the caller.
func (e *LoadedExecutable) newLaunch(opts *ExecuteOptions) *launch {
	l := e.executions.spare.Swap(nil)
	if l == nil {
		l, _ = e.executions.launches.Get().(*launch)
	}
	if l == nil {
		l = &launch{exe: e, entry: e.entry(), layouts: e.layouts()}
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
	l.abandoned, l.unknown, l.over = false, false, false
	// An unused launch must not keep anything alive. The outputs and events were taken out
	// of the frame one by one.
	f := &l.frame
	clear(l.lists)
	clear(f.arguments)
	l.lists, l.extended = l.lists[:0], l.extended[:0]
	f.arguments, f.outputs, f.events, f.keep = f.arguments[:0], f.outputs[:0], f.events[:0], nil
	if o := l.opts; o.CallLocation != "" || len(o.Incarnations) > 0 || len(o.Extensions) > 0 {
		*f.options, f.plain = capi.ExecuteOptions{}, false
	}
	l.opts, l.only, l.one[0], l.devices, l.blank = nil, nil, nil, nil, nil
	l.keep()
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

// keep keeps the launch for another execution.
func (l *launch) keep() {
	if x := &l.exe.executions; !l.keepAgain() && !x.spare.CompareAndSwap(nil, l) {
		x.launches.Put(l)
	}
}

func (l *launch) begin(ctx context.Context) *operation {
	if watching.Load() == nil { // before the subject is made, which takes time
		return nil
	}
	return begin(ctx, OperationExecute, subject{client: l.exe.client, program: l.exe.name, devices: l.exe.devices})
}

// execute runs the program, waits for its end and leaves the results in the outputs of
// the frame.
func (l *launch) execute(ctx context.Context) (err error) {
	op := l.begin(ctx)
	defer op.end(&err)
	if err := l.prepare(ctx); err != nil {
		return err
	}
	op.on(l.only)
	defer l.releaseArguments()
	if x := inside.Awaited(ctx, l.follows.arguments); x != nil {
		return waitsForHandler(x, "an argument of "+l.exe.name)
	}
	if err = l.doAndWait(ctx); err != nil {
		err = l.retry(ctx, err, l.doAndWait)
	}
	if err == nil {
		l.over = true
		for _, a := range l.held {
			a.buffer.fill()
		}
		if l.bound != nil {
			l.bound.fill()
		}
	}
	return err
}

// start runs the program without waiting for its end, and puts the results into outs, of
// which there is one for each device.
func (l *launch) start(ctx context.Context, outs ...[]*Buffer) (done *Event, err error) {
	op := l.begin(ctx)
	defer op.endStarted(&done, &err)
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	op.on(l.only)
	defer l.releaseArguments()
	if err = l.do(ctx); err != nil {
		if err = l.retry(ctx, err, l.do); err != nil {
			return nil, err
		}
	}
	done = l.takeEvents()
	if err = l.adoptAll(outs); err != nil {
		done.Close()
		return nil, err
	}
	return done, nil
}

func (l *launch) doAndWait(ctx context.Context) error {
	if ctx.Done() != nil || !l.entry.steady {
		return l.doThenWait(ctx)
	}
	begin := now()
	err := l.doThenWait(ctx)
	l.exe.executions.short.note(begin)
	if err == nil {
		l.repeat()
	}
	return err
}

func (l *launch) doThenWait(ctx context.Context) error {
	if err := l.do(ctx); err != nil {
		return err
	}
	if err := l.refuseToWait(ctx); err != nil {
		l.discard()
		return err
	}
	return l.wait(ctx)
}

// takeEvents joins the events of all devices. The launch stays in use until the joined
// event is ready.
func (l *launch) takeEvents() *Event {
	client, devices := l.exe.client, l.devices
	handles := l.frame.events
	defer clear(handles)
	if len(handles) > 1 {
		events := make([]*Event, len(handles))
		for i, h := range handles {
			events[i] = newEvent(client.table, h, client.events)
		}
		done := joinEvents(events, func(i int, err error) error { return fmt.Errorf("%v: %w", devices[i], err) })
		l.Retain()
		done.after(l.Release)
		done.waits = l.follows.resultsWait()
		return done
	}
	done := newEvent(client.table, handles[0], client.events)
	done.waits = l.follows.resultsWait()
	// Small programs run within the call.
	if h := handles[0]; h == nil {
		return done
	} else if ready, err := l.event.isReady(client.table, h); ready && err == nil {
		return done
	}
	l.Retain()
	if err := done.OnReady(func(error) { l.Release() }); err != nil {
		l.Release()
	}
	return done
}

// prepare checks everything and fills in the frame. If it succeeds, the arguments are held
// until releaseArguments.
func (l *launch) prepare(ctx context.Context) error {
	e := l.exe
	l.repeats = false
	if err := ctx.Err(); err != nil {
		return err
	}
	if b := l.opts.Bound; b != nil {
		if err := b.acquireFor(e); err != nil {
			return err
		}
		l.bound = b
	}
	if err := l.chooseDevices(); err != nil {
		return err
	}
	if err := l.checkArguments(); err != nil {
		return err
	}
	soon := !l.opts.CopyArguments && !l.entry.donates
	if err := l.admission.enter(ctx, &e.executions.limit, &e.client.traffic, soon); err != nil {
		return err
	}
	h, err := l.acquire()
	if err != nil {
		return err
	}
	if err := l.fill(ctx, h); err != nil {
		l.releaseArguments()
		return err
	}
	l.follows.arguments = l.argumentsWaitFor()
	return nil
}

// acquire keeps the executable until Release. Bound arguments, which the launch has
// acquired, are a child of their executable.
func (l *launch) acquire() (*capi.LoadedExecutable, error) {
	if l.bound != nil {
		return l.exe.ref.Object()
	}
	h, err := l.exe.ref.Acquire()
	l.inUse = err == nil
	return h, err
}

// fill acquires the arguments and fills in the frame.
func (l *launch) fill(ctx context.Context, h *capi.LoadedExecutable) error {
	e, f, devices := l.exe, &l.frame, len(l.devices)
	args := l.numArguments()
	var err error
	if f.keep, err = l.kept(args); err != nil {
		return err
	}
	donates := l.entry.donates && len(f.keep) < args
	withLayouts := len(l.layouts) == args // otherwise they are unknown
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
				if err := l.checkLayout(d, given, b, bh); err != nil {
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
	if l.only != nil {
		a.ExecuteDevice = l.only.handle
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
	plain := o.LaunchID == 0 && o.CallLocation == "" && len(o.Incarnations) == 0 && len(o.Extensions) == 0
	if !plain || !l.frame.plain {
		*c = capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
		l.frame.plain = plain
	}
	c.NonDonatableInputIndices, c.NumNonDonatableInputIndices = nil, 0
	if keep := l.frame.keep; len(keep) > 0 {
		c.NonDonatableInputIndices, c.NumNonDonatableInputIndices = unsafe.SliceData(keep), uintptr(len(keep))
	}
	if plain {
		return nil
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

// do makes the C call, in which a plugin may wait while many executions are under way, or
// run the whole program. When ctx ends during the call, do returns, and the call goes on
// with everything that the launch holds.
func (l *launch) do(ctx context.Context) error {
	direct, err := l.admission.beginCall(ctx)
	if err != nil {
		return err
	}
	if err := l.beginTurns(ctx); err != nil {
		l.admission.endCall(direct)
		return err
	}
	if ctx.Done() == nil || direct && l.isQuick() {
		defer l.admission.endCall(direct)
		return l.timedInvoke(ctx)
	}
	return l.doAside(ctx, direct)
}

const (
	quickCall  = 50 * time.Microsecond
	quickCalls = 3
)

// quickness is how many times in a row, at most quickCalls, something was quick.
type quickness struct{ n atomic.Int32 }

// certain reports whether the next time will be quick, if each does the same work.
func (q *quickness) certain() bool { return q.n.Load() == quickCalls }

// note counts what began at a time of now and is over.
func (q *quickness) note(begin time.Duration) {
	if n := q.n.Load(); now()-begin > quickCall {
		q.n.Store(0)
	} else if n < quickCalls {
		q.n.CompareAndSwap(n, n+1)
	}
}

var start = time.Now()

// now is a time that can only be compared with others of now. It costs half of time.Now.
func now() time.Duration { return time.Since(start) }

// isQuick reports whether the C call certainly takes less time than a goroutine for it is
// worth: each execution does the same work, and the last calls were quick.
func (l *launch) isQuick() bool {
	return l.entry.steady && l.exe.executions.quick.certain()
}

// timedInvoke is invoke that remembers for isQuick how long the call took. Calls that no
// context can end do not need to know.
func (l *launch) timedInvoke(ctx context.Context) error {
	if ctx.Done() == nil {
		return l.invoke()
	}
	begin := now()
	err := l.invoke()
	l.exe.executions.quick.note(begin)
	return err
}

// doAside makes the C call in a goroutine of its own.
func (l *launch) doAside(ctx context.Context, direct bool) error {
	if l.aside == nil {
		l.aside = &asideCall{result: make(chan error, 1)}
		l.aside.run = l.invokeAside
	}
	l.aside.ctx, l.aside.direct = ctx, direct
	l.aside.settled.Store(false)
	l.Retain()
	go l.aside.run()
	select {
	case err := <-l.aside.result:
		return err
	case <-ctx.Done():
		if l.aside.settled.CompareAndSwap(false, true) {
			l.abandoned = true
			return ctx.Err()
		}
		return <-l.aside.result
	}
}

// asideCall is the C call of a launch in a goroutine of its own. A launch that is used
// again has one, so that the goroutine costs no allocation.
type asideCall struct {
	run     func()
	ctx     context.Context
	direct  bool        // the call was admitted as a direct one
	settled atomic.Bool // by the end of the call, or by the caller who gave it up
	result  chan error  // unless the caller gave up; has room for one
}

func (l *launch) invokeAside() {
	err := l.timedInvoke(l.aside.ctx)
	l.aside.ctx = nil
	l.admission.endCall(l.aside.direct)
	if l.aside.settled.CompareAndSwap(false, true) {
		result := l.aside.result
		l.Release() // before the caller, so that the caller's next execution finds the launch unused
		result <- err
		return
	}
	l.discard()
	l.giveArguments()
	l.Release()
}

// discard drops the results of an execution whose caller has gone.
func (l *launch) discard() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.wait(ended)
	l.destroyOutputs()
}

// invoke makes the C call and ends the turns of beginTurns.
func (l *launch) invoke() error {
	err := l.frame.call.Do(l.exe.client.table)
	l.endTurns(len(l.held))
	runtime.KeepAlive(l)
	if err != nil {
		return l.failed(err)
	}
	return nil
}

// failed returns the error to report for err, with which the C call failed.
func (l *launch) failed(err error) error {
	// After an error the plugin still owns the handles that it wrote.
	clear(l.frame.outputs)
	clear(l.frame.events)
	if errors.Is(err, ErrInvalidArgument) {
		return l.explain(err)
	}
	return err
}

// explain adds to err which argument another execution consumed at the same time, or
// after it was bound, if one did.
func (l *launch) explain(err error) error {
	n := l.numArguments()
	for i, h := range l.frame.arguments {
		if gone, derr := l.calls.isDeleted(l.exe.client.table, h); derr == nil && gone {
			return fmt.Errorf("parameter %d of %v was deleted, or donated to another execution: %w", i%n, l.devices[i/n], err)
		}
	}
	return err
}

// wait takes over the events of all devices and waits for them. If a device failed, wait
// destroys the results.
func (l *launch) wait(ctx context.Context) error {
	table := l.exe.client.table
	var first error
	for i, h := range l.frame.events {
		l.frame.events[i] = nil
		err := l.event.await(ctx, table, h, l)
		if err == nil || first != nil {
			continue
		}
		first = err
		l.unknown = l.unknown || l.event.unsure
		if len(l.devices) > 1 && ctx.Err() == nil {
			first = fmt.Errorf("%v: %w", l.devices[i], err)
		}
	}
	if first != nil {
		l.destroyOutputs()
	}
	return first
}

func (l *launch) destroyOutputs() {
	for i, h := range l.frame.outputs {
		l.frame.outputs[i] = nil
		if h != nil {
			l.destroy(h)
		}
	}
}

// adopt is adoptResults after an execution with a launch of its own.
func (l *launch) adopt(d int, outs []*Buffer) error {
	blank := l.blank
	l.blank = nil
	return l.adoptResults(d, outs, blank, l.opts.ReuseResults, l.over)
}

// adoptResults turns the results of device number d into Buffers of the caller, the first one in
// blank unless that is nil. If it fails, it destroys all results that were not adopted yet.
func (l *launch) adoptResults(d int, outs []*Buffer, blank *Buffer, reuse, filled bool) error {
	e := l.exe
	n := e.numOutputs
	handles := l.frame.outputs[d*n : d*n+n]
	shapes, err := l.outputShapes(handles)
	if err != nil {
		l.undoReplacing()
		l.destroyOutputs()
		return err
	}
	at, waits := l.devices[d].handle, l.follows.resultsWait()
	if reuse {
		l.replace(outs, handles, shapes, at, filled, waits)
		return nil
	}
	var expected expectedBuffers
	e.client.buffers.Expect(&expected, len(handles))
	for i, h := range handles {
		b := blank
		if blank = nil; b == nil {
			b = new(Buffer)
		}
		b.client, b.shape = e.client, &shapes[i]
		b.holding = expected.Init(&b.ref, h)
		b.born, b.bornFilled = at, filled
		b.waits = waits
		outs[i] = b
		handles[i] = nil // faster than clear, for few
	}
	expected.Done()
	return nil
}

// adoptAll is adopt for all devices. If it fails, it leaves no results.
func (l *launch) adoptAll(all [][]*Buffer) error {
	for d := range all {
		if err := l.adopt(d, all[d]); err != nil {
			for _, outs := range all[:d] {
				for _, b := range outs {
					b.Close()
				}
			}
			return err
		}
	}
	return nil
}

// room returns memory for the results on each device, of which a portable program has one.
func (e *LoadedExecutable) room() [][]*Buffer {
	n := e.numOutputs
	all, list := make([][]*Buffer, max(len(e.devices), 1)), make([]*Buffer, max(len(e.devices), 1)*n)
	for d := range all {
		all[d] = list[d*n : d*n+n : d*n+n]
	}
	return all
}

// outputShapes returns the shapes of the results on one device. Only the first execution
// asks the plugin.
func (l *launch) outputShapes(handles []*capi.Buffer) ([]Shape, error) {
	e := l.exe
	for i, h := range handles {
		if h == nil {
			return nil, misbehaved(l.frame.call.Function(), "left output %d empty", i)
		}
	}
	if s := e.executions.shapes.Load(); s != nil {
		return *s, nil
	}
	shapes := make([]Shape, len(handles))
	for i, h := range handles {
		var err error
		if shapes[i], err = l.calls.shape(e.client.table, h); err != nil {
			if outputs, oerr := e.outputs(); optional(err) == nil && oerr == nil && len(outputs) == len(handles) {
				shapes = outputs
				break
			}
			return nil, err
		}
	}
	e.executions.shapes.Store(&shapes)
	return shapes, nil
}

// retry runs the program once more after err, if it mayRetry, and returns the error to report.
func (l *launch) retry(ctx context.Context, err error, run func(context.Context) error) error {
	if !l.mayRetry(err) {
		return err
	}
	destroyForgotten(ctx)
	return secondError(err, run(ctx))
}

// mayRetry reports whether the program may run once more after err: the device was out
// of memory, and the first attempt used nothing up.
func (l *launch) mayRetry(err error) bool {
	if l.opts.NoRetry || !errors.Is(err, ErrResourceExhausted) {
		return false
	}
	for _, x := range l.opts.Extensions {
		if r, ok := x.(interface{ Repeatable() bool }); !ok || !r.Repeatable() {
			return false
		}
	}
	for _, h := range l.frame.arguments {
		if gone, err := l.calls.isDeleted(l.exe.client.table, h); err != nil || gone {
			return false
		}
	}
	return true
}
