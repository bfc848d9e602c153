// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// field is a field of an operation that is one argument or result.
type field struct {
	name   string
	offset uintptr
	bind   binder
	clear  func(p unsafe.Pointer)
}

// many is a field of an operation that is a slice of all remaining arguments or results.
type many struct {
	field
	size   uintptr                                                  // of an element
	resize func(slice unsafe.Pointer, n int) (first unsafe.Pointer) // gives the slice n elements
}

// operands describes the fields of an operation that are arguments, or those that are results.
type operands struct {
	what string // argument or result
	one  []field
	rest *many // or nil
}

// plan describes how to fill in an operation, the struct that describes a call. It is made
// once, by reflection; calls only follow it.
type plan struct {
	args, rets operands
	attrs      dictionary
}

// planOf describes an operation.
func planOf(t reflect.Type) (*plan, error) {
	if t.Kind() != reflect.Struct {
		return nil, pjrt.ErrInvalidArgument.Errorf("a handler takes a pointer to a struct that describes the call, not %v", t)
	}
	p := &plan{args: operands{what: "argument"}, rets: operands{what: "result"}}
	for i := range t.NumField() {
		f := t.Field(i)
		o, slice := operandOf(f.Type)
		if o == nil {
			if err := p.attrs.add(f); err != nil {
				_, why := raw.ErrorParts(err)
				return nil, pjrt.ErrInvalidArgument.Errorf("%v cannot describe a custom call: %s", t, why)
			}
			continue
		}
		list := &p.args
		if o.isResult() {
			list = &p.rets
		}
		switch {
		case !f.IsExported():
			return nil, pjrt.ErrInvalidArgument.Errorf("%v cannot describe a custom call: the field %s is not exported", t, f.Name)
		case list.rest != nil:
			return nil, pjrt.ErrInvalidArgument.Errorf("%v cannot describe a custom call: "+
				"the field %s comes after %s, which takes all other %ss",
				t, f.Name, list.rest.name, list.what)
		case o.elem().IsSubByte():
			return nil, pjrt.ErrInvalidArgument.Errorf("%v cannot describe a custom call: elements of type %v are packed in memory, "+
				"so the field %s must be an AnyArg or an AnyRet", t, o.elem(), f.Name)
		}
		entry := field{f.Name, f.Offset, o.bind(), o.clear()}
		if slice {
			list.rest = &many{entry, f.Type.Elem().Size(), resizer(f.Type)}
		} else {
			list.one = append(list.one, entry)
		}
	}
	return p, nil
}

// operandOf returns the operand for the type of a field, or nil for an attribute, and reports
// whether the field is a slice of operands.
func operandOf(t reflect.Type) (o operand, slice bool) {
	if o, ok := reflect.Zero(reflect.PointerTo(t)).Interface().(operand); ok {
		return o, false
	}
	if t.Kind() == reflect.Slice {
		if o, ok := reflect.Zero(reflect.PointerTo(t.Elem())).Interface().(operand); ok {
			return o, true
		}
	}
	return nil, false
}

// resizer returns the function many.resize for a slice type.
func resizer(t reflect.Type) func(unsafe.Pointer, int) unsafe.Pointer {
	return func(p unsafe.Pointer, n int) unsafe.Pointer {
		// All slices have the same form, with length and capacity in elements.
		s := (*[]struct{})(p)
		if len(*s) != n {
			reflect.NewAt(t, p).Elem().Set(reflect.MakeSlice(t, n, n)) // only when the program changes
		}
		return unsafe.Pointer(unsafe.SliceData(*s))
	}
}

// bindOperands fills in the fields for arguments and results of the operation at p. read says
// that their memory is the host's and that its contents are there.
func (x *plan) bindOperands(p unsafe.Pointer, frame *cffi.CallFrame, read bool) error {
	if err := x.args.bind(p, frame.Args.Len(), frame.Args.Buffer, read); err != nil {
		return err
	}
	return x.rets.bind(p, frame.Rets.Len(), frame.Rets.Buffer, read)
}

func (o *operands) bind(p unsafe.Pointer, n int, buffer func(int) (*cffi.Buffer, error), read bool) error {
	if n < len(o.one) || n > len(o.one) && o.rest == nil {
		return o.wrongNumber(n)
	}
	for i := range o.one {
		f := &o.one[i]
		if err := o.bindOne(f, i, unsafe.Add(p, f.offset), buffer, read); err != nil {
			return err
		}
	}
	if o.rest == nil {
		return nil
	}
	first := o.rest.resize(unsafe.Add(p, o.rest.offset), n-len(o.one))
	for i := len(o.one); i < n; i++ {
		if err := o.bindOne(&o.rest.field, i, unsafe.Add(first, uintptr(i-len(o.one))*o.rest.size), buffer, read); err != nil {
			return err
		}
	}
	return nil
}

func (o *operands) bindOne(f *field, i int, p unsafe.Pointer, buffer func(int) (*cffi.Buffer, error), read bool) error {
	b, err := buffer(i)
	if err == nil {
		err = f.bind(p, b, read)
	}
	if err != nil {
		_, why := raw.ErrorParts(err)
		return pjrt.ErrInvalidArgument.Errorf("%s %d (%s) %s", o.what, i, f.name, why)
	}
	return nil
}

func (o *operands) wrongNumber(n int) error {
	names := make([]string, len(o.one))
	for i, f := range o.one {
		names[i] = f.name
	}
	want := fmt.Sprint(len(o.one))
	if o.rest != nil {
		want = "at least " + want
	}
	return pjrt.ErrInvalidArgument.Errorf("the call has %d %ss, and the handler takes %s (%s)", n, o.what, want, strings.Join(names, ", "))
}

// forget drops the references to a call's memory.
func (x *plan) forget(p unsafe.Pointer) {
	for _, o := range []*operands{&x.args, &x.rets} {
		for i := range o.one {
			o.one[i].clear(unsafe.Add(p, o.one[i].offset))
		}
		if m := o.rest; m != nil {
			s := (*[]struct{})(unsafe.Add(p, m.offset))
			for i := range *s {
				m.clear(unsafe.Add(unsafe.Pointer(unsafe.SliceData(*s)), uintptr(i)*m.size))
			}
		}
	}
}
