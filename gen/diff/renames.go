// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// findRenames pairs types that are gone with new ones of the same sort that are wherever
// they were: in the same field of a struct, the same parameter of a function, the same
// slot of a table. One pair leads to others, because a renamed struct or function has
// fields and parameters too.
func (c *comparer) findRenames() {
	c.findRenamedEnums()
	c.findRenamedTables()
	for range len(c.old.structs.names) + 1 { // each round finds one at least
		before := len(c.renamed)
		c.findRenamedStructs()
		c.findRenamedArgs()
		c.acceptVotes()
		if len(c.renamed) == before {
			return
		}
	}
}

// findRenamedTables pairs the table that is gone from a header with the one that
// is new in it, if there is one of each.
func (c *comparer) findRenamedTables() {
	gone, added := map[string][]string{}, map[string][]string{}
	for _, name := range c.old.tables.names {
		if !c.new.tables.has(name) {
			h := c.old.tables.byName[name].header
			gone[h] = append(gone[h], name)
		}
	}
	for _, name := range c.new.tables.names {
		if !c.old.tables.has(name) {
			h := c.new.tables.byName[name].header
			added[h] = append(added[h], name)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(gone)) {
		if len(gone[h]) != 1 || len(added[h]) != 1 {
			continue
		}
		o, n := c.old.tables.get(gone[h][0]), c.new.tables.get(added[h][0])
		if o.Role == n.Role && o.SlotCount <= n.SlotCount && o.SlotCount > 0 && o.Slots[0].Offset == n.Slots[0].Offset {
			c.renamed[gone[h][0]] = added[h][0]
		}
	}
}

// votes counts how often a type that is gone has a new one in its place.
type votes map[string]map[string]int

// acceptVotes accepts the pairs in which neither name is paired with any other.
func (c *comparer) acceptVotes() {
	v, rivals := c.votes(), map[string]int{}
	for _, to := range v {
		for name := range to {
			rivals[name]++
		}
	}
	for _, from := range slices.Sorted(maps.Keys(v)) {
		for to := range v[from] {
			if len(v[from]) == 1 && rivals[to] == 1 {
				c.renamed[from] = to
			}
		}
	}
}

func (c *comparer) votes() votes {
	v := votes{}
	for _, name := range c.new.structs.names {
		if o := c.old.structs.get(c.oldName(name)); o != nil {
			c.voteFields(v, o, c.new.structs.get(name))
		}
	}
	for _, name := range c.new.functions.names {
		if o := c.old.functions.get(c.oldName(name)); o != nil {
			c.vote(v, funcText(o), funcText(c.new.functions.get(name)))
		}
	}
	for _, name := range c.new.callbacks.names {
		if o := c.old.callbacks.get(c.oldName(name)); o != nil {
			c.vote(v, funcText(o), funcText(c.new.callbacks.get(name)))
		}
	}
	for was, is := range c.replacedSlots() {
		if from, to := slotFunc(c.old, was), slotFunc(c.new, is); from != nil && to != nil {
			c.voteArgs(v, from, to)
		}
	}
	return v
}

// voteArgs votes for the fields of the args of two functions that may be the same.
func (c *comparer) voteArgs(v votes, from, to *model.Func) {
	o, n := c.old.structs.get(from.ArgsStruct), c.new.structs.get(to.ArgsStruct)
	if o != nil && n != nil && structSize(o) == structSize(n) && len(o.Fields) == len(n.Fields) {
		c.voteFields(v, o, n)
	}
}

// voteFields votes for the types of fields that are in the same place.
func (c *comparer) voteFields(v votes, o, n *model.Struct) {
	a, _ := members(o.Fields)
	b, _ := members(n.Fields)
	at := map[int64]member{}
	for _, w := range a {
		at[w.Offset] = w
	}
	for _, m := range b {
		if w, ok := at[m.Offset]; ok && w.Size == m.Size {
			c.vote(v, w.Type, m.Type)
		}
	}
}

// vote counts two types that differ only in names.
func (c *comparer) vote(v votes, oldType, newType string) {
	a, b := tokens(oldType, c.renamed), tokens(newType, nil)
	if len(a) != len(b) {
		return
	}
	for i := range a {
		if a[i] != b[i] && !c.replaces(a[i], b[i]) {
			return
		}
	}
	for i := range a {
		if a[i] != b[i] {
			if v[a[i]] == nil {
				v[a[i]] = map[string]int{}
			}
			v[a[i]][b[i]]++
		}
	}
}

// replaces reports whether from is gone, to is new, and both are of one sort. Args
// structs are left to findRenamedArgs.
func (c *comparer) replaces(from, to string) bool {
	was, is := c.old.sort(from), c.new.sort(to)
	return was != "" && was == is && c.new.sort(from) == "" && c.old.sort(to) == ""
}

// sort says what a name is, or returns "" if it is not a type that is compared by name.
func (x *index) sort(name string) string {
	switch {
	case x.structs.has(name):
		if x.structs.get(name).Role == model.RoleArgs {
			return ""
		}
		return "struct"
	case x.opaque.has(name):
		return "handle"
	case x.enums.has(name):
		return "enum"
	case x.callbacks.has(name):
		return "callback"
	case x.functions.has(name) && !x.inTable[name]:
		return "function"
	}
	return ""
}
