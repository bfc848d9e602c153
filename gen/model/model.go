// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package model is the generator's picture of a C header: plain data, free of
// C syntax and of Go syntax. The front end (gen/header) makes it, the back end
// (gen/golang) and the change report (gen/diff) read it.
//
// Sizes and offsets are in bytes and are those of the target that the header
// was read for, x86-64 Linux unless the front end was told otherwise. The five
// supported targets agree on all of them.
//
// The JSON form of a Header is the document that `pjrtgen facts` prints.
package model

import (
	"encoding/json"
	"strings"
)

// Header is what one C header declares. Declarations of the headers it
// includes are not part of it.
type Header struct {
	Path             string            `json:"path"` // as included, e.g. xla/pjrt/c/pjrt_c_api.h
	Guard            string            `json:"guard,omitempty"`
	Includes         Includes          `json:"includes"`
	APIVersion       *Version          `json:"api_version,omitempty"`
	ExtensionVersion *ExtensionVersion `json:"extension_version,omitempty"`
	Macros           []Macro           `json:"macros"`
	Enums            []Enum            `json:"enums"`
	Opaque           []Opaque          `json:"opaque"`
	Structs          []Struct          `json:"structs"`
	Functions        []Func            `json:"functions"`
	Callbacks        []Func            `json:"callbacks"`
	Tables           []Table           `json:"tables"`
	Prototypes       []Func            `json:"prototypes,omitempty"`
	Variables        []Variable        `json:"variables,omitempty"`
	Aliases          []Alias           `json:"aliases,omitempty"`
	Namespaces       []string          `json:"cxx_namespaces,omitempty"`
	Doc              string            `json:"-"`
	// Places says where the items are in the file: "struct NAME", "STRUCT.FIELD" (with
	// the members of unions that have no name), "enum NAME", "ENUM.VALUE", and the names
	// of all others. A model that was read from JSON has none.
	Places map[string]Pos `json:"-"`
}

// Pos is a place in a header: line and column, both from 1, the column in bytes.
// The zero Pos stands for a place that is not known.
type Pos struct{ Line, Col int }

// Includes lists the headers named by #include, in order, by form.
type Includes struct {
	System  []string `json:"system"`
	Project []string `json:"project"`
}

// Version is the API version that the core header's macros state.
type Version struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

// ExtensionVersion is the *_EXTENSION_VERSION macro of an extension header.
type ExtensionVersion struct {
	Macro string `json:"macro"`
	Value int64  `json:"value"`
}

// Macro is a #define of the header, except its include guard.
type Macro struct {
	Name          string   `json:"name"`
	FunctionLike  bool     `json:"function_like,omitempty"`
	Params        []string `json:"params,omitempty"`
	Value         *int64   `json:"value,omitempty"` // set when the macro is an integer constant
	UndefInHeader bool     `json:"undef_in_header,omitempty"`
	Text          string   `json:"-"` // what it stands for, with one space between tokens at most
}

// Enum is a C enumeration, except the *_STRUCT_SIZE ones: those are Struct.StructSize.
type Enum struct {
	Name            string      `json:"name"`
	Tag             string      `json:"tag,omitempty"`
	Typedef         string      `json:"typedef,omitempty"`
	Size            int64       `json:"size"`
	Signed          bool        `json:"signed"`
	Underlying      string      `json:"underlying"`
	FixedUnderlying bool        `json:"fixed_underlying"`
	Scoped          bool        `json:"scoped"` // enum class
	Values          []EnumValue `json:"values"`
	Doc             string      `json:"-"`
}

// MarshalJSON writes null for a name that the enumeration does not have: it is
// then known by the other one.
func (e Enum) MarshalJSON() ([]byte, error) {
	type plain Enum
	null := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return json.Marshal(struct {
		plain
		Tag     *string `json:"tag"`
		Typedef *string `json:"typedef"`
	}{plain(e), null(e.Tag), null(e.Typedef)})
}

// EnumValue is one enumerator. Explicit says that the header spells its value.
type EnumValue struct {
	Name     string `json:"name"`
	Explicit bool   `json:"explicit"`
	Value    int64  `json:"value"`
	Doc      string `json:"-"`
}

// Opaque is a struct type that is declared and never defined: a handle.
type Opaque struct {
	Name string
	Doc  string
}

// Role says what a struct is for.
type Role string

// The roles of structs.
const (
	RoleArgs          Role = "args"           // the one argument of a function
	RoleAPITable      Role = "api-table"      // PJRT_Api, PLUGIN_Profiler_Api, XLA_FFI_Api
	RoleExtension     Role = "extension"      // a node of the extension chain, with functions after its base
	RoleFunctionTable Role = "function-table" // any other struct of function pointers
	RoleStruct        Role = "struct"         // data
)

// Struct is a struct with a body.
type Struct struct {
	Name              string      `json:"name"`
	Kind              string      `json:"kind"` // struct or union
	Tag               string      `json:"tag,omitempty"`
	Typedefs          []string    `json:"typedefs"`
	Role              Role        `json:"role"`
	Size              int64       `json:"sizeof"`
	Align             int64       `json:"alignof"`
	StructSize        *StructSize `json:"struct_size,omitempty"` // nil when the header defines no such constant
	HasStructSize     bool        `json:"has_struct_size"`
	HasExtensionStart bool        `json:"has_extension_start"`
	TailPadding       int64       `json:"tail_padding,omitempty"`
	Holes             [][2]int64  `json:"holes,omitempty"` // offset and size of each inner padding
	Fields            []Field     `json:"fields"`
	Doc               string      `json:"-"`
}

// StructSize is the constant X_STRUCT_SIZE of a struct X: the end of LastField,
// so without tail padding.
type StructSize struct {
	Const              string `json:"const"`
	Form               string `json:"form"` // enum or const_global
	LastField          string `json:"last_field,omitempty"`
	LastFieldIsNotLast bool   `json:"-"`                                // a stale constant
	TrueLastField      string `json:"last_field_is_not_last,omitempty"` // of a stale constant: the field that is last
	ShadowedByMacro    bool   `json:"shadowed_by_macro,omitempty"`
	Value              int64  `json:"value"`
}

// Dir is the direction that the header's comments mark for a field.
type Dir string

// The directions. DirNone means that the header does not say; such a field of
// an args struct is an input.
const (
	DirNone  Dir = ""
	DirIn    Dir = "in"
	DirOut   Dir = "out"
	DirInOut Dir = "in/out"
)

// Field is a member of a struct. An anonymous union or struct is a Field with
// Anonymous set ("union" or "struct") and its members in Fields; every Offset
// counts from the start of the outermost struct.
type Field struct {
	Name       string     `json:"name,omitempty"`
	Anonymous  string     `json:"anonymous,omitempty"`
	Decl       string     `json:"decl,omitempty"`  // as written, comments removed, white space normalised
	Type       string     `json:"type,omitempty"`  // typedefs kept
	Canon      string     `json:"canon,omitempty"` // typedefs resolved
	Kind       string     `json:"kind,omitempty"`  // int, float, bool, enum, struct, union, pointer, fnptr, array
	Base       string     `json:"base,omitempty"`  // what is left without pointers and array bounds, qualifiers dropped
	Ptr        int        `json:"ptr,omitempty"`   // pointer depth over Base
	Array      []int64    `json:"array,omitempty"` // bounds
	Const      bool       `json:"-"`               // the pointee (or the value) is const
	Offset     int64      `json:"offset"`
	Size       int64      `json:"size"`
	Dir        Dir        `json:"dir,omitempty"`
	DirScope   string     `json:"dir_scope,omitempty"` // group-comment when the mark precedes a group of fields
	NoDiscard  bool       `json:"nodiscard,omitempty"`
	Deprecated bool       `json:"deprecated,omitempty"`
	Fn         string     `json:"fn,omitempty"`  // kind fnptr: the function or callback typedef that it uses
	Sig        *Signature `json:"sig,omitempty"` // kind fnptr: the signature when it is inline
	Fields     []Field    `json:"fields,omitempty"`
	Doc        string     `json:"-"`
}

// Signature is the type of a function.
type Signature struct {
	Ret         string  `json:"ret"`
	RetCanon    string  `json:"-"` // Ret with typedefs resolved
	Params      []Param `json:"params"`
	RetByValue  bool    `json:"ret_by_value,omitempty"`
	NoPrototype bool    `json:"no_prototype,omitempty"`
	Variadic    bool    `json:"variadic,omitempty"` // takes further arguments
}

// Param is a parameter. Type keeps typedefs; Kind, Base, Ptr and Size are as in
// Field. Sig is set when the parameter is an inline function pointer.
type Param struct {
	Name    string     `json:"name"`
	Type    string     `json:"type"`
	Kind    string     `json:"kind,omitempty"` // printed for function pointers only
	Base    string     `json:"-"`
	Ptr     int        `json:"-"`
	Size    int64      `json:"-"`
	Const   bool       `json:"-"`
	ByValue bool       `json:"by_value,omitempty"` // a struct passed by value
	Sig     *Signature `json:"sig,omitempty"`
}

// Func is a function type, a pointer-to-function typedef (Form says which) or a
// prototype.
type Func struct {
	Name              string  `json:"name"`
	Form              string  `json:"form,omitempty"` // function-type or pointer-to-function
	Ret               string  `json:"ret"`
	Params            []Param `json:"params"`
	ReturnsError      bool    `json:"returns_error"` // returns PJRT_Error*, or its counterpart in the profiler and FFI headers
	SingleArgsPointer bool    `json:"single_args_pointer"`
	ArgsStruct        string  `json:"args_struct,omitempty"`
	NoPrototype       bool    `json:"no_prototype,omitempty"` // declared with empty parentheses
	Variadic          bool    `json:"variadic,omitempty"`     // takes further arguments
	ByValueParams     bool    `json:"by_value_params,omitempty"`
	RetByValue        bool    `json:"ret_by_value,omitempty"`
	Namespace         string  `json:"namespace,omitempty"` // prototypes of half C++ headers
	CXX               bool    `json:"cxx,omitempty"`
	Doc               string  `json:"-"`
}

// CountNames returns the names that a field which counts the elements of a list may have.
func CountNames(list string) []string {
	return []string{"num_" + list, list + "_size", list + "_count", list + "_len"}
}

// LengthNames returns the names that a field with the lengths of the texts in a list may have.
func LengthNames(list string) (names []string) {
	for _, text := range []string{list, strings.TrimSuffix(list, "s"), strings.TrimSuffix(list, "es")} {
		names = append(names, text+"_sizes", text+"_lengths", text+"_lens")
	}
	return names
}

// Signature returns the function's type.
func (f *Func) Signature() *Signature {
	return &Signature{Ret: f.Ret, Params: f.Params, RetByValue: f.RetByValue, NoPrototype: f.NoPrototype, Variadic: f.Variadic}
}

// ExtensionType is the enumerator that the nodes of an extension carry.
type ExtensionType struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// Table is the function slots of a struct of role api-table, extension or
// function-table, in the order in which they lie in memory.
type Table struct {
	Struct string `json:"struct"`
	Role   Role   `json:"role"`
	Slots  []Slot `json:"functions"`
	Count  int    `json:"count"`
	// SlotCount counts deprecated slots too: pointers kept for the layout only.
	SlotCount int `json:"slots"`
	// ExtensionType is set for role extension where the enumerator's name follows from
	// the struct's, or a table of exceptions has it.
	ExtensionType *ExtensionType `json:"extension_type,omitempty"`
}

// Slot is one function pointer of a table.
type Slot struct {
	Slot       int     `json:"slot"`
	Name       string  `json:"name"`
	Offset     int64   `json:"offset"`
	Fn         *string `json:"fn"` // the function's typedef; null for an inline signature
	NoDiscard  bool    `json:"nodiscard,omitempty"`
	Deprecated bool    `json:"deprecated_slot,omitempty"`
}

// Variable is a file-scope variable; *_STRUCT_SIZE constants are not listed.
type Variable struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Storage   string `json:"storage,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	String    string `json:"string,omitempty"` // the value of a string constant
}

// Alias is a typedef that only gives another name to a type.
type Alias struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Opaque bool   `json:"opaque,omitempty"` // another name of a handle
}

// MarshalJSON writes the handle's name.
func (o Opaque) MarshalJSON() ([]byte, error) { return []byte(`"` + o.Name + `"`), nil }

// MarshalJSON writes the parameter.
func (p Param) MarshalJSON() ([]byte, error) {
	type plain Param // without this method
	if p.Kind != "fnptr" {
		p.Kind = ""
	}
	return json.Marshal(plain(p))
}

// MarshalJSON writes the signature, its result without typedefs.
func (s Signature) MarshalJSON() ([]byte, error) {
	type plain Signature
	if s.RetCanon != "" {
		s.Ret = s.RetCanon
	}
	return json.Marshal(plain(s))
}

// MarshalJSON writes the function. For a prototype, which has no Form, it leaves out what
// concerns calls through a table.
func (f Func) MarshalJSON() ([]byte, error) {
	type plain Func
	if f.Form != "" {
		return json.Marshal(plain(f))
	}
	return json.Marshal(struct {
		plain
		ReturnsError      bool `json:"returns_error,omitempty"`
		SingleArgsPointer bool `json:"single_args_pointer,omitempty"`
		ByValueParams     bool `json:"by_value_params,omitempty"`
		ArgsStruct        any  `json:"args_struct,omitempty"`
	}{plain: plain(f)})
}
