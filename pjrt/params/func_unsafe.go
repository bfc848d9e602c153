// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Func is a program for one device whose arguments and results are the buffers in Go structs, so
// that the compiler of Go checks how the program is called. Its methods may be called from any
// goroutine. The program stays the caller's, who closes it.
type Func[In, Out any] struct {
	exe     *pjrt.LoadedExecutable
	bound   *pjrt.Bound
	in, out []slot
}

// slot is where a buffer is in a struct.
type slot struct {
	offset uintptr
	name   string
}

// FuncOf gives a program Go types. In must have a buffer for each parameter that bound leaves open,
// in their order, and Out one for each result; bound may be nil, and then all parameters are open.
// The types may be *pjrt.Buffer or structs and arrays of such types; fields with the tag
// `pjrt:"-"` and those without room for buffers are left out. Slices, maps, pointers and interfaces
// are errors, because they do not say how many buffers they have. If the plugin does not describe
// the parameters, their number is first checked by Call.
func FuncOf[In, Out any](exe *pjrt.LoadedExecutable, bound *pjrt.Bound) (*Func[In, Out], error) {
	if exe == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the executable is nil: compile a program")
	}
	f := &Func[In, Out]{exe: exe, bound: bound}
	if err := slots(reflect.TypeFor[In](), 0, path{}, &f.in); err != nil {
		return nil, err
	}
	if err := slots(reflect.TypeFor[Out](), 0, path{}, &f.out); err != nil {
		return nil, err
	}
	if bound != nil {
		if open := len(bound.OpenParameters()); open != len(f.in) {
			return nil, pjrt.ErrInvalidArgument.Errorf("%v has %d buffers, and the program %s has %d open parameters",
				reflect.TypeFor[In](), len(f.in), exe.Name(), open)
		}
	} else if parameters, err := exe.Parameters(); err == nil && len(parameters) != len(f.in) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%v has %d buffers, and the program %s has %d parameters",
			reflect.TypeFor[In](), len(f.in), exe.Name(), len(parameters))
	}
	if n := exe.NumOutputs(); n != len(f.out) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%v has %d buffers, and the program %s has %d results",
			reflect.TypeFor[Out](), len(f.out), exe.Name(), n)
	}
	return f, nil
}

// Call executes the program like pjrt.LoadedExecutable.Execute, and waits for its end. The caller
// closes the results, for example with [Close], and the arguments, even those that were donated.
func (f *Func[In, Out]) Call(ctx context.Context, in In) (out Out, err error) {
	return f.CallWith(ctx, in, nil)
}

// CallWith is Call with options, whose Bound must be nil.
func (f *Func[In, Out]) CallWith(ctx context.Context, in In, opts *pjrt.ExecuteOptions) (out Out, err error) {
	if f == nil || f.exe == nil {
		return out, pjrt.ErrInvalidArgument.Errorf("the function is nil: make it with FuncOf")
	}
	var o pjrt.ExecuteOptions
	if opts != nil {
		o = *opts
	}
	if o.Bound != nil {
		return out, pjrt.ErrInvalidArgument.Errorf("the option Bound is set: give it to FuncOf, which has to know the open parameters")
	}
	o.Bound = f.bound
	args := make([]*pjrt.Buffer, len(f.in))
	for i, s := range f.in {
		if args[i] = *s.of(unsafe.Pointer(&in)); args[i] == nil {
			return out, pjrt.ErrInvalidArgument.Errorf("%s is nil", s.name)
		}
	}
	results, err := f.exe.Execute(ctx, args, &o)
	if err != nil {
		return out, err
	}
	for i, s := range f.out {
		*s.of(unsafe.Pointer(&out)) = results[i]
	}
	return out, nil
}

// of returns the place of the buffer in a value of the type that the slot was found in.
func (s slot) of(value unsafe.Pointer) **pjrt.Buffer {
	return (**pjrt.Buffer)(unsafe.Add(value, s.offset))
}

// slots appends the places of buffers in a type at an offset.
func slots(t reflect.Type, offset uintptr, at path, list *[]slot) error {
	if t == bufferType {
		*list = append(*list, slot{offset, at.String()})
		return nil
	}
	switch {
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if err := slots(t.Elem(), offset+uintptr(i)*t.Elem().Size(), at.toElement(i), list); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() == reflect.Struct && t != bufferType.Elem() && t != arrayType.Elem() &&
		t != argumentType && t != hostType && !bufferless[t]:
		for i := range t.NumField() {
			f := t.Field(i)
			if ok, err := visits(f, at); err != nil {
				return err
			} else if !ok {
				continue
			}
			if err := slots(f.Type, offset+f.Offset, at.toField(f), list); err != nil {
				return err
			}
		}
		return nil
	}
	return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; a type must say how many buffers it has: "+
		"use *pjrt.Buffer, structs and arrays%s", at, t, orTag)
}
