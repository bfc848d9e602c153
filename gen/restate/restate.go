// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package restate brings a restated header, whose comments are our own, to the state of a
// newer original: it adds what the original has gained, without the original's comments, at
// the place where the original has it. What did not change stays as it is. [Version] records which
// original each header was compared with.
package restate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// Side is a header: its text, and what it declares.
type Side struct {
	Text  []byte
	Model *model.Header
}

// Result is a header brought up to date.
type Result struct {
	Text []byte
	// Added are the items that have no description yet, spelled as in since.json: functions,
	// "struct NAME", "STRUCT.FIELD", "ENUM.VALUE", handles, macros and prototypes.
	Added []string
	// Changed are declarations whose text was replaced, such as a version.
	Changed []string
	// Deprecated are fields that newer calls deprecated and ours did not.
	Deprecated []string
}

// Update adds what newer has gained to ours. It refuses to take anything away: a
// declaration that newer lacks is an error that names it.
func Update(ours, newer Side) (*Result, error) {
	to, err := header.NewOutline(ours.Model.Path, ours.Text)
	if err != nil {
		return nil, err
	}
	from, err := header.NewOutline(newer.Model.Path, newer.Text)
	if err != nil {
		return nil, err
	}
	u := &update{to: to, from: from, have: indexOf(to), theirs: indexOf(from), old: ours.Model, now: newer.Model,
		renamed: Renames(ours.Model, newer.Model)}
	gone := missing(newer.Model.Names(), ours.Model.Names())
	gone = slices.DeleteFunc(gone, func(n string) bool { return u.renamed[n] != "" })
	if len(gone) > 0 {
		return nil, fmt.Errorf("%s: the newer header has no %s: remove it from ours by hand, if that is right",
			ours.Model.PlaceOf(gone[0]), strings.Join(gone, ", "))
	}
	u.added = missing(ours.Model.Names(), newer.Model.Names())
	u.added = slices.DeleteFunc(u.added, func(n string) bool { return u.oldName(n) != n })
	u.records()
	u.enums()
	u.top()
	u.values()
	u.types()
	if u.err != nil {
		return nil, fmt.Errorf("%s: %w", ours.Model.Path, u.err)
	}
	return &Result{Text: u.apply(), Added: u.added, Changed: u.changed, Deprecated: u.deprecated}, nil
}

// missing returns what the second list has and the first does not.
func missing(has, wants []string) (list []string) {
	known := make(map[string]bool)
	for _, n := range has {
		known[n] = true
	}
	for _, n := range wants {
		if !known[n] {
			known[n] = true
			list = append(list, n)
		}
	}
	return list
}

// key is a declaration of an outline: a struct, its forward declaration and the call that
// gives its size have the same name.
type key struct {
	kind header.Kind
	name string
}

func indexOf(o *header.Outline) map[key]header.Place {
	index := make(map[key]header.Place)
	for _, p := range o.Places {
		if k := (key{p.Kind, p.Name}); p.Name != "" {
			if _, twice := index[k]; !twice {
				index[k] = p
			}
		}
	}
	return index
}

// edit replaces the text between two offsets of ours, which may be the same.
type edit struct {
	start, end int
	text       string
}

type update struct {
	to, from     *header.Outline
	have, theirs map[key]header.Place
	old, now     *model.Header
	added        []string
	changed      []string
	deprecated   []string
	edits        []edit
	placed       map[key]int       // new top-level declarations -> where they go
	renamed      map[string]string // as Renames returns them
	err          error
}

func (u *update) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf(format, args...)
	}
}

// oldName returns what ours calls an item of theirs.
func (u *update) oldName(item string) string {
	for from, to := range u.renamed {
		if to == item {
			return from
		}
	}
	return item
}

func (u *update) edit(start, end int, text string) {
	u.edits = append(u.edits, edit{start, end, text})
}

// records adds fields to structs that both headers have.
func (u *update) records() {
	for _, now := range u.now.Structs {
		i := slices.IndexFunc(u.old.Structs, func(s model.Struct) bool { return s.Name == now.Name })
		if i < 0 {
			continue
		}
		old := u.old.Structs[i]
		ours, theirs := u.have[key{header.KindRecord, now.Name}], u.theirs[key{header.KindRecord, now.Name}]
		known := make(map[string]model.Field)
		for _, f := range model.Leaves(old.Fields) {
			known[f.Name] = f
		}
		for j, f := range now.Fields {
			was, ok := known[f.Name]
			item := now.Name + "." + f.Name
			if from := u.oldName(item); from != item {
				u.replaceMember(ours, theirs, strings.TrimPrefix(from, now.Name+"."), f.Name, item)
				continue
			}
			switch {
			case f.Anonymous != "":
				if len(missing(memberNames(old.Fields), memberNames(f.Fields))) > 0 {
					u.fail("a member of a %s without a name in struct %s is new: add it to ours by hand", f.Anonymous, now.Name)
				}
			case !ok:
				u.addMember(ours, theirs, now, j)
			default:
				if f.Deprecated && !was.Deprecated {
					u.deprecate(ours, f.Name, item)
				}
				if was.Type != f.Type {
					u.replaceMember(ours, theirs, f.Name, f.Name, item)
				}
			}
		}
		if a, b := old.StructSize, now.StructSize; a != nil && b != nil && a.LastField != b.LastField {
			u.lastField(now.Name, a.LastField, b.LastField)
		}
	}
}

func memberNames(fields []model.Field) (list []string) {
	for _, f := range model.Leaves(fields) {
		list = append(list, f.Name)
	}
	return list
}

// markOf returns the comment that marks the direction of a field.
func markOf(f model.Field) string {
	if f.Dir == model.DirNone || f.DirScope != "" && f.Dir == model.DirIn {
		return ""
	}
	return "  // " + string(f.Dir)
}

func member(p header.Place, name string) (header.Place, bool) {
	for _, m := range p.Members {
		if m.Name == name {
			return m, true
		}
	}
	return header.Place{}, false
}

// addMember adds field j of a struct of theirs after the field that precedes it there.
func (u *update) addMember(ours, theirs header.Place, now model.Struct, j int) {
	fields := now.Fields
	m, ok := member(theirs, fields[j].Name)
	if !ok || ours.Kind == "" {
		u.fail("field %s is new and was not found in the text: add it to ours by hand", fields[j].Name)
		return
	}
	text := "\n" + memberText(u.from.Code(m.Start, m.End), fields[j])
	for j--; j >= 0; j-- {
		name := strings.TrimPrefix(u.oldName(now.Name+"."+fields[j].Name), now.Name+".")
		if before, ok := member(ours, name); ok {
			u.edit(before.Tail, before.Tail, text)
			return
		}
	}
	u.edit(ours.Body, ours.Body, text)
}

// deprecatedMark is the comment of a field that an original calls deprecated.
const deprecatedMark = "// Deprecated.\n  "

func (u *update) deprecate(ours header.Place, name, item string) {
	m, ok := member(ours, name)
	if !ok {
		u.fail("%s is deprecated now and was not found in the text: say so in ours by hand", item)
		return
	}
	u.deprecated = append(u.deprecated, item)
	u.edit(m.Start, m.Start, deprecatedMark)
}

// replaceMember writes a field as theirs has it, which may be under another name.
func (u *update) replaceMember(ours, theirs header.Place, name, theirName, item string) {
	was, ok := member(ours, name)
	is, found := member(theirs, theirName)
	if !ok || !found {
		u.fail("%s has another type or name and was not found in the text: change ours by hand", item)
		return
	}
	u.changed = append(u.changed, item)
	u.edit(was.Start, was.End, fold(u.from.Code(is.Start, is.End), 0))
}

// lastField makes the size constant of a struct end at another field.
func (u *update) lastField(name, was, is string) {
	for _, k := range []key{{header.KindCall, name}, {header.KindMacro, name + "_STRUCT_SIZE"}, {header.KindOther, name + "_STRUCT_SIZE"},
		{header.KindEnum, name + "_STRUCT_SIZE"}} {
		p, ok := u.have[k]
		if !ok {
			continue
		}
		text := string(u.to.Text[p.Start:p.End])
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(was) + `\b`)
		if !word.MatchString(text) {
			continue
		}
		u.edit(p.Start, p.End, word.ReplaceAllString(text, is))
		return
	}
	u.fail("the size of struct %s ends at %s now, and ours does not say where it ends: change it by hand", name, is)
}

// enums adds values to enums that both headers have.
func (u *update) enums() {
	for _, now := range u.now.Enums {
		i := slices.IndexFunc(u.old.Enums, func(e model.Enum) bool { return e.Name == now.Name })
		if i < 0 {
			continue
		}
		ours, theirs := u.have[key{header.KindEnum, now.Name}], u.theirs[key{header.KindEnum, now.Name}]
		for j, v := range now.Values {
			if slices.ContainsFunc(u.old.Enums[i].Values, func(w model.EnumValue) bool { return w.Name == v.Name }) {
				continue
			}
			m, ok := member(theirs, v.Name)
			if !ok || ours.Kind == "" {
				u.fail("value %s is new and was not found in the text: add it to ours by hand", v.Name)
				return
			}
			u.addValue(ours, now.Values[:j], oneLine(u.from.Code(m.Start, m.End)))
		}
	}
}

func (u *update) addValue(ours header.Place, before []model.EnumValue, text string) {
	for _, v := range slices.Backward(before) {
		m, ok := member(ours, v.Name)
		if !ok {
			continue
		}
		if rest := bytes.TrimLeft(u.to.Text[m.End:], " \t"); !bytes.HasPrefix(rest, []byte(",")) {
			u.edit(m.End, m.End, ",")
		}
		u.edit(m.Tail, m.Tail, "\n  "+text+",")
		return
	}
	u.edit(ours.Body, ours.Body, "\n  "+text+",")
}

// top adds declarations, each after the one that precedes it in theirs.
func (u *update) top() {
	wanted := make(map[string]bool)
	for _, a := range u.added {
		if !strings.Contains(a, ".") {
			wanted[strings.TrimPrefix(a, "struct ")] = true
		}
	}
	for _, e := range u.now.Enums {
		if !slices.ContainsFunc(u.old.Enums, func(w model.Enum) bool { return w.Name == e.Name }) {
			wanted[e.Name] = true
		}
	}
	u.placed = make(map[key]int)
	for i, p := range u.from.Places {
		k := key{p.Kind, p.Name}
		name := strings.TrimSuffix(p.Name, "_STRUCT_SIZE")
		if _, ok := u.have[k]; ok || !wanted[p.Name] && !wanted[name] {
			continue
		}
		at, ok := u.behind(i)
		if !ok {
			u.fail("%s is new, and ours has nothing next to it: add it by hand", p.Name)
			return
		}
		u.placed[k] = at
		sep := "\n\n"
		if p.Kind == header.KindCall {
			sep = "\n" // it belongs to the struct before it
		}
		u.edit(at, at, sep+u.declaration(p))
	}
}

// behind returns where declaration number i of theirs goes in ours.
func (u *update) behind(i int) (int, bool) {
	for j := i - 1; j >= 0; j-- {
		k := key{u.from.Places[j].Kind, u.from.Places[j].Name}
		if at, ok := u.placed[k]; ok {
			return at, true
		}
		if p, ok := u.have[k]; ok {
			return p.Tail, true
		}
	}
	for _, p := range u.from.Places[i+1:] {
		next, ok := u.have[key{p.Kind, p.Name}]
		if !ok {
			continue
		}
		if j := slices.IndexFunc(u.to.Places, func(q header.Place) bool { return q.Start == next.Start }); j > 0 {
			return u.to.Places[j-1].Tail, true
		}
	}
	return 0, false
}

// declaration returns a declaration of theirs without its comments, with our marks.
func (u *update) declaration(p header.Place) string {
	if p.Kind != header.KindRecord {
		return u.from.Code(p.Start, p.End)
	}
	var fields []model.Field
	for _, s := range u.now.Structs {
		if s.Name == p.Name {
			fields = s.Fields
		}
	}
	var b strings.Builder
	b.WriteString(u.from.Code(p.Start, p.Body))
	end := p.Body
	for _, m := range p.Members {
		var field model.Field
		if i := slices.IndexFunc(fields, func(f model.Field) bool { return f.Name == m.Name }); i >= 0 && m.Name != "" {
			field = fields[i]
		}
		b.WriteString("\n" + memberText(u.from.Code(m.Start, m.End), field))
		end = m.End
	}
	b.WriteString("\n" + u.from.Code(end, p.End))
	return b.String()
}

// values replaces macros that have another value.
func (u *update) values() {
	for _, now := range u.now.Macros {
		i := slices.IndexFunc(u.old.Macros, func(m model.Macro) bool { return m.Name == now.Name })
		if i < 0 || now.Value == nil || u.old.Macros[i].Value != nil && *u.old.Macros[i].Value == *now.Value {
			continue
		}
		k := key{header.KindMacro, now.Name}
		ours, theirs := u.have[k], u.theirs[k]
		u.changed = append(u.changed, now.Name)
		u.edit(ours.Start, ours.End, u.from.Code(theirs.Start, theirs.End))
	}
}

// types refuses what no rule above can bring over: a function of another type.
func (u *update) types() {
	signature := func(f model.Func) string {
		var b strings.Builder
		b.WriteString(f.Ret)
		for _, p := range f.Params {
			b.WriteString(", " + p.Type)
		}
		return b.String()
	}
	old := make(map[string]string)
	for _, f := range slices.Concat(u.old.Functions, u.old.Callbacks) {
		old[f.Name] = signature(f)
	}
	for _, f := range slices.Concat(u.now.Functions, u.now.Callbacks) {
		if was, ok := old[f.Name]; ok && was != signature(f) {
			u.fail("%s has another type, %s: change ours by hand", f.Name, signature(f))
		}
	}
}

func (u *update) apply() []byte {
	slices.SortStableFunc(u.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, e := range u.edits {
		out.Write(u.to.Text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(u.to.Text[at:])
	return out.Bytes()
}

// license begins a restated header.
const license = `/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

`

// New returns a header that we do not have yet, without the original's comments.
func New(newer Side) (*Result, error) {
	o, err := header.NewOutline(newer.Model.Path, newer.Text)
	if err != nil {
		return nil, err
	}
	u := &update{from: o, now: newer.Model}
	if len(o.Places) == 0 {
		return nil, errors.New(newer.Model.Path + " declares nothing")
	}
	var b bytes.Buffer
	at, before := o.Places[0].Start, header.Kind("")
	b.WriteString(license + o.Code(0, at))
	for _, p := range o.Places {
		if p.Start < at {
			continue // a macro within a struct
		}
		if between := u.from.Code(at, p.Start); between != "" {
			b.WriteString("\n\n" + between)
			before = ""
		}
		guard := p.Kind == header.KindMacro && p.Name == newer.Model.Guard
		if guard || p.Kind == header.KindCall || p.Kind == header.KindMacro && before == header.KindMacro {
			b.WriteString("\n")
		} else {
			b.WriteString("\n\n")
		}
		b.WriteString(u.declaration(p))
		at, before = p.End, p.Kind
		if guard {
			before = "" // what follows is separated from it
		}
	}
	b.WriteString("\n\n" + u.from.Code(at, len(o.Text)) + "\n")
	return &Result{Text: b.Bytes(), Added: newer.Model.Names()}, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
