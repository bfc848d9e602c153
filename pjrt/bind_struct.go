// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Arguments makes a list of arguments out of Go values, such as the structs that
// hold a model. It takes them apart in this order, and each *Buffer and each
// Argument that it finds is one argument:
//
//   - a struct: its fields from the first to the last, embedded ones too. Fields
//     whose types have no room for buffers are left out, and so are those tagged
//     `pjrt:"-"`. A field that has room but is not exported is an error.
//   - a slice or an array: its elements.
//   - a map with keys of strings: its elements in the order of the keys.
//   - a pointer or an interface: what is behind it.
//
// A nil *Buffer is an argument that is open (see Argument); a nil pointer to
// anything else, or a nil interface, is an error, as the number of arguments
// behind it is not known. Each Argument is named after its place, as in
// Layers[2].Weights.
func Arguments(values ...any) ([]Argument, error) {
	var list []Argument
	err := walkAll(values, func(name string, v reflect.Value) error {
		switch leaf := v.Interface().(type) {
		case *Buffer:
			a := Argument{Name: name}
			if leaf != nil {
				a.Buffers = []*Buffer{leaf}
			}
			list = append(list, a)
		case Argument:
			if leaf.Name == "" {
				leaf.Name = name
			}
			list = append(list, leaf)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Scan puts the results of an execution into Go values, one buffer after the
// other: it takes pointers to what Arguments takes apart, in the same order. The
// places must be *Buffer, as many as there are results. What was there before is
// not closed. After an error nothing was changed.
func Scan(results []*Buffer, into ...any) error {
	var places []reflect.Value
	for i, v := range into {
		if r := reflect.ValueOf(v); r.Kind() != reflect.Pointer || r.IsNil() || r.Type() == bufferType {
			return invalid("destination %d is a %T; give a pointer to what takes the results", i, v)
		}
	}
	err := walkAll(into, func(name string, v reflect.Value) error {
		if v.Type() != bufferType {
			return invalid("%s is an Argument; results go to places of type *Buffer", name)
		}
		if !v.CanSet() {
			return invalid("%s cannot be changed: it is the element of a map or of an interface; use a slice or a struct", name)
		}
		places = append(places, v)
		return nil
	})
	if err != nil {
		return err
	}
	if len(places) != len(results) {
		return invalid("there are %d places for %d results", len(places), len(results))
	}
	for i, b := range results {
		places[i].Set(reflect.ValueOf(b))
	}
	return nil
}

var (
	bufferType   = reflect.TypeFor[*Buffer]()
	argumentType = reflect.TypeFor[Argument]()
)

// maxNesting bounds the depth of values: those that point to themselves have no
// end.
const maxNesting = 64

// walkAll calls leaf for each *Buffer and Argument in the values.
func walkAll(values []any, leaf func(name string, v reflect.Value) error) error {
	for i, v := range values {
		name := ""
		if len(values) > 1 {
			name = fmt.Sprintf("[%d]", i)
		}
		if err := walk(reflect.ValueOf(v), name, 0, leaf); err != nil {
			return err
		}
	}
	return nil
}

func walk(v reflect.Value, name string, depth int, leaf func(string, reflect.Value) error) error {
	if depth > maxNesting {
		return invalid("%s is nested more than %d deep: does it contain itself?", name, maxNesting)
	}
	if !v.IsValid() {
		return invalid("%s is nil", place(name))
	}
	if t := v.Type(); t == bufferType || t == argumentType {
		return leaf(strings.TrimPrefix(name, "."), v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return invalid("%s is nil", place(name))
		}
		return walk(v.Elem(), name, depth+1, leaf)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := walk(v.Index(i), fmt.Sprintf("%s[%d]", name, i), depth+1, leaf); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return invalid("%s is a %v; maps must have keys of strings", place(name), v.Type())
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := walk(v.MapIndex(k), fmt.Sprintf("%s[%q]", name, k.String()), depth+1, leaf); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		return walkStruct(v, name, depth, leaf)
	}
	return invalid("%s is a %v, which holds no buffers", place(name), v.Type())
}

func walkStruct(v reflect.Value, name string, depth int, leaf func(string, reflect.Value) error) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("pjrt") == "-" || !holdsBuffers(f.Type, nil) {
			continue
		}
		// The exported fields of an embedded struct are within reach.
		if !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct) {
			return invalid("%s.%s may hold buffers but is not exported: export it, or tag it `pjrt:\"-\"`", strings.TrimPrefix(name, "."), f.Name)
		}
		if err := walk(v.Field(i), name+"."+f.Name, depth+1, leaf); err != nil {
			return err
		}
	}
	return nil
}

// holdsBuffers reports whether values of the type have room for buffers, as far
// as the type says.
func holdsBuffers(t reflect.Type, outer []reflect.Type) bool {
	if t == bufferType || t == argumentType {
		return true
	}
	if slices.Contains(outer, t) {
		return false
	}
	outer = append(outer, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsBuffers(t.Elem(), outer)
	case reflect.Interface:
		return t.NumMethod() == 0
	case reflect.Struct:
		if t.PkgPath() == bufferType.Elem().PkgPath() {
			return false // a Client or an Executable is no model
		}
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("pjrt") != "-" && holdsBuffers(f.Type, outer) {
				return true
			}
		}
	}
	return false
}

func place(name string) string {
	if name = strings.TrimPrefix(name, "."); name == "" {
		return "the value"
	}
	return name
}
