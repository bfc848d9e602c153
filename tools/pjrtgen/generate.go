// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/golang"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// sources says what generate and check read and write.
type sources struct {
	headers string // folder that holds xla/
	since   string // since.json
	out     string // folder of package capi
}

func (s *sources) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.headers, "headers", "third_party/xla", "folder that holds the headers in xla/")
	cmd.Flags().StringVar(&s.since, "since", "",
		"file that records in which version each item appeared (default: since.json beside the headers)")
	cmd.Flags().StringVar(&s.out, "out", "capi", "folder of package capi")
}

func newGenerateCommand() *cobra.Command {
	var s sources
	cmd := &cobra.Command{
		Use:   "generate [--headers DIR] [--since FILE] [--out DIR]",
		Short: "Generate the Go binding from the headers",
		Long: `Generate writes the files zz_*.go of package capi and of its folders ffi and serve
from the headers under DIR/xla, and removes those that are no longer generated.

The file since.json is state: generate adds new items of newer headers to it, under
the version of these headers. If a change breaks the ABI, generate says what changed
and where, and writes nothing. It compares the ABI with the newest measured facts, in
the folder facts beside since.json, and refuses items that these lack: update writes
the facts.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := s.generate()
			if err != nil {
				return err
			}
			return r.write(&s, cmd.OutOrStdout())
		},
	}
	s.addFlags(cmd)
	return cmd
}

// result holds what generate will write.
type result struct {
	files     []golang.File
	since     []byte   // new content of since.json; nil if it does not change
	added     []string // what is new in it
	version   model.Version
	unchecked bool // there are no facts to compare the ABI with
}

func (s *sources) sinceFile() string {
	if s.since != "" {
		return s.since
	}
	return filepath.Join(s.headers, "since.json")
}

// generate does everything except writing files.
func (s *sources) generate() (*result, error) {
	set, err := readHeaders(s.headers)
	if err != nil {
		return nil, err
	}
	version := set.Version()
	if version == nil {
		return nil, fmt.Errorf("no header under %s defines PJRT_API_MINOR: is xla/pjrt/c/pjrt_c_api.h there?",
			filepath.Join(s.headers, "xla"))
	}
	r := &result{version: *version}

	old, err := os.ReadFile(s.sinceFile())
	if err != nil {
		return nil, fmt.Errorf("cannot read in which version each item appeared: %w: name the file with --since; for headers of XLA of any "+
			"version it is third_party/xla/since.json of this module", err)
	}
	since, err := golang.ReadSince(bytes.NewReader(old))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.sinceFile(), err)
	}
	known, err := readFacts(filepath.Join(filepath.Dir(s.sinceFile()), "facts"))
	if err != nil {
		return nil, err
	}
	if r.unchecked = known == nil; known != nil {
		if err := refuseBreaks(known, set); err != nil {
			return nil, err
		}
	}
	newest := since.Minor
	if r.added, err = since.Update(set); err != nil {
		return nil, err
	}
	if known != nil {
		if err := refuseUnknown(known, set, r.added); err != nil {
			return nil, err
		}
	}
	// Older headers cannot show when items were introduced.
	if text := since.Bytes(); version.Minor >= newest && !bytes.Equal(text, old) {
		r.since = text
	}
	r.files, err = golang.Generate(golang.Input{Headers: set.Headers(), Since: since.Lookup})
	return r, err
}

// readHeaders reads all headers under root/xla, and returns all their errors.
func readHeaders(root string) (*model.Set, error) {
	paths, err := header.Tree(root)
	if err != nil {
		return nil, err
	}
	return parseHeaders(root, paths)
}

// parseHeaders reads the headers at paths, which lie under root, and returns all their errors.
func parseHeaders(root string, paths []string) (*model.Set, error) {
	var headers []*model.Header
	var errs []error
	for _, p := range paths {
		h, err := header.Parse(p, header.Options{IncludeDirs: []string{root}})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		headers = append(headers, h)
	}
	if err := firstErrors(errs); err != nil {
		return nil, err
	}
	return model.NewSet(headers...)
}

// readFacts reads the newest facts under dir. It returns nil if there are none.
func readFacts(dir string) (*model.Set, error) {
	minors, err := facts.Minors(dir)
	if err != nil || len(minors) == 0 {
		return nil, err
	}
	docs, err := facts.Read(dir, minors[len(minors)-1])
	if err != nil {
		return nil, err
	}
	var headers []*model.Header
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		h, err := factsHeader(docs[path])
		if err != nil {
			return nil, fmt.Errorf("the facts of %s in %s: %w", path, dir, err)
		}
		headers = append(headers, h)
	}
	return model.NewSet(headers...)
}

// factsHeader returns the header that facts describe.
func factsHeader(doc map[string]any) (*model.Header, error) {
	h := new(model.Header)
	return h, facts.Decode(doc, h)
}

// refuseBreaks returns an error that lists the ABI-breaking changes between the measured facts and
// the headers, whichever of the two is older. It ignores headers that one of them lacks.
func refuseBreaks(known, set *model.Set) error {
	from, to, err := common(known, set)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the headers of API %s break the ABI of %s", text(set), text(known))
	if older(set.Version(), known.Version()) {
		from, to = to, from
		what = fmt.Sprintf("the headers of API %s have an ABI that %s breaks", text(set), text(known))
	}
	breaks := diff.Compare(from, to, diff.Options{}).Breaks()
	if len(breaks) == 0 {
		return nil
	}
	return changesError(what+"; nothing was written:", breaks, placed(set, known), ": pjrtgen diff lists all")
}

// refuseUnknown refuses items of the headers that the newest facts lack. They would be recorded in
// since.json and could change again unnoticed.
func refuseUnknown(known, set *model.Set, added []string) error {
	if older(set.Version(), known.Version()) {
		return nil
	}
	if older(known.Version(), set.Version()) {
		return fmt.Errorf("the headers are of API %s and the newest facts of %s; nothing was written: make update writes the facts of the headers that it takes",
			text(set), text(known))
	}
	measured := make(map[string]bool)
	for _, h := range known.Headers() {
		for _, item := range h.Items() {
			measured[item] = true
		}
	}
	var errs []error
	for _, item := range added {
		if !measured[item] {
			errs = append(errs, fmt.Errorf("  %s", placeInSet(set, item)))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("the headers have items that the facts of API %s lack; nothing was written. These facts never change: take the items with the "+
		"next version, by make update:\n%w", text(known), firstErrors(errs))
}

// placeInSet returns an item after its position in the header that has it.
func placeInSet(set *model.Set, item string) string {
	for _, h := range set.Headers() {
		if p := h.PlaceOf(item); p != h.Path {
			return p + ": " + item
		}
	}
	return item
}

// changesError returns an error that lists the first changes, formatted by say. more follows the
// count of the others.
func changesError(what string, changes []diff.Change, say func(diff.Change) string, more string) error {
	lines := []string{what}
	for i, c := range changes {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("  and %d more%s", len(changes)-i, more))
			break
		}
		lines = append(lines, "  "+say(c))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// common returns, from each set, the headers that both have, with types as written, because the
// facts do not resolve typedefs.
func common(a, b *model.Set) (inA, inB *model.Set, err error) {
	if inA, err = spelledIn(a, b); err != nil {
		return nil, nil, err
	}
	inB, err = spelledIn(b, a)
	return inA, inB, err
}

func spelledIn(a, b *model.Set) (*model.Set, error) {
	var out []*model.Header
	for _, h := range a.Headers() {
		if b.Header(h.Path) == nil {
			continue
		}
		spelled := *h
		spelled.Structs = slices.Clone(h.Structs)
		for i := range spelled.Structs {
			spelled.Structs[i].Fields = asSpelled(spelled.Structs[i].Fields)
		}
		out = append(out, &spelled)
	}
	return model.NewSet(out...)
}

func asSpelled(fields []model.Field) []model.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Canon = ""
		out[i].Fields = asSpelled(out[i].Fields)
	}
	return out
}

func older(a, b *model.Version) bool {
	if a.Major != b.Major {
		return a.Major < b.Major
	}
	return a.Minor < b.Minor
}

func text(s *model.Set) string { return fmt.Sprintf("%d.%d", s.Version().Major, s.Version().Minor) }

// placed returns a function that describes a change in one line with its position in the newer
// headers, or in the older ones if the item is gone.
func placed(newer, older *model.Set) func(diff.Change) string {
	return func(c diff.Change) string {
		return placeOfChange(c, newer, older) + strings.TrimPrefix(describe(c), c.Header)
	}
}

// describe describes a change in one line.
func describe(c diff.Change) string {
	name := c.Name
	if c.Parent != "" {
		name = c.Parent + "." + name
	}
	return fmt.Sprintf("%s: %s %s %s: %s", c.Header, c.Item, name, c.Kind, c.Why)
}

// write writes the files that changed, all or none.
func (r *result) write(s *sources, out io.Writer) error {
	stale, err := staleFiles(s.out, r.files)
	if err != nil {
		return err
	}
	var c change
	defer c.discard()
	for _, f := range r.files {
		if err := c.put(filepath.Join(s.out, filepath.FromSlash(f.Path)), f.Content); err != nil {
			return err
		}
	}
	written := len(c.files)
	for _, f := range stale {
		c.remove(filepath.Join(s.out, filepath.FromSlash(f)))
	}
	if r.since != nil {
		if err := c.put(s.sinceFile(), r.since); err != nil {
			return err
		}
	}
	if err := c.apply(); err != nil {
		return err
	}
	fmt.Fprintf(out, "API %d.%d: %s in %s, %d of them changed, %d removed\n", r.version.Major, r.version.Minor, count(len(r.files), "file"),
		s.out, written, len(stale))
	if r.unchecked {
		fmt.Fprintf(out, "the ABI was not compared with anything: there are no facts beside %s\n", s.sinceFile())
	}
	if r.since == nil {
		return nil
	}
	fmt.Fprintf(out, "%s: %s\n", s.sinceFile(), count(len(r.added), "new item"))
	for _, item := range r.added {
		fmt.Fprintln(out, "  "+item)
	}
	return nil
}

// marker begins the first line of a generated file.
const marker = "// Code generated by pjrtgen "

// staleFiles returns the paths, with slashes, of the generated files under dir that are not in
// files.
func staleFiles(dir string, files []golang.File) ([]string, error) {
	wanted := make(map[string]bool, len(files))
	for _, f := range files {
		wanted[f.Path] = true
	}
	var stale []string
	for _, sub := range []string{"", "ffi", "internal/gentest", "serve"} {
		names, err := fs.Glob(os.DirFS(filepath.Join(dir, sub)), "zz_*.go")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			path := filepath.ToSlash(filepath.Join(sub, name))
			if wanted[path] {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, sub, name))
			if err != nil {
				return nil, err
			}
			if bytes.HasPrefix(text, []byte(marker)) {
				stale = append(stale, path)
			}
		}
	}
	return stale, nil
}
