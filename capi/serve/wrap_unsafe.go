// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// maxTableSize is the largest plausible size of a plugin's table.
const maxTableSize = 1 << 16

// Wrap makes a table in front of another plugin's. It has that plugin's version, length and
// extensions. A call of a function with hooks goes through the hooks in their order, and then to
// the plugin. All other functions are the plugin's own, called directly, and so are slots and
// extensions that are newer than this package.
//
// Handles, events and errors of the plugin are passed on unchanged. Errors that hooks make belong
// to this package, and the table distinguishes the two.
//
// The table has the same functions as the plugin; a hook for a missing function is never called. If
// the plugin's extension chain is broken, the wrapped chain ends at the same place.
func Wrap(real *capi.Table, hooks ...Hook) (*Table, error) {
	if real == nil || real.API() == nil {
		return nil, errors.New("serve: Wrap needs the table of a PJRT plugin, but the table is nil")
	}
	for i, h := range hooks {
		if h.err == nil && h.call == nil {
			h.err = errors.New("its func is nil")
		}
		if h.err != nil {
			return nil, fmt.Errorf("serve: hook %d: %w", i, h.err)
		}
	}
	t := &Table{handlers: make([]handler, len(functions)), keep: real}
	core, err := t.wrapPart(real, hooks, capi.SectionCore, unsafe.Pointer(real.API()), real.API().StructSize)
	if err != nil {
		return nil, err
	}
	parts := []*part{core}
	seen := make(map[capi.ExtensionType]bool)
	for _, x := range real.Extensions() {
		p := &part{section: capi.SectionExtension(0), size: x.Size, copyOf: unsafe.Pointer(x.Node)}
		if s, ok := sectionOf(x.Type); ok && !seen[x.Type] {
			if p, err = t.wrapPart(real, hooks, s, unsafe.Pointer(x.Node), x.Size); err != nil {
				return nil, err
			}
		}
		parts = append(parts, p)
		if x.Type == capi.ExtensionTypeProfiler && !seen[x.Type] && real.HasSection(capi.SectionProfiler) {
			inner, err := t.wrapProfiler(real, hooks, x, p)
			if err != nil {
				return nil, err
			}
			parts = append(parts, inner)
		}
		seen[x.Type] = true
	}
	if err := t.build(parts); err != nil {
		return nil, err
	}
	t.link(parts, nil)
	return t, t.publish()
}

// sectionOf returns the section of an extension, or false if this package knows no functions of it.
func sectionOf(x capi.ExtensionType) (capi.Section, bool) {
	for _, s := range capi.Sections() {
		if s >= capi.SectionExtension(0) && capi.ExtensionType(s-capi.SectionExtension(0)) == x {
			return s, true
		}
	}
	return 0, false
}

// wrapProfiler wraps the table that the profiler's node points to.
func (t *Table) wrapProfiler(real *capi.Table, hooks []Hook, x capi.Extension, node *part) (*part, error) {
	table := (*capi.ProfilerExtension)(unsafe.Pointer(x.Node)).ProfilerAPI
	inner, err := t.wrapPart(real, hooks, capi.SectionProfiler, unsafe.Pointer(table), table.StructSize)
	if err != nil {
		return nil, err
	}
	node.write = append(node.write, func(base unsafe.Pointer) {
		(*capi.ProfilerExtension)(base).ProfilerAPI = (*capi.ProfilerAPI)(unsafe.Add(unsafe.Pointer(t.API()), inner.offset))
	})
	return inner, nil
}

// wrapPart copies a table of the plugin and puts entry points into the slots
// that have hooks.
func (t *Table) wrapPart(real *capi.Table, hooks []Hook, s capi.Section, base unsafe.Pointer, size uintptr) (*part, error) {
	if size > maxTableSize {
		return nil, fmt.Errorf("serve: the plugin reports an impossible size of %d bytes for its table %s", size, s)
	}
	p := &part{section: s, size: size, copyOf: base}
	for _, f := range capi.Functions(s) {
		var chain []func(*Invocation)
		for _, h := range hooks {
			if h.function == nil || h.function == f {
				chain = append(chain, h.call)
			}
		}
		// Without any hooks, all errors are those of the plugin.
		if len(chain) == 0 && (!readsErrors(f) || len(hooks) == 0) || !real.Has(f) {
			continue
		}
		p.slot(t, f)
		w := &wrapped{real: real, function: f, readsErrors: readsErrors(f), chain: chain}
		w.code = *(*uintptr)(unsafe.Add(base, f.Offset))
		t.handlers[ids[f]] = w.around
	}
	return p, nil
}

// wrapped is a function with hooks.
type wrapped struct {
	real        *capi.Table
	function    *capi.Function
	readsErrors bool
	code        uintptr // of the plugin's function
	chain       []func(*Invocation)
}

// around runs a call.
func (w *wrapped) around(args unsafe.Pointer) (word uintptr) {
	c := invocations.Get().(*Invocation)
	c.wrapped, c.args, c.rest = w, args, w.chain
	defer func() {
		if v := recover(); v != nil {
			c.drop()
			word = panicked(w.function, v)
		}
		*c = Invocation{}
		invocations.Put(c)
	}()
	c.Forward()
	if w.function.Void {
		return 0
	}
	return uintptr(c.err)
}

var invocations = sync.Pool{New: func() any { return new(Invocation) }}

// Invocation is a call of a wrapped table on its way through the hooks. It is valid until the hook
// returns, and only on the hook's goroutine.
type Invocation struct {
	frame ccall.ArgFrame
	*wrapped
	args   unsafe.Pointer
	rest   []func(*Invocation) // the hooks after the running one
	err    unsafe.Pointer
	copied *argsCopy // that the running hook uses; nil if there is none
}

// Function returns the called function.
func (c *Invocation) Function() *capi.Function { return c.function }

// Table returns the table of the wrapped plugin. Calls through it bypass the hooks.
func (c *Invocation) Table() *capi.Table { return c.real }

// Args returns the caller's args struct, of Size bytes. It is null if the caller passed null.
func (c *Invocation) Args() unsafe.Pointer { return c.args }

// Size returns the caller's struct_size, or 0 if the function's args have none.
func (c *Invocation) Size() uintptr {
	if c.function.Size == 0 || c.args == nil {
		return 0
	}
	return *(*uintptr)(c.args)
}

// SetArgs gives later hooks and the plugin other args than the caller's. They must be memory of the
// heap or of C, and the hook keeps them alive until Forward returns.
func (c *Invocation) SetArgs(args unsafe.Pointer) { c.args = args }

// Forward calls the next hook or, after the last hook, the plugin. A hook that does not call
// Forward answers in place of the plugin. Calling it again repeats the call, and destroys the error
// of the first call.
func (c *Invocation) Forward() {
	c.drop()
	view := c.copied
	if view != nil {
		view.leave()
		c.copied = nil
	}
	if len(c.rest) == 0 {
		c.forward()
	} else {
		rest := c.rest
		c.rest = rest[1:]
		rest[0](c)
		c.rest = rest
	}
	if view != nil {
		view.enter()
		c.copied = view
	}
}

// forward calls the plugin.
func (c *Invocation) forward() {
	if c.readsErrors {
		if word, ok := answerError(c.function, c.args); ok {
			c.err = *(*unsafe.Pointer)(unsafe.Pointer(&word))
			return
		}
	}
	c.frame.Code, c.frame.Arg = c.code, c.args
	ccall.InvokeArg(&c.frame)
	if !c.function.Void {
		c.err = *(*unsafe.Pointer)(unsafe.Pointer(&c.frame.Ret))
	}
}

// Fail makes the call fail with an error of this package. It destroys an earlier error of the call.
// Void functions cannot fail.
func (c *Invocation) Fail(code capi.ErrorCode, format string, a ...any) {
	c.FailWith(&capi.Error{Code: code, Message: fmt.Sprintf(format, a...)})
}

// FailWith is Fail with the code, message and payloads of err; see NewError. A
// nil err makes the call succeed.
func (c *Invocation) FailWith(err error) {
	c.drop()
	if !c.function.Void {
		c.err = unsafe.Pointer(NewError(err))
	}
}

// Err returns the current error of the call, or nil. For a function of the profiler it is a
// PLUGIN_Profiler_Error.
func (c *Invocation) Err() *capi.ErrorHandle { return (*capi.ErrorHandle)(c.err) }

// ReadErr returns the contents of the current error, or nil if there is none. It does not change
// the error.
func (c *Invocation) ReadErr() *capi.Error {
	if c.err == nil {
		return nil
	}
	e := ReadError((*capi.ErrorHandle)(c.err))
	if e == nil {
		e = readReal(c.real, c.function, c.err)
	}
	e.Func = c.function.Name
	return e
}

// SetErr replaces the error of the call. The hook then owns the old one.
func (c *Invocation) SetErr(h *capi.ErrorHandle) {
	if !c.function.Void {
		c.err = unsafe.Pointer(h)
	}
}

// drop destroys the error of the call.
func (c *Invocation) drop() {
	if c.err == nil {
		return
	}
	if !destroyFailure(c.err) {
		destroyReal(c.real, c.function, c.err)
	}
	c.err = nil
}

// argsCopy is the copy that a typed hook gets if the caller's struct is shorter than the hook's.
type argsCopy struct {
	full, args unsafe.Pointer
	have       uintptr // size of the caller's struct
}

// enter updates the copy from the caller's struct, and leave does the opposite.
func (v *argsCopy) enter() { move(v.full, v.args, v.have) }
func (v *argsCopy) leave() { move(v.args, v.full, v.have) }

// Around makes a hook for the function whose args struct is A, such as capi.ClientCreateArgs. If an
// older caller's struct is shorter than A, fn gets a copy whose other fields are zero. The fields
// that the caller has are copied back before Forward and after fn. Calls with null args bypass the
// hook.
func Around[A any](fn func(c *Invocation, args *A)) Hook {
	a, ok := any((*A)(nil)).(capi.Arguments)
	if !ok {
		return Hook{err: fmt.Errorf("%T is not the args struct of a PJRT function", *new(A))}
	}
	f := a.Function()
	if fn == nil {
		return Hook{function: f}
	}
	return Hook{function: f, call: func(c *Invocation) {
		have := c.Size()
		switch {
		case c.args == nil:
			c.Forward()
		case f.Size == 0 || have >= f.Size:
			fn(c, (*A)(c.args))
		default:
			full := new(A)
			view := &argsCopy{unsafe.Pointer(full), c.args, have}
			view.enter()
			c.copied = view
			defer func() { c.copied = nil }()
			fn(c, full)
			view.leave()
		}
	}}
}
