// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

// The kinds of flags.
const (
	Bool    = "bool"
	Int32   = "int32"
	Int64   = "int64"
	Float   = "float"
	String  = "string"
	Enum    = "enum"
	Message = "message" // several values, in a notation that differs from flag to flag
)

// Flag is an XLA flag, usually a field of XLA's DebugOptions.
type Flag struct {
	Name string // without dashes
	Kind string
	// Repeated says that the value is a list.
	Repeated bool
	// EnvOnly says that the flag can be set only in XLA_FLAGS.
	EnvOnly bool
	// Numbers has the values of an enum by name. It must not be changed.
	Numbers map[string]int64
}

// Values returns the names of an enum's values in the order of their numbers.
func (f Flag) Values() []string {
	return slices.SortedFunc(maps.Keys(f.Numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Numbers[a], f.Numbers[b]), strings.Compare(a, b))
	})
}

// text lists the flags that versions of XLA have or had.
//
//go:embed flags.txt
var text string

var list = sync.OnceValue(func() []Flag {
	var list []Flag
	enums := make(map[string]map[string]int64)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "enum":
			values := make(map[string]int64)
			for _, w := range words[2:] {
				name, number, _ := strings.Cut(w, "=")
				n, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					panic(err) // the list is part of the program
				}
				values[name] = n
			}
			enums[words[1]] = values
		default:
			f := Flag{Name: words[0]}
			f.Kind, f.Repeated = strings.CutPrefix(words[1], "[]")
			if f.Kind == "env" {
				f.Kind, f.EnvOnly = String, true
			}
			if numbers, ok := enums[f.Kind]; ok {
				f.Kind, f.Numbers = Enum, numbers
			}
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b Flag) int { return strings.Compare(a.Name, b.Name) })
	return list
})

// List returns the flags in the order of their names. The caller may change the slice.
func List() []Flag { return slices.Clone(list()) }

// Names returns the names of the flags, sorted. The caller may change the slice.
func Names() []string {
	names := make([]string, len(list()))
	for i, f := range list() {
		names[i] = f.Name
	}
	return names
}

// Lookup returns the flag with this name, which has no dashes.
func Lookup(name string) (Flag, bool) {
	i, ok := slices.BinarySearchFunc(list(), name, func(f Flag, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return Flag{}, false
	}
	return list()[i], true
}

// Known reports whether some version of XLA has a flag of this name.
func Known(name string) bool {
	_, ok := Lookup(name)
	return ok
}

// Suggest returns up to three names with a similar spelling, the nearest first.
func Suggest(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	name = name[:min(len(name), maxName)]
	var near []candidate
	limit := max(2, len(name)/4)
	for _, f := range list() {
		if d := spelling.Distance(name, f.Name); d <= limit {
			near = append(near, candidate{f.Name, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near[:min(len(near), 3)] {
		// If one name differs only in a letter, names that differ in a word are noise.
		if c.distance <= near[0].distance+2 {
			names = append(names, c.name)
		}
	}
	return names
}

// Unknown returns the error for a flag that no version has. It suggests names with a similar
// spelling.
func Unknown(name string) error {
	name = excerpt.Of(name)
	names := Suggest(name)
	if len(names) == 0 {
		return fmt.Errorf("no known version of XLA has a flag %s", name)
	}
	return fmt.Errorf("no known version of XLA has a flag %s; did you mean %s?", name, strings.Join(names, " or "))
}

// maxName is longer than the name of any flag.
const maxName = 200
