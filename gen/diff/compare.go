// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// comparer holds the two sides while a report is made.
type comparer struct {
	old, new *index
	since    func(path, item string) (int, bool)
	renamed  map[string]string // types that only changed their name, older name to newer
	broken   map[string]bool   // tables whose slots did not just grow at the end
	changes  []Change
}

// Compare reports what changed from one set of headers to a later one. It does
// not alter the sets. Items are matched by name over all headers of a set, so
// moving a declaration from one header to another is not a change.
func Compare(from, to *model.Set, o Options) *Report {
	c := &comparer{old: newIndex(from), new: newIndex(to), since: o.Since, renamed: map[string]string{}, broken: map[string]bool{}}
	c.findRenames()

	c.headers()
	c.macros()
	c.tables()
	c.structs()
	c.handles()
	c.enums()
	c.functions()
	c.prototypes()
	c.variables()
	c.aliases()

	r := &Report{
		Old:     side(o.OldLabel, from),
		New:     side(o.NewLabel, to),
		Changes: c.changes,
	}
	if r.Changes == nil {
		r.Changes = []Change{}
	}
	if len(from.Headers()) == 1 && len(to.Headers()) == 1 {
		// Two files to compare, whatever their names.
		for i := range r.Changes {
			r.Changes[i].Header = to.Headers()[0].Path
		}
	}
	r.Breaking = len(r.Breaks())
	return r
}

func side(label string, set *model.Set) Side {
	s := Side{Label: label, Version: set.Version(), Headers: len(set.Headers())}
	for _, h := range set.Headers() {
		if h.APIVersion != nil {
			s.Core = h.Path
			break
		}
	}
	return s
}

func (c *comparer) note(ch Change) { c.changes = append(c.changes, ch) }

func (c *comparer) sinceOf(path, item string) *int {
	if c.since == nil {
		return nil
	}
	if minor, ok := c.since(path, item); ok {
		return &minor
	}
	return nil
}

// newName returns the name that a type of the older set has in the newer one.
func (c *comparer) newName(name string) string {
	if to, ok := c.renamed[name]; ok {
		return to
	}
	return name
}

// oldName undoes newName.
func (c *comparer) oldName(name string) string {
	for from, to := range c.renamed {
		if to == name {
			return from
		}
	}
	return name
}

func (c *comparer) headers() {
	from, to := c.old.set.Headers(), c.new.set.Headers()
	if len(from) == 1 && len(to) == 1 {
		return
	}
	for _, h := range to {
		switch was := c.movedFrom(h); {
		case c.old.set.Header(h.Path) != nil:
		case was != nil:
			c.note(Change{Header: h.Path, Item: ItemHeader, Kind: Moved, Name: h.Path,
				Old: &Place{Name: was.Path}, New: &Place{Name: h.Path},
				Why: "what it declares is compared below; only #include lines change"})
		default:
			c.note(Change{Header: h.Path, Item: ItemHeader, Kind: Added, Name: h.Path,
				Why: "nothing built on the older headers knows it"})
		}
	}
	for _, h := range from {
		if c.new.set.Header(h.Path) != nil || c.movedTo(h) {
			continue
		}
		ch := Change{Header: h.Path, Item: ItemHeader, Kind: Removed, Name: h.Path,
			Why: "it declared nothing that compiled code depends on"}
		if declares(h) > 0 {
			ch.Breaks = true
			ch.Why = "programs built on it still use what it declared"
		}
		c.note(ch)
	}
}

// movedFrom finds the header, gone from its own path, that declared most of
// what h declares.
func (c *comparer) movedFrom(h *model.Header) *model.Header {
	for _, was := range c.old.set.Headers() {
		if c.new.set.Header(was.Path) == nil && shareMost(was, h) {
			return was
		}
	}
	return nil
}

func (c *comparer) movedTo(was *model.Header) bool {
	for _, h := range c.new.set.Headers() {
		if c.old.set.Header(h.Path) == nil && shareMost(was, h) {
			return true
		}
	}
	return false
}

// shareMost reports whether h has at least half of the structs and function
// types of was.
func shareMost(was, h *model.Header) bool {
	names := map[string]bool{}
	for _, s := range h.Structs {
		names[s.Name] = true
	}
	for _, f := range h.Functions {
		names[f.Name] = true
	}
	total, found := 0, 0
	for _, s := range was.Structs {
		total++
		if names[s.Name] {
			found++
		}
	}
	for _, f := range was.Functions {
		total++
		if names[f.Name] {
			found++
		}
	}
	return total > 0 && 2*found >= total
}

func (c *comparer) macros() {
	extension := map[string]bool{}
	for _, x := range []*index{c.old, c.new} {
		for _, h := range x.set.Headers() {
			if h.ExtensionVersion != nil {
				extension[h.ExtensionVersion.Macro] = true
			}
		}
	}
	each(&c.old.macros, &c.new.macros, func(name, header string, o, n *model.Macro) {
		ch := Change{Header: header, Item: ItemMacro, Name: name}
		switch {
		case o == nil:
			ch.Kind, ch.New = Added, macroPlace(n)
			ch.Why = "a new macro changes no compiled code"
		case n == nil:
			ch.Kind, ch.Old = Removed, macroPlace(o)
			ch.Why = "compiled code has its value already; source code that uses it no longer compiles"
		case o.FunctionLike != n.FunctionLike || !slices.Equal(o.Params, n.Params):
			ch.Kind, ch.Old, ch.New = Signature, macroPlace(o), macroPlace(n)
			ch.Why = "macros are gone once the code is compiled; source code that uses it may have to change"
		case !equalPtr(o.Value, n.Value):
			ch.Kind, ch.Old, ch.New = Retyped, macroPlace(o), macroPlace(n)
			ch.Why = "code built on the older header keeps the older value"
			switch {
			case name == "PJRT_API_MAJOR" || isMajorOf(c.old.set, c.new.set, name):
				ch.Breaks = true
				ch.Why = "the major version changes when the whole ABI does; loaders refuse any other"
			case extension[name]:
				ch.Why = "the version of the extension, which readers check before they use what is new in it"
			}
		case o.Text != n.Text && o.Text != "" && n.Text != "" && o.Value == nil:
			ch.Kind, ch.Old, ch.New = Retyped, &Place{Type: o.Text}, &Place{Type: n.Text}
			ch.Why = "code built on the older header keeps what the macro stood for"
			if isText(o.Text) && isText(n.Text) {
				ch.Breaks, ch.Why = true, otherText
			}
		default:
			return
		}
		c.note(ch)
	})
}

// otherText is why another text breaks the ABI.
const otherText = "the two sides must agree on this text; one built on the older header still uses the older text"

// isText reports whether a macro stands for one string.
func isText(macro string) bool {
	return len(macro) > 1 && macro[0] == '"' && strings.IndexByte(macro[1:], '"') == len(macro)-2
}

// isMajorOf reports whether the macro states the major version, and the major
// versions of the two sets differ. Vendors rename the macro with the API's
// prefix.
func isMajorOf(from, to *model.Set, name string) bool {
	o, n := from.Version(), to.Version()
	return o != nil && n != nil && o.Major != n.Major && len(name) > 6 && name[len(name)-6:] == "_MAJOR"
}

func macroPlace(m *model.Macro) *Place {
	p := &Place{Value: m.Value}
	if m.FunctionLike {
		p.Type = fmt.Sprintf("%s(%d parameters)", m.Name, len(m.Params))
	}
	return p
}

// functions compares the function types that are in no table, and the callback
// types.
func (c *comparer) functions() {
	each(&c.old.functions, &c.new.functions, func(name, header string, o, n *model.Func) {
		if c.old.inTable[name] || c.new.inTable[name] {
			return // reported with its slot
		}
		if o == nil {
			o = c.old.functions.get(c.oldName(name))
		}
		c.function(ItemFunction, name, header, o, n)
	})
	each(&c.old.callbacks, &c.new.callbacks, func(name, header string, o, n *model.Func) {
		if o == nil {
			o = c.old.callbacks.get(c.oldName(name))
		}
		c.function(ItemCallback, name, header, o, n)
	})
}

func (c *comparer) function(item Item, name, header string, o, n *model.Func) {
	ch := Change{Header: header, Item: item, Name: name}
	switch {
	case o == nil:
		ch.Kind, ch.New, ch.Since = Added, &Place{Type: funcText(n)}, c.sinceOf(header, name)
		ch.Why = "a new type does not affect code that does not know it"
	case n == nil:
		if c.renamed[name] != "" {
			return
		}
		ch.Kind, ch.Old = Removed, &Place{Type: funcText(o)}
		ch.Why = "the type itself takes no memory; fields that used it are reported separately"
	default:
		if o.Name != n.Name {
			renamed := ch
			renamed.Kind, renamed.Old, renamed.New = Renamed, &Place{Name: o.Name}, &Place{Name: n.Name}
			renamed.Why = "it is in every place where the other was, under another name"
			c.note(renamed)
		}
		ch.Old, ch.New = &Place{Type: funcText(o)}, &Place{Type: funcText(n)}
		if !ch.retyped(Signature, relate(funcText(o), funcText(n), c.renamed), otherSignature) {
			return
		}
	}
	c.note(ch)
}

// otherSignature is why a function of another type breaks the ABI.
const otherSignature = "the two sides would pass and expect different arguments or results"

// retyped makes ch a change of a type, and returns false if the type is the same. breaks is
// why the change breaks the ABI, if it does.
func (ch *Change) retyped(kind Kind, r relation, breaks string) bool {
	ch.Kind, ch.Breaks, ch.Why = kind, !r.compatible(), r.why()
	if ch.Breaks {
		ch.Why = breaks
	}
	return r != same
}

func (c *comparer) prototypes() {
	each(&c.old.prototypes, &c.new.prototypes, func(name, header string, o, n *model.Func) {
		ch := Change{Header: header, Item: ItemPrototype, Name: name}
		cxx := o != nil && o.CXX || n != nil && n.CXX
		switch {
		case o == nil:
			ch.Kind, ch.New = Added, &Place{Type: funcText(n)}
			ch.Why = "nothing built on the older headers calls it"
		case n == nil:
			ch.Kind, ch.Old = Removed, &Place{Type: funcText(o)}
			ch.Breaks, ch.Why = true, "programs that link against it no longer find it"
		default:
			ch.Old, ch.New = &Place{Type: funcText(o)}, &Place{Type: funcText(n)}
			if !ch.retyped(Signature, relate(funcText(o), funcText(n), c.renamed), otherSignature) {
				return
			}
		}
		if cxx && ch.Kind != Added {
			ch.Breaks, ch.Why = false, "a C++ function for those who build a plugin; the C ABI does not contain it"
		}
		c.note(ch)
	})
}

func (c *comparer) variables() {
	each(&c.old.variables, &c.new.variables, func(name, header string, o, n *model.Variable) {
		ch := Change{Header: header, Item: ItemVariable, Name: name}
		switch {
		case o == nil:
			ch.Kind, ch.New, ch.Why = Added, &Place{Type: n.Type}, "nothing built on the older headers uses it"
		case n == nil:
			ch.Kind, ch.Old = Removed, &Place{Type: o.Type}
			ch.Why = "compiled code has its value already; source code that uses it no longer compiles"
			if o.Storage == "extern" {
				ch.Breaks, ch.Why = true, "programs that link against it no longer find it"
			}
		case o.String != n.String:
			ch.Kind, ch.Old, ch.New = Retyped, &Place{Type: fmt.Sprintf("%q", o.String)}, &Place{Type: fmt.Sprintf("%q", n.String)}
			ch.Breaks, ch.Why = true, otherText
		case relate(o.Type, n.Type, c.renamed) != same:
			ch.Kind, ch.Old, ch.New = Retyped, &Place{Type: o.Type}, &Place{Type: n.Type}
			ch.Why = "a constant of the header is compiled into each side separately"
			if o.Storage == "extern" || n.Storage == "extern" {
				ch.retyped(Retyped, relate(o.Type, n.Type, c.renamed), "both use one variable, and take its bytes for different things")
			}
		default:
			return
		}
		c.note(ch)
	})
}

func (c *comparer) aliases() {
	each(&c.old.aliases, &c.new.aliases, func(name, header string, o, n *model.Alias) {
		ch := Change{Header: header, Item: ItemAlias, Name: name}
		switch {
		case o == nil:
			ch.Kind, ch.New, ch.Why = Added, &Place{Type: n.Type}, "a new name does not affect code that does not know it"
		case n == nil:
			ch.Kind, ch.Old = Removed, &Place{Type: o.Type}
			ch.Why = "only the name is gone; fields that used it are reported separately"
		default:
			ch.Old, ch.New = &Place{Type: o.Type}, &Place{Type: n.Type}
			if !ch.retyped(Retyped, relate(o.Type, n.Type, c.renamed), "values of this type are now passed as another type") {
				return
			}
		}
		c.note(ch)
	})
}

// handles compares the structs without a body.
func (c *comparer) handles() {
	each(&c.old.opaque, &c.new.opaque, func(name, header string, o, n *model.Opaque) {
		ch := Change{Header: header, Item: ItemHandle, Name: name}
		switch {
		case o == nil && c.old.structs.has(name):
			ch.Kind, ch.Breaks = Hidden, true
			ch.Why = "code built on the older header reads its fields, which are no longer promised"
		case o == nil && c.old.opaque.has(c.oldName(name)):
			ch.Kind, ch.Old, ch.New = Renamed, &Place{Name: c.oldName(name)}, &Place{Name: name}
			ch.Why = "the same handle wherever one is passed, under another name"
		case o == nil:
			ch.Kind, ch.Why = Added, "a new handle does not affect code that does not know it"
		case n == nil && c.new.structs.has(name):
			s := c.new.structs.get(name)
			ch.Kind, ch.New = Defined, &Place{Size: ptr(structSize(s))}
			ch.Header = c.new.structs.byName[name].header
			ch.Why = "older callers pass the pointer on and never look inside; whoever makes such objects must now lay them out this way"
		case n == nil && c.renamed[name] != "":
			return
		case n == nil:
			ch.Kind, ch.Why = Removed, "a handle has no layout; functions that took it are reported separately"
		default:
			return
		}
		c.note(ch)
	})
}

// each calls f for every name of either side: those of the newer side in their
// order, then those that only the older side has. For a side that lacks the
// name, f gets nil. header is the newer side's if that side has the name.
func each[T any](from, to *decls[T], f func(name, header string, o, n *T)) {
	for _, name := range to.names {
		d := to.byName[name]
		f(name, d.header, from.get(name), d.it)
	}
	for _, name := range from.names {
		if !to.has(name) {
			d := from.byName[name]
			f(name, d.header, d.it, nil)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func equalPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
