// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import (
	"encoding/hex"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Format says how to write the fields of a call.
type Format struct {
	// JSON asks for members of a JSON object, "name": value. Without it the fields are readable
	// text, name=value, without counts of lists, and without null pointers other than handles.
	JSON bool
	// MaxText and MaxList limit the number of bytes of a text and of entries of a list. 0 means 80
	// and 16.
	MaxText, MaxList int
	// Inner is the length of the lists in output_lists of PJRT_LoadedExecutable_Execute, which its
	// arguments do not state.
	Inner int
}

func (f *Format) maxText() int {
	if f.MaxText > 0 {
		return f.MaxText
	}
	return 80
}

func (f *Format) maxList() int {
	if f.MaxList > 0 {
		return f.MaxList
	}
	return 16
}

// Append appends the fields of a struct that carry data in the direction dir, In or Out, separated
// by commas. If there are none, it returns b unchanged.
func (f *Format) Append(b []byte, v View, dir Dir) []byte {
	first := true
	for i := range v.Struct.Fields {
		field := &v.Struct.Fields[i]
		if !v.Has(field) || field.Dir != dir && field.Dir != InOut {
			continue
		}
		if !f.JSON && (f.isCount(v, field) || isAbsent(v, field)) {
			continue
		}
		b = f.name(b, field.Name, &first)
		b = f.value(b, v, field, dir)
	}
	return b
}

// isAbsent reports whether the field is a null pointer that can be omitted.
func isAbsent(v View, field *Field) bool {
	switch field.Kind {
	case Address, Callback, Text, Data:
		return v.IsNull(field)
	case Union:
		return false
	}
	return field.Depth > 0 && v.IsNull(field)
}

func (f *Format) name(b []byte, name string, first *bool) []byte {
	switch {
	case *first:
	case f.JSON:
		b = append(b, ',')
	default:
		b = append(b, ", "...)
	}
	*first = false
	if f.JSON {
		b = append(b, '"')
		b = append(b, name...)
		return append(b, `":`...)
	}
	b = append(b, name...)
	return append(b, '=')
}

// isCount reports whether the field counts a list or a text, which already shows its length. It
// returns false if that list or text is a null pointer although the count is not zero.
func (f *Format) isCount(v View, count *Field) bool {
	for i := range v.Struct.Fields {
		for j := range v.Struct.Fields[i].counts {
			if v.Struct.Fields[i].counts[j] == count && (!v.IsNull(&v.Struct.Fields[i]) || v.Word(count) == 0) {
				return true
			}
		}
		for _, m := range v.Struct.Fields[i].Members {
			for j := range m.counts {
				if m.counts[j] == count {
					return true
				}
			}
		}
	}
	return false
}

func (f *Format) value(b []byte, v View, field *Field, dir Dir) []byte {
	switch field.Kind {
	case Union:
		m := v.Active(field)
		if m == nil {
			return f.null(b)
		}
		return f.value(b, v, m, dir)
	case Address, Callback:
		return f.address(b, uint64(v.Word(field)))
	case Data:
		// Whether the bytes may be read depends on the function.
		return f.address(b, uint64(v.Word(field)))
	}
	if v.IsNull(field) && (field.Depth > 0 || field.Kind == Text) {
		return f.null(b)
	}
	switch field.Kind {
	case Handle:
		// Before the call, a list that the plugin will fill holds garbage.
		if field.Depth == 0 || dir == In && field.Dir == InOut {
			return f.address(b, uint64(v.Word(field)))
		}
		return f.handles(b, v, field)
	case Text:
		if field.Depth > 0 {
			texts := v.Texts(field)
			return f.list(b, len(texts), func(b []byte, i int) []byte { return f.text(b, texts[i]) })
		}
		return f.text(b, v.Bytes(field))
	case Record:
		if dir == In && field.Dir == InOut {
			return f.address(b, uint64(v.Word(field)))
		}
		return f.records(b, v, field, dir)
	}
	if field.Depth == 0 && field.Size == field.Elem {
		return f.number(b, field, v.Word(field))
	}
	data := v.Elems(field)
	n := len(data) / int(field.Elem)
	if field.Depth > 0 && len(field.Counts) == 0 {
		return f.address(b, uint64(v.Word(field)))
	}
	return f.list(b, n, func(b []byte, i int) []byte {
		return f.number(b, field, field.Number(data, i))
	})
}

func (f *Format) null(b []byte) []byte { return append(b, "null"...) }

func (f *Format) list(b []byte, n int, value func([]byte, int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
			if !f.JSON {
				b = append(b, ' ')
			}
		}
		if i == f.maxList() {
			if f.JSON {
				b = append(b, '"')
			}
			b = append(b, "... "...)
			b = strconv.AppendInt(b, int64(n-i), 10)
			b = append(b, " more"...)
			if f.JSON {
				b = append(b, '"')
			}
			break
		}
		b = value(b, i)
	}
	return append(b, ']')
}

func (f *Format) handles(b []byte, v View, field *Field) []byte {
	slots := v.Slots(field, f.Inner)
	outer := v.Count(field, 0)
	if field.Depth == 2 && outer > 0 && len(slots)%outer == 0 {
		inner := len(slots) / outer
		return f.list(b, outer, func(b []byte, i int) []byte {
			return f.list(b, inner, func(b []byte, j int) []byte { return f.address(b, uint64(slots[i*inner+j].Get())) })
		})
	}
	return f.list(b, len(slots), func(b []byte, i int) []byte { return f.address(b, uint64(slots[i].Get())) })
}

func (f *Format) records(b []byte, v View, field *Field, dir Dir) []byte {
	records := v.Records(field)
	one := func(b []byte, r View) []byte {
		if r.Struct == nil {
			return f.null(b)
		}
		b = append(b, '{')
		first := true
		for i := range r.Struct.Fields {
			m := &r.Struct.Fields[i]
			if !r.Has(m) || !field.Carries(m) || !f.JSON && (f.isCount(r, m) || isAbsent(r, m)) {
				continue
			}
			b = f.name(b, m.Name, &first)
			b = f.value(b, r, m, dir)
		}
		return append(b, '}')
	}
	if len(field.Counts) == 0 && len(records) == 1 {
		return one(b, records[0])
	}
	return f.list(b, len(records), func(b []byte, i int) []byte { return one(b, records[i]) })
}

func (f *Format) address(b []byte, a uint64) []byte {
	if a == 0 {
		return f.null(b)
	}
	if f.JSON {
		b = append(b, '"')
	}
	b = append(b, "0x"...)
	b = strconv.AppendUint(b, a, 16)
	if f.JSON {
		b = append(b, '"')
	}
	return b
}

func (f *Format) number(b []byte, field *Field, n int64) []byte {
	switch field.Kind {
	case Bool:
		return strconv.AppendBool(b, n != 0)
	case Int:
		return strconv.AppendInt(b, n, 10)
	case Float:
		x := math.Float64frombits(uint64(n))
		if field.Elem == 4 {
			x = float64(math.Float32frombits(uint32(n)))
		}
		if f.JSON && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return strconv.AppendQuote(b, strconv.FormatFloat(x, 'g', -1, 64))
		}
		return strconv.AppendFloat(b, x, 'g', -1, int(8*field.Elem))
	case Enumerator:
		name := field.Enum.Text(n)
		switch {
		case name == "":
			return strconv.AppendInt(b, n, 10)
		case f.JSON:
			return append(append(append(b, '"'), name...), '"')
		}
		return append(b, name...)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}

// text writes characters in quotes. For bytes that are not text it writes their number and the
// first few.
func (f *Format) text(b, text []byte) []byte {
	if text == nil {
		return f.null(b)
	}
	limit := f.maxText()
	head := text[:min(len(text), limit)]
	for len(head) < len(text) && len(head) > limit-utf8.UTFMax && len(head) > 0 && !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1] // not in the middle of a character
	}
	if !isText(head) {
		const shown = 8
		n := min(len(text), shown)
		if f.JSON {
			b = append(b, `{"bytes":`...)
			b = strconv.AppendInt(b, int64(len(text)), 10)
			b = append(b, `,"head":"`...)
			b = hex.AppendEncode(b, text[:n])
			return append(b, `"}`...)
		}
		b = append(b, '<')
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(b, " bytes "...)
		b = hex.AppendEncode(b, text[:n])
		if n < len(text) {
			b = append(b, "..."...)
		}
		return append(b, '>')
	}
	b = AppendJSONString(b, string(head))
	if len(head) < len(text) {
		b = b[:len(b)-1]
		b = append(b, "... "...)
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(b, ` bytes"`...)
	}
	return b
}

func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n < 2 || !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
		b = b[n:]
	}
	return true
}

// AppendJSONString appends a text as a JSON string, in quotes.
func AppendJSONString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < 0x20:
			b = append(b, `\u00`...)
			b = append(b, digits[r>>4], digits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
