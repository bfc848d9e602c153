// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// History is the past of the core header, which third_party/xla/README.md describes: which
// functions, sizes and values each minor had.
type History struct {
	header      string
	First, Last int // the minors that it knows
	api         [][5]int64
	functions   []step
	structs     model.Ordered[[]run]
	enums       model.Ordered[*model.Ordered[[]run]]
}

// step is the slots from a minor on, or what it added to those before.
type step struct {
	Minor     int      `json:"minor"`
	Functions []string `json:"functions,omitempty"`
	Append    []string `json:"append,omitempty"`
}

// run is a value that holds from a minor on; nil means gone.
type run struct {
	minor int64
	value *int64
}

func (r run) MarshalJSON() ([]byte, error) { return json.Marshal([2]*int64{&r.minor, r.value}) }

func (r *run) UnmarshalJSON(b []byte) error {
	var pair []*int64
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 || pair[0] == nil {
		return fmt.Errorf("want [minor, value or null], have %s", b)
	}
	r.minor, r.value = *pair[0], pair[1]
	return nil
}

// ReadHistory reads history.json.
func ReadHistory(r io.Reader) (*History, error) {
	var doc struct {
		Header  string                               `json:"header"`
		First   int                                  `json:"first_minor"`
		Last    int                                  `json:"last_minor"`
		API     [][5]int64                           `json:"api"`
		Funcs   []step                               `json:"functions"`
		Structs model.Ordered[[]run]                 `json:"struct_sizes"`
		Enums   model.Ordered[*model.Ordered[[]run]] `json:"enums"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("not the history of a header: %w", err)
	}
	return &History{doc.Header, doc.First, doc.Last, doc.API, doc.Funcs, doc.Structs, doc.Enums}, nil
}

// Bytes returns the content of history.json, a line for each item.
func (h *History) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"header\":%q,\n\"first_minor\":%d,\n\"last_minor\":%d,\n\"api\":[", h.header, h.First, h.Last)
	for i, row := range h.api {
		fmt.Fprintf(&b, "%s\n%s", model.Comma(i), compact(row))
	}
	b.WriteString("\n],\n\"functions\":[")
	for i, s := range h.functions {
		fmt.Fprintf(&b, "%s\n%s", model.Comma(i), compact(s))
	}
	b.WriteString("\n],\n\"struct_sizes\":{")
	for i, name := range h.structs.Keys {
		fmt.Fprintf(&b, "%s\n%q:%s", model.Comma(i), name, compact(h.structs.Values[name]))
	}
	b.WriteString("\n},\n\"enums\":{")
	for i, name := range h.enums.Keys {
		fmt.Fprintf(&b, "%s\n%q:{", model.Comma(i), name)
		values := h.enums.Values[name]
		for j, v := range values.Keys {
			fmt.Fprintf(&b, "%s%q:%s", model.Comma(j), v, compact(values.Values[v]))
		}
		b.WriteByte('}')
	}
	b.WriteString("\n}\n}\n")
	return b.Bytes()
}

// compact returns v as JSON. v holds only numbers, names and lists of these, which can
// all be encoded.
func compact(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// Extend adds what the core header changes at its minor. The minor must not be older than
// the last one, and a header of the last one must be as the history says.
func (h *History) Extend(core *model.Header) error {
	if core.APIVersion == nil {
		return fmt.Errorf("%s states no API version", core.Path)
	}
	minor := core.APIVersion.Minor
	if minor < h.Last {
		return fmt.Errorf("the history ends at API 0.%d, but %s has API 0.%d: the history is only extended forward",
			h.Last, core.Path, minor)
	}
	before := h.Bytes()
	if err := h.table(core, minor); err != nil {
		return err
	}
	sizes := make(map[string]int64)
	var order []string
	for _, s := range core.Structs {
		sizes[s.Name] = s.Size
		if s.StructSize != nil {
			sizes[s.Name] = s.StructSize.Value
		}
		order = append(order, s.Name)
	}
	extend(&h.structs, minor, order, sizes)
	h.values(core, minor)
	if minor == h.Last && !bytes.Equal(before, h.Bytes()) {
		return fmt.Errorf("%s differs from what the history says of API 0.%d, which does not change", core.Path, minor)
	}
	h.Last = minor
	return nil
}

// table records the table of functions.
func (h *History) table(core *model.Header, minor int) error {
	i := slices.IndexFunc(core.Tables, func(t model.Table) bool { return t.Struct == "PJRT_Api" })
	j := slices.IndexFunc(core.Structs, func(s model.Struct) bool { return s.Name == "PJRT_Api" })
	if i < 0 || j < 0 || len(core.Tables[i].Slots) == 0 {
		return fmt.Errorf("%s has no PJRT_Api with functions", core.Path)
	}
	slots, api := core.Tables[i].Slots, core.Structs[j]
	size := api.Size
	if api.StructSize != nil {
		size = api.StructSize.Value
	}
	row := [5]int64{int64(minor), api.Size, size, int64(len(slots)), slots[0].Offset}
	if n := len(h.api); n == 0 || !slices.Equal(h.api[n-1][1:], row[1:]) {
		h.api = append(h.api, row)
	}
	var names []string
	for _, s := range slots {
		names = append(names, s.Name)
	}
	was := h.order()
	switch {
	case slices.Equal(was, names):
	case len(was) > 0 && len(names) > len(was) && slices.Equal(was, names[:len(was)]):
		h.functions = append(h.functions, step{Minor: minor, Append: names[len(was):]})
	default:
		h.functions = append(h.functions, step{Minor: minor, Functions: names})
	}
	return nil
}

// order returns the slots of the last minor.
func (h *History) order() []string {
	var out []string
	for _, s := range h.functions {
		if s.Append != nil {
			out = append(slices.Clone(out), s.Append...)
		} else {
			out = s.Functions
		}
	}
	return out
}

// values records the values of the enums.
func (h *History) values(core *model.Header, minor int) {
	now := make(map[string]map[string]int64)
	for _, e := range core.Enums {
		now[e.Name] = make(map[string]int64)
		var order []string
		for _, v := range e.Values {
			now[e.Name][v.Name] = v.Value
			order = append(order, v.Name)
		}
		if h.enums.Values[e.Name] == nil {
			h.enums.Set(e.Name, new(model.Ordered[[]run]))
		}
		extend(h.enums.Values[e.Name], minor, order, now[e.Name])
	}
	for _, name := range h.enums.Keys {
		if now[name] == nil {
			extend(h.enums.Values[name], minor, nil, nil)
		}
	}
}

// extend adds the values that differ from the current ones.
func extend(t *model.Ordered[[]run], minor int, order []string, now map[string]int64) {
	for _, name := range order {
		runs := t.Values[name]
		value := now[name]
		if n := len(runs); n == 0 || runs[n-1].value == nil || *runs[n-1].value != value {
			t.Set(name, append(runs, run{int64(minor), &value}))
		}
	}
	for _, name := range t.Keys {
		runs := t.Values[name]
		if _, ok := now[name]; !ok && runs[len(runs)-1].value != nil {
			t.Set(name, append(runs, run{minor: int64(minor)}))
		}
	}
}
