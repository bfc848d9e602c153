// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

// Section names one table of functions that a plugin offers: the core table,
// the node of one extension, or the profiler's table behind its extension.
type Section uint8

// The sections of a Table. The extension whose type is t is section
// SectionExtension(t).
const (
	SectionCore     Section = 0
	SectionProfiler Section = 1
	sectionExt0     Section = 2
	// SectionNode is the node of an extension that this package does not know. Only the tables that
	// Table.ExtensionTable makes have it.
	SectionNode Section = numSections - 1
	// maxExtensionType is the largest extension type that has a section. Table.Extensions lists
	// larger types, but their functions cannot be called.
	maxExtensionType = 60
	numSections      = sectionExt0 + maxExtensionType + 2 // a power of two
)

// SectionExtension returns the section of the extension type t.
func SectionExtension(t ExtensionType) Section { return sectionExt0 + Section(t) }

// Function describes one C function of a table and the struct that is its
// argument. The descriptors are generated and never change.
type Function struct {
	Name    string  // C name, such as PJRT_Client_Create
	Section Section // table that holds it
	Offset  uintptr // of its slot in that table, in bytes
	Since   int     // API minor that introduced it
	Size    uintptr // struct_size of the arguments; 0 if they have no such field
	Void    bool    // returns nothing, so no error
	Pure    bool    // a getter that neither blocks nor calls back
	Errors  ErrorKind
	Zero    []Span // out fields, cleared before each call
	Results []Result
	Gated   []Gate // input fields introduced after Since, the newest last
	Nested  []Nest // pointers to structs that have gated fields of their own
	// GatedSince is the newest minor in Gated, including that of the structs in Nested. A plugin at
	// or above it knows every field.
	GatedSince int

	// registers reads what a call has registered with the plugin; nil for functions that register
	// nothing.
	registers registering
}

// ErrorKind is the type of a function's errors.
type ErrorKind uint8

// The kinds of errors.
const (
	ErrorsPJRT     ErrorKind = iota // PJRT_Error
	ErrorsProfiler                  // PLUGIN_Profiler_Error
	ErrorsFFI                       // XLA_FFI_Error
)

// Span is a run of bytes in a struct.
type Span struct{ Offset, Size uintptr }

// Result is an out field that is an address, which a function that succeeds has to set: a handle,
// or memory with values. Fields that may stay null are not among the results of a function.
type Result struct {
	Name    string  // C name of the field
	Offset  uintptr // of the field
	Count   Span    // the field with the number of values at the address; empty for a handle
	Elem    uintptr // size of a value
	Handles bool    // the values are handles
	Sizes   uintptr // offset of the field with the lengths of the texts; 0 if the values are not texts
}

// Gate is an input field and the API minor that introduced it.
type Gate struct {
	Name string // C name of the field
	Span
	Since int
}

// Nest is a field that points to one struct with gated fields.
type Nest struct {
	Offset uintptr
	Struct string // C name
	Gated  []Gate
}

// Arguments is implemented by a pointer to each generated *Args struct.
type Arguments interface {
	// Function returns the descriptor of the one function that takes this
	// struct.
	Function() *Function
}
