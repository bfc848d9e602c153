// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import "fmt"

// fullName returns the C name with what it belongs to in front.
func fullName(c Change) string {
	if c.Parent == "" || c.Item == ItemValue {
		return c.Name
	}
	return c.Parent + "." + c.Name
}

func sentence(c Change) string {
	return fmt.Sprintf("%s: %s; %s.", fullName(c), happened(c), c.Why)
}

// happened says in a few words what happened to an item.
func happened(c Change) string {
	o, n := c.Old, c.New
	switch c.Kind {
	case Added:
		return "added" + at(n)
	case Removed:
		return "removed" + at(o)
	case Renamed:
		return "renamed from " + o.Name
	case Moved:
		switch {
		case c.Item == ItemHeader:
			return "moved from " + o.Name
		case o.Slot != nil && *o.Slot != *n.Slot:
			return fmt.Sprintf("moved from slot %d to slot %d", *o.Slot, *n.Slot)
		default:
			return fmt.Sprintf("moved from offset %d to offset %d", *o.Offset, *n.Offset)
		}
	case Renumbered:
		return fmt.Sprintf("renumbered from %d to %d", *o.Value, *n.Value)
	case Resized:
		return fmt.Sprintf("resized from %d to %s", *o.Size, bytesOf(*n.Size))
	case Realigned:
		return fmt.Sprintf("alignment changed from %d to %s", *o.Value, bytesOf(*n.Value))
	case Retyped:
		if o.Value != nil && n.Value != nil {
			return fmt.Sprintf("changed from %d to %d", *o.Value, *n.Value)
		}
		return fmt.Sprintf("changed from %s to %s", orNothing(o.Type), orNothing(n.Type))
	case Direction:
		return fmt.Sprintf("changed from %s to %s", o.Type, n.Type)
	case Signature:
		return fmt.Sprintf("signature changed from %s to %s", orNothing(o.Type), orNothing(n.Type))
	case Deprecated:
		return "removed, its slot kept"
	case Defined:
		return "got a body"
	case Hidden:
		return "lost its body"
	case Stale:
		return "struct_size constant out of date"
	case Corrected:
		return fmt.Sprintf("struct_size constant corrected from %d to %d", *o.Size, *n.Size)
	case Attribute:
		return "attributes changed"
	default:
		return string(c.Kind)
	}
}

func at(p *Place) string {
	switch {
	case p == nil:
		return ""
	case p.Slot != nil:
		return fmt.Sprintf(" (slot %d)", *p.Slot)
	case p.Offset != nil:
		return fmt.Sprintf(" (offset %d, size %d)", *p.Offset, *p.Size)
	case p.Value != nil:
		return fmt.Sprintf(" (%d)", *p.Value)
	default:
		return ""
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
