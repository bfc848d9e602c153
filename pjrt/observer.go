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

// Operation is a piece of work that observers and the logger see.
type Operation struct {
	ID       uint64 // the same at the start and the end, and unique in the process
	Kind     OperationKind
	Plugin   string    // path of the plugin's library, "" if it has none
	Platform string    // Client.PlatformName, "" before there is a client
	Program  string    // name of the program that is compiled, loaded or executed, "" if unknown
	Bytes    int64     // length of the program, or of the array in its host form, 0 if unknown
	Devices  []*Device // the devices that take part, as far as known; do not modify

	// Start is set from the beginning, the others at the end. If the context ended the
	// operation, the end is when the caller got control back: the plugin may go on.
	Start    time.Time
	Duration time.Duration
	Err      error
}

// OperationKind says what an [Operation] does. Later versions may add kinds.
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

// Observer watches the operations of this package, which call its methods and wait for them, from
// several goroutines at once. The methods should be quick, and must not start operations that are
// observed. A panic in them is logged.
type Observer interface {
	// Start is called when an operation begins, with its context and what is known of it
	// by then. End gets the context that Start returns, or ctx if that is nil.
	Start(ctx context.Context, op Operation) context.Context
	// End is called once for each Start, with everything that is known.
	End(ctx context.Context, op Operation)
}

// ObserverFunc is an Observer that is called at the end of each operation.
type ObserverFunc func(ctx context.Context, op Operation)

// Start returns ctx.
func (f ObserverFunc) Start(ctx context.Context, _ Operation) context.Context { return ctx }

// End calls f, if it is not nil.
func (f ObserverFunc) End(ctx context.Context, op Operation) {
	if f != nil {
		f(ctx, op)
	}
}

// Observe reports to o all operations of the process that begin before remove is called.
// Those under way at that time still get their End. remove may be called more than once.
// A nil Observer is ignored.
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

// watch holds the logger and the observers. It is replaced, never changed.
type watch struct {
	logger    *slog.Logger
	observers []*observer // in the order of Observe
}

// watching is nil while there is neither a logger nor an observer. Operations then cost
// one more atomic load.
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

// observer is the Observer of one call of Observe, identified by its address.
type observer struct{ Observer }

func (o *observer) start(ctx context.Context, op Operation) context.Context {
	defer contain(ctx)
	return o.Start(ctx, op)
}

func (o *observer) end(ctx context.Context, op Operation) {
	defer contain(ctx)
	o.End(ctx, op)
}

// contain logs a panic of an observer. It must be deferred.
func contain(ctx context.Context) {
	if v := recover(); v != nil {
		notices().LogAttrs(ctx, slog.LevelError, "an observer of package pjrt panicked",
			slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}

// subject says what an operation works on.
type subject struct {
	plugin  *Plugin // if there is no client
	client  *Client
	path    string // of a plugin that is not open yet
	program string
	bytes   int
	devices []*Device
	buffer  *Buffer // replaces client and bytes
}

// operation is an Operation that is logged or observed. The nil operation is neither, and
// its methods do nothing.
type operation struct {
	Operation
	watch *watch
	ctx   context.Context
	ctxs  []context.Context // from the Start of each observer
	logs  bool

	mu    sync.Mutex // held for Devices, which a call that was given up may still set, and for ended
	ended bool       // guarded by mu
}

var operations atomic.Uint64

// begin starts an operation, which the caller must end. begin is short enough for the
// compiler to inline it.
func begin(ctx context.Context, kind OperationKind, s subject) *operation {
	if watching.Load() == nil {
		return nil
	}
	return beginWatched(ctx, kind, &s)
}

func beginWatched(ctx context.Context, kind OperationKind, s *subject) *operation {
	w := watching.Load()
	if w == nil { // the last observer was removed meanwhile
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
		size, _ := b.Shape().HostSize() // 0 for types without a host form
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

// on adds a device that was chosen after the operation began.
func (op *operation) on(d *Device) {
	if op == nil || d == nil {
		return
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if !op.ended {
		op.Devices = append(slices.Clip(op.Devices), d)
	}
}

// at adds the device that a new buffer is placed on.
func (op *operation) at(c *Client, p placement) {
	if op != nil && p.device != nil {
		d, _ := c.deviceOf(p.device)
		op.on(d)
	}
}

// end ends the operation with the error that its caller returns. It must be deferred.
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

// endProgram is end for operations that make a LoadedExecutable.
func (op *operation) endProgram(e **LoadedExecutable, err *error) {
	if op == nil {
		return
	}
	if *e != nil {
		op.Program, op.Devices = (*e).Executable.Name(), (*e).Devices()
	}
	op.finish(*err)
}

// endAhead is end for operations that compile for a topology.
func (op *operation) endAhead(e **Executable, err *error) {
	if op == nil {
		return
	}
	if *e != nil {
		op.Program = (*e).name
	}
	op.finish(*err)
}

// endStarted is end for an execution that was started: the operation ends when done is
// ready.
func (op *operation) endStarted(done **Event, err *error) {
	if op == nil {
		return
	}
	if *err == nil {
		if e := (*done).OnReady(op.finish); e == nil {
			return
		}
	}
	op.finish(*err)
}

// finish reports the end of the operation; only the first call has an effect.
func (op *operation) finish(err error) {
	op.mu.Lock()
	ended := op.ended
	op.ended = true
	op.mu.Unlock()
	if ended {
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

func (w *watch) enabled(ctx context.Context, level slog.Level) (enabled bool) {
	if w.logger == nil {
		return false
	}
	defer func() { _ = recover() }() // a handler must not break the operation
	return w.logger.Enabled(ctx, level)
}

func (w *watch) logStart(ctx context.Context, op *Operation) {
	if op.Kind.level() > slog.LevelDebug {
		w.log(ctx, slog.LevelDebug, "pjrt "+string(op.Kind)+" begins", op)
	}
}

func (w *watch) logEnd(ctx context.Context, op *Operation) {
	w.log(ctx, op.Kind.level(), "pjrt "+string(op.Kind), op, slog.Duration("duration", op.Duration))
}

// log writes a record about op. It adds the attributes in more after those of op.
func (w *watch) log(ctx context.Context, level slog.Level, message string, op *Operation, more ...slog.Attr) {
	if !w.enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(time.Now(), level, message, callerPC())
	r.AddAttrs(slog.Uint64("operation", op.ID))
	if op.Plugin != "" && op.Platform == "" {
		r.AddAttrs(slog.String("plugin", op.Plugin))
	}
	if op.Platform != "" {
		r.AddAttrs(slog.String("platform", op.Platform))
	}
	if op.Program != "" {
		r.AddAttrs(slog.String("program", op.Program))
	}
	if op.Bytes != 0 {
		r.AddAttrs(slog.Int64("bytes", op.Bytes))
	}
	if len(op.Devices) > 0 {
		ids := make([]int, len(op.Devices))
		for i, d := range op.Devices {
			ids[i] = d.ID()
		}
		r.AddAttrs(slog.Any("devices", ids))
	}
	r.AddAttrs(more...)
	if op.Err != nil {
		r.AddAttrs(slog.Any("error", op.Err))
	}
	defer func() { _ = recover() }() // a handler must not break the operation
	_ = w.logger.Handler().Handle(ctx, r)
}

// level returns the level at which the end of an operation is logged.
func (k OperationKind) level() slog.Level {
	switch k {
	case OperationOpen, OperationClient, OperationCompile, OperationLoad:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
