// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"unsafe"
)

// Attribute is a PJRT_NamedValue in Go. Value is a string, int64, []int64, float32 or bool, like
// the values of the C type.
type Attribute struct {
	Name  string
	Value any
}

// NamedValues is a list of named values in their C form. It keeps the names and values alive. The
// list alone would not, because a NamedValue holds its pointers in a union, where the garbage
// collector does not see them.
type NamedValues struct {
	list []NamedValue
	keep []any
}

// NewNamedValues makes the C form of attributes. It copies slices. Values of the types int, int32
// and uint32 become int64. []string has no C type.
func NewNamedValues(attributes []Attribute) (*NamedValues, error) {
	v := &NamedValues{list: make([]NamedValue, len(attributes))}
	for i, a := range attributes {
		if a.Name == "" {
			return nil, fmt.Errorf("named value %d has no name", i)
		}
		n := &v.list[i]
		n.StructSize = NamedValueSize
		n.Name, n.NameSize = StringData(a.Name)
		n.ValueSize = 1
		v.keep = append(v.keep, a.Name)
		switch x := a.Value.(type) {
		case string:
			p, size := StringData(x)
			if p == nil {
				// Not null, because some plugins always make a std::string of it.
				p = CString("")
			}
			v.keep = append(v.keep, p)
			n.Type, n.ValueSize = NamedValueString, size
			n.SetStringValue(p)
		case int64:
			n.setInt64(x)
		case int:
			n.setInt64(int64(x))
		case int32:
			n.setInt64(int64(x))
		case uint32:
			n.setInt64(int64(x))
		case []int64:
			c := append(make([]int64, 0, len(x)+1), x...)
			v.keep = append(v.keep, c)
			n.Type, n.ValueSize = NamedValueInt64List, uintptr(len(x))
			n.SetInt64ArrayValue(unsafe.SliceData(c))
		case float32:
			n.Type = NamedValueFloat
			n.SetFloatValue(x)
		case bool:
			n.Type = NamedValueBool
			n.SetBoolValue(x)
		default:
			return nil, fmt.Errorf("named value %q: a %T has no C form: use a string, int64, []int64, float32 or bool", a.Name, a.Value)
		}
	}
	return v, nil
}

func (n *NamedValue) setInt64(x int64) {
	n.Type = NamedValueInt64
	n.SetInt64Value(x)
}

// Data returns the address of the first element and the number of elements, as args structs take
// them, or (nil, 0) for an empty list. v must stay reachable as long as C reads the list.
func (v *NamedValues) Data() (*NamedValue, uintptr) {
	if v == nil || len(v.list) == 0 {
		return nil, 0
	}
	return &v.list[0], uintptr(len(v.list))
}

// Attributes copies n named values at p. A value of an unknown type becomes nil. It returns nil if
// p is nil, or if n values cannot fit in memory.
func Attributes(p *NamedValue, n uintptr) []Attribute {
	if p == nil || n == 0 || !plausible(n, NamedValueSize) {
		return nil
	}
	list := make([]Attribute, n)
	for i := range list {
		v := &unsafe.Slice(p, n)[i]
		list[i] = Attribute{String(v.Name, v.NameSize), v.value()}
	}
	return list
}

func (n *NamedValue) value() any {
	switch n.Type {
	case NamedValueString:
		return String(n.StringValue(), n.ValueSize)
	case NamedValueInt64:
		return n.Int64Value()
	case NamedValueInt64List:
		return append([]int64{}, Slice(n.Int64ArrayValue(), n.ValueSize)...)
	case NamedValueFloat:
		return n.FloatValue()
	case NamedValueBool:
		return n.BoolValue()
	}
	return nil
}
