// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// Kind says what the bytes of a field mean or, if Depth is not 0, the bytes that its pointers lead
// to.
type Kind uint8

// The kinds of fields.
const (
	// Address is a pointer whose target is not described: the user's own word, device memory, or an
	// out parameter without a count.
	Address    Kind = iota
	Int             // signed, Elem bytes
	Uint            // unsigned, Elem bytes
	Float           // Elem bytes
	Bool            // one byte
	Enumerator      // Elem bytes, Enum names the values
	Handle          // a pointer to an object of the plugin; Type is its C name
	Callback        // the address of a C function; Type is its C name, if it has one
	Record          // a struct, described by Struct
	Text            // a pointer to Counts[0] characters, or to characters that end with a zero byte
	Data            // a pointer to Counts[0] bytes
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
	// Since is the API minor that introduced the field, or 0 if it is as old as its struct.
	Since   int
	Type    string  // C name of a handle or callback
	Struct  *Struct // of a Record
	Enum    *Enum   // of an Enumerator
	Members []Field // of a Union
	// Elem is the size of one value, at the end of all pointers. If a field of numbers is larger,
	// it is an array in the struct.
	Elem uintptr
	// Depth is the number of pointers before the value. It does not include the pointer of a
	// Handle, Text or Data itself.
	Depth int
	// Counts names the fields that hold the number of values behind each pointer, the outermost
	// first. A name is empty if the struct does not hold that number. A pointer without a count
	// leads to one value.
	Counts []string
	// Sizes names the field that holds the lengths of a list of texts.
	Sizes string

	counts []*Field // the fields of Counts; nil for an empty name
	sizes  *Field
}

// Struct is a C struct. Its fields are in the order of their offsets;
// struct_size and extension_start are not among them.
type Struct struct {
	Name string
	// Size is the end of the last field, which callers of the newest version put into struct_size.
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

// EnumValue is a value of an Enum. Its name lacks the common prefix.
type EnumValue struct {
	Value int64
	Name  string
}

// Text returns the short name of a value, or "" if the enumeration does not have the value.
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

// index holds everything by name. It is built on first use.
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

// link resolves the names by which fields refer to each other.
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

// Of returns the description of a function of package capi, or nil for a function of another table,
// such as those of package ffi.
func Of(f *capi.Function) *Function { return index().functions[f.Name] }

// ByName returns the function with a C name, such as PJRT_Client_Create, or nil if there is none.
func ByName(name string) *Function { return index().functions[name] }

// StructByName returns the struct with a C name, such as PJRT_NamedValue, or nil if there is none,
// or if it is not a struct of data.
func StructByName(name string) *Struct { return index().structs[name] }

// Functions returns all functions, those of the core first, in the order of
// their slots.
func Functions() []Function {
	index()
	return functions[:]
}

// Field returns the field with this name, which may be a member of a union, or nil if there is
// none.
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

// SizeOK reports whether size is a valid struct_size of some version of the API: the end of a
// field, with or without padding after it, or more than this version knows.
func (s *Struct) SizeOK(size uintptr) bool {
	index()
	return !s.Sized || size > s.Size || s.ends[size]
}

// Carries reports whether the field m of the struct that f points to is meaningful. If the function
// fills in a struct of the caller, only the fields that the header marks, and their counts, are
// meaningful. The others may hold anything.
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
