// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"unsafe"
)

// The API versions that NewTable accepts. Minor 45 gave the extension nodes
// their struct_size, without which a chain cannot be walked; minor 56 put a
// function into the middle of the table and minor 57 took it out again.
const (
	OldestMinor  = 45
	RefusedMinor = 56
)

// Table is one plugin: its tables of functions and what is known about them.
// It is immutable after it was made and may be used from any goroutine. A
// plugin is never unloaded, so a Table is valid until the process ends.
type Table struct {
	api          *API
	major, minor int
	// gateMinor is the minor below which input fields count as unknown to the
	// plugin.
	gateMinor    int
	reentrant    bool
	before       func(*Function) // nil: nobody wants to know
	sections     [numSections]section
	extensions   []Extension
	chainErr     error
	foreignError func(*Table, *Function, unsafe.Pointer) error
}

// section is a struct of function pointers; offsets of slots count from base,
// and size is how much of it the plugin has.
type section struct {
	base unsafe.Pointer
	size uintptr
}

// Extension is a node of a plugin's extension chain.
type Extension struct {
	Type ExtensionType
	Size uintptr        // struct_size that the node states
	Node *ExtensionBase // in the plugin's memory
}

// TableOption changes how NewTable treats a plugin.
type TableOption func(*Table)

// Reentrant says that functions of the table are written in Go, or may call Go
// before they return, whatever they are: the short call path for getters would
// end the process then. Tables of capi/serve have it set.
func Reentrant() TableOption { return func(t *Table) { t.reentrant = true } }

// Before makes the table call f ahead of each call of the plugin, on the
// caller's goroutine: a program that a plugin may end has to write down what it
// was about to do. f must be quick and may be called from any goroutine.
func Before(f func(*Function)) TableOption { return func(t *Table) { t.before = f } }

// NewTable makes a Table of a PJRT_Api that is in this process already. It
// reads the version before anything else and refuses a table whose layout it
// does not know; the error is ErrNullTable, ErrMajorVersion or ErrTooOld.
//
// api must stay valid as long as the process runs.
func NewTable(api *API, options ...TableOption) (*Table, error) {
	if api == nil {
		return nil, ErrNullTable
	}
	t := &Table{api: api}
	for _, o := range options {
		o(t)
	}
	const versionEnd = unsafe.Offsetof(api.PJRTAPIVersion) + unsafe.Sizeof(api.PJRTAPIVersion)
	// Before there was a version, a function pointer stood where its
	// struct_size is now.
	if api.StructSize < versionEnd {
		return nil, fmt.Errorf("%w: its table of %d bytes states no API version, and %w; %s", ErrTooOld, api.StructSize, ErrTableSize, supported)
	}
	if api.PJRTAPIVersion.StructSize < APIVersionSize || api.PJRTAPIVersion.StructSize > 4096 {
		return nil, fmt.Errorf("%w: its table of %d bytes states no API version; %s", ErrTooOld, api.StructSize, supported)
	}
	t.major, t.minor = int(api.PJRTAPIVersion.MajorVersion), int(api.PJRTAPIVersion.MinorVersion)
	t.gateMinor = t.minor
	switch {
	case t.major != APIMajor:
		return nil, fmt.Errorf("%w: it has API %d.%d; %s", ErrMajorVersion, t.major, t.minor, supported)
	case t.minor < OldestMinor:
		return nil, fmt.Errorf("%w: it has API %d.%d; %s", ErrTooOld, t.major, t.minor, supported)
	case t.minor == RefusedMinor:
		return nil, fmt.Errorf("%w: it has API %d.%d, whose functions stand in another order than those of every other version; %s", ErrTooOld, t.major, t.minor, supported)
	}
	t.sections[SectionCore] = section{unsafe.Pointer(api), api.StructSize}
	t.walk(api.ExtensionStart)
	return t, nil
}

var supported = fmt.Sprintf("API %d.%d and later are supported, except %d.%d: use a newer plugin", APIMajor, OldestMinor, APIMajor, RefusedMinor)

// NewForeignTable makes a Table of a table of another API than PJRT's, of size
// bytes at base, whose functions have SectionCore. It is what package ffi calls
// XLA_FFI_Api through. takeError turns the error that a function returned into a
// Go error and frees it. The table counts as Reentrant.
func NewForeignTable(base unsafe.Pointer, size uintptr, takeError func(*Table, *Function, unsafe.Pointer) error) *Table {
	t := &Table{gateMinor: maxMinor, reentrant: true, foreignError: takeError}
	t.sections[SectionCore] = section{base, size}
	return t
}

// maxMinor is a minor that knows every field.
const maxMinor = 1 << 30

// API returns the table itself, in the plugin's memory.
func (t *Table) API() *API { return t.api }

// Version returns the API version that the plugin states.
func (t *Table) Version() (major, minor int) { return t.major, t.minor }

// Reentrant reports whether functions of the table may call into Go at any
// time.
func (t *Table) Reentrant() bool { return t.reentrant }

// Extensions returns the nodes of the extension chain in its order, those of
// unknown types too.
func (t *Table) Extensions() []Extension { return append([]Extension(nil), t.extensions...) }

// Extension returns the node of type x, or nil. Its pointer may be converted to
// that of the extension's struct, as far as Size reaches.
func (t *Table) Extension(x ExtensionType) *Extension {
	for i := range t.extensions {
		if t.extensions[i].Type == x {
			e := t.extensions[i]
			return &e
		}
	}
	return nil
}

// ExtensionsErr says why the walk over the extension chain ended before its
// end; nil when it did not. The nodes before that point are usable.
func (t *Table) ExtensionsErr() error { return t.chainErr }

const (
	maxChain    = 256     // nodes; the longest chain seen has 18
	maxNodeSize = 1 << 16 // bytes; the largest known node has 272
)

// walk follows the extension chain. A plugin that repeats a type offers the
// first node of it.
func (t *Table) walk(node *ExtensionBase) {
	seen := make(map[*ExtensionBase]bool)
	for i := 0; node != nil; i++ {
		switch {
		case i == maxChain:
			t.chainErr = fmt.Errorf("the extension chain has more than %d nodes", maxChain)
			return
		case seen[node]:
			t.chainErr = fmt.Errorf("the extension chain runs in a circle: node %d was there before", i)
			return
		case uintptr(unsafe.Pointer(node))%unsafe.Alignof(*node) != 0:
			t.chainErr = fmt.Errorf("node %d of the extension chain is at the misaligned address %#x", i, uintptr(unsafe.Pointer(node)))
			return
		case node.StructSize < ExtensionBaseSize || node.StructSize > maxNodeSize:
			t.chainErr = fmt.Errorf("node %d of the extension chain states the size %d, which no node has", i, node.StructSize)
			return
		}
		seen[node] = true
		known := t.Extension(node.Type) != nil
		t.extensions = append(t.extensions, Extension{node.Type, node.StructSize, node})
		if !known && node.Type >= 0 && node.Type <= maxExtensionType {
			t.sections[SectionExtension(node.Type)] = section{unsafe.Pointer(node), node.StructSize}
		}
		if node.Type == ExtensionTypeProfiler && !known {
			t.addProfiler(node)
		}
		node = node.Next
	}
}

// addProfiler makes a section of the table that the profiler's node points to.
func (t *Table) addProfiler(node *ExtensionBase) {
	x := (*ProfilerExtension)(unsafe.Pointer(node))
	if node.StructSize < unsafe.Offsetof(x.ProfilerAPI)+unsafe.Sizeof(x.ProfilerAPI) || x.ProfilerAPI == nil {
		return
	}
	t.sections[SectionProfiler] = section{unsafe.Pointer(x.ProfilerAPI), x.ProfilerAPI.StructSize}
}

// missing says why the plugin does not have f.
func (t *Table) missing(f *Function) error {
	if t == nil {
		return &Error{Code: ErrorCodeInvalidArgument, Func: f.Name, Message: "no plugin: the table is nil"}
	}
	e := &Error{Code: ErrorCodeUnimplemented, Func: f.Name, Missing: true}
	switch s := &t.sections[f.Section]; {
	case t.foreignError != nil:
		e.Message = "the host's table does not have this function"
	case f.Section == SectionCore && f.Since > t.minor:
		e.Message = fmt.Sprintf("the plugin does not have this function: it came with API %d.%d, and the plugin has API %d.%d", APIMajor, f.Since, t.major, t.minor)
	case f.Section == SectionCore:
		e.Message = fmt.Sprintf("the plugin does not have this function, although it came with API %d.%d and the plugin has API %d.%d", APIMajor, f.Since, t.major, t.minor)
	case s.base == nil:
		e.Message = fmt.Sprintf("the plugin (API %d.%d) does not offer the extension %s", t.major, t.minor, f.Section)
	default:
		e.Message = fmt.Sprintf("the plugin (API %d.%d) offers the extension %s without this function, which came with API %d.%d", t.major, t.minor, f.Section, APIMajor, f.Since)
	}
	return e
}

// String returns the name of the section: core, profiler or the extension's.
func (s Section) String() string {
	switch s {
	case SectionCore:
		return "core"
	case SectionProfiler:
		return ExtensionTypeProfiler.String()
	default:
		return ExtensionType(s - sectionExt0).String()
	}
}
