// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"sync"
	"unsafe"
)

// The API versions that NewTable accepts. Minor 45 introduced the struct_size of extension nodes,
// without which the chain cannot be walked. Minor 56 inserted a function in the middle of the
// table, and minor 57 removed it again.
const (
	OldestMinor  = 45
	RefusedMinor = 56
)

// Table is a plugin: its tables of functions, and what this package knows about them. It is
// immutable, and any goroutine may use it. Plugins are never unloaded, so a Table is valid until
// the process ends.
type Table struct {
	api          *API
	library      string // see Library
	major, minor int
	// gateMinor is the newest minor whose input fields the plugin may know.
	gateMinor    int
	reentrant    bool
	checked      bool            // see Checked
	before       func(*Function) // may be nil
	calls        chan struct{}   // has a token for each call under way; nil if their number has no limit
	sections     [numSections]section
	extensions   []Extension
	chainErr     error
	foreignError func(*Table, *Function, unsafe.Pointer) error
	// extension is the type of the node in SectionNode.
	extension ExtensionType
}

// section is a struct of function pointers. Offsets of slots start at base, and size is the size of
// the plugin's struct.
type section struct {
	base unsafe.Pointer
	size uintptr
}

// Extension is a node of a plugin's extension chain.
type Extension struct {
	Type ExtensionType
	Size uintptr        // struct_size of the node, or that of its version if the plugin left it 0
	Node *ExtensionBase // in the plugin's memory
}

// TableOption changes how NewTable treats a plugin.
type TableOption func(*Table)

// Reentrant says that any function of the table may be written in Go, or may call Go before it
// returns. The short call path for getters would then end the process. Tables of capi/serve have it
// set.
func Reentrant() TableOption { return func(t *Table) { t.reentrant = true } }

// Before makes the table call f before each call of the plugin, on the caller's goroutine. It is
// for programs that log what they are about to do, because the plugin may end the process. f must
// be fast. It may be called from any goroutine.
func Before(f func(*Function)) TableOption { return func(t *Table) { t.before = f } }

// AtMost makes calls wait, in Go, while n others are under way. A function that is written in Go
// holds a thread while it waits, even for a mutex, and Go ends a process of 10,000 threads. Tables
// of capi/serve have a limit of 1000.
func AtMost(n int) TableOption { return func(t *Table) { t.calls = make(chan struct{}, n) } }

// InFrontOf says that the functions of the table call those of real, so that they have one library.
// Tables of capi/serve that wrap another have it set.
func InFrontOf(real *Table) TableOption { return func(t *Table) { t.library = real.Library() } }

// opened has the path of the library of each PJRT_Api that Open returned, by its address.
var opened sync.Map

// NewTable makes a Table from a PJRT_Api that is in this process already. It checks the version
// first, and rejects a table with an unknown layout. The error is ErrNullTable, ErrMajorVersion or
// ErrTooOld.
//
// api must stay valid as long as the process runs.
func NewTable(api *API, options ...TableOption) (*Table, error) {
	if api == nil {
		return nil, ErrNullTable
	}
	t := &Table{api: api}
	if path, ok := opened.Load(api); ok {
		t.library = path.(string)
	}
	for _, o := range options {
		o(t)
	}
	const versionEnd = unsafe.Offsetof(api.PJRTAPIVersion) + unsafe.Sizeof(api.PJRTAPIVersion)
	// In tables from before the version existed, a function pointer is in the place of the
	// version's struct_size.
	if api.StructSize < versionEnd {
		return nil, fmt.Errorf("%w: its table of %d bytes has no API version, and %w; %s", ErrTooOld, api.StructSize,
			ErrTableSize, supported)
	}
	if !statesVersion(&api.PJRTAPIVersion) {
		return nil, fmt.Errorf("%w: its table of %d bytes has no API version; %s", ErrTooOld, api.StructSize, supported)
	}
	t.major, t.minor = int(api.PJRTAPIVersion.MajorVersion), int(api.PJRTAPIVersion.MinorVersion)
	t.gateMinor = t.minor
	switch {
	case t.major != APIMajor:
		return nil, fmt.Errorf("%w: it has API %d.%d; %s", ErrMajorVersion, t.major, t.minor, supported)
	case t.minor < OldestMinor:
		return nil, fmt.Errorf("%w: it has API %d.%d; %s", ErrTooOld, t.major, t.minor, supported)
	case t.minor == RefusedMinor:
		return nil, fmt.Errorf("%w: it has API %d.%d, whose functions are in a different order than in all other versions; %s", ErrTooOld,
			t.major, t.minor, supported)
	}
	t.sections[SectionCore] = section{unsafe.Pointer(api), api.StructSize}
	t.walk(api.ExtensionStart)
	return t, nil
}

// statesVersion reports whether v is a version, and not a function pointer and what follows it.
// Some plugins leave its struct_size 0, at which other clients do not look. Then the numbers must
// be ones that no pointer has.
func statesVersion(v *APIVersion) bool {
	const most = 4096 // less than any address of a function
	if v.StructSize >= APIVersionSize {
		return v.StructSize <= most
	}
	return v.MajorVersion == APIMajor && OldestMinor <= v.MinorVersion && v.MinorVersion <= most
}

var supported = fmt.Sprintf("API %d.%d and later are supported, except %d.%d: use a newer plugin", APIMajor, OldestMinor, APIMajor,
	RefusedMinor)

// NewForeignTable makes a Table from a table of an API other than PJRT, of size bytes at base,
// whose functions have SectionCore. Package ffi uses it to call XLA_FFI_Api. takeError turns the
// error that a function returned into a Go error and frees it. The table counts as Reentrant.
func NewForeignTable(base unsafe.Pointer, size uintptr, takeError func(*Table, *Function, unsafe.Pointer) error) *Table {
	t := &Table{gateMinor: maxMinor, reentrant: true, foreignError: takeError}
	t.sections[SectionCore] = section{base, size}
	return t
}

// ExtensionTable returns a Table of the same plugin that also has the functions in the node of an
// extension that this package does not know, whatever its type. A package for such an extension
// describes the functions itself, or has pjrtgen extension write them from the header: each args
// struct begins with its struct_size, and has a method Function that returns a descriptor with
// SectionNode and the offset of the slot from the beginning of the node. The functions return a
// PJRT_Error or null. On a table that did not come from ExtensionTable, such a function is missing.
//
// Each call makes a new Table. The error is ErrorCodeUnimplemented if the plugin does not offer the
// extension.
func (t *Table) ExtensionTable(x ExtensionType) (*Table, error) {
	if t == nil {
		return nil, &Error{Code: ErrorCodeInvalidArgument, Message: "no plugin: the table is nil"}
	}
	node := t.Extension(x)
	if node == nil {
		return nil, &Error{Code: ErrorCodeUnimplemented, Missing: true, Message: t.without(x.String())}
	}
	e := *t
	e.extension = x
	e.sections[SectionNode] = section{unsafe.Pointer(node.Node), node.Size}
	return &e, nil
}

// without returns the message that the plugin does not have an extension.
func (t *Table) without(extension string) string {
	return fmt.Sprintf("the plugin (API %d.%d) does not offer the extension %s", t.major, t.minor, extension)
}

// maxMinor is newer than any field.
const maxMinor = 1 << 30

// Library returns the absolute path of the library that Open loaded the functions from, even if the
// Table itself came from NewTable. It is "" if something else loaded them.
func (t *Table) Library() string {
	if t == nil {
		return ""
	}
	return t.library
}

// API returns the plugin's table, in the plugin's memory.
func (t *Table) API() *API { return t.api }

// Version returns the plugin's API version.
func (t *Table) Version() (major, minor int) { return t.major, t.minor }

// Reentrant reports whether functions of the table may call into Go at any
// time.
func (t *Table) Reentrant() bool { return t.reentrant }

// Extensions returns the nodes of the extension chain in its order, including those of unknown
// types.
func (t *Table) Extensions() []Extension { return append([]Extension(nil), t.extensions...) }

// Extension returns the node of type x, or nil. The pointer Node may be converted to a pointer to
// the extension's struct, of which only Size bytes are valid.
func (t *Table) Extension(x ExtensionType) *Extension {
	for i := range t.extensions {
		if t.extensions[i].Type == x {
			e := t.extensions[i]
			return &e
		}
	}
	return nil
}

// ExtensionsErr says what is wrong with the extension chain, or is nil. The walk along it stopped
// there, and the nodes before are usable, except if the size of a node is 0: some plugins leave it
// so, other clients do not look at it, and the node counts as one of the plugin's version.
func (t *Table) ExtensionsErr() error { return t.chainErr }

const (
	maxChain    = 256     // nodes; the longest chain seen has 18
	maxNodeSize = 1 << 16 // bytes; the largest known node has 272
)

// walk follows the extension chain. If a type is repeated, the first node counts.
func (t *Table) walk(node *ExtensionBase) {
	seen := make(map[*ExtensionBase]bool)
	for i := 0; node != nil; i++ {
		switch {
		case i == maxChain:
			t.chainErr = fmt.Errorf("the extension chain has more than %d nodes", maxChain)
			return
		case seen[node]:
			t.chainErr = fmt.Errorf("the extension chain is circular: node %d occurred before", i)
			return
		case uintptr(unsafe.Pointer(node))%unsafe.Alignof(*node) != 0:
			t.chainErr = fmt.Errorf("node %d of the extension chain is at the misaligned address %#x", i, uintptr(unsafe.Pointer(node)))
			return
		case node.StructSize != 0 && node.StructSize < ExtensionBaseSize || node.StructSize > maxNodeSize:
			t.chainErr = fmt.Errorf("node %d of the extension chain has the impossible size %d", i, node.StructSize)
			return
		}
		seen[node] = true
		size := node.StructSize
		hasSection := node.Type >= 0 && node.Type <= maxExtensionType
		if size == 0 {
			size = ExtensionBaseSize
			if hasSection {
				size = max(size, sizeIn(SectionExtension(node.Type), t.minor))
			}
			if t.chainErr == nil {
				t.chainErr = fmt.Errorf("node %d of the extension chain has the impossible size 0; it counts as %d bytes", i, size)
			}
		}
		known := t.Extension(node.Type) != nil
		t.extensions = append(t.extensions, Extension{node.Type, size, node})
		if !known && hasSection {
			t.sections[SectionExtension(node.Type)] = section{unsafe.Pointer(node), size}
		}
		if node.Type == ExtensionTypeProfiler && !known {
			t.addProfiler(node, size)
		}
		node = node.Next
	}
}

// addProfiler makes a section from the table that the profiler's node points to.
func (t *Table) addProfiler(node *ExtensionBase, size uintptr) {
	x := (*ProfilerExtension)(unsafe.Pointer(node))
	if size < unsafe.Offsetof(x.ProfilerAPI)+unsafe.Sizeof(x.ProfilerAPI) || x.ProfilerAPI == nil {
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
	case f.Section == SectionNode && s.base == nil:
		e.Message = "this function of an extension is called with the table that Table.ExtensionTable returns, not with the plugin's"
	case f.Section == SectionNode:
		e.Message = fmt.Sprintf("the plugin offers the extension %v without this function", t.extension)
	case f.Section == SectionCore && f.Since > t.minor:
		e.Message = fmt.Sprintf("the plugin does not have this function: it came with API %d.%d, and the plugin has API %d.%d", APIMajor,
			f.Since, t.major, t.minor)
	case f.Section == SectionCore && f.Since == 0:
		e.Message = "the plugin does not have this function, which every version of the API has"
	case f.Section == SectionCore:
		e.Message = fmt.Sprintf("the plugin does not have this function, although it came with API %d.%d and the plugin has API %d.%d",
			APIMajor, f.Since, t.major, t.minor)
	case s.base == nil:
		e.Message = t.without(f.Section.String())
	default:
		e.Message = fmt.Sprintf("the plugin (API %d.%d) offers the extension %s without this function, which came with API %d.%d",
			t.major, t.minor, f.Section, APIMajor, f.Since)
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
	case SectionNode:
		return "extension"
	default:
		return ExtensionType(s - sectionExt0).String()
	}
}
