// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Table is a live PJRT_Api in this process. Any goroutine may use it and, through its API, any
// thread.
type Table struct {
	block    int
	handlers []handler // by the id of the function; nil for those without an entry point
	capi     *capi.Table
	// memory holds the table, the nodes of the extension chain and the profiler's table in one
	// allocation, so that a pointer to any of them keeps all alive.
	memory []uintptr
	keep   any // other objects that memory points to
}

// API returns the table for C. It is valid until Close, as long as Go code refers to it or to a
// Table for it.
func (t *Table) API() *capi.API { return (*capi.API)(unsafe.Pointer(unsafe.SliceData(t.memory))) }

// Address returns the address of the table, which GetPjrtApi of a library may return, and which
// pjrt.Register takes.
func (t *Table) Address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(t.memory))) }

// Capi returns the table for calls from Go.
func (t *Table) Capi() *capi.Table { return t.capi }

const wordSize = unsafe.Sizeof(uintptr(0))

// maxCalls is how many calls of a table from Go can be under way: fewer by far than the threads
// that end a process, and more than any program makes at once on purpose.
const maxCalls = 1000

// maxNode is at least the size of any known node of the extension chain.
const maxNode = 512

// part is a piece of a table's memory while it is being laid out: the core
// table, a node, or the profiler's table.
type part struct {
	section capi.Section
	size    uintptr
	offset  uintptr
	copyOf  unsafe.Pointer // its initial contents
	write   []func(base unsafe.Pointer)
}

// slot stores the entry point of a function in its slot.
func (p *part) slot(t *Table, f *capi.Function) {
	if f.Offset+wordSize > p.size {
		return
	}
	p.write = append(p.write, func(base unsafe.Pointer) {
		*(*uintptr)(unsafe.Add(base, f.Offset)) = t.address(ids[f])
	})
}

// node returns p as a node of the extension chain.
func (p *part) node(t *Table) *capi.ExtensionBase {
	return (*capi.ExtensionBase)(unsafe.Add(unsafe.Pointer(t.API()), p.offset))
}

// build lays out the parts, the core table first, allocates a block of entry points, and fills in
// everything except the links between the parts.
func (t *Table) build(parts []*part) error {
	if err := t.take(); err != nil {
		return err
	}
	size := uintptr(0)
	for _, p := range parts {
		p.offset = size
		size += (p.size + wordSize - 1) &^ (wordSize - 1)
	}
	// Go code may read an older table or node through the newest type, so allocate enough memory
	// for that.
	size = max(size, unsafe.Sizeof(capi.API{})) + maxNode
	t.memory = make([]uintptr, size/wordSize)
	for _, p := range parts {
		base := unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.memory)), p.offset)
		if p.copyOf != nil {
			copy(unsafe.Slice((*byte)(base), p.size), unsafe.Slice((*byte)(p.copyOf), p.size))
		}
		for _, write := range p.write {
			write(base)
		}
	}
	return nil
}

// link chains the nodes, those of the caller last, and points the profiler's
// node to its table.
func (t *Table) link(parts []*part, more []*capi.ExtensionBase) {
	at := &t.API().ExtensionStart
	for _, p := range parts[1:] {
		if p.section == capi.SectionProfiler {
			continue
		}
		*at = p.node(t)
		at = &p.node(t).Next
	}
	for _, n := range more {
		*at = n
		at = &n.Next
	}
	*at = nil
}

// publish makes the table callable.
func (t *Table) publish() error {
	t.open()
	err := t.Reread()
	if err != nil {
		_ = t.Close()
	}
	return err
}

// Reread makes Capi return a table that knows of changes to API, such as those of its size, its
// version or its extensions. Nothing may use the table yet.
func (t *Table) Reread() (err error) {
	real, _ := t.keep.(*capi.Table)
	t.capi, err = capi.NewTable(t.API(), capi.Reentrant(), capi.InFrontOf(real), capi.AtMost(maxCalls))
	return err
}
