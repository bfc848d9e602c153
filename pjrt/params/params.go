// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package params collects the arguments of programs from Go values, such as the structs
// that hold a model's weights, and stores results in such values.
//
// [Arguments] makes the list that [pjrt.LoadedExecutable.Bind] takes, [Scan] stores the
// results of an execution, [Places] says where the arrays of a file of weights belong, and
// [Close] closes the buffers. All visit a value in the same order:
//
//   - a struct: its fields from the first to the last, including embedded ones
//   - a slice or an array: its elements
//   - a map: its elements in the order of the keys, which must be strings
//   - a pointer: the value that it points to
//   - an interface: the value in it, unless the interface has methods and the type of
//     the value has no room for buffers (see below)
//
// They stop at each *[pjrt.Buffer], [pjrt.Argument], *[sharding.Array] and [pjrt.HostArray]. The
// last is an array on the host, which [Upload] takes and the others refuse.
//
// # Fields that are left out
//
// A field is left out if it has the tag `pjrt:"-"`, or if its type has no room for
// buffers. The type alone decides, not what the field holds at the time. These types have
// room:
//
//   - *pjrt.Buffer, pjrt.Argument, *sharding.Array, pjrt.HostArray,
//   - pjrt.Buffer and sharding.Array without the pointer,
//   - interfaces, whatever their methods, and
//   - pointers, slices, arrays, maps, channels and structs with any of these inside,
//     even in a field that is not exported; fields with the tag do not count.
//
// There is no room in functions, nor in these objects of package pjrt and pointers to
// them: Plugin, Client, Device, DeviceDescription, Memory, Topology, Executable,
// LoadedExecutable and Event.
//
// A field that has room but cannot be visited is an error: a field that is not exported,
// a channel, a map whose keys are not strings, a pjrt.Buffer or sharding.Array without
// the pointer, or a type of package pjrt that keeps buffers to itself, such as
// *[pjrt.Bound]. So a buffer is never dropped silently; to leave one out, tag its field.
package params

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Arguments makes a list of arguments from the values, which it visits as the package
// comment says:
//
//   - a *pjrt.Buffer is one argument.
//   - a *sharding.Array is one argument, with a part for each device in the order of the
//     mesh's devices.
//   - a pjrt.Argument is taken as it is: one without buffers leaves its parameter open.
//
// A nil pointer is an error that names the field, and so is a nil interface: a forgotten weight is
// not an open parameter. An argument without a name is named after its place, as in
// Layers[2].Weights. The caller still owns the buffers.
func Arguments(values ...any) ([]pjrt.Argument, error) {
	return arguments(values, func(at path, _ pjrt.HostArray) (*pjrt.Buffer, error) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%s is an array on the host: let Upload copy it to a device%s", at, orTag)
	})
}

// Upload is Arguments that takes arrays on the host, too: it copies each to a device, as opts say,
// which may be nil. The caller closes the buffers in made, which are those of these copies.
func Upload(ctx context.Context, client *pjrt.Client, opts *pjrt.BufferOptions, values ...any) (
	args []pjrt.Argument, made []*pjrt.Buffer, err error) {
	args, err = arguments(values, func(at path, a pjrt.HostArray) (*pjrt.Buffer, error) {
		b, err := client.BufferFromHost(ctx, a, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		made = append(made, b)
		return b, nil
	})
	if err != nil {
		for _, b := range made {
			b.Close()
		}
		return nil, nil, err
	}
	return args, made, nil
}

// arguments is Arguments with a function that makes a buffer of an array on the host.
func arguments(values []any, upload func(path, pjrt.HostArray) (*pjrt.Buffer, error)) ([]pjrt.Argument, error) {
	var list []pjrt.Argument
	err := visitAll(values, func(at path, v reflect.Value) error {
		name := strings.TrimPrefix(at.field, ".")
		a := pjrt.Argument{Name: name}
		switch leaf := v.Interface().(type) {
		case *pjrt.Buffer:
			if leaf == nil {
				return errNil(at)
			}
			a.Buffers = []*pjrt.Buffer{leaf}
		case *sharding.Array:
			if leaf == nil {
				return errNil(at)
			}
			if a.Buffers = leaf.Buffers(); len(a.Buffers) == 0 {
				return pjrt.ErrInvalidArgument.Errorf("%s is a sharding.Array without parts", at)
			}
		case pjrt.Argument:
			if a = leaf; a.Name == "" {
				a.Name = name
			}
			if slices.Contains(a.Buffers, nil) {
				return errNil(at)
			}
		case pjrt.HostArray:
			b, err := upload(at, leaf)
			if err != nil {
				return err
			}
			a.Buffers = []*pjrt.Buffer{b}
		}
		list = append(list, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func errNil(at path) error {
	return pjrt.ErrInvalidArgument.Errorf("%s is nil: fill it, or make it a pjrt.Argument without buffers to leave the parameter open%s",
		at, orTag)
}

// Scan stores the results of an execution in Go values: buffers, or the arrays that Execute of a
// sharding.Executable returns. It takes pointers to values such as Arguments takes, and visits them
// in the same order. All places that it stops at must be of the type of the results, and there must
// be as many. Scan does not close what it overwrites. After an error no value has changed.
func Scan[Result *pjrt.Buffer | *sharding.Array](results []Result, into ...any) error {
	want := reflect.TypeFor[Result]()
	var places []reflect.Value
	for i, v := range into {
		if r := reflect.ValueOf(v); r.Kind() != reflect.Pointer || r.IsNil() || isLeaf(r.Type()) {
			return pjrt.ErrInvalidArgument.Errorf("destination %d is of type %T; give a pointer to the value that takes the results", i, v)
		}
	}
	err := visitAll(into, func(at path, v reflect.Value) error {
		if v.Type() != want {
			return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; Scan stores these results in places of type %v", at, v.Type(), want)
		}
		if !v.CanSet() {
			return pjrt.ErrInvalidArgument.Errorf("%s cannot be changed because it is in a map or in an interface: use a slice or a struct",
				at)
		}
		places = append(places, v)
		return nil
	})
	if err != nil {
		return err
	}
	if len(places) != len(results) {
		return pjrt.ErrInvalidArgument.Errorf("the destinations have %d places for %d results", len(places), len(results))
	}
	for i, b := range results {
		places[i].Set(reflect.ValueOf(b))
	}
	return nil
}

var (
	bufferType   = reflect.TypeFor[*pjrt.Buffer]()
	arrayType    = reflect.TypeFor[*sharding.Array]()
	argumentType = reflect.TypeFor[pjrt.Argument]()
	hostType     = reflect.TypeFor[pjrt.HostArray]()
)

// isLeaf reports whether visits stop at values of the type instead of taking them apart.
func isLeaf(t reflect.Type) bool {
	return t == bufferType || t == arrayType || t == argumentType || t == hostType
}

// bufferless are types of package pjrt that never hold buffers of the program.
var bufferless = map[reflect.Type]bool{
	reflect.TypeFor[pjrt.Plugin]():            true,
	reflect.TypeFor[pjrt.Client]():            true,
	reflect.TypeFor[pjrt.Device]():            true,
	reflect.TypeFor[pjrt.DeviceDescription](): true,
	reflect.TypeFor[pjrt.Memory]():            true,
	reflect.TypeFor[pjrt.Topology]():          true,
	reflect.TypeFor[pjrt.Executable]():        true,
	reflect.TypeFor[pjrt.LoadedExecutable]():  true,
	reflect.TypeFor[pjrt.Event]():             true,
}

// maxNesting bounds the depth of values, so that one that contains itself is an error.
const maxNesting = 64

// path leads to a part of a value.
type path struct {
	field string // as Go writes it, after a dot at first
	name  string // as Place.Name
}

func (p path) toField(f reflect.StructField) path {
	name := f.Tag.Get("pjrt")
	switch {
	case name != "":
	case f.Anonymous:
		return path{p.field + "." + f.Name, p.name}
	default:
		name = underscored(f.Name)
	}
	return path{p.field + "." + f.Name, dotted(p.name, name)}
}

func (p path) toElement(i int) path {
	return path{fmt.Sprintf("%s[%d]", p.field, i), dotted(p.name, strconv.Itoa(i))}
}

func (p path) toKey(key string) path {
	return path{fmt.Sprintf("%s[%q]", p.field, key), dotted(p.name, key)}
}

// String names the place in an error.
func (p path) String() string {
	if p.field == "" {
		return "the value"
	}
	return strings.TrimPrefix(p.field, ".")
}

// visitor is called with each leaf and the path to it.
type visitor func(at path, leaf reflect.Value) error

func visitAll(values []any, leaf visitor) error {
	for i, v := range values {
		var at path
		if len(values) > 1 {
			at.field = fmt.Sprintf("[%d]", i)
		}
		if err := visit(reflect.ValueOf(v), at, 0, leaf); err != nil {
			return err
		}
	}
	return nil
}

func visit(v reflect.Value, at path, depth int, leaf visitor) error {
	if depth > maxNesting {
		return pjrt.ErrInvalidArgument.Errorf("%s is nested more than %d deep: does it contain itself?", at, maxNesting)
	}
	if !v.IsValid() {
		return pjrt.ErrInvalidArgument.Errorf("%s is nil", at)
	}
	t := v.Type()
	if isLeaf(t) {
		return leaf(at, v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return pjrt.ErrInvalidArgument.Errorf("%s is nil, so it is not known how many arguments it stands for", at)
		}
		if v.Kind() == reflect.Interface && t.NumMethod() > 0 && !hasRoom(v.Elem().Type(), nil) {
			return nil // such as an activation function among layers
		}
		return visit(v.Elem(), at, depth+1, leaf)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := visit(v.Index(i), at.toElement(i), depth+1, leaf); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; the keys of a map must be strings", at, t)
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := visit(v.MapIndex(k), at.toKey(k.String()), depth+1, leaf); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		if !bufferless[t] {
			return visitFields(v, at, depth, leaf)
		}
	case reflect.Chan:
		if hasRoom(t, nil) {
			return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; buffers cannot be taken out of a channel: use a slice%s",
				at, t, orTag)
		}
	}
	return pjrt.ErrInvalidArgument.Errorf("%s is of type %v, which holds no buffers", at, t)
}

const orTag = ", or tag the field `pjrt:\"-\"` to leave it out"

func visitFields(v reflect.Value, at path, depth int, leaf visitor) error {
	t := v.Type()
	switch {
	case t == bufferType.Elem() || t == arrayType.Elem():
		return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; use a *%v%s", at, t, t, orTag)
	case t.PkgPath() == bufferType.Elem().PkgPath() && hasRoom(t, nil):
		return pjrt.ErrInvalidArgument.Errorf("%s is of type %v, which may hold buffers that cannot be taken out: pass the buffers "+
			"themselves%s",
			at, t, orTag)
	}
	for i := range v.NumField() {
		f := t.Field(i)
		if ok, err := visits(f, at); err != nil {
			return err
		} else if !ok {
			continue
		}
		if err := visit(v.Field(i), at.toField(f), depth+1, leaf); err != nil {
			return err
		}
	}
	return nil
}

// visits reports whether a field of the struct at a path is visited, rather than left out. A field
// that has room but cannot be visited is an error.
func visits(f reflect.StructField, at path) (bool, error) {
	if f.Tag.Get("pjrt") == "-" || !hasRoom(f.Type, nil) {
		return false, nil
	}
	// The exported fields of an embedded struct are accessible even if its name is not
	// exported.
	if !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct) {
		return false, pjrt.ErrInvalidArgument.Errorf("%s may hold buffers but is not exported: export it%s", at.toField(f), orTag)
	}
	return true, nil
}

// hasRoom reports whether values of type t have room for buffers. outer are the types
// that contain t, which ends the search in recursive types.
func hasRoom(t reflect.Type, outer []reflect.Type) bool {
	if isLeaf(t) || t == bufferType.Elem() || t == arrayType.Elem() {
		return true
	}
	if bufferless[t] || slices.Contains(outer, t) {
		return false
	}
	outer = append(outer, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return hasRoom(t.Elem(), outer)
	case reflect.Map:
		return hasRoom(t.Key(), outer) || hasRoom(t.Elem(), outer)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("pjrt") != "-" && hasRoom(f.Type, outer) {
				return true
			}
		}
	}
	return false
}
