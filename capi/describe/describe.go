// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// Kind says what the bytes of a field mean, or, where Depth is not 0, the bytes
// that its pointers lead to.
type Kind uint8

// The kinds of fields.
const (
	// Address is a pointer whose target is not described: a user's word, memory
	// of a device, an out parameter without a count.
	Address    Kind = iota
	Int             // signed, Elem bytes
	Uint            // unsigned, Elem bytes
	Float           // Elem bytes
	Bool            // one byte
	Enumerator      // Elem bytes, Enum names the values
	Handle          // a pointer to an object of the plugin; Type is its C name
	Callback        // the address of a C function; Type is its C name, if it has one
	Record          // a struct, described by Struct
	Text            // a pointer to characters, Counts[0] of them; ended by a zero byte when nothing counts them
	Data            // a pointer to bytes, Counts[0] of them
	Union           // one of Members
)

// Dir is the direction in which a field carries data.
type Dir uint8

// The directions.
const (
	In Dir = iota
	Out
	InOut
)

// Field is a field of a C struct.
type Field struct {
	Name   string
	Offset uintptr
	Size   uintptr // of the field itself
	Kind   Kind
	Dir    Dir
	// Since is the API minor that brought the field; 0 when it is as old as its
	// struct, or was always there.
	Since   int
	Type    string  // C name of a handle or callback
	Struct  *Struct // of a Record
	Enum    *Enum   // of an Enumerator
	Members []Field // of a Union
	// Elem is the size of one value, at the end of all pointers. A number whose
	// field is larger is an array inside the struct.
	Elem uintptr
	// Depth is the number of pointers in front of the value. The pointer that a
	// Handle, a Text or a Data is does not count.
	Depth int
	// Counts are the names of the fields that count what the pointers lead to,
	// the outermost first; empty for a number that the struct does not say. A
	// pointer without a count leads to one value.
	Counts []string
	// Sizes is the name of the field with the lengths of a list of texts.
	Sizes string

	counts []*Field // the fields of Counts, nil where there is none
	sizes  *Field
}

// Struct is a C struct. Its fields are in the order of their offsets;
// struct_size and extension_start are not among them.
type Struct struct {
	Name string
	// Size is where the last field ends, which is what callers of the newest
	// version put into struct_size.
	Size   uintptr
	Sized  bool // it begins with struct_size
	Fields []Field

	ends map[uintptr]bool
}

// Enum is a C enumeration.
type Enum struct {
	Name   string
	Values []EnumValue
}

// EnumValue is one value of an Enum, its name without what all share.
type EnumValue struct {
	Value int64
	Name  string
}

// Text returns the short name of a value; "" when the enumeration has none for
// it.
func (e *Enum) Text(v int64) string {
	for i := range e.Values {
		if e.Values[i].Value == v {
			return e.Values[i].Name
		}
	}
	return ""
}

// Function is a function of a plugin's tables.
type Function struct {
	Name string  // C name
	Args *Struct // its one argument
}

// index is everything by name; the first use makes it.
var index = sync.OnceValue(func() (x struct {
	functions map[string]*Function
	structs   map[string]*Struct
}) {
	x.functions = make(map[string]*Function, len(functions))
	x.structs = make(map[string]*Struct, len(structs))
	for i := range functions {
		x.functions[functions[i].Name] = &functions[i]
	}
	for _, s := range structs {
		x.structs[s.Name] = s
		s.link()
	}
	return x
})

// link resolves the names that fields use of each other.
func (s *Struct) link() {
	s.ends = map[uintptr]bool{sizeWord: true, 2 * sizeWord: true}
	for i := range s.Fields {
		f := &s.Fields[i]
		end := f.Offset + f.Size
		s.ends[end] = true
		s.ends[(end+sizeWord-1)&^(sizeWord-1)] = true
		f.link(s)
	}
}

func (f *Field) link(s *Struct) {
	for _, name := range f.Counts {
		f.counts = append(f.counts, s.Field(name))
	}
	if f.Sizes != "" {
		f.sizes = s.Field(f.Sizes)
	}
	for i := range f.Members {
		f.Members[i].link(s)
	}
}

const sizeWord = 8

// Of returns the description of a function of package capi; nil for functions
// of other tables, such as those of package ffi.
func Of(f *capi.Function) *Function { return index().functions[f.Name] }

// ByName returns the function of a C name, such as PJRT_Client_Create; nil when
// there is none.
func ByName(name string) *Function { return index().functions[name] }

// StructByName returns the struct of a C name, such as PJRT_NamedValue; nil when
// there is none, or when it is no struct of data.
func StructByName(name string) *Struct { return index().structs[name] }

// Functions returns all functions, those of the core first, in the order of
// their slots.
func Functions() []Function {
	index()
	return functions[:]
}

// Field returns the field of that name, members of unions included; nil when
// there is none.
func (s *Struct) Field(name string) *Field {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == name {
			return f
		}
		for j := range f.Members {
			if f.Members[j].Name == name {
				return &f.Members[j]
			}
		}
	}
	return nil
}

// SizeOK reports whether a caller of some version of the API can have put size
// into struct_size: the end of a field, with or without the padding behind it,
// or more than this version knows.
func (s *Struct) SizeOK(size uintptr) bool {
	index()
	return !s.Sized || size > s.Size || s.ends[size]
}

// Carries reports whether a field of the struct that f points to means something:
// in a struct of the caller that the function fills, those that the header marks
// and what counts them. The others hold whatever was there.
func (f *Field) Carries(m *Field) bool {
	if f.Dir != InOut || m.Dir != In {
		return true
	}
	for i := range f.Struct.Fields {
		other := &f.Struct.Fields[i]
		for _, c := range other.counts {
			if c == m && other.Dir != In {
				return true
			}
		}
	}
	return false
}
