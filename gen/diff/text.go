// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/purepjrt/purepjrt/gen/model"
)

// WriteText prints the report for people: a summary, what breaks the ABI, then
// what the author of a plugin has to do to move to the newer headers.
func (r *Report) WriteText(w io.Writer) error {
	p := &printer{r: r, fresh: map[string]bool{}}
	for _, c := range r.Changes {
		if c.Item == ItemStruct && c.Kind == Added {
			p.fresh[c.Name] = true
		}
	}
	p.summary()
	p.breaking()
	p.implement()
	p.grown()
	p.values()
	p.newTables()
	p.types()
	p.extensions()
	p.source()
	p.notes()
	_, err := io.WriteString(w, p.out.String())
	return err
}

type printer struct {
	r     *Report
	out   strings.Builder
	fresh map[string]bool // structs that the newer side adds
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *printer) section(format string, args ...any) {
	title := fmt.Sprintf(format, args...)
	p.printf("\n%s\n%s\n", title, strings.Repeat("-", len(title)))
}

// rows prints lines with aligned columns.
func (p *printer) rows(indent string, rows [][]string) {
	blank := make([]bool, 0, 8)
	for _, row := range rows {
		for i, cell := range row {
			if i == len(blank) {
				blank = append(blank, true)
			}
			blank[i] = blank[i] && cell == ""
		}
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			if !blank[i] {
				cells = append(cells, cell)
			}
		}
		fmt.Fprintf(t, "%s%s\n", indent, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // a strings.Builder does not fail
	for line := range strings.Lines(b.String()) {
		p.printf("%s\n", strings.TrimRight(line, " \n"))
	}
}

func (p *printer) core(c Change) bool { return p.r.New.Core == "" || c.Header == p.r.New.Core }

func (p *printer) summary() {
	p.printf("%s -> %s\n", p.sideName(p.r.Old), p.sideName(p.r.New))
	if len(p.r.Changes) == 0 {
		p.printf("No changes.\n")
		return
	}
	count := func(item Item, kind Kind, keep func(Change) bool) int {
		return len(p.r.pick(func(c Change) bool { return c.Item == item && c.Kind == kind && (keep == nil || keep(c)) }))
	}
	extended := func(c Change) bool { return !p.fresh[c.Parent] }
	var parts []string
	part := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	part(count(ItemSlot, Added, extended), "function added", "functions added")
	part(count(ItemSlot, Removed, nil)+count(ItemSlot, Deprecated, nil), "function gone", "functions gone")
	part(len(p.r.pick(p.isGrown)), "struct grown", "structs grown")
	part(count(ItemValue, Added, func(c Change) bool { return !p.newEnum(c.Parent) }), "enum value added", "enum values added")
	part(len(p.freshTables()), "new table", "new tables")
	part(count(ItemHeader, Added, nil), "header added", "headers added")
	part(count(ItemHeader, Removed, nil), "header removed", "headers removed")
	if len(parts) == 0 {
		part(len(p.r.Changes), "change", "changes")
	}
	p.printf("%s.\n", strings.Join(parts, ", "))
	if p.r.Breaking == 0 {
		p.printf("Nothing breaks the ABI.\n")
	} else {
		p.printf("BREAKING CHANGES: %d\n", p.r.Breaking)
	}
}

func (p *printer) sideName(s Side) string {
	name := s.Label
	if v := s.Version; v != nil {
		version := fmt.Sprintf("PJRT %d.%d", v.Major, v.Minor)
		if name == "" {
			return version
		}
		name = fmt.Sprintf("%s (%s)", version, name)
	}
	return name
}

// isGrown reports whether a struct has more room than before, and that not only because its fields
// moved.
func (p *printer) isGrown(c Change) bool {
	if c.Item != ItemStruct || c.Kind != Resized || *c.New.Size <= *c.Old.Size {
		return false
	}
	return !c.Breaks || slices.ContainsFunc(p.r.Changes, func(d Change) bool { return d.Kind == Added && d.Parent == c.Name })
}

func (p *printer) newEnum(name string) bool {
	return slices.ContainsFunc(p.r.Changes, func(c Change) bool {
		return c.Item == ItemEnum && c.Kind == Added && c.Name == name
	})
}

// freshTables returns the tables that the newer side adds, in order.
func (p *printer) freshTables() []string {
	var names []string
	for _, c := range p.r.Changes {
		if c.Item == ItemSlot && c.Kind == Added && p.fresh[c.Parent] && !slices.Contains(names, c.Parent) {
			names = append(names, c.Parent)
		}
	}
	return names
}

func (p *printer) breaking() {
	breaks := p.r.Breaks()
	if len(breaks) == 0 {
		return
	}
	p.section("Breaking changes: %d", len(breaks))
	gone := map[string]int{} // headers that are gone, and how much they took along
	for _, c := range breaks {
		if c.Item == ItemHeader && c.Kind == Removed {
			gone[c.Header] = 0
		}
	}
	for _, c := range breaks {
		if _, ok := gone[c.Header]; ok && c.Item != ItemHeader {
			gone[c.Header]++
		}
	}
	for i := 0; i < len(breaks); {
		c := breaks[i]
		if _, ok := gone[c.Header]; ok && c.Item != ItemHeader {
			i++ // the header's line says so
			continue
		}
		run := max(movedRun(breaks[i:]), removedRun(breaks[i:]))
		switch {
		case run > 1 && c.Kind == Moved:
			p.movedLine(breaks[i : i+run])
		case run > 1:
			p.removedLines(breaks[i : i+run])
		case c.Item == ItemHeader:
			p.printf("  header %s removed, with %d declarations: %s.\n", c.Name, gone[c.Header], c.Why)
		default:
			p.printf("  %s: %s; %s.\n", fullName(c), happened(c), c.Why)
		}
		i += run
	}
}

// movedRun returns how many of the changes at the front moved by the same
// distance inside one table or struct; at least 1.
func movedRun(cs []Change) int {
	n := 1
	first := cs[0]
	if first.Kind != Moved || first.Item == ItemHeader {
		return n
	}
	for ; n < len(cs); n++ {
		c := cs[n]
		if c.Kind != Moved || c.Item != first.Item || c.Parent != first.Parent || distance(c) != distance(first) {
			break
		}
	}
	return n
}

// removedRun returns how many of the changes at the front were removed in the
// same way; at least 1.
func removedRun(cs []Change) int {
	n := 1
	first := cs[0]
	if first.Kind != Removed || first.Item == ItemHeader {
		return n
	}
	for n < len(cs) && cs[n].Kind == Removed && cs[n].Item == first.Item && cs[n].Header == first.Header &&
		cs[n].Parent == first.Parent && cs[n].Why == first.Why {
		n++
	}
	return n
}

func (p *printer) removedLines(cs []Change) {
	first := cs[0]
	in := ""
	if first.Parent != "" {
		in = " of " + first.Parent
	}
	p.printf("  %d %ss%s removed; %s:\n", len(cs), first.Item, in, first.Why)
	var rows [][]string
	for _, c := range cs {
		rows = append(rows, []string{c.Name, strings.Trim(at(c.Old), " ()")})
	}
	p.rows("    - ", rows)
}

func distance(c Change) int64 { return *c.New.Offset - *c.Old.Offset }

func (p *printer) movedLine(cs []Change) {
	a, b := cs[0], cs[len(cs)-1]
	what, from, to := "fields", offsets(a.Old, b.Old), offsets(a.New, b.New)
	if a.Item == ItemSlot {
		what = "slots"
		if *a.Old.Slot != *a.New.Slot {
			from = fmt.Sprintf("slots %d..%d", *a.Old.Slot, *b.Old.Slot)
			to = fmt.Sprintf("%d..%d", *a.New.Slot, *b.New.Slot)
		}
	}
	p.printf("  %s: %d %s moved, %s to %s (%s .. %s); the older side still looks in the older places.\n",
		a.Parent, len(cs), what, from, to, a.Name, b.Name)
}

func offsets(a, b *Place) string { return fmt.Sprintf("offsets %d..%d", *a.Offset, *b.Offset) }

// implement lists the functions that a plugin has to provide in the tables that
// it already fills.
func (p *printer) implement() {
	parents, byParent := p.byParent(func(c Change) bool {
		return c.Item == ItemSlot && c.Kind == Added && !p.fresh[c.Parent] && p.core(c)
	})
	for _, parent := range parents {
		p.section("What to implement: new functions of %s: %d", parent, len(byParent[parent]))
		p.slotRows("  ", byParent[parent])
		p.printf("A function that the plugin does not support returns an error with code UNIMPLEMENTED (see --stubs).\n")
	}
}

func (p *printer) slotRows(indent string, cs []Change) {
	var rows [][]string
	slices.SortStableFunc(cs, func(a, b Change) int { return cmp.Compare(*a.New.Slot, *b.New.Slot) })
	for _, c := range cs {
		rows = append(rows, []string{fmt.Sprintf("slot %d", *c.New.Slot), p.since(c), c.Name, tight(c.New.Type)})
	}
	p.rows(indent, rows)
}

func (p *printer) since(c Change) string {
	if c.Since == nil {
		return ""
	}
	major := 0
	if v := p.r.New.Version; v != nil {
		major = v.Major
	}
	return fmt.Sprintf("%d.%d", major, *c.Since)
}

// byParent picks changes and sorts them by the struct, table or enum that they
// belong to.
func (p *printer) byParent(keep func(Change) bool) ([]string, map[string][]Change) {
	var parents []string
	by := map[string][]Change{}
	for _, c := range p.r.pick(keep) {
		if by[c.Parent] == nil {
			parents = append(parents, c.Parent)
		}
		by[c.Parent] = append(by[c.Parent], c)
	}
	return parents, by
}

func (p *printer) grown() {
	var changed []Change
	for _, c := range p.r.Changes {
		if p.core(c) && (p.isGrown(c) || c.Item == ItemField && c.Kind == Added) {
			changed = append(changed, c)
		}
	}
	var order []string
	for _, c := range changed {
		name := c.Parent
		if c.Item == ItemStruct {
			name = c.Name
		}
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	if len(order) == 0 {
		return
	}
	p.section("Structs with new fields or slots: %d", len(order))
	for _, name := range order {
		p.printf("  %s%s\n", name, p.sizes(name, changed))
		p.fieldRows("    + ", fieldsOf(name, changed))
	}
	p.printf("Read a new field only when the caller's struct_size includes it.\n")
}

func (p *printer) fieldRows(indent string, cs []Change) {
	var rows [][]string
	for _, c := range cs {
		rows = append(rows, []string{
			fmt.Sprintf("offset %d", *c.New.Offset), fmt.Sprintf("size %d", *c.New.Size), p.since(c), c.Name, tight(c.New.Type)})
	}
	p.rows(indent, rows)
}

func (p *printer) values() {
	parents, by := p.byParent(func(c Change) bool { return c.Item == ItemValue && c.Kind == Added && p.core(c) })
	if len(parents) == 0 {
		return
	}
	total := 0
	for parent, cs := range by {
		if !p.newEnum(parent) {
			total += len(cs)
		}
	}
	fresh := len(p.r.pick(func(c Change) bool { return c.Item == ItemEnum && c.Kind == Added && p.core(c) }))
	if fresh > 0 {
		p.section("New enum values: %d, and new enums: %d", total, fresh)
	} else {
		p.section("New enum values: %d", total)
	}
	for _, parent := range parents {
		title := parent
		if p.newEnum(parent) {
			title += " (new)"
		}
		p.printf("  %s\n", title)
		p.valueRows("    + ", by[parent])
	}
}

func (p *printer) valueRows(indent string, cs []Change) {
	var rows [][]string
	for _, c := range cs {
		rows = append(rows, []string{fmt.Sprintf("%d", *c.New.Value), p.since(c), c.Name})
	}
	p.rows(indent, rows)
}

// newTables lists the tables that the core header adds and the handles that
// point at them.
func (p *printer) newTables() {
	defined := p.r.pick(func(c Change) bool { return c.Kind == Defined && p.core(c) })
	parents, by := p.byParent(func(c Change) bool {
		return c.Item == ItemSlot && c.Kind == Added && p.fresh[c.Parent] && p.core(c)
	})
	if len(defined)+len(parents) == 0 {
		return
	}
	p.section("Handles and tables with a layout of their own: %d", len(defined)+len(parents))
	for _, c := range defined {
		p.printf("  %s was a handle and is now a struct of %s: %s.\n", c.Name, bytesOf(*c.New.Size), c.Why)
	}
	for _, parent := range parents {
		p.printf("  %s (new table)\n", parent)
		p.slotRows("    + ", by[parent])
	}
}

// types lists the core header's new types that no section above explains. Args
// structs come with their functions.
func (p *printer) types() {
	tables := p.freshTables()
	fresh := p.r.pick(func(c Change) bool {
		if c.Kind != Added || !p.core(c) {
			return false
		}
		switch c.Item {
		case ItemStruct:
			return c.New.Type != string(model.RoleArgs) && !slices.Contains(tables, c.Name)
		case ItemHandle, ItemCallback, ItemFunction:
			return true
		default:
			return false
		}
	})
	if len(fresh) == 0 {
		return
	}
	p.section("Other new types: %d", len(fresh))
	var rows [][]string
	for _, c := range fresh {
		what := ""
		switch {
		case c.Item == ItemStruct:
			what = fmt.Sprintf("struct of %s", bytesOf(*c.New.Size))
		case c.New != nil:
			what = tight(c.New.Type)
		}
		rows = append(rows, []string{string(c.Item), p.since(c), c.Name, what})
	}
	p.rows("  ", rows)
}

// extensions prints the changes of the headers other than the core header.
func (p *printer) extensions() {
	var paths []string
	by := map[string][]Change{}
	for _, c := range p.r.Changes {
		if p.core(c) {
			continue
		}
		if by[c.Header] == nil {
			paths = append(paths, c.Header)
		}
		by[c.Header] = append(by[c.Header], c)
	}
	if len(paths) == 0 {
		return
	}
	slices.Sort(paths)
	var blocks []string
	for _, path := range paths {
		inner := &printer{r: p.r, fresh: p.fresh}
		inner.extension(path, by[path])
		if inner.out.Len() > 0 {
			blocks = append(blocks, inner.out.String())
		}
	}
	if len(blocks) == 0 {
		return
	}
	p.section("Extensions and other headers that changed: %d", len(blocks))
	p.printf("%s", strings.Join(blocks, ""))
}

func (p *printer) extension(path string, cs []Change) {
	pick := func(keep func(Change) bool) []Change {
		var out []Change
		for _, c := range cs {
			if keep(c) {
				out = append(out, c)
			}
		}
		return out
	}
	title := path
	removed := false
	if head := pick(func(c Change) bool { return c.Item == ItemHeader }); len(head) > 0 {
		title += " (" + happened(head[0]) + ")"
		removed = head[0].Kind == Removed
	}
	inner := &printer{r: p.r, fresh: p.fresh}
	for _, c := range pick(func(c Change) bool { return c.Item == ItemMacro && c.Kind == Retyped && !c.Breaks }) {
		inner.printf("    %s\n", sentence(c))
	}
	for _, c := range pick(func(c Change) bool { return c.Kind == Defined }) {
		inner.printf("    %s was a handle and is now a struct of %s\n", c.Name, bytesOf(*c.New.Size))
	}
	shown := map[string]bool{}
	for _, c := range pick(func(c Change) bool { return c.Item == ItemSlot && c.Kind == Added }) {
		if shown[c.Parent] {
			continue
		}
		shown[c.Parent] = true
		slots := pick(func(d Change) bool { return d.Item == ItemSlot && d.Kind == Added && d.Parent == c.Parent })
		inner.printf("    %s%s%s, new functions: %d\n", c.Parent, p.extensionNumber(c.Parent), p.sizes(c.Parent, cs), len(slots))
		inner.slotRows("      + ", slots)
		inner.fieldRows("      + ", fieldsOf(c.Parent, cs))
	}
	for _, c := range pick(func(c Change) bool { return p.isGrown(c) || c.Item == ItemField && c.Kind == Added }) {
		name := c.Parent
		if c.Item == ItemStruct {
			name = c.Name
		}
		if shown[name] {
			continue
		}
		shown[name] = true
		inner.printf("    %s%s\n", name, p.sizes(name, cs))
		inner.fieldRows("      + ", fieldsOf(name, cs))
	}
	if fresh := pick(func(c Change) bool { return c.Item == ItemValue && c.Kind == Added }); len(fresh) > 0 {
		inner.printf("    new enum values\n")
		inner.valueRows("      + ", fresh)
	}
	if inner.out.Len() > 0 || title != path {
		p.printf("  %s\n", title)
	}
	if !removed {
		p.printf("%s", inner.out.String())
	}
}

// sizes says how the struct grew, with a comma in front, if it did.
func (p *printer) sizes(name string, cs []Change) string {
	for _, c := range cs {
		if p.isGrown(c) && c.Name == name {
			return fmt.Sprintf(", struct_size %d -> %d", *c.Old.Size, *c.New.Size)
		}
	}
	return ""
}

func fieldsOf(name string, cs []Change) []Change {
	var out []Change
	for _, c := range cs {
		if c.Item == ItemField && c.Kind == Added && c.Parent == name {
			out = append(out, c)
		}
	}
	return out
}

// extensionNumber returns a new table's number in the chain of extensions, in
// parentheses.
func (p *printer) extensionNumber(name string) string {
	for _, c := range p.r.Changes {
		if c.Item == ItemStruct && c.Kind == Added && c.Name == name {
			if c.New.Value != nil {
				return fmt.Sprintf(" (new, extension type %d)", *c.New.Value)
			}
			return " (new)"
		}
	}
	return ""
}

// source lists what only source code notices.
func (p *printer) source() {
	p.list("Changes that only source code sees: %d", func(c Change) bool {
		if c.Breaks || c.Item == ItemMacro && c.Kind == Retyped && (!p.core(c) || p.isVersion(c.Name)) {
			return false // with its header, or in the title
		}
		switch c.Kind {
		case Renamed, Retyped, Removed, Signature, Regrouped:
			return c.Item != ItemHeader
		default:
			return false
		}
	})
}

// isVersion reports whether a macro is one of those that the title shows as the version.
func (p *printer) isVersion(macro string) bool {
	return p.r.Old.Version != nil && p.r.New.Version != nil && (strings.HasSuffix(macro, "_MAJOR") || strings.HasSuffix(macro, "_MINOR"))
}

func (p *printer) notes() {
	p.list("Worth a look: %d", func(c Change) bool {
		if c.Breaks {
			return false
		}
		return c.Kind == Stale || c.Kind == Corrected || c.Kind == Attribute || c.Kind == Direction
	})
}

func (p *printer) list(title string, keep func(Change) bool) {
	cs := p.r.pick(keep)
	if len(cs) == 0 {
		return
	}
	p.section(title, len(cs))
	repeats := map[string][]Change{}
	for _, c := range cs {
		repeats[sameInOthers(c)] = append(repeats[sameInOthers(c)], c)
	}
	for _, c := range cs {
		key := sameInOthers(c)
		if all := repeats[key]; len(all) > 3 {
			p.printf("  %s in %d structs: %s; %s.\n", c.Name, len(all), happened(c), c.Why)
			repeats[key] = nil
		} else if len(all) > 0 {
			p.printf("  %s\n", sentence(c))
		}
	}
}

// sameInOthers returns a key that changes share if they are the same change
// made to many structs.
func sameInOthers(c Change) string {
	if c.Item != ItemField {
		return fullName(c) + string(c.Kind)
	}
	return strings.Join([]string{c.Name, happened(c), c.Why}, "\x00")
}
