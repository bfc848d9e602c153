// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"

	"github.com/purepjrt/purepjrt/gen/model"
)

// A member is a field as a reader sees it: the members of anonymous unions and
// structs are listed with the others.
type member struct {
	model.Field

	name string // dotted below a named union or struct without a tag
}

func (m member) end() int64 { return m.Offset + m.Size }

// span is a range of bytes.
type span struct{ offset, size int64 }

func (s span) holds(m member) bool { return m.Offset >= s.offset && m.end() <= s.offset+s.size }

// members lists the fields of a struct and where its unions lie.
func members(fields []model.Field) (all []member, unions []span) {
	var walk func(fields []model.Field, prefix string)
	walk = func(fields []model.Field, prefix string) {
		for _, f := range fields {
			if f.Anonymous == "" {
				all = append(all, member{f, prefix + f.Name})
				continue
			}
			if f.Anonymous == "union" {
				unions = append(unions, span{f.Offset, f.Size})
			}
			inner := prefix
			if f.Name != "" {
				inner += f.Name + "."
			}
			walk(f.Fields, inner)
		}
	}
	walk(fields, "")
	return all, unions
}

// dataEnd returns where the last field of a struct ends.
func dataEnd(fields []model.Field) int64 {
	var end int64
	for _, f := range fields {
		end = max(end, f.Offset+f.Size)
	}
	return end
}

// structSize returns what a struct's users put into struct_size, or its size in
// memory if the header has no constant.
func structSize(s *model.Struct) int64 {
	if s.StructSize != nil {
		return s.StructSize.Value
	}
	return s.Size
}

// isStale reports whether the struct's constant does not reach the end of its
// last field, as happens when a field was added and the constant forgotten.
func isStale(s *model.Struct) bool {
	return s.StructSize != nil && s.StructSize.Value < dataEnd(s.Fields)
}

// statesSize reports whether each object of the struct holds its own size,
// which is what lets the struct grow.
func (x *index) statesSize(s *model.Struct) bool {
	if s.HasStructSize {
		return true
	}
	for _, f := range s.Fields {
		if f.Offset != 0 {
			continue
		}
		if f.Name == "struct_size" {
			return true
		}
		if f.Kind != "struct" {
			continue
		}
		if inner := x.structs.get(f.Base); inner != nil && inner != s {
			return x.statesSize(inner)
		}
		return s.Role == model.RoleExtension // its base is in another header, and holds struct_size since 0.45
	}
	return false
}

// findRenamedStructs pairs a struct that is gone with a new one that has the
// same fields in the same places. Args structs are left to findRenamedArgs:
// many of them look alike, and the table says which belongs to which.
func (c *comparer) findRenamedStructs() {
	taken := map[string]bool{}
	for _, from := range c.old.structs.names {
		o := c.old.structs.get(from)
		if c.new.structs.has(from) || c.new.opaque.has(from) || o.Role == model.RoleArgs || len(o.Fields) < 2 {
			continue
		}
		var found []string
		for _, to := range c.new.structs.names {
			n := c.new.structs.get(to)
			if !c.old.structs.has(to) && !c.old.opaque.has(to) && !taken[to] && n.Role == o.Role && c.sameFields(from, o, to, n) {
				found = append(found, to)
			}
		}
		if len(found) == 1 {
			c.renamed[from] = found[0]
			taken[found[0]] = true
		}
	}
}

// sameFields reports whether the fields of two structs have the same names,
// places and types, where the two structs' own names count as the same.
func (c *comparer) sameFields(from string, o *model.Struct, to string, n *model.Struct) bool {
	names := map[string]string{from: to}
	for k, v := range c.renamed {
		names[k] = v
	}
	a, _ := members(o.Fields)
	b, _ := members(n.Fields)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].name != b[i].name || !sameBytes(a[i], b[i], names) {
			return false
		}
	}
	return true
}

// sameBytes reports whether two fields are in the same place and each can be
// read as the other.
func sameBytes(a, b member, renamed map[string]string) bool {
	return a.Offset == b.Offset && a.Size == b.Size && relateFields(a.Field, b.Field, renamed).compatible()
}

func (c *comparer) structs() {
	each(&c.old.structs, &c.new.structs, func(name, header string, o, n *model.Struct) {
		if o == nil {
			if from := c.oldName(name); from != name && c.old.structs.has(from) {
				o = c.old.structs.get(from)
				c.note(Change{Header: header, Item: ItemStruct, Kind: Renamed, Name: name,
					Old: &Place{Name: from}, New: &Place{Name: name}, Why: "the same layout under another name"})
			}
		}
		switch {
		case o == nil && c.old.opaque.has(name):
			// reported as a handle that got a body
		case o == nil:
			c.note(Change{Header: header, Item: ItemStruct, Kind: Added, Name: name, New: c.structPlace(name, n),
				Since: c.sinceOf(header, "struct "+name), Why: "a new type does not affect code that does not know it"})
		case n == nil && (c.renamed[name] != "" || c.new.opaque.has(name)):
		case n == nil:
			c.note(Change{Header: header, Item: ItemStruct, Kind: Removed, Name: name, Old: &Place{Size: ptr(structSize(o))}, Breaks: true,
				Why: "code built on the older header still passes or reads it"})
		default:
			c.structure(name, header, o, n)
		}
	})
}

// structPlace returns the size and the role of a struct, and its number in the
// chain of extensions.
func (c *comparer) structPlace(name string, s *model.Struct) *Place {
	p := &Place{Type: string(s.Role), Size: ptr(structSize(s))}
	if t := c.new.tables.get(name); t != nil && t.ExtensionType != nil {
		p.Value = ptr(t.ExtensionType.Value)
	}
	return p
}

// structure compares a struct that both sides have.
func (c *comparer) structure(name, header string, o, n *model.Struct) {
	if o.Kind != n.Kind && o.Kind != "" && n.Kind != "" {
		c.note(Change{Header: header, Item: ItemStruct, Kind: Retyped, Name: name, Breaks: true,
			Old: &Place{Type: o.Kind}, New: &Place{Type: n.Kind}, Why: "its fields lie in other places"})
		return
	}
	first := len(c.changes)
	if len(o.Fields) > 0 && len(n.Fields) > 0 {
		c.fields(name, header, o, n)
	}
	broken := c.broken[name]
	for _, ch := range c.changes[first:] {
		broken = broken || ch.Breaks
	}
	c.size(name, header, o, n, broken)
	if isStale(n) && !isStale(o) {
		c.note(Change{Header: header, Item: ItemStruct, Kind: Stale, Name: name,
			Old: &Place{Size: ptr(structSize(o))}, New: &Place{Size: ptr(n.StructSize.Value)},
			Why: fmt.Sprintf("%s ends at %s, so a reader that checks struct_size treats the %d bytes after it as missing",
				n.StructSize.Const, n.StructSize.LastField, dataEnd(n.Fields)-n.StructSize.Value)})
	}
}

// size reports a changed struct_size, size in memory or alignment. broken says that the struct's
// fields changed other than by growing at its end.
func (c *comparer) size(name, header string, o, n *model.Struct, broken bool) {
	oldEnd, newEnd := c.end(c.oldName(name), o, c.old), c.end(name, n, c.new)
	ch := Change{Header: header, Item: ItemStruct, Kind: Resized, Name: name}
	known := o.Size != 0 && n.Size != 0
	if oldEnd > 0 && oldEnd == newEnd && known && !broken && ch.realigned(o, n) {
		c.note(ch)
		return
	}
	from, to := o.Size, n.Size
	if o.StructSize != nil && n.StructSize != nil {
		from, to = o.StructSize.Value, n.StructSize.Value
	} else if !known {
		return
	}
	if from == to {
		return
	}
	ch.Old, ch.New = &Place{Size: ptr(from)}, &Place{Size: ptr(to)}
	c.grown(&ch, o, oldEnd, newEnd, broken)
	c.note(ch)
}

// realigned makes ch say that a struct with the same fields takes other addresses, and returns
// false if it does not.
func (ch *Change) realigned(o, n *model.Struct) bool {
	if o.Align != n.Align && o.Align != 0 && n.Align != 0 {
		ch.Kind, ch.Breaks = Realigned, true
		ch.Why = "the side with the smaller alignment may put it where the other cannot use it"
	}
	if o.Size != n.Size {
		ch.Breaks = true
		ch.Why = fmt.Sprintf("it takes %s in place of %d, so elements of an array of it lie elsewhere", bytesOf(n.Size), o.Size)
	}
	ch.Old, ch.New = &Place{Size: ptr(o.Size), Value: ptr(o.Align)}, &Place{Size: ptr(n.Size), Value: ptr(n.Align)}
	return ch.Breaks
}

// grown makes ch say what a size that changed means for the other side.
func (c *comparer) grown(ch *Change, o *model.Struct, oldEnd, newEnd int64, broken bool) {
	from, to := *ch.Old.Size, *ch.New.Size
	switch {
	case to < from && newEnd >= oldEnd && oldEnd > 0:
		ch.Breaks = true
		ch.Why = "the constant is smaller although no field is gone, so a reader that expects the older size refuses the struct"
	case to < from:
		ch.Breaks, ch.Why = true, "it shrank, so older readers look past its end"
	case oldEnd > 0 && oldEnd == newEnd:
		ch.Kind = Corrected
		ch.Why = "the struct itself ends where it did"
	case broken:
		ch.Breaks, ch.Why = true, "it grew other than at its end"
	case !c.old.statesSize(o) && len(o.Fields) > 0:
		ch.Breaks, ch.Why = true, "it has no struct_size, so neither side can tell which of the two layouts it was given"
	default:
		ch.Why = "it grew at its end, and struct_size shows which layout an object has"
	}
}

// end returns where a struct's data ends, by its fields or, if those are not
// known, by its slots.
func (c *comparer) end(name string, s *model.Struct, x *index) int64 {
	end := dataEnd(s.Fields)
	if t := x.tables.get(name); t != nil {
		end = max(end, tableEnd(t))
	}
	return end
}

// fields compares the fields of a struct, except its function slots.
func (c *comparer) fields(name, header string, o, n *model.Struct) {
	oldAll, oldUnions := members(o.Fields)
	newAll, _ := members(n.Fields)
	slots := slotNames(c.old.tables.get(c.oldName(name)), c.new.tables.get(name))
	oldLeft, newLeft := map[string]bool{}, map[string]bool{}
	was := map[string]member{}
	for _, m := range oldAll {
		if !slots[m.name] {
			oldLeft[m.name] = true
			was[m.name] = m
		}
	}
	base := Change{Header: header, Item: ItemField, Parent: name}
	for _, m := range newAll {
		if slots[m.name] {
			continue
		}
		newLeft[m.name] = true
		if w, ok := was[m.name]; ok {
			delete(oldLeft, m.name)
			delete(newLeft, m.name)
			c.field(base, w, m)
		}
	}
	c.regroup(base, oldAll, newAll, oldLeft, newLeft)
	for _, w := range oldAll {
		for _, m := range newAll {
			if oldLeft[w.name] && newLeft[m.name] && sameBytes(w, m, c.renamed) {
				delete(oldLeft, w.name)
				delete(newLeft, m.name)
				c.renamedField(base, w, m)
			}
		}
	}
	for _, m := range newAll {
		if newLeft[m.name] {
			c.addedField(base, o, oldUnions, oldAll, m)
		}
	}
	for _, w := range oldAll {
		if oldLeft[w.name] {
			ch := base
			ch.Kind, ch.Name, ch.Old, ch.Breaks = Removed, w.name, fieldPlace(w), true
			ch.Why = fmt.Sprintf("the older side still reads or writes %s at offset %d", bytesOf(w.Size), w.Offset)
			c.note(ch)
		}
	}
}

func (c *comparer) field(base Change, w, m member) {
	ch := base
	ch.Name, ch.Old, ch.New = m.name, fieldPlace(w), fieldPlace(m)
	r := relateFields(w.Field, m.Field, c.renamed)
	if w.Offset != m.Offset {
		moved := ch
		moved.Kind, moved.Breaks = Moved, true
		moved.Why = fmt.Sprintf("the older side looks for it at offset %d", w.Offset)
		c.note(moved)
	}
	switch {
	case r == different:
		ch.Kind, ch.Breaks, ch.Why = Retyped, true, "the two sides take the same bytes for different things"
		if w.Type == m.Type { // a typedef that changed
			ch.Old.Type, ch.New.Type = w.Canon, m.Canon
		}
	case w.Size != m.Size:
		ch.Kind, ch.Breaks, ch.Why = Resized, true, fmt.Sprintf("the older side expects %s", bytesOf(w.Size))
	case r != same:
		ch.Kind, ch.Why = Retyped, r.why()
	case w.Dir != m.Dir:
		ch.Kind, ch.Why = Direction, "only the header's mark of who writes it changed; check that it was a correction"
		ch.Old.Type, ch.New.Type = dirText(w.Dir), dirText(m.Dir)
	default:
		return
	}
	c.note(ch)
}

func dirText(d model.Dir) string {
	if d == model.DirNone {
		return "unmarked"
	}
	return string(d)
}

func (c *comparer) renamedField(base Change, w, m member) {
	ch := base
	ch.Kind, ch.Name, ch.Old, ch.New = Renamed, m.name, fieldPlace(w), fieldPlace(m)
	ch.Old.Name, ch.New.Name = w.name, m.name
	ch.Why = "the same bytes under another name"
	c.note(ch)
}

// regroup finds fields that were gathered in a struct of their own, or taken
// out of one, and that occupy the same bytes as before.
func (c *comparer) regroup(base Change, oldAll, newAll []member, oldLeft, newLeft map[string]bool) {
	for _, m := range newAll {
		if newLeft[m.name] && m.Kind == "struct" {
			if parts, ok := c.sameParts(oldAll, oldLeft, m, c.new); ok {
				delete(newLeft, m.name)
				c.regrouped(base, m.name, nil, fieldPlace(m), oldLeft, parts, "gathered in a struct")
			}
		}
	}
	for _, w := range oldAll {
		if oldLeft[w.name] && w.Kind == "struct" {
			if parts, ok := c.sameParts(newAll, newLeft, w, c.old); ok {
				delete(oldLeft, w.name)
				c.regrouped(base, w.name, fieldPlace(w), nil, newLeft, parts, "taken out of a struct")
			}
		}
	}
}

func (c *comparer) regrouped(base Change, name string, from, to *Place, left map[string]bool, parts []member, how string) {
	ch := base
	ch.Kind, ch.Name, ch.Old, ch.New = Regrouped, name, from, to
	ch.Why = fmt.Sprintf("the same %d fields in the same bytes, %s", len(parts), how)
	for _, p := range parts {
		delete(left, p.name)
	}
	c.note(ch)
}

// sameParts finds the fields in all that occupy the bytes of whole, a field of
// struct type on the other side, and checks them against that struct's own
// fields.
func (c *comparer) sameParts(all []member, left map[string]bool, whole member, side *index) ([]member, bool) {
	area := span{whole.Offset, whole.Size}
	var parts []member
	for _, m := range all {
		if left[m.name] && area.holds(m) {
			parts = append(parts, m)
		}
	}
	if len(parts) == 0 || parts[0].Offset != whole.Offset || parts[len(parts)-1].end() != whole.end() {
		return nil, false
	}
	inner := side.structs.get(whole.Base)
	if inner == nil {
		return parts, true // declared elsewhere: only the bytes can be compared
	}
	fields, _ := members(inner.Fields)
	if len(fields) != len(parts) {
		return nil, false
	}
	for i, f := range fields {
		f.Offset += whole.Offset
		if !sameBytes(parts[i], f, c.renamed) && !sameBytes(f, parts[i], c.renamed) {
			return nil, false
		}
	}
	return parts, true
}

func (c *comparer) addedField(base Change, o *model.Struct, oldUnions []span, oldAll []member, m member) {
	ch := base
	ch.Kind, ch.Name, ch.New = Added, m.name, fieldPlace(m)
	ch.Since = c.sinceOf(base.Header, base.Parent+"."+m.name)
	end := dataEnd(o.Fields)
	if o.StructSize == nil {
		end = o.Size
	}
	inUnion := false
	for _, u := range oldUnions {
		inUnion = inUnion || u.holds(m)
	}
	switch {
	case inUnion:
		ch.Why = "one more way to read a union that keeps its size"
	case m.Offset >= end && c.old.statesSize(o):
		ch.Why = "it lies after the older end of the struct, and struct_size shows whether an object has it"
	case m.Offset >= end:
		ch.Breaks = true
		ch.Why = "the struct has no struct_size, so nothing shows whether an object has it"
	default:
		ch.Breaks = true
		ch.Why = fmt.Sprintf("it lies inside the older %s, where the older side has padding", bytesOf(end))
		for _, w := range oldAll {
			if w.Offset < m.end() && m.Offset < w.end() {
				ch.Why = fmt.Sprintf("it lies where the older side has %s", w.name)
				break
			}
		}
	}
	c.note(ch)
}

func fieldPlace(m member) *Place {
	return &Place{Type: m.Type, Offset: ptr(m.Offset), Size: ptr(m.Size)}
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
