// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/gen/restate"
)

// page is a report in Markdown that is being written.
type page struct {
	bytes.Buffer
	*outcome
	items []diff.Addition
	todo  []string
}

// text returns the report.
func (o *outcome) text() ([]byte, error) {
	p := &page{outcome: o, items: diff.Additions(o.before, o.after)}
	p.renamed()
	p.line("# PJRT API %s to %s", text(o.before), text(o.after))
	p.origins()
	changes := diff.Compare(o.before, o.after, diff.Options{}).Changes
	p.news(changes)
	p.deprecated()
	p.gone(changes)
	if err := p.unnamed(); err != nil {
		return nil, err
	}
	p.questions()
	p.proof()
	if len(p.items) == 0 && len(changes) == 0 && len(p.todo) == 0 {
		p.line("\nNothing is new, and there is nothing to decide.")
		return p.Bytes(), nil
	}
	p.decide()
	return p.Bytes(), nil
}

// renamed asks for the use of newer names of fields. Such fields are not new, and keep our
// comments.
func (p *page) renamed() {
	renamed := renames(p.before, p.after)
	p.items = slices.DeleteFunc(p.items, func(i diff.Addition) bool {
		return slices.Contains(slices.Collect(maps.Values(renamed[i.Header.Path])), i.Name)
	})
	for _, path := range slices.Sorted(maps.Keys(renamed)) {
		for _, from := range slices.Sorted(maps.Keys(renamed[path])) {
			p.todo = append(p.todo, fmt.Sprintf("`%s` is called `%s` in the originals, and so is its Go field: use the newer name in the "+
				"module, in the tables of gen/golang and in our comments, and say in CHANGELOG.md that it breaks programs.",
				from, renamed[path][from]))
		}
	}
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// section begins a section with the number of its items.
func (p *page) section(title string, n int) { p.line("\n## %s: %d\n", title, n) }

func (p *page) origins() {
	p.line("")
	for _, s := range p.steps {
		p.line("- 0.%d: %s", s.minor, s.source)
		if s.source == restate.UnknownSource && len(p.items) > 0 {
			p.todo = append(p.todo, "VERSION does not say where these originals come from: undo the update, and run it again with "+
				"SOURCE='NAME VERSION'.")
		}
	}
	if len(p.jumped) > 0 {
		p.line("- **No originals of %s**: their items are recorded under the next step, which nothing can correct later.",
			minors(p.jumped))
	}
	for _, h := range p.after.Headers() {
		if p.theirs.Header(h.Path) == nil {
			p.missing = append(p.missing, h.Path)
		}
	}
	if len(p.missing) == 0 {
		return
	}
	byOrigin := make(map[restate.Origin][]string)
	for _, path := range p.missing {
		at := p.version.Headers[path]
		byOrigin[at] = append(byOrigin[at], path)
	}
	p.line("\nThe originals lack these headers of ours, which stay as they were last compared:\n")
	for _, at := range slices.SortedFunc(maps.Keys(byOrigin), func(a, b restate.Origin) int {
		return cmp.Or(cmp.Compare(a.Minor, b.Minor), cmp.Compare(a.Source, b.Source))
	}) {
		paths := byOrigin[at]
		p.line("- as of 0.%d, %s: %s", at.Minor, at.Source, strings.Join(paths, ", "))
	}
}

// minorOf returns the minor that an item is recorded under.
func (p *page) minorOf(i diff.Addition) string {
	for _, s := range p.steps {
		if p.named[s.minor][i.Header.Path+" "+i.Name] {
			return fmt.Sprintf("0.%d", s.minor)
		}
	}
	return text(p.after)
}

func (p *page) news(changes []diff.Change) {
	if len(p.items) > 0 {
		p.section("New, and to be described in the headers", len(p.items))
		p.line("| what | since | where a comment of ours is missing |\n|---|---|---|")
		for _, kind := range []diff.Item{
			diff.ItemFunction, diff.ItemCallback, diff.ItemStruct, diff.ItemField, diff.ItemEnum, diff.ItemValue, diff.ItemHandle, diff.ItemMacro,
		} {
			for _, i := range p.items {
				if i.Item == kind {
					p.line("| %s | %s | %s:%d |", p.what(i), p.minorOf(i), i.Header.Path, i.Place().Line)
				}
			}
		}
	}
	var headers, versions []string
	for _, h := range p.after.Headers() {
		old := p.before.Header(h.Path)
		if old == nil {
			headers = append(headers, h.Path)
			continue
		}
		for _, m := range h.Macros {
			for _, w := range old.Macros {
				if m.Name == w.Name && m.Value != nil && w.Value != nil && *m.Value != *w.Value && m.Name != "PJRT_API_MINOR" {
					versions = append(versions, fmt.Sprintf("%s: %d to %d", m.Name, *w.Value, *m.Value))
				}
			}
		}
	}
	p.list("New extensions and other headers", headers)
	p.list("Versions of extensions", versions)
	var others []string
	for _, c := range changes {
		if c.Kind != diff.Added && c.Kind != diff.Resized && c.Item != diff.ItemMacro {
			others = append(others, describe(c))
		}
	}
	p.list("Other changes", others)
}

// list writes a section of lines, if there are any.
func (p *page) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.section(title, len(lines))
	for _, l := range lines {
		p.line("- %s", l)
	}
}

// what describes an item in a few words.
func (p *page) what(i diff.Addition) string {
	switch i.Item {
	case diff.ItemStruct:
		return fmt.Sprintf("`%s` (%s)", i.Name, strings.Join(i.Fields(), ", "))
	case diff.ItemEnum:
		return fmt.Sprintf("enum `%s` (%s)", i.Name, strings.Join(i.Values(), ", "))
	default:
		return fmt.Sprintf("%s `%s`", i.Item, i.Name)
	}
}

// deprecated lists what the originals call deprecated and our comments do not.
func (p *page) deprecated() {
	var lines []string
	said := func(doc string) bool { return strings.Contains(strings.ToLower(doc), "deprecated") }
	docs := func(h *model.Header) map[string]string {
		out := make(map[string]string)
		for _, f := range slices.Concat(h.Functions, h.Callbacks) {
			out[f.Name] = f.Doc
		}
		for _, s := range h.Structs {
			out["struct "+s.Name] = s.Doc
			for _, f := range model.Leaves(s.Fields) {
				if out[s.Name+"."+f.Name] = f.Doc; f.Deprecated {
					out[s.Name+"."+f.Name] = "deprecated"
				}
			}
		}
		for _, e := range h.Enums {
			for _, v := range e.Values {
				out[e.Name+"."+v.Name] = v.Doc
			}
		}
		return out
	}
	for _, h := range p.theirs.Headers() {
		ours := p.after.Header(h.Path)
		if ours == nil {
			continue
		}
		theirs, mine := docs(h), docs(ours)
		for _, item := range ours.Items() {
			if said(theirs[item]) && !said(mine[item]) {
				lines = append(lines, fmt.Sprintf("%s: `%s`", placeOf(ours, item), item))
			}
		}
		if old := p.before.Header(h.Path); old != nil {
			was := docs(old)
			for _, item := range ours.Items() {
				if _, known := was[item]; known && said(mine[item]) && !said(was[item]) {
					lines = append(lines, fmt.Sprintf("%s: `%s`, where update wrote \"Deprecated.\" above the field: say in favour of what",
						placeOf(ours, item), item))
				}
			}
		}
	}
	p.list("Deprecated, and our comment does not say so or does not say why", lines)
}

// gone lists functions whose slots are now unused. An update refuses other removals.
func (p *page) gone(changes []diff.Change) {
	var lines []string
	for _, c := range changes {
		if c.Kind == diff.Deprecated || c.Kind == diff.Removed || c.Kind == diff.Hidden {
			lines = append(lines, describe(c))
		}
	}
	p.list("Gone", lines)
}

// layer is a part of the module that may have to name new items.
type layer struct {
	name string
	dirs []string
}

var layers = []layer{
	{"the idiomatic layer (pjrt, extensions)", []string{"pjrt", "extensions"}},
	{"the contract's rules (conformance)", []string{"conformance"}},
}

func (p *page) unnamed() error {
	unknown := diff.Undescribed(p.items, p.describe)
	p.list("Not known to capi/describe, or only as an address", unknown)
	if len(unknown) > 0 {
		p.todo = append(p.todo, fmt.Sprintf("capi/describe: can programs that look at calls do without the %s not known to it?",
			count(len(unknown), "item")))
	}
	if p.outcome.root == "" {
		return nil
	}
	for _, l := range layers {
		s, err := diff.ReadSources(p.outcome.root, l.dirs...)
		if err != nil {
			return err
		}
		var lines []string
		for _, i := range s.Unnamed(p.items) {
			lines = append(lines, p.what(i))
		}
		p.list("Not named in "+l.name, lines)
		if len(lines) > 0 {
			p.todo = append(p.todo, fmt.Sprintf("%s: which of the %s without a name there need an API, a check or nothing? "+
				"CONTRIBUTING.md says where each goes.", l.name, count(len(lines), "item")))
		}
	}
	return nil
}

func (p *page) questions() {
	list := diff.Questions(p.items, p.describe)
	var lines []string
	for _, q := range list {
		lines = append(lines, fmt.Sprintf("| `%s` | `%s` | %s |", q.Table, q.Item, q.Why))
	}
	if len(lines) == 0 {
		return
	}
	p.section("Tables of exceptions (gen/golang) that may need an entry", len(lines))
	p.line("| table | item | question |\n|---|---|---|\n%s", strings.Join(lines, "\n"))
	p.todo = append(p.todo, fmt.Sprintf("The %s about tables of exceptions: find the answer in the comments of the originals; "+
		"an entry goes into gen/golang/exceptions.go, describe.go or results.go, then run make generate.", count(len(lines), "question")))
}

func (p *page) proof() {
	p.line("\n## Proof\n")
	switch {
	case len(p.facts) == 0:
		p.line("- No facts were written: those of 0.%d match the originals.", p.after.Version().Minor)
	case p.compiler != "":
		p.line("- %s confirmed %s of facts: %s.", p.compiler, count(len(p.facts), "file"), strings.Join(p.facts, ", "))
	default:
		p.line("- **No compiler confirmed the facts**: %s.", strings.Join(p.facts, ", "))
	}
	if len(p.unwitnessed) > 0 {
		p.todo = append(p.todo, fmt.Sprintf("No compiler has confirmed %s: run the same make update once more where there are gcc "+
			"and g++. Until then a test of third_party/xla fails. For facts of an intermediate minor, redo the whole update.",
			strings.Join(p.unwitnessed, ", ")))
	}
	if p.tested {
		p.line("- The module was built with the newer headers, and the generated code was tested.")
	} else {
		p.line("- Nothing was built or tested: run make generate check and make test.")
	}
}

func (p *page) decide() {
	var todo []string
	if len(p.items) > 0 {
		todo = append(todo, "Describe what is new at the places above, in our own words: what it does, who owns what, what may block, what null "+
			"means. Copy nothing from upstream's comments. Then run make generate.")
	}
	todo = append(todo, p.todo...)
	if slices.ContainsFunc(p.items, func(i diff.Addition) bool { return i.Item == diff.ItemFunction }) {
		todo = append(todo, "New functions: add them to echoes in capi/internal/realplugin/standin_unsafe_test.go; pjrt/pjrttest/table.go may serve them.")
	}
	if len(p.items) > 0 {
		todo = append(todo, "A line in CHANGELOG.md, and the version of the API in README.md and capi/README.md if it changes.")
	}
	todo = append(todo, "Run make lint check test before the commit.")
	p.section("To decide and do", len(todo))
	for i, t := range todo {
		p.line("%d. %s", i+1, strings.ToUpper(t[:1])+t[1:])
	}
}

// itemsAt returns the items that the facts of a minor name, each after its header's path.
func itemsAt(dir string, minor int) (map[string]bool, error) {
	docs, err := facts.Read(filepath.Clean(dir), minor)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool)
	for path, doc := range docs {
		h, err := factsHeader(doc)
		if err != nil {
			return nil, err
		}
		for _, n := range h.Names() {
			out[path+" "+n] = true
		}
		for _, e := range h.Enums {
			out[path+" "+e.Name] = true
		}
	}
	return out, nil
}
