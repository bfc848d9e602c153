// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Operation is a piece of work that observers and the logger are told of.
type Operation struct {
	// ID is the same at the start and at the end of an operation, and no other
	// operation of the process has it.
	ID   uint64
	Kind OperationKind

	Plugin   string    // path of the plugin's library, "" if it came without one
	Platform string    // Client.PlatformName, "" as long as there is no client
	Program  string    // name of the program that is compiled, loaded or executed, "" if unknown
	Bytes    int64     // length of the program or of the array in its host form, 0 if neither is known
	Devices  []*Device // that take part, as far as known; not to be changed

	Start time.Time
	// Duration and Err are those of the end. Of an operation whose context ended,
	// that is when the caller got control back: the plugin may go on.
	Duration time.Duration
	Err      error
}

// OperationKind says what an [Operation] does. Later versions may have more
// kinds.
type OperationKind string

// The kinds of operations.
const (
	OperationOpen     OperationKind = "open"     // load a plugin's library and initialize it
	OperationClient   OperationKind = "client"   // create a client
	OperationCompile  OperationKind = "compile"  // compile a program
	OperationLoad     OperationKind = "load"     // put a compiled program on devices
	OperationExecute  OperationKind = "execute"  // execute a program
	OperationUpload   OperationKind = "upload"   // copy from the host to a device
	OperationDownload OperationKind = "download" // copy from a device to the host
	OperationCopy     OperationKind = "copy"     // copy between devices or memories
)

// Observer is told of the operations of this package. Its methods run on the
// goroutine that calls the operation, or on the one that learns of its end, and
// the operation waits for them: they should be quick, may be called by several
// goroutines at once, and must not call operations that are observed. A panic in
// them is logged and goes no further.
type Observer interface {
	// Start is called when an operation begins, with the context of the operation
	// and what is known of it at that time. The context that it returns is given
	// to End; nil stands for the same one.
	Start(ctx context.Context, op Operation) context.Context
	// End is called once for each Start, with all that is known.
	End(ctx context.Context, op Operation)
}

// ObserverFunc is an Observer that is only told of the ends of operations.
type ObserverFunc func(ctx context.Context, op Operation)

// Start does nothing.
func (f ObserverFunc) Start(ctx context.Context, op Operation) context.Context { return ctx }

// End calls f.
func (f ObserverFunc) End(ctx context.Context, op Operation) { f(ctx, op) }

// Observe tells o of all operations of the process that begin from now on, until
// remove is called. Operations that are under way then still get their End.
// remove may be called more than once. A nil Observer is told nothing.
func Observe(o Observer) (remove func()) {
	if o == nil {
		return func() {}
	}
	added := &observer{o}
	changeWatch(func(w *watch) { w.observers = append(slices.Clip(w.observers), added) })
	return func() {
		changeWatch(func(w *watch) {
			w.observers = slices.DeleteFunc(slices.Clone(w.observers), func(x *observer) bool { return x == added })
		})
	}
}

// watch is who wants to know of operations. One that is in use never changes.
type watch struct {
	logger    *slog.Logger
	observers []*observer // in the order of Observe
}

// watching is nil while nobody wants to know, which costs operations this one
// load.
var watching atomic.Pointer[watch]

var watchMu sync.Mutex // held to change watching

func changeWatch(change func(*watch)) {
	watchMu.Lock()
	defer watchMu.Unlock()
	var w watch
	if old := watching.Load(); old != nil {
		w = *old
	}
	change(&w)
	if w.logger == nil && len(w.observers) == 0 {
		watching.Store(nil)
		return
	}
	watching.Store(&w)
}

// observer is one call of Observe.
type observer struct{ Observer }

func (o *observer) start(ctx context.Context, op Operation) context.Context {
	defer contain(ctx)
	return o.Start(ctx, op)
}

func (o *observer) end(ctx context.Context, op Operation) {
	defer contain(ctx)
	o.End(ctx, op)
}

// contain keeps a panic of an observer from the operation. It is to be deferred.
func contain(ctx context.Context) {
	if v := recover(); v != nil {
		notices().LogAttrs(ctx, slog.LevelError, "an observer of package pjrt panicked",
			slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}

// subject is what an operation is about.
type subject struct {
	plugin  *Plugin // or client
	client  *Client
	path    string // of a plugin that is not open yet
	program string
	bytes   int
	devices []*Device
	buffer  *Buffer // instead of client and bytes
}

// operation is an Operation that somebody is told of. All methods do nothing for
// nil, which stands for one that nobody is told of.
type operation struct {
	Operation
	watch *watch
	ctx   context.Context
	ctxs  []context.Context // what the observers returned
	logs  bool
	ended atomic.Bool
}

var operations atomic.Uint64

// begin starts an operation. Every operation that begins must end. It is short
// enough for the compiler to put it in line.
func begin(ctx context.Context, kind OperationKind, s subject) *operation {
	if watching.Load() == nil {
		return nil
	}
	return beginWatched(ctx, kind, &s)
}

func beginWatched(ctx context.Context, kind OperationKind, s *subject) *operation {
	w := watching.Load()
	if w == nil { // no longer
		return nil
	}
	logs := w.enabled(ctx, kind.level())
	if !logs && len(w.observers) == 0 {
		return nil
	}
	op := &operation{watch: w, ctx: ctx, logs: logs}
	op.ID, op.Kind, op.Start = operations.Add(1), kind, time.Now()
	op.Program, op.Bytes, op.Plugin = s.program, int64(s.bytes), s.path
	op.Devices = slices.Clone(s.devices)
	if op.of(s.client); s.plugin != nil {
		op.Plugin = s.plugin.path
	}
	if b := s.buffer; b != nil {
		op.of(b.client)
		size, _ := b.shape.HostSize() // 0 with an error
		op.Bytes = int64(size)
	}
	if logs {
		w.logStart(ctx, &op.Operation)
	}
	op.ctxs = make([]context.Context, len(w.observers))
	for i, o := range w.observers {
		if op.ctxs[i] = o.start(ctx, op.Operation); op.ctxs[i] == nil {
			op.ctxs[i] = ctx
		}
	}
	return op
}

func (op *operation) of(c *Client) {
	if c == nil {
		return
	}
	op.Platform = c.platformName
	if c.plugin != nil {
		op.Plugin = c.plugin.path
	}
}

// on adds a device that was chosen after the beginning.
func (op *operation) on(d *Device) {
	if op != nil && d != nil {
		op.Devices = append(slices.Clip(op.Devices), d)
	}
}

// at is on for the device that a new buffer was placed on.
func (op *operation) at(c *Client, p placement) {
	if op != nil && p.device != nil {
		d, _ := c.deviceOf(p.device)
		op.on(d)
	}
}

// end ends the operation with the error that its caller returns. It is to be
// deferred.
func (op *operation) end(err *error) {
	if op != nil {
		op.finish(*err)
	}
}

// endClient is end for the creation of a client.
func (op *operation) endClient(c **Client, err *error) {
	if op == nil {
		return
	}
	if *c != nil {
		op.of(*c)
		op.Devices = (*c).AddressableDevices()
	}
	op.finish(*err)
}

// endProgram is end for what makes an executable.
func (op *operation) endProgram(e **LoadedExecutable, err *error) {
	if op == nil {
		return
	}
	if *e != nil {
		op.Program, op.Devices = (*e).Name(), (*e).Devices()
	}
	op.finish(*err)
}

// endAhead is end for compiling without devices.
func (op *operation) endAhead(e **Executable, err *error) {
	if op == nil {
		return
	}
	if *e != nil {
		op.Program = (*e).name
	}
	op.finish(*err)
}

// endStarted is end for an execution that may still be under way: the operation
// ends with it.
func (op *operation) endStarted(x **Execution, err *error) {
	if op == nil {
		return
	}
	if *err == nil {
		if e := (*x).OnReady(op.finish); e == nil {
			return
		}
	}
	op.finish(*err)
}

// finish is what all ends come to. Only the first one counts.
func (op *operation) finish(err error) {
	if op.ended.Swap(true) {
		return
	}
	op.Duration, op.Err = time.Since(op.Start), err
	for i, o := range slices.Backward(op.watch.observers) {
		o.end(op.ctxs[i], op.Operation)
	}
	if op.logs {
		op.watch.logEnd(op.ctx, &op.Operation)
	}
}
