// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// All platforms with words of 8 bytes lay structs out alike, so that the proofs in
// zz_*_layout_test.go hold wherever this compiles.
var _ [8]byte = [unsafe.Sizeof(uintptr(0))]byte{}

// Call is a call of the C function whose args struct is A. The zero value is ready to use, and a
// Call can be used again after a call. Fields of Args that the caller does not set again keep their
// values.
//
// Only one goroutine may use a Call at a time. Calls always live on the heap.
type Call[A any] struct {
	callHeader
	// Args is the C struct. Do sets its StructSize and clears its out fields.
	Args A
}

// callHeader precedes the args struct. frame is its last field, so that nothing lies between the
// two.
type callHeader struct {
	fn *Function
	form
	frame ccall.Frame
}

// form is what the last call has learned about its function in its table, for the next call. It
// lies in one line of the processor's caches, together with the frame. What it was learned from
// lies in several, which a short call would wait for, because the plugin uses the caches as well.
type form struct {
	table *Table // nil if the next call must look at the function and the table themselves
	// A bit of zero or results stands for a word of the args: zero has the out fields, results
	// those of them that must not be null after the call.
	zero, results uint64
	size          uintptr // struct_size
	pure          bool    // see Function.Pure
	gated         bool    // the plugin does not know all fields
	more          bool    // results does not say all that there is to do after the call
}

// learn fills in the form of a function. It leaves table nil if the form cannot say all that there
// is to do before a call.
func (m *form) learn(t *Table, f *Function) {
	m.table, m.pure, m.gated = nil, f.Pure && !t.reentrant, f.GatedSince > t.gateMinor
	if f.Size == 0 {
		return
	}
	m.zero, m.results = 0, 0
	for _, z := range f.Zero {
		if z.Offset+z.Size == f.Size {
			z.Size = (z.Size + wordSize - 1) &^ (wordSize - 1) // padding follows the last field
		}
		set := words(z.Offset, z.Size)
		if set == 0 {
			return
		}
		m.zero |= set
	}
	m.more = f.registers != nil
	if t.checked {
		for _, r := range f.Results {
			word := words(r.Offset, wordSize)
			m.more = m.more || r.Count.Size != 0 || word == 0
			m.results |= word
		}
	}
	m.table, m.size = t, f.Size
}

// words returns the bits of a form for the words of a field, or 0 if the field has parts of words,
// or is too far away.
func words(offset, size uintptr) uint64 {
	const far = 64 * wordSize
	if size == 0 || offset%wordSize != 0 || size%wordSize != 0 || offset >= far || size > far-offset {
		return 0
	}
	return (1<<(size/wordSize) - 1) << (offset / wordSize)
}

// begin makes args ready for a call.
func (m *form) begin(args unsafe.Pointer) {
	*(*uintptr)(args) = m.size
	for z := m.zero; z != 0; z &= z - 1 {
		*wordOf(args, z) = 0
	}
}

// isComplete reports whether a call that succeeded has left none of its results null.
func (m *form) isComplete(args unsafe.Pointer) bool {
	for z := m.results; z != 0; z &= z - 1 {
		if *wordOf(args, z) == 0 {
			return false
		}
	}
	return true
}

// wordOf returns the word of args that the lowest bit of z stands for.
func wordOf(args unsafe.Pointer, z uint64) *uintptr {
	return (*uintptr)(unsafe.Add(args, wordSize*uintptr(bits.TrailingZeros64(z))))
}

// Function returns the descriptor of the function that A belongs to. It panics if A is not a
// generated args struct.
func (c *Call[A]) Function() *Function {
	if c.fn == nil {
		a, ok := any(&c.Args).(Arguments)
		if !ok {
			panic(fmt.Sprintf("capi: %T is not the args struct of a PJRT function", c.Args))
		}
		c.fn = a.Function()
	}
	return c.fn
}

// Do calls the function. The error is an *Error. It is the plugin's own error, or has the code
// ErrorCodeUnimplemented if the plugin lacks the function, its extension, or an input field that is
// set. See Table.Checked for results that cannot be used.
//
// Do blocks as long as the C function does. It does not allocate unless there
// is an error.
func (c *Call[A]) Do(t *Table) error {
	if c.fn == nil {
		c.Function()
	}
	return c.do(t, unsafe.Pointer(&c.Args))
}

// Do calls the function whose args struct is A, as [Call.Do] does, and returns the struct as it is
// after the call, also beside an error. It is for single calls: it allocates, and a Call that is
// used again does not.
func Do[A any](t *Table, args A) (*A, error) {
	c := &Call[A]{Args: args}
	err := c.Do(t)
	return &c.Args, err
}

// Raw passes Args unchanged: it does not set struct_size, clear out fields, or check newer fields.
// It returns the plugin's error, which the caller owns and frees (see Table.TakeError), and nil
// after a function without a result. Raw's own error means that the plugin does not have the slot,
// and that nothing was called.
func (c *Call[A]) Raw(t *Table) (*ErrorHandle, error) {
	f := c.Function()
	code, err := t.code(f)
	if err != nil {
		return nil, err
	}
	c.frame.Code = code
	c.form.table = nil // the code may be that of another table
	if t.before != nil {
		t.before(f)
	}
	if t.calls == nil {
		ccall.Invoke(unsafe.Pointer(&c.frame))
	} else {
		c.invokeAmong(t.calls)
	}
	if f.Void {
		return nil, nil
	}
	return *(**ErrorHandle)(unsafe.Pointer(&c.frame.Ret)), nil
}

// do is separate from Do, so that the program has one copy of it, not one for each A. args is the
// struct that follows h.
func (h *callHeader) do(t *Table, args unsafe.Pointer) error {
	if h.isReady(t) {
		h.begin(args)
	} else if err := h.prepare(t, args); err != nil {
		return err
	}
	if t.before != nil {
		t.before(h.fn)
	}
	switch {
	case h.pure:
		ccall.InvokePure(unsafe.Pointer(&h.frame))
	case t.calls == nil:
		ccall.Invoke(unsafe.Pointer(&h.frame))
	default:
		h.invokeAmong(t.calls)
	}
	if h.succeeded(t) && h.isComplete(args) {
		return nil
	}
	return h.result(t, args)
}

// invokeAmong makes the call when there is room for it among the others under way.
func (h *callHeader) invokeAmong(calls chan struct{}) {
	calls <- struct{}{}
	defer func() { <-calls }()
	ccall.Invoke(unsafe.Pointer(&h.frame))
}

// succeeded reports whether a call that was made returned no error and the form says all that there
// is to do after it.
func (h *callHeader) succeeded(t *Table) bool { return h.frame.Ret == 0 && h.table == t && !h.more }

// isReady reports whether begin does all that there is to do before a call. Otherwise prepare does.
func (h *callHeader) isReady(t *Table) bool { return t != nil && h.table == t && !h.gated }

// prepare finds the function and makes args ready for it.
func (h *callHeader) prepare(t *Table, args unsafe.Pointer) error {
	if t == nil || h.table != t {
		code := t.lookup(h.fn)
		if code == 0 {
			return t.missing(h.fn)
		}
		h.frame.Code = code
		h.learn(t, h.fn)
	}
	if h.gated {
		if err := t.checkGates(h.fn, args); err != nil {
			return err
		}
	}
	if h.table == t {
		h.begin(args)
		return nil
	}
	if h.fn.Size != 0 {
		*(*uintptr)(args) = h.fn.Size
	}
	for _, z := range h.fn.Zero {
		clear(unsafe.Slice((*byte)(unsafe.Add(args, z.Offset)), z.Size))
	}
	return nil
}

// result returns the error of a call that was made.
func (h *callHeader) result(t *Table, args unsafe.Pointer) error {
	f := h.fn
	// After a void function, the result register holds garbage.
	if f.Void || h.frame.Ret == 0 {
		if t.checked && len(f.Results) > 0 {
			if err := checkResults(f, args); err != nil {
				return err
			}
		}
		if f.registers != nil {
			t.register(f, args)
		}
		return nil
	}
	return t.takeError(f, *(*unsafe.Pointer)(unsafe.Pointer(&h.frame.Ret)))
}

const wordSize = unsafe.Sizeof(uintptr(0))

// lookup returns the address of f in this plugin's tables, or 0. It is small enough to be inlined.
func (t *Table) lookup(f *Function) uintptr {
	if t == nil {
		return 0
	}
	// The words after the end of the plugin's table may be anything, so check the size before
	// reading the slot.
	s := &t.sections[f.Section%numSections]
	if f.Offset+wordSize > s.size {
		return 0
	}
	return *(*uintptr)(unsafe.Add(s.base, f.Offset))
}

// code returns the address of f in this plugin's tables.
func (t *Table) code(f *Function) (uintptr, error) {
	if code := t.lookup(f); code != 0 {
		return code, nil
	}
	return 0, t.missing(f)
}

// checkGates returns an error if an input field is set that the plugin does not know, because the
// plugin would silently ignore it and give wrong results.
func (t *Table) checkGates(f *Function, args unsafe.Pointer) error {
	if err := t.checkGated(f, "", f.Gated, args); err != nil {
		return err
	}
	for _, n := range f.Nested {
		p := *(*unsafe.Pointer)(unsafe.Add(args, n.Offset))
		if p == nil {
			continue
		}
		if err := t.checkGated(f, n.Struct, n.Gated, p); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) checkGated(f *Function, nested string, gates []Gate, args unsafe.Pointer) error {
	// The fields that the plugin does not know are the last ones.
	known := len(gates)
	set := false
	for known > 0 && gates[known-1].Since > t.gateMinor {
		known--
		set = set || !gates[known].isZero(args)
	}
	if !set {
		return nil
	}
	for _, g := range gates[known:] {
		if g.isZero(args) {
			continue
		}
		name := g.Name
		if nested != "" {
			name = nested + "." + name
		}
		return &Error{
			Code: ErrorCodeUnimplemented, Func: f.Name, Missing: true,
			Message: fmt.Sprintf("the field %s is set, which came with API %d.%d, but "+
				"the plugin has API %d.%d and would ignore it: leave it zero or use a newer plugin",
				name, APIMajor, g.Since, t.major, t.minor),
		}
	}
	return nil
}

func (g *Gate) isZero(args unsafe.Pointer) bool {
	p := unsafe.Add(args, g.Offset)
	return g.Size == wordSize && *(*uintptr)(p) == 0 || g.Size != wordSize && allZero(p, g.Size)
}

func allZero(p unsafe.Pointer, n uintptr) bool {
	for _, b := range unsafe.Slice((*byte)(p), n) {
		if b != 0 {
			return false
		}
	}
	return true
}

// Has reports whether the plugin has the function f, so that a call reaches C. The function may
// still do nothing but return an error.
func (t *Table) Has(f *Function) bool {
	_, err := t.code(f)
	return err == nil
}

// Lacks returns nil if the plugin has the function f, and otherwise the error that a call of f
// would return.
func (t *Table) Lacks(f *Function) error {
	_, err := t.code(f)
	return err
}
