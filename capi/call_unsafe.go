// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// Call is one call of a C function, A being the function's args struct. The
// zero value is ready, and after a call it can be filled in and used again.
// Fields of Args that a caller does not set again keep their values.
//
// A Call is for one goroutine at a time, and always lives on the heap.
type Call[A any] struct {
	callHeader
	// Args is the C struct. Do sets its StructSize and clears its out fields.
	Args A
}

// callHeader stands in front of the args struct; the frame is its last part,
// so that nothing lies between the two.
type callHeader struct {
	fn    *Function
	frame ccall.Frame
}

// Function returns the descriptor of the function that A belongs to. It panics
// when A is not a generated args struct.
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

// Do calls the function. The error is an *Error: the plugin's own, or one of
// code ErrorCodeUnimplemented when the plugin lacks the function, its
// extension, or an input field that is set.
//
// Do blocks as long as the C function does. It does not allocate unless there
// is an error.
func (c *Call[A]) Do(t *Table) error {
	if c.fn == nil {
		c.Function()
	}
	return c.do(t, unsafe.Pointer(&c.Args))
}

// Raw sends Args as they are: struct_size is not set, out fields are not
// cleared, newer fields are not looked at. It returns the plugin's error, which
// the caller owns and frees (see Table.TakeError), and nil after a function
// that returns nothing. The error of Raw is for a slot that the plugin does not
// have; nothing was called then.
func (c *Call[A]) Raw(t *Table) (*ErrorHandle, error) {
	f := c.Function()
	code, err := t.code(f)
	if err != nil {
		return nil, err
	}
	c.frame.Code = code
	if t.before != nil {
		t.before(f)
	}
	ccall.Invoke(unsafe.Pointer(&c.frame))
	if f.Void {
		return nil, nil
	}
	return *(**ErrorHandle)(unsafe.Pointer(&c.frame.Ret)), nil
}

// do is apart from Do so that there is one copy of it, not one for each A.
// args is the struct behind h.
func (h *callHeader) do(t *Table, args unsafe.Pointer) error {
	f := h.fn
	code := t.lookup(f)
	if code == 0 {
		return t.missing(f)
	}
	if f.GatedSince > t.gateMinor {
		if err := t.checkGates(f, args); err != nil {
			return err
		}
	}
	if f.Size != 0 {
		*(*uintptr)(args) = f.Size
	}
	for _, z := range f.Zero {
		// Most spans are a few words: a loop beats a call of memclr.
		for at, end := z.Offset, z.Offset+z.Size; at < end; {
			if at%wordSize == 0 && end-at >= wordSize {
				*(*uintptr)(unsafe.Add(args, at)) = 0
				at += wordSize
			} else {
				*(*byte)(unsafe.Add(args, at)) = 0
				at++
			}
		}
	}
	h.frame.Code = code
	if t.before != nil {
		t.before(f)
	}
	if f.Pure && !t.reentrant {
		ccall.InvokePure(unsafe.Pointer(&h.frame))
	} else {
		ccall.Invoke(unsafe.Pointer(&h.frame))
	}
	// A function that returns nothing leaves garbage in the result register.
	if f.Void || h.frame.Ret == 0 {
		return nil
	}
	return t.takeError(f, *(*unsafe.Pointer)(unsafe.Pointer(&h.frame.Ret)))
}

const wordSize = unsafe.Sizeof(uintptr(0))

// lookup returns the address of f in this plugin's tables, or 0. It is small
// enough to be inlined into the call path.
func (t *Table) lookup(f *Function) uintptr {
	if t == nil {
		return 0
	}
	// The words behind a plugin's own table are whatever its linker put there,
	// so the size comes first, then the test for null.
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

// checkGates looks for an input field that is set and that the plugin does not
// know: silently dropping it would give wrong results.
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
	for _, g := range gates {
		if g.Since <= t.gateMinor {
			continue
		}
		p := unsafe.Add(args, g.Offset)
		if g.Size == wordSize && *(*uintptr)(p) == 0 || g.Size != wordSize && allZero(p, g.Size) {
			continue
		}
		name := g.Name
		if nested != "" {
			name = nested + "." + name
		}
		return &Error{
			Code: ErrorCodeUnimplemented, Func: f.Name, Missing: true,
			Message: fmt.Sprintf("the field %s is set, which came with API %d.%d; the plugin has API %d.%d and would ignore it: leave it zero or use a newer plugin",
				name, APIMajor, g.Since, t.major, t.minor),
		}
	}
	return nil
}

func allZero(p unsafe.Pointer, n uintptr) bool {
	for _, b := range unsafe.Slice((*byte)(p), n) {
		if b != 0 {
			return false
		}
	}
	return true
}

// Has reports whether the plugin has the function f. When it does, a call
// reaches C; whether the plugin does anything there is another matter.
func (t *Table) Has(f *Function) bool {
	_, err := t.code(f)
	return err == nil
}

// Lacks returns nil when the plugin has the function f, else the error that a
// call of it gives.
func (t *Table) Lacks(f *Function) error {
	_, err := t.code(f)
	return err
}
