// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"iter"

	"github.com/purepjrt/purepjrt/gen/model"
)

const pointerSize = 8

func tableEnd(t *model.Table) int64 {
	var end int64
	for _, s := range t.Slots {
		end = max(end, s.Offset+pointerSize)
	}
	return end
}

func slotNames(tables ...*model.Table) map[string]bool {
	names := map[string]bool{}
	for _, t := range tables {
		if t != nil {
			for _, s := range t.Slots {
				names[s.Name] = true
			}
		}
	}
	return names
}

func slotAt(t *model.Table, offset int64) *model.Slot {
	for i := range t.Slots {
		if t.Slots[i].Offset == offset {
			return &t.Slots[i]
		}
	}
	return nil
}

func slotNamed(t *model.Table, name string) *model.Slot {
	for i := range t.Slots {
		if t.Slots[i].Name == name {
			return &t.Slots[i]
		}
	}
	return nil
}

// oldTable returns the older side of a table of the newer set.
func (c *comparer) oldTable(name string) *model.Table {
	if t := c.old.tables.get(name); t != nil {
		return t
	}
	return c.old.tables.get(c.oldName(name))
}

// replacedSlot returns the slot of the older table that lies where s lies, if
// its name is gone and s's name is new.
func (c *comparer) replacedSlot(o, n *model.Table, s *model.Slot) *model.Slot {
	if slotNamed(o, s.Name) != nil {
		return nil
	}
	was := slotAt(o, s.Offset)
	if was == nil || slotNamed(n, was.Name) != nil {
		return nil
	}
	return was
}

// replacedSlots returns the pairs of an older slot and the newer one that took its place, in
// all tables.
func (c *comparer) replacedSlots() iter.Seq2[*model.Slot, *model.Slot] {
	return func(yield func(was, is *model.Slot) bool) {
		for _, name := range c.new.tables.names {
			n, o := c.new.tables.get(name), c.oldTable(name)
			if o == nil {
				continue
			}
			for i := range n.Slots {
				is := &n.Slots[i]
				if was := c.replacedSlot(o, n, is); was != nil && !yield(was, is) {
					return
				}
			}
		}
	}
}

// findRenamedArgs looks for functions that kept their slot and changed their
// name: their args structs count as one renamed struct if they have the same
// bytes.
func (c *comparer) findRenamedArgs() {
	for was, is := range c.replacedSlots() {
		if was.Fn == nil || is.Fn == nil {
			continue
		}
		from, to := c.old.functions.get(*was.Fn), c.new.functions.get(*is.Fn)
		if from == nil || to == nil || !c.sameArgs(from.ArgsStruct, to.ArgsStruct) {
			continue
		}
		c.renamed[from.ArgsStruct] = to.ArgsStruct
		c.renamed[from.Name] = to.Name
	}
}

// sameArgs reports whether two args structs have the same bytes, whatever their
// fields are called. Both names must be gone from, or new to, the other side.
func (c *comparer) sameArgs(from, to string) bool {
	o, n := c.old.structs.get(from), c.new.structs.get(to)
	if o == nil || n == nil || c.new.structs.has(from) || c.old.structs.has(to) || structSize(o) != structSize(n) {
		return false
	}
	a, _ := members(o.Fields)
	b, _ := members(n.Fields)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameBytes(a[i], b[i], c.renamed) {
			return false
		}
	}
	return true
}

func (c *comparer) tables() {
	each(&c.old.tables, &c.new.tables, func(name, header string, o, n *model.Table) {
		if n == nil {
			if c.newName(name) == name && !c.new.structs.has(name) {
				c.goneTable(name, header, o)
			}
			return
		}
		if o == nil {
			o = c.oldTable(name)
		}
		if o == nil {
			c.newTable(name, header, n)
			return
		}
		first := len(c.changes)
		c.table(name, header, o, n)
		for _, ch := range c.changes[first:] {
			if ch.Breaks && ch.Kind != Deprecated && ch.Kind != Signature {
				c.broken[name] = true
			}
		}
	})
}

func (c *comparer) newTable(name, header string, n *model.Table) {
	for i := range n.Slots {
		s := &n.Slots[i]
		if s.Deprecated {
			continue
		}
		c.note(Change{Header: header, Item: ItemSlot, Kind: Added, Name: s.Name, Parent: name,
			New: c.slotPlace(c.new, n, s), Since: c.slotSince(header, s), Why: "it belongs to a new table"})
	}
}

func (c *comparer) goneTable(name, header string, o *model.Table) {
	for i := range o.Slots {
		s := &o.Slots[i]
		if s.Deprecated {
			continue
		}
		c.note(Change{Header: header, Item: ItemSlot, Kind: Removed, Name: s.Name, Parent: name, Breaks: true,
			Old: c.slotPlace(c.old, o, s), Why: "its table is gone, and programs built on the older header still call it"})
	}
}

func (c *comparer) table(name, header string, o, n *model.Table) {
	base := Change{Header: header, Item: ItemSlot, Parent: name}
	end := tableEnd(o)
	if s := c.old.structs.get(c.oldName(name)); s != nil {
		end = max(end, dataEnd(s.Fields))
	}
	replaced := map[string]bool{}
	for i := range n.Slots {
		s := &n.Slots[i]
		ch := base
		ch.Name, ch.New = s.Name, c.slotPlace(c.new, n, s)
		if was := slotNamed(o, s.Name); was != nil {
			c.slot(ch, o, n, was, s)
			continue
		}
		was := c.replacedSlot(o, n, s)
		switch {
		case was != nil && s.Deprecated:
			replaced[was.Name] = true
			ch.Old = c.slotPlace(c.old, o, was)
			ch.Old.Name, ch.New.Name = was.Name, s.Name
			if was.Deprecated {
				ch.Kind, ch.Why = Renamed, "an unused pointer under another name"
			} else {
				ch.Kind, ch.Breaks, ch.Why = Deprecated, true, deprecatedWhy
			}
		case was != nil && c.relateSlots(o, n, was, s).compatible() && !was.Deprecated:
			replaced[was.Name] = true
			ch.Kind, ch.Old = Renamed, c.slotPlace(c.old, o, was)
			ch.Old.Name, ch.New.Name = was.Name, s.Name
			ch.Why = "the same function in the same slot under another name"
		case s.Deprecated && s.Offset >= end:
			ch.Item, ch.Kind, ch.Why = ItemField, Added, "an unused pointer after the older end of the table"
			ch.New = &Place{Type: "void *", Offset: ptr(s.Offset), Size: ptr(int64(pointerSize))}
		default:
			ch.Kind, ch.Since = Added, c.slotSince(ch.Header, s)
			ch.Breaks, ch.Why = c.addedSlotWhy(c.oldName(name), o, s, end)
		}
		c.note(ch)
	}
	for i := range o.Slots {
		was := &o.Slots[i]
		if slotNamed(n, was.Name) != nil || replaced[was.Name] {
			continue
		}
		ch := base
		ch.Kind, ch.Name, ch.Old = Removed, was.Name, c.slotPlace(c.old, o, was)
		ch.Breaks, ch.Why = true, "programs built on the older header still call it"
		switch in := slotAt(n, was.Offset); {
		case in == nil && was.Deprecated:
			ch.Breaks, ch.Why = slotsBehind(o, was) > 0, "an unused pointer is gone"
		case in == nil && c.fieldAt(name, was.Offset) != "":
			ch.Why += ", and would take the field " + c.fieldAt(name, was.Offset) + " for it"
		case in == nil:
			ch.Why += ", and the table no longer reaches its slot"
		default:
			ch.Why += fmt.Sprintf(" and would reach %s", in.Name)
		}
		c.note(ch)
	}
	c.noDiscard(base, o, n)
}

// fieldAt returns the name of the field that the newer table has at an offset in place of a slot,
// or "".
func (c *comparer) fieldAt(table string, offset int64) string {
	if n := c.new.structs.get(table); n != nil {
		for _, f := range n.Fields {
			if f.Offset == offset {
				return f.Name
			}
		}
	}
	return ""
}

const deprecatedWhy = "the slot stays, as an unused pointer, so nothing after it moves; but the function is gone, and programs that call it get null"

func slotsBehind(t *model.Table, s *model.Slot) int {
	behind := 0
	for _, other := range t.Slots {
		if other.Offset > s.Offset {
			behind++
		}
	}
	return behind
}

func (c *comparer) addedSlotWhy(table string, o *model.Table, s *model.Slot, end int64) (breaks bool, why string) {
	if s.Offset >= end {
		if st := c.old.structs.get(table); st != nil && len(st.Fields) > 0 && !c.old.statesSize(st) {
			return true, "the table has no struct_size, so nothing shows whether a table has the slot"
		}
		return false, "it lies after the older end of the table, and struct_size shows whether a table has it"
	}
	if was := slotAt(o, s.Offset); was != nil {
		return true, fmt.Sprintf("it lies in the slot where the older side has %s", was.Name)
	}
	return true, "it lies inside the older table"
}

// slot compares a slot whose name both tables have.
func (c *comparer) slot(ch Change, o, n *model.Table, was, s *model.Slot) {
	ch.Old = c.slotPlace(c.old, o, was)
	if was.Offset != s.Offset {
		moved := ch
		moved.Kind, moved.Breaks = Moved, true
		moved.Why = fmt.Sprintf("programs built on the older header look for it at offset %d", was.Offset)
		if in := slotAt(n, was.Offset); in != nil {
			moved.Why = fmt.Sprintf("programs built on the older header would reach %s", in.Name)
		}
		c.note(moved)
	}
	switch {
	case s.Deprecated && was.Deprecated:
		return
	case s.Deprecated:
		ch.Kind, ch.Breaks, ch.Why = Deprecated, true, deprecatedWhy
	case was.Deprecated:
		ch.Kind, ch.Why = Added, "it takes a slot that held an unused pointer, which older tables leave null"
		ch.Since = c.slotSince(ch.Header, s)
	default:
		if !ch.retyped(Signature, c.relateSlots(o, n, was, s), otherSignature) {
			return
		}
	}
	c.note(ch)
}

// relateSlots compares the function types of two slots; a type that is not
// known counts as the same.
func (c *comparer) relateSlots(o, n *model.Table, was, s *model.Slot) relation {
	if f, g := slotField(c.old, o, was), slotField(c.new, n, s); f != nil && g != nil && f.Canon != "" && g.Canon != "" {
		return relate(f.Canon, g.Canon, c.renamed)
	}
	from, to := slotFunc(c.old, was), slotFunc(c.new, s)
	if from == nil || to == nil {
		return same
	}
	return relate(funcText(from), funcText(to), c.renamed)
}

// slotType returns the type of the function in a slot as text, or "" if the set
// does not tell.
func slotType(x *index, t *model.Table, s *model.Slot) string {
	if f := slotFunc(x, s); f != nil {
		return funcText(f)
	}
	if f := slotField(x, t, s); f != nil {
		if f.Sig != nil {
			return signatureText(f.Sig.Ret, f.Sig.Params)
		}
		return f.Type
	}
	return ""
}

// slotFunc returns the function type that the slot names, or nil if the slot
// spells out its type or the set does not have it.
func slotFunc(x *index, s *model.Slot) *model.Func {
	if s.Fn == nil {
		return nil
	}
	if f := x.functions.get(*s.Fn); f != nil {
		return f
	}
	return x.callbacks.get(*s.Fn)
}

// slotField returns the field of the table's struct that is the slot.
func slotField(x *index, t *model.Table, s *model.Slot) *model.Field {
	st := x.structs.get(t.Struct)
	if st == nil {
		return nil
	}
	for i := range st.Fields {
		if st.Fields[i].Name == s.Name {
			return &st.Fields[i]
		}
	}
	return nil
}

func (c *comparer) slotPlace(x *index, t *model.Table, s *model.Slot) *Place {
	return &Place{Type: slotType(x, t, s), Slot: ptr(s.Slot), Offset: ptr(s.Offset)}
}

// slotSince looks up a slot by its name, then by its function's name.
func (c *comparer) slotSince(path string, s *model.Slot) *int {
	minor := c.sinceOf(path, s.Name)
	if minor == nil && s.Fn != nil {
		minor = c.sinceOf(path, *s.Fn)
	}
	return minor
}

// noDiscard reports in one entry that functions of a table were marked, or no
// longer are.
func (c *comparer) noDiscard(base Change, o, n *model.Table) {
	marked, unmarked := 0, 0
	for _, s := range n.Slots {
		was := slotNamed(o, s.Name)
		switch {
		case was == nil || was.NoDiscard == s.NoDiscard || s.Deprecated:
		case s.NoDiscard:
			marked++
		default:
			unmarked++
		}
	}
	if marked+unmarked == 0 {
		return
	}
	base.Item, base.Kind, base.Name, base.Parent = ItemStruct, Attribute, base.Parent, ""
	switch {
	case unmarked == 0:
		base.Why = fmt.Sprintf("%d functions are now [[nodiscard]], which only the compiler sees", marked)
	case marked == 0:
		base.Why = fmt.Sprintf("%d functions are no longer [[nodiscard]], which only the compiler sees", unmarked)
	default:
		base.Why = fmt.Sprintf("%d functions are now [[nodiscard]] and %d no longer, which only the compiler sees", marked, unmarked)
	}
	c.note(base)
}
