// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package sparse finds JSON that says almost nothing and would take much memory: two bytes, {}, are
// an entry of a list, and a struct of hundreds of bytes once they are read.
package sparse

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Ratio is how many bytes a struct may take for each byte of its text. A list takes up to 2.25
// times its entries while it grows, and what an entry points to may take as much as the entry:
// together these stay below 20 times the text.
const Ratio = 4

// Little is how long a text is that may say as little as it likes, since no list in it takes much.
const Little = 64 << 10

// Check returns an error if text has an object, in a list, in a map or behind a pointer, that takes
// more than Ratio times its own text once it is unmarshalled into a value of the type of into. The
// error says where it is. Check leaves text that is not JSON, or does not fit the type, to the
// decoder, which says more about it, and so does it with at most Little bytes.
func Check(text []byte, into any) error {
	if !json.Valid(text) {
		return nil
	}
	w := walker{text: text, fields: make(map[reflect.Type][]field)}
	// Short text is walked through as well: all text takes steps in proportion.
	if e := w.value(reflect.TypeOf(into).Elem()); e != nil && len(text) > Little {
		return fmt.Errorf("%s has only %d bytes, and lacks members that it must have", strings.TrimPrefix(e.path, "."), e.size)
	}
	return nil
}

// Unmarshal unmarshals text that Check has nothing against.
func Unmarshal(text []byte, into any) error {
	if err := Check(text, into); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// entry is an object with too little in it.
type entry struct {
	path string
	size int
}

// walker walks through valid JSON.
type walker struct {
	text   []byte
	at     int
	fields map[reflect.Type][]field // by struct
}

// field is a field of a struct, with its name in JSON.
type field struct {
	name string
	of   reflect.Type
}

// value walks through a value that will be of the type.
func (w *walker) value(t reflect.Type) *entry {
	w.space()
	switch open := w.text[w.at]; {
	case open == '{' && t.Kind() == reflect.Struct:
		return w.members(func(name string) *entry {
			if f := w.field(t, name); f != nil {
				return w.value(f)
			}
			w.skip()
			return nil
		})
	case open == '{' && t.Kind() == reflect.Map && holdsStructs(t.Elem()):
		return w.members(func(string) *entry { return w.apart(t.Elem()) })
	case open == '[' && t.Kind() == reflect.Slice && holdsStructs(t.Elem()):
		w.at++
		for n := 0; w.more(); n++ {
			if e := w.apart(t.Elem()); e != nil {
				e.path = fmt.Sprintf("[%d]%s", n, e.path)
				return e
			}
		}
		return nil
	case t.Kind() == reflect.Pointer:
		return w.apart(t.Elem())
	}
	w.skip()
	return nil
}

// apart walks through a value that gets memory of its own.
func (w *walker) apart(t reflect.Type) *entry {
	w.space()
	begin := w.at
	if e := w.value(t); e != nil {
		return e
	}
	if size := w.at - begin; t.Kind() == reflect.Struct && w.text[begin] == '{' && t.Size() > uintptr(Ratio*size) {
		return &entry{size: size}
	}
	return nil
}

// members walks through an object, and calls walk at each value, with its name.
func (w *walker) members(walk func(name string) *entry) *entry {
	w.at++
	for w.more() {
		begin := w.at
		w.skip()
		name := string(w.text[begin+1 : w.at-1])
		if strings.Contains(name, `\`) {
			_ = json.Unmarshal(w.text[begin:w.at], &name) // the text is valid
		}
		w.space()
		w.at++ // the colon
		w.space()
		if e := walk(name); e != nil {
			e.path = "." + name + e.path
			return e
		}
	}
	return nil
}

// more moves to the next member or entry. At the end of the object or list it moves behind it, and
// returns false.
func (w *walker) more() bool {
	for {
		switch w.text[w.at] {
		case '}', ']':
			w.at++
			return false
		case ',', ' ', '\t', '\r', '\n':
			w.at++
		default:
			return true
		}
	}
}

func (w *walker) space() {
	for strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
		w.at++
	}
}

// skip moves behind a value, at whose first byte it is.
func (w *walker) skip() {
	for depth := 0; w.at < len(w.text); {
		switch w.text[w.at] {
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		case '"':
			for w.at++; w.text[w.at] != '"'; w.at++ {
				if w.text[w.at] == '\\' {
					w.at++
				}
			}
			w.at++
		case ',', ':', ' ', '\t', '\r', '\n':
			w.at++
			continue
		default: // a number, true, false or null
			for w.at < len(w.text) && strings.IndexByte(",:]} \t\r\n", w.text[w.at]) < 0 {
				w.at++
			}
		}
		if depth == 0 {
			return
		}
	}
}

// field returns the type of the field with a name, as package encoding/json finds it, or nil.
func (w *walker) field(t reflect.Type, name string) reflect.Type {
	fields, ok := w.fields[t]
	if !ok {
		fields = fieldsOf(t)
		w.fields[t] = fields
	}
	for _, f := range fields {
		if strings.EqualFold(f.name, name) {
			return f.of
		}
	}
	return nil
}

// fieldsOf returns the fields of a struct that JSON has, and then those of the structs embedded in
// it.
func fieldsOf(t reflect.Type) (list []field) {
	var embedded []field
	for i := range t.NumField() {
		f := t.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			embedded = append(embedded, fieldsOf(f.Type)...)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			list = append(list, field{name, f.Type})
		}
	}
	return append(list, embedded...)
}

// holdsStructs reports whether a list or a map of the type has structs in it.
func holdsStructs(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsStructs(t.Elem())
	}
	return false
}
