// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lists has the lists of checks by which plugins are judged. A list is named after the
// month in which it was frozen, such as 2026.11, and says for each level which checks a plugin
// must pass. It never changes: what else a newer suite checks is not binding until a new list
// has it.
package lists

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

//go:embed *.txt SHA256SUMS
var files embed.FS

// Sums is the name of the file with the digests of the lists, in the form of sha256sum.
const Sums = "SHA256SUMS"

// List is a list of the binding checks of all profiles.
type List struct {
	Name   string
	level  map[string]string // by check
	checks []string          // in the order of the contract, level by level
}

// All returns every list, the oldest first.
var All = sync.OnceValue(func() []*List {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var all []*List
	for _, e := range entries { // sorted by name, and so by time
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok {
			continue
		}
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		l, err := Parse(name, string(text))
		if err != nil {
			panic(err) // a test reads them all
		}
		all = append(all, l)
	}
	return all
})

// Newest returns the newest list.
func Newest() *List {
	all := All()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// ByName returns the list with a name. The error names the lists that there are.
func ByName(name string) (*List, error) {
	var names []string
	for _, l := range All() {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return nil, fmt.Errorf("there is no list %q of checks: the lists are %s", name, strings.Join(names, ", "))
}

// Level returns the level for which the list has a check, or "" if it does not have it.
func (l *List) Level(check string) string { return l.level[check] }

// Checks returns the names of the checks. The caller must not change them.
func (l *List) Checks() []string { return l.checks }

// New returns the checks that the list has and an older one lacks; all if older is nil.
func (l *List) New(older *List) []string {
	var list []string
	for _, c := range l.checks {
		if older == nil || older.level[c] == "" {
			list = append(list, c)
		}
	}
	return list
}

// Before returns the list before this one, or nil if it is the first.
func (l *List) Before() *List {
	all := All()
	if i := slices.Index(all, l); i > 0 {
		return all[i-1]
	}
	return nil
}

// Named reports whether name has the form of a list's name: a year and a month.
func Named(name string) bool { return form.MatchString(name) }

var form = regexp.MustCompile(`^20\d\d\.(0[1-9]|1[0-2])$`)

// Check is a check of a list that Format writes.
type Check struct{ Name, Level string }

// Format returns the text of a list. The order of the checks is kept within each level; levels
// are in the order given.
func Format(name string, levels []string, checks []Check) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The checks that a plugin must pass for each level, as of %s. This file never changes.\n", name)
	for _, level := range levels {
		fmt.Fprintf(&b, "\n[%s]\n", level)
		for _, c := range checks {
			if c.Level == level {
				b.WriteString(c.Name + "\n")
			}
		}
	}
	return b.String()
}

// Parse reads the text of a list.
func Parse(name, text string) (*List, error) {
	if !Named(name) {
		return nil, fmt.Errorf("the list %q is not named after a month, such as 2026.11", name)
	}
	l := &List{Name: name, level: make(map[string]string)}
	level, number := "", 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			level = line[1 : len(line)-1]
		case level == "":
			return nil, fmt.Errorf("the list %s, line %d: %q stands before any level", name, number, excerpt.Of(line))
		case l.level[line] != "":
			return nil, fmt.Errorf("the list %s, line %d: %s is there twice", name, number, excerpt.Of(line))
		default:
			l.level[line] = level
			l.checks = append(l.checks, line)
		}
	}
	return l, nil
}

// Counts returns how many checks the list has for each level.
func (l *List) Counts() map[string]int {
	counts := make(map[string]int)
	for level := range maps.Values(l.level) {
		counts[level]++
	}
	return counts
}
