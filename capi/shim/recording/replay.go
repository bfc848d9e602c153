// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// Options say how Replay compares.
type Options struct {
	// Relative and Absolute limit the difference between a floating-point number and the recorded
	// one to Absolute + Relative * |recorded|. If both are 0, they are 1e-5 and 1e-6. Integers,
	// bools and floats of 8 bits and less must be equal.
	Relative, Absolute float64
	// Patience is how long a call, or an event that the client waited for, may take. 0 means a
	// minute.
	Patience time.Duration
	// Progress, if not nil, is told of each call before it is made: its number, its line in the
	// file and its function.
	Progress func(call uint64, line int, function string)
}

// Report is the result of a replay.
type Report struct {
	Calls    int // repeated calls
	Skipped  []Skip
	Compared int // arrays and other compared results
	// Differences lists differing results and errors on which plugins must agree. Notes lists
	// others, on which they may differ, such as names and sizes.
	Differences, Notes []Difference
}

// Skip is a call that could not be repeated.
type Skip struct {
	Call     uint64 // its number
	Line     int    // in the file
	Function string
	Why      string
}

// Difference is a result that differs from the recorded one.
type Difference struct {
	Call     uint64
	Line     int
	Function string
	What     string
}

// Replay repeats the calls of a session, in the order in which they returned and all from this
// goroutine, and compares the results. It skips calls that pass addresses of memory or functions,
// which have a meaning only in the recorded process, and calls that need the results of skipped or
// failed calls.
//
// A recording is not trusted: a call whose arguments contradict each other ends the replay with
// ErrDamaged, and all calls together get at most twice as much memory for their results as the
// recording has bytes. But a plugin may end the process for arguments that only it can know to be
// wrong. Replay a recording of somebody else in a process of its own, as the command pjrt does.
//
// The plugin must not be initialized yet, because the session does that. The error is that of ctx,
// names a call that did not return, or is ErrDamaged.
func Replay(ctx context.Context, s *Session, t *capi.Table, o Options) (*Report, error) {
	if o.Patience <= 0 {
		o.Patience = time.Minute
	}
	if o.Relative == 0 && o.Absolute == 0 {
		o.Relative, o.Absolute = 1e-5, 1e-6
	}
	r := &replayer{
		ctx: ctx, table: t, options: o, report: &Report{},
		functions: make(map[string]*capi.Function), handles: make(map[string]uintptr), transfers: make(map[uint64]*transfer),
		late: make(map[string]*Step), left: anyResults + 2*s.room.size,
	}
	for _, section := range capi.Sections() {
		for _, f := range capi.Functions(section) {
			r.functions[f.Name] = f
		}
	}
	for i := range s.Steps {
		if err := ctx.Err(); err != nil {
			return r.report, err
		}
		if r.step(&s.Steps[i]); r.stuck != nil {
			return r.report, r.stuck
		}
	}
	r.finish()
	return r.report, nil
}

type replayer struct {
	ctx       context.Context
	table     *capi.Table
	options   Options
	report    *Report
	functions map[string]*capi.Function
	handles   map[string]uintptr   // by their names in the session
	transfers map[uint64]*transfer // by the number of the call that began them
	keep      []any                // memory that the plugin may use
	late      map[string]*Step     // waits for events that were not ready at their turn, by event
	left      int                  // memory that calls may still have for their results
	stuck     error                // why the replay ends here
}

// anyResults is how much memory the calls of any session get for their results.
const anyResults = 64 << 20

// transfer is memory that the plugin fills until an event is ready.
type transfer struct {
	call   *Call
	data   []byte
	event  string
	buffer string // that the client read without a transfer
}

func (r *replayer) differ(c *Call, line int, format string, a ...any) {
	r.report.Differences = append(r.report.Differences, Difference{c.Number, line, c.Function.Name, fmt.Sprintf(format, a...)})
}

func (r *replayer) note(c *Call, line int, format string, a ...any) {
	r.report.Notes = append(r.report.Notes, Difference{c.Number, line, c.Function.Name, fmt.Sprintf(format, a...)})
}

func (r *replayer) skip(c *Call, line int, why string) {
	r.report.Skipped = append(r.report.Skipped, Skip{c.Number, line, c.Function.Name, why})
}

// refuse skips a call that cannot be repeated, or ends the replay of a session that is damaged.
func (r *replayer) refuse(c *Call, line int, err error) {
	if again := (notReplayable{}); errors.As(err, &again) {
		r.skip(c, line, err.Error())
		return
	}
	r.stuck = fmt.Errorf("%w: line %d, %s: %w", ErrDamaged, line, c.Function.Name, err)
}

func (r *replayer) step(s *Step) {
	if s.Data != nil {
		r.arrived(s)
		return
	}
	c := s.Call
	f := r.functions[c.Function.Name]
	if f == nil || c.In == nil {
		r.skip(c, s.Line, "it had no arguments")
		return
	}
	if lacks := r.table.Lacks(f); lacks != nil {
		r.skip(c, s.Line, lacks.Error())
		return
	}
	b := &builder{handle: r.handle, left: &r.left}
	if c.Error == nil { // a plugin may return an error for null, but does not do anything with it
		if err := hasReceiver(c.Function.Args, c.Size, c.In); err != nil {
			r.refuse(c, s.Line, err)
			return
		}
	}
	done, err := r.prepare(c, b)
	if err == errSilent {
		return
	}
	if err != nil {
		r.refuse(c, s.Line, err)
		return
	}
	args, err := b.structure(c.Function.Args, c.Size, c.In)
	if err != nil {
		r.refuse(c, s.Line, err)
		return
	}
	r.keep = append(r.keep, b.keep...)
	view := describe.NewView(c.Function.Args, args, c.Size)
	if done != nil {
		if err := done(view); err != nil {
			r.refuse(c, s.Line, err)
			return
		}
	}
	if c.Function.Name == "PJRT_Event_Await" && !r.ready(uintptr(view.WordOf("event")), min(r.options.Patience, soon)) {
		// A call that returned later may make the event ready.
		name, _ := c.In["event"].(string)
		r.late[name] = s
		return
	}
	r.report.Calls++
	if r.options.Progress != nil {
		r.options.Progress(c.Number, s.Line, c.Function.Name)
	}
	returned := make(chan *capi.ErrorHandle, 1)
	go func() { returned <- invoke(r.table, f, args) }()
	select {
	case failure := <-returned:
		r.conclude(s, f, b, view, failure)
	case <-r.ctx.Done():
		r.stuck = r.ctx.Err()
	case <-time.After(r.options.Patience):
		r.stuck = fmt.Errorf("call %d, line %d, %s does not return: gave up after %v", c.Number, s.Line, f.Name, r.options.Patience)
	}
}

// soon is how long to wait for an event before making other calls first.
const soon = 2 * time.Second

// ready waits for an event for a while, and reports whether it is ready.
func (r *replayer) ready(event uintptr, patience time.Duration) bool {
	var is capi.Call[capi.EventIsReadyArgs]
	is.Args.Event = describe.PointerOf[capi.Event](event)
	if err := is.Do(r.table); err == nil && is.Args.IsReady {
		return true
	}
	done := make(chan struct{})
	var on capi.Call[capi.EventOnReadyArgs]
	callback, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
		_ = r.table.TakeError(err)
		close(done)
	})
	on.Args.Event, on.Args.Callback, on.Args.UserArg = is.Args.Event, callback, uintptr(handle)
	if on.Do(r.table) != nil {
		handle.Delete()
		return true // waiting will return the plugin's error
	}
	select {
	case <-done:
		return true
	case <-r.ctx.Done():
		return false
	case <-time.After(patience):
		return false
	}
}

// handle returns the current handle for a name in the session.
func (r *replayer) handle(name string) (uintptr, error) {
	h, ok := r.handles[name]
	if !ok {
		return 0, notReplayable{fmt.Sprintf("there is no %s: the call that returned it did not do so this time", name)}
	}
	return h, nil
}

// prepare replaces recorded fields of a call that cannot be reused. The function that it returns,
// if any, completes the struct.
func (r *replayer) prepare(c *Call, b *builder) (done func(describe.View) error, err error) {
	in := c.In
	drop := func(names ...string) {
		in = clone(in, names...)
		c.In = in
	}
	switch c.Function.Name {
	case "PJRT_Client_BufferFromHostBuffer", "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral":
		if in["data"] == nil {
			return nil, nil
		}
		contents, ok := in[hostData]
		if !ok {
			return nil, notReplayable{"the elements of the array have an unknown size, so it was not recorded"}
		}
		data, err := bytesOf(contents)
		if err != nil {
			return nil, err
		}
		drop("data", "byte_strides", "num_byte_strides")
		return func(v describe.View) error {
			v.SetAddress(v.Struct.Field("data"), b.bytes(data))
			if n := len(v.HostData()); n != len(data) {
				return fmt.Errorf("the array has %d bytes, but its shape needs %d", len(data), n)
			}
			r.keep = append(r.keep, b.keep...)
			return nil
		}, nil
	case "PJRT_Event_OnReady":
		if name, _ := in["event"].(string); r.handles[name] == 0 {
			return nil, errSilent // the callback destroyed the event before this call returned
		}
		drop("callback", "user_arg")
		return func(v describe.View) error {
			callback, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { _ = r.table.TakeError(err) })
			v.SetWord(v.Struct.Field("callback"), int64(callback))
			v.SetWord(v.Struct.Field("user_arg"), int64(handle))
			return nil
		}, nil
	case "PJRT_Client_Create":
		// The replay is a single process, so it needs no key-value store.
		drop("kv_get_callback", "kv_get_user_arg", "kv_put_callback", "kv_put_user_arg", "kv_try_get_callback", "kv_try_get_user_arg")
	case "PJRT_Event_Destroy":
		name, _ := in["event"].(string)
		r.catchUp(name, r.options.Patience)
	case "PJRT_Event_Error":
		// PJRT_Event_Error may be called only for events that are ready.
		return func(v describe.View) error {
			if !r.ready(uintptr(v.WordOf("event")), r.options.Patience) {
				return notReplayable{fmt.Sprintf("the event was ready, and is not after %v", r.options.Patience)}
			}
			return nil
		}, nil
	case "PJRT_LoadedExecutable_Execute":
		name, _ := in["executable"].(string)
		h, err := r.handle(name)
		if err != nil {
			return nil, err
		}
		b.inner = CountOutputs(r.table, h)
	}
	return nil, nil
}

// errSilent is the error of a call that needs no repetition.
var errSilent = errors.New("not needed")

// clone copies fields, except those listed.
func clone(fields map[string]any, without ...string) map[string]any {
	out := make(map[string]any, len(fields))
	for k, v := range fields {
		out[k] = v
	}
	for _, name := range without {
		delete(out, name)
	}
	return out
}

// CountOutputs returns the number of outputs of a loaded executable, or 0 if the plugin does not
// report it.
func CountOutputs(t *capi.Table, loaded uintptr) int {
	var get capi.Call[capi.LoadedExecutableGetExecutableArgs]
	get.Args.LoadedExecutable = describe.PointerOf[capi.LoadedExecutable](loaded)
	if get.Do(t) != nil {
		return 0
	}
	var n capi.Call[capi.ExecutableNumOutputsArgs]
	n.Args.Executable = get.Args.Executable
	count := 0
	if n.Do(t) == nil {
		count = int(n.Args.NumOutputs)
	}
	var d capi.Call[capi.ExecutableDestroyArgs]
	d.Args.Executable = get.Args.Executable
	_ = d.Do(t)
	return count
}

// await waits for an event.
func (r *replayer) await(event uintptr) error {
	if !r.ready(event, r.options.Patience) {
		return fmt.Errorf("the event is not ready after %v", r.options.Patience)
	}
	var c capi.Call[capi.EventAwaitArgs]
	c.Args.Event = describe.PointerOf[capi.Event](event)
	return c.Do(r.table)
}

// conclude compares the results of a call, and registers the handles that it returned.
func (r *replayer) conclude(s *Step, f *capi.Function, b *builder, v describe.View, failure *capi.ErrorHandle) {
	c := s.Call
	if failure != nil {
		r.failed(s, f, failure)
		return
	}
	if c.Error != nil {
		say := r.differ
		if c.Error.Code == capi.ErrorCodeUnimplemented {
			say = r.note
		}
		say(c, s.Line, "it failed with %s (%s), and now succeeds", c.Error.Code, c.Error.Message)
	}
	if d := describe.Destroys(f.Name); d != nil {
		name, _ := c.In[d.Name].(string)
		delete(r.handles, name)
	}
	for i := range c.Function.Args.Fields {
		field := &c.Function.Args.Fields[i]
		if field.Dir == describe.In || !v.Has(field) {
			continue
		}
		recorded, ok := c.Out[field.Name]
		switch {
		case !ok:
		case field.Kind == describe.Handle:
			r.adopt(s, v, field, b.inner, recorded)
		default:
			r.compare(s, v, field, recorded)
		}
	}
	r.begin(s, v)
}

// failed handles the error of a call.
func (r *replayer) failed(s *Step, f *capi.Function, failure *capi.ErrorHandle) {
	c := s.Call
	code, message := capi.ErrorCodeUnknown, ""
	if f.Errors == capi.ErrorsPJRT {
		var get capi.Call[capi.ErrorGetCodeArgs]
		get.Args.Error = failure
		if get.Do(r.table) == nil {
			code = get.Args.Code
		}
		var text capi.Call[capi.ErrorMessageArgs]
		text.Args.Error = failure
		if text.Do(r.table) == nil {
			message = capi.String(text.Args.Message, text.Args.MessageSize)
		}
	}
	switch {
	case c.Error == nil:
		r.differ(c, s.Line, "it succeeded, and now fails with %s: %s", code, message)
	case c.Error.Code != code:
		r.differ(c, s.Line, "it failed with %s (%s), and now fails with %s: %s", c.Error.Code, c.Error.Message, code, message)
	case c.Error.Message != message:
		r.note(c, s.Line, "its error was %q, and now is %q", c.Error.Message, message)
	}
	switch {
	case f.Errors != capi.ErrorsPJRT:
	case c.Error != nil && c.Error.Handle != "":
		r.handles[c.Error.Handle] = describe.HandleOf(failure) // for calls that read and destroy it
	default:
		_ = r.table.TakeError(failure)
	}
}

// adopt gives the handles that a call returned their names in the session.
func (r *replayer) adopt(s *Step, v describe.View, f *describe.Field, inner int, recorded any) {
	names := flatten(nil, recorded)
	slots := v.Slots(f, inner)
	if len(names) != len(slots) {
		r.note(s.Call, s.Line, "%s had %d entries, and now has %d", f.Name, len(names), len(slots))
	}
	for i := range min(len(names), len(slots)) {
		name, ok := names[i].(string)
		switch h := slots[i].Get(); {
		case ok && h == 0:
			r.differ(s.Call, s.Line, "%s was not null, and now is", f.Name)
		case ok:
			r.handles[name] = h
		}
	}
}

func flatten(out []any, v any) []any {
	if list, ok := v.([]any); ok {
		for _, x := range list {
			out = flatten(out, x)
		}
		return out
	}
	return append(out, v)
}

// begin remembers a transfer to memory of the client.
func (r *replayer) begin(s *Step, v describe.View) {
	c := s.Call
	size := ""
	switch c.Function.Name {
	case "PJRT_Buffer_ToHostBuffer":
		size = "dst_size"
	case "PJRT_Buffer_CopyRawToHost":
		size = "transfer_size"
	case "PJRT_Buffer_OpaqueDeviceMemoryDataPointer":
		if name, ok := c.In["buffer"].(string); ok {
			r.transfers[c.Number] = &transfer{call: c, buffer: name}
		}
		return
	default:
		return
	}
	dst, event := uintptr(v.WordOf("dst")), c.Out["event"]
	if name, ok := event.(string); ok && dst != 0 {
		r.transfers[c.Number] = &transfer{call: c, data: describe.Memory(dst, uintptr(v.WordOf(size))), event: name}
	}
}

// arrived compares the result of a transfer.
func (r *replayer) arrived(s *Step) {
	t := r.transfers[s.Data.Call]
	if t == nil {
		return // its call was skipped or failed, which has been reported
	}
	c := t.call
	if t.buffer != "" {
		data, err := r.read(t.buffer)
		if err != nil {
			r.differ(c, s.Line, "%s cannot be read: %v", t.buffer, err)
			return
		}
		t.data = data
	}
	if h, ok := r.handles[t.event]; ok {
		if err := r.await(h); err != nil {
			r.differ(c, s.Line, "the transfer succeeded, and now fails: %v", err)
			return
		}
	}
	r.report.Compared++
	if what := difference(s.Data.Type, s.Data.Bytes, t.data, r.options); what != "" {
		r.differ(c, s.Line, "%s", what)
	}
	delete(r.transfers, s.Data.Call)
}

// read copies the contents of a buffer.
func (r *replayer) read(name string) ([]byte, error) {
	h, err := r.handle(name)
	if err != nil {
		return nil, err
	}
	var c capi.Call[capi.BufferToHostBufferArgs]
	c.Args.Src = describe.PointerOf[capi.Buffer](h)
	if err := c.Do(r.table); err != nil {
		return nil, err
	}
	data := make([]byte, c.Args.DstSize+1) // has an address even if empty
	r.keep = append(r.keep, data)
	fillInto(&c.Args, data)
	if err := c.Do(r.table); err != nil {
		return nil, err
	}
	defer r.destroyEvent(c.Args.Event)
	return data[:len(data)-1], r.await(describe.HandleOf(c.Args.Event))
}

func (r *replayer) destroyEvent(e *capi.Event) {
	var d capi.Call[capi.EventDestroyArgs]
	d.Args.Event = e
	_ = d.Do(r.table)
}

// catchUp waits for an event that was not ready at its turn.
func (r *replayer) catchUp(name string, patience time.Duration) {
	s := r.late[name]
	delete(r.late, name)
	if h, ok := r.handles[name]; ok && s != nil && !r.ready(h, patience) {
		r.differ(s.Call, s.Line, "%s was ready, and now is not after %v", name, r.options.Patience)
	}
}

// finish waits for events that were not ready at their turn, and for transfers that the client left
// unfinished, because they use memory of this process.
func (r *replayer) finish() {
	deadline := time.Now().Add(r.options.Patience)
	for name := range r.late {
		r.catchUp(name, time.Until(deadline))
	}
	deadline = time.Now().Add(min(r.options.Patience, soon))
	for name, h := range r.handles {
		if strings.HasPrefix(name, "PJRT_Event#") {
			r.ready(h, time.Until(deadline))
		}
	}
}

// Err returns nil if there are no differences, and otherwise an error with their number.
func (r *Report) Err() error {
	switch n := len(r.Differences); n {
	case 0:
		return nil
	case 1:
		return errors.New("1 result differs from the recorded one")
	default:
		return fmt.Errorf("%d results differ from the recorded ones", n)
	}
}
