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

// maxTableSize bounds what a plugin may state as the size of a table: more is
// garbage.
const maxTableSize = 1 << 16

// Wrap makes a table that stands in front of another plugin's. It has that
// plugin's version, length and extensions. A function with hooks goes through
// them in their order, and then to the plugin; all others are the plugin's own,
// called without a detour. So are slots and extensions that are newer than this
// package.
//
// Handles, events and errors of the plugin are handed through as they are. The
// errors that hooks make are this package's, and the table tells the two apart.
//
// The table has the functions that the plugin has: a hook of one that it lacks
// is never called. When the plugin's extension chain cannot be followed to its
// end, the wrapped chain ends where that is.
func Wrap(real *capi.Table, hooks ...Hook) (*Table, error) {
	if real == nil || real.API() == nil {
		return nil, errors.New("serve: Wrap needs the table of a PJRT plugin, and got none")
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

// sectionOf returns the section of an extension, and false for one of which this
// package knows no functions.
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
		return nil, fmt.Errorf("serve: the plugin states %d bytes as the size of its table %s, which cannot be", size, s)
	}
	p := &part{section: s, size: size, copyOf: base}
	for _, f := range capi.Functions(s) {
		var chain []func(*Invocation)
		for _, h := range hooks {
			if h.function == nil || h.function == f {
				chain = append(chain, h.call)
			}
		}
		// Without a hook on any function there are no errors but the plugin's.
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

// wrapped is a function that has hooks.
type wrapped struct {
	real        *capi.Table
	function    *capi.Function
	readsErrors bool
	code        uintptr // of the plugin's function
	chain       []func(*Invocation)
}

// around carries out a call.
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

// Invocation is one call of a wrapped table on its way through the hooks. It is
// valid until the hook returns, and for the goroutine that the hook runs on.
type Invocation struct {
	frame ccall.ArgFrame
	*wrapped
	args   unsafe.Pointer
	rest   []func(*Invocation) // the hooks behind the one that runs
	err    unsafe.Pointer
	copied *argsCopy // that the running hook works on; nil when there is none
}

// Function returns the function that is called.
func (c *Invocation) Function() *capi.Function { return c.function }

// Table returns the table of the plugin behind the hooks. Calls that a hook
// makes through it do not pass hooks.
func (c *Invocation) Table() *capi.Table { return c.real }

// Args returns the caller's args struct, of Size bytes; null when the caller
// passed null.
func (c *Invocation) Args() unsafe.Pointer { return c.args }

// Size returns the struct_size that the caller states, and 0 when the function's
// args have none.
func (c *Invocation) Size() uintptr {
	if c.function.Size == 0 || c.args == nil {
		return 0
	}
	return *(*uintptr)(c.args)
}

// Forward calls the next hook, and behind the last one the plugin. A hook that
// does not call it answers instead of the plugin; one that calls it again makes
// the call again, and the error that the first one left is destroyed.
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

// Fail makes the call end with an error of this package. An error that the call
// had already is destroyed. A function that returns nothing does not fail.
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

// Err returns the error that the caller gets as things stand, nil for none. That
// of a profiler's function is a PLUGIN_Profiler_Error.
func (c *Invocation) Err() *capi.ErrorHandle { return (*capi.ErrorHandle)(c.err) }

// ReadErr returns what that error says, nil for none. The error stays as it is.
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

// SetErr changes the error that the caller gets. The hook owns the one that the
// call had.
func (c *Invocation) SetErr(h *capi.ErrorHandle) {
	if !c.function.Void {
		c.err = unsafe.Pointer(h)
	}
}

// drop destroys the error that the call has.
func (c *Invocation) drop() {
	if c.err == nil {
		return
	}
	if !destroyFailure(c.err) {
		destroyReal(c.real, c.function, c.err)
	}
	c.err = nil
}

// argsCopy is what a typed hook works on when the caller's struct is shorter
// than the hook's.
type argsCopy struct {
	full, args unsafe.Pointer
	have       uintptr // bytes that the caller has
}

// enter brings the copy up to date, leave the caller's struct.
func (v *argsCopy) enter() { move(v.full, v.args, v.have) }
func (v *argsCopy) leave() { move(v.args, v.full, v.have) }

// Around makes a hook of the function whose args struct is A, such as
// capi.ClientCreateArgs. When the caller's struct is shorter than A, because the
// caller is older, fn gets a copy of it whose other fields are zero; the copy
// goes back, as far as the caller's struct reaches, before Forward and after
// fn. A call with null args does not pass the hook.
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
