// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// findRenamedEnums pairs an enum that is gone with a new one when their
// enumerators have the same numbers and the same names, with or without the
// enum's own name in front.
func (c *comparer) findRenamedEnums() {
	for _, from := range c.old.enums.names {
		if c.new.enums.has(from) {
			continue
		}
		var found []string
		for _, to := range c.new.enums.names {
			if !c.old.enums.has(to) && sameEnumerators(from, c.old.enums.get(from), to, c.new.enums.get(to)) {
				found = append(found, to)
			}
		}
		if len(found) == 1 {
			c.renamed[from] = found[0]
		}
	}
}

func sameEnumerators(from string, o *model.Enum, to string, n *model.Enum) bool {
	if o.Size != n.Size || len(o.Values) == 0 || len(n.Values) < len(o.Values) {
		return false
	}
	for i, v := range o.Values {
		w := n.Values[i]
		if v.Value != w.Value || v.Name != w.Name && strings.TrimPrefix(v.Name, from) != strings.TrimPrefix(w.Name, to) {
			return false
		}
	}
	return true
}

func (c *comparer) enums() {
	each(&c.old.enums, &c.new.enums, func(name, header string, o, n *model.Enum) {
		if o == nil {
			if from := c.oldName(name); from != name {
				o = c.old.enums.get(from)
				c.note(Change{Header: header, Item: ItemEnum, Kind: Renamed, Name: name,
					Old: &Place{Name: from}, New: &Place{Name: name}, Why: "the same numbers under another name"})
			}
		}
		switch {
		case o == nil:
			c.note(Change{Header: header, Item: ItemEnum, Kind: Added, Name: name, New: &Place{Size: ptr(n.Size)},
				Why: "a new type does not affect code that does not know it"})
			for _, v := range n.Values {
				c.note(c.addedValue(name, header, v, "it belongs to a new enum"))
			}
		case n == nil && c.renamed[name] != "":
		case n == nil:
			c.note(Change{Header: header, Item: ItemEnum, Kind: Removed, Name: name, Old: &Place{Size: ptr(o.Size)}, Breaks: true,
				Why: "code built on the older header still sends and expects its numbers"})
		default:
			c.enum(name, header, o, n)
		}
	})
}

func (c *comparer) addedValue(enum, header string, v model.EnumValue, why string) Change {
	return Change{Header: header, Item: ItemValue, Kind: Added, Name: v.Name, Parent: enum,
		New: &Place{Value: ptr(v.Value)}, Since: c.sinceOf(header, enum+"."+v.Name), Why: why}
}

func (c *comparer) enum(name, header string, o, n *model.Enum) {
	if o.Size != n.Size && o.Size != 0 && n.Size != 0 {
		c.note(Change{Header: header, Item: ItemEnum, Kind: Resized, Name: name, Breaks: true,
			Old: &Place{Type: o.Underlying, Size: ptr(o.Size)}, New: &Place{Type: n.Underlying, Size: ptr(n.Size)},
			Why: "readers that expect the other size read too many or too few bytes"})
	}
	oldByName, newByName := map[string]int64{}, map[string]int64{}
	for _, v := range o.Values {
		oldByName[c.valueName(v.Name, o, n)] = v.Value
	}
	for _, v := range n.Values {
		newByName[v.Name] = v.Value
	}
	gone := map[int64]string{} // numbers whose name is gone
	for _, v := range o.Values {
		if _, ok := newByName[c.valueName(v.Name, o, n)]; !ok {
			gone[v.Value] = v.Name
		}
	}
	for _, v := range n.Values {
		ch := Change{Header: header, Item: ItemValue, Name: v.Name, Parent: name}
		was, known := oldByName[v.Name]
		switch {
		case known && was == v.Value:
			continue
		case known:
			ch.Kind, ch.Breaks = Renumbered, true
			ch.Old, ch.New = &Place{Value: ptr(was)}, &Place{Value: ptr(v.Value)}
			ch.Why = fmt.Sprintf("the older side still uses %d for it", was)
		case gone[v.Value] == v.Name:
			delete(gone, v.Value)
			continue
		case gone[v.Value] != "":
			ch.Kind = Renamed
			ch.Old = &Place{Name: gone[v.Value], Value: ptr(v.Value)}
			ch.New = &Place{Name: v.Name, Value: ptr(v.Value)}
			ch.Why = "the same number under another name"
			delete(gone, v.Value)
		default:
			ch = c.addedValue(name, header, v, "the number was unused")
			if holder := nameOf(o, v.Value); holder != "" {
				if newByName[c.valueName(holder, o, n)] == v.Value {
					ch.Why = "a second name for the number of " + holder
				} else {
					ch.Breaks = true
					ch.Why = fmt.Sprintf("the older side reads %d as %s", v.Value, holder)
				}
			}
		}
		c.note(ch)
	}
	for _, v := range o.Values {
		if gone[v.Value] == v.Name {
			c.note(Change{Header: header, Item: ItemValue, Kind: Removed, Name: v.Name, Parent: name, Breaks: true,
				Old: &Place{Value: ptr(v.Value)},
				Why: fmt.Sprintf("the older side still sends and expects %d", v.Value)})
		}
	}
}

// valueName returns the name that an enumerator of o has in n if only the name
// of the enum in front of it changed.
func (c *comparer) valueName(value string, o, n *model.Enum) string {
	from, to := enumName(o), enumName(n)
	if from == to || !strings.HasPrefix(value, from) {
		return value
	}
	return to + strings.TrimPrefix(value, from)
}

func nameOf(e *model.Enum, value int64) string {
	for _, v := range e.Values {
		if v.Value == value {
			return v.Name
		}
	}
	return ""
}
