// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package diff compares two states of the PJRT headers and says, for each
// difference, whether programs and plugins built on the older state still work
// with the newer one.
//
// The measure is the ABI, and the rule is where an existing reader looks. PJRT
// is made to grow: a function at the end of a table, a field at the end of a
// struct that states its size, an enumerator with an unused number and a new
// header do no harm. A slot, field or number that now means something else
// does. A new name for the same bytes is a change of source code only.
//
// [Compare] makes a [Report], which prints itself as text for people
// ([Report.WriteText]) and, through encoding/json, as a document for programs.
// [WriteStubs] prints C code for the functions that the newer headers add.
//
// [Additions] lists what is new, and [Questions], [Undescribed] and [Sources] ask what of it
// needs a maintainer's attention: an entry in one of the generator's tables of exceptions, or code
// that uses it. They decide nothing.
package diff

import "github.com/purepjrt/purepjrt/gen/model"

// Report is what changed between two sets of headers. Its JSON form is the
// document that `pjrtgen diff --json` prints.
type Report struct {
	Old      Side     `json:"old"`
	New      Side     `json:"new"`
	Breaking int      `json:"breaking"` // how many of Changes break the ABI
	Changes  []Change `json:"changes"`
}

// Side names one of the two states. Label is up to the caller, a path for
// example. Version is the version of the core header, and Core is that header's
// path; they are null and empty if no header states a version.
type Side struct {
	Label   string         `json:"label"`
	Version *model.Version `json:"version"`
	Core    string         `json:"core,omitempty"`
	Headers int            `json:"headers"`
}

// Item is the sort of thing that changed.
type Item string

// The items. A slot is a function pointer of a table (PJRT_Api, an extension, a
// table that a handle points at); a function is a function type that is in no
// table; a handle is a struct type without a body.
const (
	ItemHeader    Item = "header"
	ItemMacro     Item = "macro"
	ItemEnum      Item = "enum"
	ItemValue     Item = "value"
	ItemHandle    Item = "handle"
	ItemStruct    Item = "struct"
	ItemField     Item = "field"
	ItemSlot      Item = "slot"
	ItemFunction  Item = "function"
	ItemCallback  Item = "callback"
	ItemPrototype Item = "prototype"
	ItemVariable  Item = "variable"
	ItemAlias     Item = "alias"
)

// Kind is what happened to an item.
type Kind string

// The kinds.
const (
	Added      Kind = "added"
	Removed    Kind = "removed"
	Renamed    Kind = "renamed"    // same slot, offset or number; another name
	Retyped    Kind = "retyped"    // another type, or another value of a macro or variable
	Moved      Kind = "moved"      // another slot or offset; for a header, another path
	Renumbered Kind = "renumbered" // another value of an enumerator
	Resized    Kind = "resized"    // another size: struct_size for a struct that states one
	Realigned  Kind = "realigned"  // another alignment, which Value is, with the same fields
	Signature  Kind = "signature"  // another result or other parameters
	Deprecated Kind = "deprecated" // a function's slot that is now an unused pointer
	Regrouped  Kind = "regrouped"  // the same bytes, gathered in a struct or taken out of one
	Defined    Kind = "defined"    // a handle whose struct now has a body
	Hidden     Kind = "hidden"     // a struct whose body is gone
	Stale      Kind = "stale"      // a STRUCT_SIZE constant that no longer reaches the last field
	Corrected  Kind = "corrected"  // a stale STRUCT_SIZE constant that was put right
	Attribute  Kind = "attribute"  // [[nodiscard]] or the like
	Direction  Kind = "direction"  // the header's mark of who writes a field
)

// Change is one difference. Name is the C name; Parent is the struct, table or
// enum that it belongs to, by its newer name. Old is null for what was added
// and New is null for what was removed.
type Change struct {
	Header string `json:"header"` // the path in the newer set, in the older one for what was removed
	Item   Item   `json:"item"`
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"`
	Old    *Place `json:"old,omitempty"`
	New    *Place `json:"new,omitempty"`
	Since  *int   `json:"since,omitempty"` // the API minor that brought the addition, where known
	Breaks bool   `json:"breaks"`
	Why    string `json:"why"` // one sentence: why it breaks the ABI or why not
}

// Place says where an item was and what it was. Numbers that do not apply are
// null; Offset and Size are bytes, Slot counts the function pointers of a
// table. Type is a C type; for a struct that was added it is the role (args,
// extension ...), and Value is then the number of the extension's type.
type Place struct {
	Name   string `json:"name,omitempty"` // set where the two names differ
	Type   string `json:"type,omitempty"`
	Slot   *int   `json:"slot,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	Size   *int64 `json:"size,omitempty"`
	Value  *int64 `json:"value,omitempty"`
}

// Options are what Compare can be told besides the headers.
type Options struct {
	// OldLabel and NewLabel name the two sides in the report.
	OldLabel, NewLabel string
	// Since returns the API minor that introduced an item of the header at a
	// path, if it is known. An item is the name of a table's slot or of a
	// callback, "Struct.field", "Enum.VALUE" or "struct Name". Since may be
	// nil.
	Since func(path, item string) (minor int, known bool)
}

// Breaks returns the changes that break the ABI.
func (r *Report) Breaks() []Change {
	return r.pick(func(c Change) bool { return c.Breaks })
}

func (r *Report) pick(keep func(Change) bool) []Change {
	var out []Change
	for _, c := range r.Changes {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}
