// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi/describe"
)

// encoder appends fields as JSON.
type encoder struct {
	// handle returns the name of an input or output handle.
	handle func(f *describe.Field, h uintptr, out bool) string
	inner  int
	out    bool
}

// object appends the fields of one direction.
func (e *encoder) object(b []byte, v describe.View) []byte {
	b = append(b, '{')
	first := true
	for i := range v.Struct.Fields {
		f := &v.Struct.Fields[i]
		if !v.Has(f) || !e.wanted(f) {
			continue
		}
		b = member(b, f.Name, &first)
		b = e.value(b, v, f)
	}
	if !e.out {
		// This is the only input of the API without a count.
		if data := v.HostArray(); data != nil && v.Struct.Field("data").Kind == describe.Address {
			b = member(b, hostData, &first)
			b = appendBytes(b, data)
		}
	}
	return append(b, '}')
}

// hostData is the name for the contents of host memory behind an address, in row-major order.
const hostData = "data contents"

func (e *encoder) wanted(f *describe.Field) bool {
	if e.out {
		return f.Dir != describe.In
	}
	// Memory that the plugin fills contains no handles before the call.
	return f.Dir == describe.In || f.Dir == describe.InOut
}

func member(b []byte, name string, first *bool) []byte {
	if !*first {
		b = append(b, ',')
	}
	*first = false
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func (e *encoder) value(b []byte, v describe.View, f *describe.Field) []byte {
	switch f.Kind {
	case describe.Union:
		m := v.Active(f)
		if m == nil {
			return append(b, "null"...)
		}
		return e.value(b, v, m)
	case describe.Address, describe.Callback:
		if v.IsNull(f) {
			return append(b, "null"...)
		}
		return append(b, "true"...)
	}
	pointer := f.Depth > 0 || f.Kind == describe.Text || f.Kind == describe.Data
	if pointer && v.IsNull(f) {
		return append(b, "null"...)
	}
	switch f.Kind {
	case describe.Handle:
		return e.handles(b, v, f)
	case describe.Data:
		if f.Dir != describe.In {
			return append(b, "true"...) // filled later; see the data lines
		}
		return appendBytes(b, v.Bytes(f))
	case describe.Text:
		if f.Depth == 0 {
			return appendBytes(b, v.Bytes(f))
		}
		texts := v.Texts(f)
		return appendList(b, len(texts), func(b []byte, i int) []byte { return appendBytes(b, texts[i]) })
	case describe.Record:
		return e.records(b, v, f)
	}
	if f.Depth == 0 && f.Size == f.Elem {
		return appendNumber(b, f, v.Word(f))
	}
	data := v.Elems(f)
	return appendList(b, len(data)/int(f.Elem), func(b []byte, i int) []byte { return appendNumber(b, f, f.Number(data, i)) })
}

func (e *encoder) handles(b []byte, v describe.View, f *describe.Field) []byte {
	one := func(b []byte, h uintptr) []byte {
		if h == 0 || f.Dir == describe.InOut && !e.out {
			return append(b, "null"...)
		}
		return describe.AppendJSONString(b, e.handle(f, h, e.out))
	}
	slots := v.Slots(f, e.inner)
	if f.Depth == 0 {
		return one(b, slots[0].Get())
	}
	outer := v.Count(f, 0)
	if f.Depth == 2 && outer > 0 {
		inner := len(slots) / outer
		return appendList(b, outer, func(b []byte, i int) []byte {
			return appendList(b, inner, func(b []byte, j int) []byte { return one(b, slots[i*inner+j].Get()) })
		})
	}
	return appendList(b, len(slots), func(b []byte, i int) []byte { return one(b, slots[i].Get()) })
}

func (e *encoder) records(b []byte, v describe.View, f *describe.Field) []byte {
	one := func(b []byte, r describe.View) []byte {
		if r.Struct == nil {
			return append(b, "null"...)
		}
		b = append(b, '{')
		first := true
		if r.Struct.Sized && f.Depth > 0 {
			b = member(b, "struct_size", &first)
			b = strconv.AppendUint(b, uint64(r.StructSize()), 10)
		}
		for i := range r.Struct.Fields {
			m := &r.Struct.Fields[i]
			if !r.Has(m) || !f.Carries(m) {
				continue
			}
			b = member(b, m.Name, &first)
			if !e.out && f.Dir == describe.InOut && m.Kind == describe.Text {
				b = strconv.AppendBool(b, !r.IsNull(m)) // memory for the function to fill in
				continue
			}
			b = e.value(b, r, m)
		}
		return append(b, '}')
	}
	records := v.Records(f)
	if len(f.Counts) == 0 && len(records) == 1 {
		return one(b, records[0])
	}
	return appendList(b, len(records), func(b []byte, i int) []byte { return one(b, records[i]) })
}

func appendList(b []byte, n int, value func([]byte, int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = value(b, i)
	}
	return append(b, ']')
}

func appendNumber(b []byte, f *describe.Field, n int64) []byte {
	switch f.Kind {
	case describe.Bool:
		return strconv.AppendBool(b, n != 0)
	case describe.Float:
		x := math.Float64frombits(uint64(n))
		if f.Elem == 4 {
			x = float64(math.Float32frombits(uint32(n)))
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return strconv.AppendQuote(b, strconv.FormatFloat(x, 'g', -1, 64))
		}
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	case describe.Int, describe.Enumerator:
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}

// appendBytes appends bytes, as a string if they are text.
func appendBytes(b, data []byte) []byte {
	if data == nil {
		return append(b, "null"...)
	}
	if isPlain(data) {
		return describe.AppendJSONString(b, string(data))
	}
	b = append(b, `{"base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, data)
	b = append(b, `","crc":"`...)
	b = fmt.Appendf(b, "%08x", crc32.ChecksumIEEE(data))
	return append(b, `"}`...)
}

// isPlain reports whether JSON preserves a text.
func isPlain(data []byte) bool {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError || r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			return false
		}
		data = data[n:]
	}
	return true
}
