// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lint

import (
	"fmt"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/model"
)

// Against returns what a header does to the ABI of an older version of it, in the order
// of the places in the newer one. What only follows from another finding, such as the new
// offsets after an inserted field, is counted there.
func Against(older, newer *model.Header) ([]Finding, error) {
	from, err := model.NewSet(older)
	if err != nil {
		return nil, err
	}
	to, err := model.NewSet(newer)
	if err != nil {
		return nil, err
	}
	l := &linter{h: newer}
	breaks := diff.Compare(from, to, diff.Options{}).Breaks()
	causes := causesOf(breaks)
	for _, c := range breaks {
		if !causes.explain(c) {
			l.change(c, causes)
		}
	}
	return l.sorted(), nil
}

// causes are, by struct or table, what moves other members.
type causes map[string]*cause

type cause struct {
	inserted *int64 // lowest offset, in the newer header, of a member that is new
	changed  *int64 // lowest offset, in the older header, of a member that is gone or is of another type
	moved    int    // how many members lie after them
	told     bool   // moved has been reported with a finding
}

func isMember(c diff.Change) bool { return c.Item == diff.ItemField || c.Item == diff.ItemSlot }

func causesOf(breaks []diff.Change) causes {
	out := make(causes)
	lower := func(known **int64, place *diff.Place) {
		if place != nil && place.Offset != nil && (*known == nil || *place.Offset < **known) {
			*known = place.Offset
		}
	}
	for _, c := range breaks {
		if !isMember(c) || c.Kind == diff.Moved {
			continue
		}
		k := out[c.Parent]
		if k == nil {
			k = new(cause)
			out[c.Parent] = k
		}
		if c.Kind == diff.Added {
			lower(&k.inserted, c.New)
		} else {
			lower(&k.changed, c.Old)
		}
	}
	for _, c := range breaks {
		if k := out[c.Parent]; isMember(c) && out.explain(c) && (k.changed == nil || *c.Old.Offset != *k.changed) {
			k.moved++
		}
	}
	return out
}

// explain reports whether a change only follows from others in the same struct.
func (x causes) explain(c diff.Change) bool {
	if c.Item == diff.ItemStruct && c.Kind == diff.Resized {
		return x[c.Name] != nil
	}
	k := x[c.Parent]
	if k == nil || !isMember(c) || c.Kind != diff.Moved {
		return false
	}
	return k.inserted != nil && *c.New.Offset > *k.inserted || k.changed != nil && *c.Old.Offset >= *k.changed
}

// change adds the finding for a change that breaks the ABI.
func (l *linter) change(c diff.Change, causes causes) {
	item, what, at := c.Name, string(c.Item), []string{c.Name, "struct " + c.Name, "enum " + c.Name}
	switch {
	case c.Item == diff.ItemValue:
		what, at = "enumerator", []string{c.Parent + "." + c.Name, "enum " + c.Parent}
	case c.Parent != "":
		item = c.Parent + "." + c.Name
		at = []string{item, "struct " + c.Parent}
	}
	what += " " + item
	end := "add it at the end"
	if c.Item == diff.ItemSlot {
		end = "add it at the end of the table"
	} else if c.Item == diff.ItemField {
		end = "add it at the end of the struct"
	}
	moved := ""
	if k := causes[c.Parent]; k != nil && !k.told && isMember(c) {
		k.told = true
		if k.moved > 0 {
			moved = fmt.Sprintf(", which moves %s", later(k.moved))
		}
	}
	switch {
	case c.Item == diff.ItemValue && c.Kind == diff.Renumbered:
		l.add(Renumbered, item, at, fmt.Sprintf("%s was %d and is %d: %s", what, *c.Old.Value, *c.New.Value, c.Why),
			"give it back its older number; a new enumerator must take one that was never used")
	case c.Item == diff.ItemValue && c.Kind == diff.Added:
		l.add(Renumbered, item, at, fmt.Sprintf("%s takes a number that is in use: %s", what, c.Why),
			"give it a number that was never used")
	case isMember(c) && c.Kind == diff.Added:
		l.add(Inserted, item, at, fmt.Sprintf("%s was inserted at offset %d%s: %s", what, *c.New.Offset, moved, c.Why), end)
	case isMember(c) && c.Kind == diff.Moved:
		l.add(Moved, item, at, fmt.Sprintf("%s moved from offset %d to %d: %s", what, *c.Old.Offset, *c.New.Offset, c.Why),
			"put it back to where it was")
	case c.Item == diff.ItemSlot && c.Kind == diff.Removed:
		l.add(Broken, item, at, fmt.Sprintf("%s is gone%s: %s", what, moved, c.Why), "keep the function; it may return an error")
	case c.Item == diff.ItemSlot && c.Kind == diff.Deprecated:
		l.add(Broken, item, at, fmt.Sprintf("%s is an unused pointer now: %s", what, c.Why), "keep the function; it may return an error")
	case c.Kind == diff.Removed:
		l.add(Broken, item, at, fmt.Sprintf("%s is gone%s: %s", what, moved, c.Why), "keep it, if only for its place")
	default:
		l.add(Broken, item, at, fmt.Sprintf("%s %s%s: %s", what, became(c.Kind), moved, c.Why),
			"keep the older declaration, and give a new one another name")
	}
}

// later counts the members after an item.
func later(n int) string {
	if n == 1 {
		return "1 later member"
	}
	return fmt.Sprintf("%d later members", n)
}

// became says in a few words what happened to an item.
func became(k diff.Kind) string {
	switch k {
	case diff.Retyped:
		return "has another type"
	case diff.Resized:
		return "has another size"
	case diff.Signature:
		return "takes or returns something else"
	case diff.Hidden:
		return "no longer has a body"
	case diff.Moved:
		return "is elsewhere"
	}
	return "changed"
}
