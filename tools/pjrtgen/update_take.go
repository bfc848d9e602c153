// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/golang"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/gen/restate"
)

// inPlace refuses headers that do not match the facts of their version: whatever they have
// beyond these would be recorded under the next version.
func (r *room) inPlace(ours *model.Set) error {
	version := ours.Version()
	if version == nil {
		return errors.New("no header of ours defines PJRT_API_MINOR: is xla/pjrt/c/pjrt_c_api.h there?")
	}
	state, err := facts.At(r.facts(), version.Minor)
	if err != nil {
		return err
	}
	if newest, err := facts.Minors(r.facts()); err != nil {
		return err
	} else if len(newest) == 0 || newest[len(newest)-1] != version.Minor {
		return fmt.Errorf("our headers are of API %s, and the newest facts are of another version (%s): restore headers, facts and since.json "+
			"to a version where they agree, and update from there", text(ours), minors(newest[max(0, len(newest)-1):]))
	}
	var errs []error
	for _, h := range ours.Headers() {
		base := state.Docs[h.Path]
		if base == nil {
			errs = append(errs, fmt.Errorf("%s has no facts", h.Path))
			continue
		}
		next, err := nextFacts(base, h)
		if err != nil {
			return err
		}
		for _, d := range facts.Differences(base, next) {
			if d.Item != "" && placeOf(h, d.Item) == h.Path {
				continue // removed by hand, since the originals lack it, and recorded nowhere
			}
			errs = append(errs, fmt.Errorf("%s: %v does not match the facts of API %s", placeOf(h, d.Item), d, text(ours)))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("our headers do not match their facts, so the version of the difference is unknown; restore them first:\n%w", firstErrors(errs))
	}
	since, _, err := r.since()
	if err != nil {
		return err
	}
	if added, err := since.Update(ours); err != nil || len(added) > 0 {
		return errors.Join(err, fmt.Errorf("since.json does not have %s: run go generate first", strings.Join(added, ", ")))
	}
	return nil
}

func (r *room) facts() string { return filepath.Join(r.headers, "facts") }

func (r *room) since() (*golang.Since, string, error) {
	file := filepath.Join(r.headers, "since.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read in which version each item appeared: %w", err)
	}
	since, err := golang.ReadSince(bytes.NewReader(text))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	return since, file, nil
}

// nextFacts returns the facts of a header in the form to be written.
func nextFacts(base map[string]any, h *model.Header) (map[string]any, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var printed map[string]any
	if err := json.Unmarshal(text, &printed); err != nil {
		return nil, err
	}
	return facts.Next(base, printed), nil
}

// placeOf returns the path of a header with the line and column of an item, if they are known.
func placeOf(h *model.Header, item string) string {
	return h.PlaceOf(item, "struct "+item, "enum "+item)
}

// placeOfChange returns the position of a change in the newer headers, or in the older ones
// if the item is gone.
func placeOfChange(c diff.Change, newer, older *model.Set) string {
	names := []string{c.Name}
	if c.Parent != "" {
		names = []string{c.Parent + "." + c.Name, c.Name, c.Parent}
	}
	for _, set := range []*model.Set{newer, older} {
		h := set.Header(c.Header)
		if h == nil {
			continue
		}
		for _, n := range names {
			if p := placeOf(h, n); p != h.Path {
				return p
			}
		}
	}
	return c.Header
}

// take brings the room to the originals of one step.
func (r *room) take(ctx context.Context, s step, leave []string, compilers *facts.Compilers, o *outcome) error {
	ours := o.after
	more, err := untaken(s.root, ours)
	if err != nil {
		return err
	}
	more = slices.DeleteFunc(more, func(p string) bool { return slices.Contains(leave, p) })
	theirs, err := originalsOf(ours, s.root, more)
	if err != nil {
		return err
	}
	if err := refuseChanges(ours, theirs); err != nil {
		return err
	}
	list, err := restateAll(r.headers, ours, theirs, s.root)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	set, err := verify(r.headers, list, theirs)
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := r.write(filepath.Join(r.headers, filepath.FromSlash(h.path)), h.Text); err != nil {
			return err
		}
	}
	o.theirs, o.after = theirs, set
	if err := r.writeFacts(ctx, set, theirs, compilers, o); err != nil {
		return err
	}
	if o.named == nil {
		o.named = make(map[int]map[string]bool)
	}
	if o.named[s.minor], err = itemsAt(r.facts(), s.minor); err != nil {
		return err
	}
	return r.writeState(ours, set, theirs, s)
}

// refuseChanges returns an error that lists the ABI-breaking changes in a newer set, with
// their positions.
func refuseChanges(ours, theirs *model.Set) error {
	from, to, err := common(ours, theirs)
	if err != nil {
		return err
	}
	breaks := diff.Compare(from, to, diff.Options{}).Breaks()
	if len(breaks) == 0 {
		return nil
	}
	// Items move because of another change, which is listed first.
	slices.SortStableFunc(breaks, func(a, b diff.Change) int {
		moved := func(c diff.Change) int {
			if c.Kind == diff.Moved || c.Kind == diff.Resized {
				return 1
			}
			return 0
		}
		return moved(a) - moved(b)
	})
	return changesError(fmt.Sprintf("the originals of API %s break the ABI of %s; nothing was changed:", text(theirs), text(ours)), breaks,
		placed(theirs, ours), ": pjrtgen diff lists all")
}

// writeFacts writes facts where the headers differ from the newest ones. Facts that were
// written never change.
func (r *room) writeFacts(ctx context.Context, set, theirs *model.Set, compilers *facts.Compilers, o *outcome) error {
	minor := set.Version().Minor
	state, err := facts.At(r.facts(), minor)
	if err != nil {
		return err
	}
	var errs []error
	docs := make(map[string]map[string]any) // new contents by file below facts/
	next := make(map[string]map[string]any) // by path
	for _, h := range set.Headers() {
		base := state.Docs[h.Path]
		now, err := nextFacts(base, h)
		if err != nil {
			return err
		}
		next[h.Path] = now
		folder := fmt.Sprintf("0.%d", minor)
		switch {
		case base == nil:
			docs[filepath.Join(folder, factsFile(h.Path, state))] = now
		case reflect.DeepEqual(base, now):
		case state.Minor == minor:
			at := h
			if t := theirs.Header(h.Path); t != nil {
				at = t
			}
			for _, d := range facts.Differences(base, now) {
				errs = append(errs, fmt.Errorf("  %s: %v", placeOf(at, d.Item), d))
			}
		default:
			docs[filepath.Join(folder, state.Files[h.Path])] = facts.Overlay(state.Versions[h.Path], base, now)
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("the facts of API 0.%d are written and never change, but the originals differ from them; nothing was changed. "+
			"Items that were added without raising the minor are taken with the next one:\n%w", minor, firstErrors(errs))
	}
	again, err := r.unwitnessed(state)
	if err != nil {
		return err
	}
	for file, doc := range again {
		docs[file] = doc
	}
	for file, doc := range docs {
		path := doc["path"].(string)
		by := facts.NoWitness
		if compilers != nil {
			if err := r.confirm(ctx, compilers, next[path]); err != nil {
				return fmt.Errorf("nothing was changed, because a compiler does not confirm the facts: %w", err)
			}
			by = compilers.String()
		} else if again[file] != nil {
			continue
		}
		text, err := facts.Format(facts.WithWitness(doc, by))
		if err != nil {
			return err
		}
		if err := r.write(filepath.Join(r.facts(), file), text); err != nil {
			return err
		}
		o.facts = append(o.facts, filepath.ToSlash(file))
	}
	slices.Sort(o.facts)
	o.unwitnessed, err = facts.Unwitnessed(r.facts())
	return err
}

// unwitnessed returns the newest documents that no compiler has confirmed. The headers
// still match them.
func (r *room) unwitnessed(state *facts.State) (map[string]map[string]any, error) {
	files, err := facts.Unwitnessed(r.facts())
	if err != nil {
		return nil, err
	}
	out := make(map[string]map[string]any)
	for path, version := range state.Versions {
		file := version + "/" + state.Files[path]
		if !slices.Contains(files, file) {
			continue
		}
		doc, err := facts.ReadDocument(filepath.Join(r.facts(), filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		out[filepath.FromSlash(file)] = doc
	}
	return out, nil
}

// factsFile returns the name of a new file for the facts of a header.
func factsFile(path string, state *facts.State) string {
	name := strings.TrimSuffix(filepath.Base(path), ".h")
	if strings.HasPrefix(path, "xla/ffi/") {
		name = "xla_ffi_" + name
	}
	for _, other := range state.Files {
		if other == name+".json" { // two folders have headers with the same name
			return strings.ReplaceAll(strings.TrimSuffix(path, ".h"), "/", "_") + ".json"
		}
	}
	return name + ".json"
}

// confirm lets compilers measure a header.
func (r *room) confirm(ctx context.Context, compilers *facts.Compilers, doc map[string]any) error {
	h, err := factsHeader(doc)
	if err != nil {
		return err
	}
	s := facts.Subject{Facts: h, Roots: []string{r.headers, filepath.Join(r.headers, "stubs")}}
	if c, ok := doc["c11"].(bool); ok {
		s.C = &c
	}
	return compilers.Confirm(ctx, s)
}

// renames returns the fields that newer headers call otherwise, by the path of the header.
func renames(ours, newer *model.Set) map[string]map[string]string {
	out := make(map[string]map[string]string)
	for _, h := range newer.Headers() {
		if old := ours.Header(h.Path); old != nil {
			out[h.Path] = restate.Renames(old, h)
		}
	}
	return out
}

// writeState writes since.json, history.json and VERSION.
func (r *room) writeState(ours, set, theirs *model.Set, s step) error {
	since, file, err := r.since()
	if err != nil {
		return err
	}
	for path, names := range renames(ours, set) {
		since.Rename(set.Header(path), names)
	}
	if _, err := since.Update(set); err != nil {
		return err
	}
	if err := r.write(file, since.Bytes()); err != nil {
		return err
	}
	file = filepath.Join(r.facts(), "history.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("cannot read the history of the core header: %w", err)
	}
	past, err := facts.ReadHistory(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := past.Extend(set.Header(coreName)); err != nil {
		return err
	}
	if err := r.write(file, past.Bytes()); err != nil {
		return err
	}
	version, err := readOrigins(r.headers)
	if err != nil {
		return err
	}
	compared(version, theirs, s.source)
	return r.write(filepath.Join(r.headers, "VERSION"), version.Bytes())
}
