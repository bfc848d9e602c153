// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// arrow leads from a file to one that declares a name which it uses.
type arrow struct{ from, to string }

// arrows are the arrows between the files of a package.
type arrows struct {
	files []string
	names map[arrow]map[string]bool // what is used
	// out and in are the other ends of the arrows of each file.
	out, in map[string][]string
}

// arrowsOf reads the arrows between the files of a package, without tests, as it is built for this
// platform.
func arrowsOf(pattern string) (*arrows, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, pattern)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || len(list[0].Errors) > 0 {
		return nil, fmt.Errorf("%s is not a package that compiles: %v", pattern, list)
	}
	p := list[0]
	a := &arrows{names: make(map[arrow]map[string]bool), out: make(map[string][]string), in: make(map[string][]string)}
	for _, f := range p.CompiledGoFiles {
		a.files = append(a.files, filepath.Base(f))
	}
	slices.Sort(a.files)
	for id, object := range p.TypesInfo.Uses {
		if v, ok := object.(*types.Var); object.Pkg() != p.Types || ok && !v.IsField() && v.Parent() != p.Types.Scope() {
			continue
		}
		e := arrow{filepath.Base(p.Fset.Position(id.Pos()).Filename), filepath.Base(p.Fset.Position(object.Pos()).Filename)}
		if e.from == e.to {
			continue
		}
		if a.names[e] == nil {
			a.names[e] = make(map[string]bool)
			a.out[e.from] = append(a.out[e.from], e.to)
			a.in[e.to] = append(a.in[e.to], e.from)
		}
		a.names[e][object.Name()] = true
	}
	return a, nil
}

// order returns the files from the ground up, in an order in which few arrows lead upward. Which
// order has the fewest is a hard problem; this one is the best that comes of many first orders, always
// the same ones, by moving single files until that no longer helps.
func (a *arrows) order() []string {
	random := rand.New(rand.NewPCG(1, 1))
	var best []string
	for range 500 {
		order := slices.Clone(a.files)
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for moved := true; moved; {
			moved = false
			for _, f := range a.files {
				i := slices.Index(order, f)
				if j := a.place(order, i); j != i {
					order = slices.Insert(slices.Delete(order, i, i+1), j, f)
					moved = true
				}
			}
		}
		if best == nil || len(a.upward(order)) < len(a.upward(best)) {
			best = order
		}
	}
	return best
}

// place returns where file i of an order makes the fewest arrows lead upward. It stays where it is
// if no other place is better.
func (a *arrows) place(order []string, i int) int {
	uses, used := set(a.out[order[i]]), set(a.in[order[i]])
	best, least, cost := i, 0, 0
	// cost is what a place saves or costs in comparison with i: below a file that it uses, an arrow of its
	// own leads upward; above a file that uses it, an arrow of that one.
	step := func(j, sign int) {
		if uses[order[j]] {
			cost -= sign
		}
		if used[order[j]] {
			cost += sign
		}
		if cost < least {
			best, least = j, cost
		}
	}
	for j := i + 1; j < len(order); j++ {
		step(j, 1)
	}
	cost = 0
	for j := i - 1; j >= 0; j-- {
		step(j, -1)
	}
	return best
}

func set(list []string) map[string]bool {
	s := make(map[string]bool)
	for _, x := range list {
		s[x] = true
	}
	return s
}

// upward returns the arrows that lead upward in an order of files from the ground up.
func (a *arrows) upward(order []string) []arrow {
	var list []arrow
	for e := range maps.Keys(a.names) {
		if slices.Index(order, e.from) < slices.Index(order, e.to) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(x, y arrow) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to)) })
	return list
}
