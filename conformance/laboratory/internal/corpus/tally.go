// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// Tally counts the results of the programs of s by where they come from, by operation and
// by element type.
func (s Spec) Tally(results []report.Result) *report.Programs {
	p := &report.Programs{Folder: s.Programs, StableHLO: s.StableHLO}
	if s.Against != nil {
		p.Against = filepath.Base(s.Against.Plugin)
	}
	cases, err := s.Cases()
	if err != nil {
		cases = nil // the folder is gone, but the results of its programs are not
	}
	if s.Against != nil {
		cases = append(cases, OwnCases()...)
	}
	named := make(map[string]*Case, len(cases))
	for i := range cases {
		named[cases[i].Name] = &cases[i]
	}
	sets, operations, types, skips := tally{}, tally{}, tally{}, map[string]int{}
	read := make(map[string]traits) // all forms of a program have the same
	for i := range results {
		x := &results[i]
		_, name, _ := strings.Cut(x.Check, "/")
		c := named[name]
		if c == nil {
			sets.add("other", x)
			continue
		}
		sets.add(c.Set, x)
		if x.Verdict.Skipped() {
			reason, _, _ := strings.Cut(x.Skip, ": ")
			skips[reason]++
		}
		base := strings.TrimSuffix(strings.TrimSuffix(name, "/"+constants), "/"+parameters)
		t, ok := read[base]
		if !ok {
			if program, err := c.Load(); err == nil {
				t, ok = traitsOf(string(program.Code)), true
				read[base] = t
			}
		}
		for _, name := range t.operations {
			operations.add(name, x)
		}
		for _, name := range t.types {
			types.add(name, x)
		}
	}
	p.Sets, p.Operations, p.Types = sets.list(), operations.list(), types.list()
	p.Skips = []report.SkipCount{}
	for _, reason := range slices.Sorted(maps.Keys(skips)) {
		p.Skips = append(p.Skips, report.SkipCount{Reason: reason, Count: skips[reason]})
	}
	slices.SortStableFunc(p.Skips, func(a, b report.SkipCount) int { return b.Count - a.Count })
	return p
}

// tally counts results by name.
type tally map[string]*report.Counts

func (t tally) add(name string, x *report.Result) {
	c := t[name]
	if c == nil {
		c = &report.Counts{}
		t[name] = c
	}
	c.Add(x)
}

func (t tally) list() []report.ProgramCount {
	list := []report.ProgramCount{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		list = append(list, report.ProgramCount{Name: name, Counts: *t[name]})
	}
	return list
}

// traits holds what a program contains.
type traits struct{ operations, types []string }

var (
	operationWord = regexp.MustCompile(`\b(?:stablehlo|chlo)\.[a-z][a-z0-9_]*`)
	elementWord   = regexp.MustCompile(`^tensor<(?:[0-9?]+x)*([^,]+?)(?:,.*)?>$`)
)

// traitsOf finds the operations and element types in a program's text. It knows nothing of
// bytecode.
func traitsOf(code string) traits {
	if !isText(code) {
		return traits{operations: []string{"(bytecode)"}, types: []string{"(bytecode)"}}
	}
	operations, types := map[string]bool{}, map[string]bool{}
	for _, word := range operationWord.FindAllString(code, -1) {
		switch name := strings.TrimPrefix(word, "stablehlo."); name {
		case "constant", "return", "channel_handle", "token":
		default:
			operations[name] = true
		}
	}
	for _, t := range tensors(code) {
		if m := elementWord.FindStringSubmatch(t); m != nil {
			types[m[1]] = true
		}
	}
	return traits{slices.Sorted(maps.Keys(operations)), slices.Sorted(maps.Keys(types))}
}
