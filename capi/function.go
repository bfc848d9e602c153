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
	// maxExtensionType bounds the extension types that have a section. Types
	// beyond it are listed by Table.Extensions and have no functions here.
	maxExtensionType = 61
	numSections      = sectionExt0 + maxExtensionType + 1 // a power of two
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
	Size    uintptr // struct_size of the arguments; 0 when they have no such field
	Void    bool    // returns nothing, so no error
	Pure    bool    // a getter that neither blocks nor calls back
	Errors  ErrorKind
	Zero    []Span // out fields, cleared before each call
	Gated   []Gate // input fields that came after Since
	Nested  []Nest // pointers to structs that have gated fields of their own
	// GatedSince is the newest minor among Gated and, through Nested, theirs;
	// a plugin at or above it knows every field.
	GatedSince int
}

// ErrorKind says of which type the errors of a function are.
type ErrorKind uint8

// The kinds of errors.
const (
	ErrorsPJRT     ErrorKind = iota // PJRT_Error
	ErrorsProfiler                  // PLUGIN_Profiler_Error
	ErrorsFFI                       // XLA_FFI_Error
)

// Span is a run of bytes in a struct.
type Span struct{ Offset, Size uintptr }

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
