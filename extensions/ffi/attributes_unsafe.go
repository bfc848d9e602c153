// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// A setter puts an attribute into the variable at p. If the variable already has that
// value, the setter keeps it, so that repeated calls allocate nothing.
type setter func(p unsafe.Pointer, x cffi.Attr) error

// attribute is a field of a struct that takes an attribute.
type attribute struct {
	name     string
	offset   uintptr
	set      setter
	clear    func(p unsafe.Pointer)
	optional bool
}

// dictionary describes a struct whose fields take attributes, sorted by name.
type dictionary struct {
	fields []attribute
	rest   *attribute // takes the others, or is nil
}

// decode sets the fields of the struct at p.
func (d *dictionary) decode(p unsafe.Pointer, attrs *cffi.Attrs) error {
	n := attrs.Len()
	if n == 0 && len(d.fields) == 0 && d.rest == nil {
		return nil
	}
	names, kinds, values := unsafe.Slice(attrs.Names, n), unsafe.Slice(attrs.Types, n), unsafe.Slice(attrs.Attrs, n)
	found := 0
	for i := range d.fields {
		f := &d.fields[i]
		j := lookup(names, f.name)
		at := unsafe.Add(p, f.offset)
		if j < 0 {
			if !f.optional {
				return pjrt.ErrInvalidArgument.Errorf("the attribute %q is missing: the call has %q", f.name, nameList(names))
			}
			f.clear(at)
			continue
		}
		found++
		if err := f.set(at, cffi.Attr{Kind: kinds[j], Data: values[j]}); err != nil {
			_, why := raw.ErrorParts(err)
			return pjrt.ErrInvalidArgument.Errorf("the attribute %q %s", f.name, why)
		}
	}
	switch {
	case d.rest != nil:
		return d.takeRest(p, attrs)
	case found < n:
		for _, s := range names {
			if name := s.String(); !d.has(name) {
				return pjrt.ErrInvalidArgument.Errorf("the handler has no attribute %q: it has %q", name, d.names())
			}
		}
	}
	return nil
}

// takeRest puts the attributes without a field into the map that takes them.
func (d *dictionary) takeRest(p unsafe.Pointer, attrs *cffi.Attrs) error {
	all, err := attrs.Map()
	if err != nil {
		return err
	}
	maps.DeleteFunc(all, func(name string, _ any) bool { return d.has(name) })
	*(*map[string]any)(unsafe.Add(p, d.rest.offset)) = all
	return nil
}

func (d *dictionary) has(name string) bool {
	return slices.ContainsFunc(d.fields, func(f attribute) bool { return f.name == name })
}

func (d *dictionary) names() []string {
	list := []string{}
	for _, f := range d.fields {
		list = append(list, f.name)
	}
	return list
}

// lookup returns the position of a name, or -1. It compares names in place, because a
// string would be a copy.
func lookup(names []*cffi.ByteSpan, name string) int {
	for i, s := range names {
		if string(view(s)) == name {
			return i
		}
	}
	return -1
}

func nameList(names []*cffi.ByteSpan) []string {
	list := []string{}
	for _, s := range names {
		list = append(list, s.String())
	}
	return list
}

// view returns the bytes of a span, which belong to XLA.
func view(s *cffi.ByteSpan) []byte {
	if s == nil || s.Ptr == nil {
		return nil
	}
	return unsafe.Slice(s.Ptr, s.Len)
}

var (
	anyType  = reflect.TypeFor[any]()
	restType = reflect.TypeFor[map[string]any]()
)

// setterOf returns the setter for variables of a type.
func setterOf(t reflect.Type) (setter, error) {
	if n, ok := numbers[t.Kind()]; ok {
		return n.scalar(t), nil
	}
	switch t.Kind() {
	case reflect.String:
		return setString, nil
	case reflect.Slice:
		if n, ok := numbers[t.Elem().Kind()]; ok {
			return n.array(t), nil
		}
	case reflect.Struct:
		d, err := dictionaryOf(t)
		if err != nil {
			return nil, err
		}
		return d.set, nil
	case reflect.Map:
		if t == restType {
			return setMap, nil
		}
	case reflect.Interface:
		if t == anyType {
			return setAny, nil
		}
	}
	return nil, pjrt.ErrInvalidArgument.Errorf("no attribute fits into a %v: "+
		"a string, a number, a slice of numbers, a struct, a map[string]any or an any can take one", t)
}

func setString(p unsafe.Pointer, x cffi.Attr) error {
	if x.Kind != cffi.AttrTypeString || x.Data == nil {
		return pjrt.ErrInvalidArgument.Errorf("is %s, and the handler takes a string", described(x))
	}
	text := view((*cffi.ByteSpan)(x.Data))
	if s := (*string)(p); *s != string(text) {
		*s = string(text)
	}
	return nil
}

func (d *dictionary) set(p unsafe.Pointer, x cffi.Attr) error {
	if x.Kind != cffi.AttrTypeDictionary || x.Data == nil {
		return pjrt.ErrInvalidArgument.Errorf("is %s, and the handler takes a dictionary", described(x))
	}
	if err := d.decode(p, (*cffi.Attrs)(x.Data)); err != nil {
		_, why := raw.ErrorParts(err)
		return pjrt.ErrInvalidArgument.Errorf("is a dictionary: %s", why)
	}
	return nil
}

func setMap(p unsafe.Pointer, x cffi.Attr) error {
	if x.Kind != cffi.AttrTypeDictionary || x.Data == nil {
		return pjrt.ErrInvalidArgument.Errorf("is %s, and the handler takes a dictionary", described(x))
	}
	m, err := (*cffi.Attrs)(x.Data).Map()
	*(*map[string]any)(p) = m
	return err
}

func setAny(p unsafe.Pointer, x cffi.Attr) error {
	v, err := x.Value()
	if d, ok := v.(*cffi.Attrs); ok && err == nil {
		v, err = d.Map()
	}
	*(*any)(p) = v
	return err
}

// described describes an attribute for an error.
func described(x cffi.Attr) string {
	if x.Data == nil {
		return "nothing"
	}
	switch x.Kind {
	case cffi.AttrTypeString:
		return fmt.Sprintf("the string %q", (*cffi.ByteSpan)(x.Data).String())
	case cffi.AttrTypeDictionary:
		return "a dictionary"
	case cffi.AttrTypeScalar:
		if v, err := x.Value(); err == nil {
			return fmt.Sprintf("the number %v of type %s", v, typeName((*cffi.Scalar)(x.Data).Dtype))
		}
		return "a number of type " + typeName((*cffi.Scalar)(x.Data).Dtype)
	case cffi.AttrTypeArray:
		a := (*cffi.Array)(x.Data)
		return fmt.Sprintf("an array of %d numbers of type %s", a.Size, typeName(a.Dtype))
	}
	return fmt.Sprintf("of the unknown kind %v", x.Kind)
}

func typeName(d cffi.DataType) string {
	if t := typeOf(d); t.Valid() {
		return t.String()
	}
	return d.String()
}

// dictionaryOf describes a struct all of whose fields take attributes.
func dictionaryOf(t reflect.Type) (*dictionary, error) {
	d := new(dictionary)
	for i := range t.NumField() {
		if err := d.add(t.Field(i)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add adds a field to the description.
func (d *dictionary) add(f reflect.StructField) error {
	if !f.IsExported() {
		return pjrt.ErrInvalidArgument.Errorf("the field %s is not exported", f.Name)
	}
	name, option, _ := strings.Cut(f.Tag.Get("ffi"), ",")
	switch {
	case option == "rest" && name == "" && f.Type == restType && d.rest == nil:
		d.rest = &attribute{offset: f.Offset}
		return nil
	case option == "rest":
		return pjrt.ErrInvalidArgument.Errorf(
			`the field %s has the tag ",rest", which is only for one map[string]any without a name`, f.Name)
	case option != "" && option != "optional":
		return pjrt.ErrInvalidArgument.Errorf("the field %s has the unknown option %q in its tag: the options are optional and rest",
			f.Name, option)
	case name == "":
		name = snake(f.Name)
	}
	if d.has(name) {
		return pjrt.ErrInvalidArgument.Errorf("two fields take the attribute %q", name)
	}
	set, err := setterOf(f.Type)
	if err != nil {
		_, why := raw.ErrorParts(err)
		return pjrt.ErrInvalidArgument.Errorf("the field %s: %s", f.Name, why)
	}
	zero := reflect.Zero(f.Type)
	d.fields = append(d.fields, attribute{
		name: name, offset: f.Offset, set: set, optional: option == "optional",
		clear: func(p unsafe.Pointer) { reflect.NewAt(f.Type, p).Elem().Set(zero) },
	})
	return nil
}

// snake returns the attribute name for a field name: max_steps for MaxSteps, and id for ID.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			afterLower := i > 0 && !unicode.IsUpper(runes[i-1])
			beforeLower := i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
