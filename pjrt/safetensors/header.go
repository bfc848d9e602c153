// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/filetype"
)

// maxHeader is the format's limit for the size of the header, in bytes.
const maxHeader = 100_000_000

// metadataKey is the only member of the header that is not an array.
const metadataKey = "__metadata__"

// types maps the format's names of element types to types.
var types = map[string]dtype.Type{
	"BOOL": dtype.Pred,
	"U8":   dtype.U8, "U16": dtype.U16, "U32": dtype.U32, "U64": dtype.U64,
	"I8": dtype.S8, "I16": dtype.S16, "I32": dtype.S32, "I64": dtype.S64,
	"F16": dtype.F16, "F32": dtype.F32, "F64": dtype.F64, "BF16": dtype.BF16, "C64": dtype.C64,
	"F8_E5M2": dtype.F8E5M2, "F8_E4M3": dtype.F8E4M3FN, "F8_E8M0": dtype.F8E8M0FNU,
	"F8_E5M2FNUZ": dtype.F8E5M2FNUZ, "F8_E4M3FNUZ": dtype.F8E4M3FNUZ,
	"F4": dtype.F4E2M1FN, "F6_E2M3": dtype.F6E2M3FN, "F6_E3M2": dtype.F6E3M2FN,
}

// packed are the bits of the elements that files pack, while each has a byte in the host's memory.
var packed = map[dtype.Type]int{dtype.F4E2M1FN: 4, dtype.F6E2M3FN: 6, dtype.F6E3M2FN: 6}

var typeNames = func() map[dtype.Type]string {
	m := make(map[dtype.Type]string, len(types))
	for name, t := range types {
		m[t] = name
	}
	return m
}()

// header is an array in the header of a file.
type header struct {
	Type    string    `json:"dtype"`
	Dims    []int64   `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// kindOf names a file of another kind.
func kindOf(r io.ReaderAt, size int64) string {
	start := make([]byte, min(size, 512))
	if n, err := r.ReadAt(start, 0); n < len(start) && err != nil {
		return ""
	}
	if len(start) > 8 && start[8] == '{' {
		return "" // whatever the size of its header looks like
	}
	return filetype.Of(start)
}

// readHeader reads the header of a file whose data is between start and end of r. Like the format's
// own library, it takes names as they are written, and wants each member of an array once.
func (f *File) readHeader(r io.ReaderAt, text []byte, start, end int64) error {
	if err := checkText(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	err := members(d, "the header", func(name string) error {
		if name == metadataKey {
			if f.metadata != nil {
				return errors.New("the header has the metadata twice")
			}
			f.metadata = make(map[string]string)
			if err := readMetadata(d, f.metadata); err != nil {
				return fmt.Errorf("the metadata is not a JSON object of strings: %w", err)
			}
			return nil
		}
		if _, ok := f.arrays[name]; ok {
			return fmt.Errorf("the header has two arrays %q", excerpt.Of(name))
		}
		var h header
		err := h.read(d)
		var a section
		if err == nil {
			a, err = h.array(uint64(end-start), start)
		}
		if err != nil {
			return fmt.Errorf("array %q: %w", excerpt.Of(name), err)
		}
		a.r = r
		f.arrays[name] = a
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the header is not one JSON object: there is more after it")
	}
	if len(f.metadata) == 0 {
		f.metadata = nil
	}
	f.sort()
	// The arrays must fill the file without gaps.
	at := start
	for _, name := range f.names {
		a := f.arrays[name]
		if a.offset != at {
			return fmt.Errorf("array %q begins at %d, but the one before ends at %d", excerpt.Of(name), a.offset-start, at-start)
		}
		at += a.size
	}
	if at != end {
		return fmt.Errorf("the arrays have %d bytes, but the file has %d bytes of data", at-start, end-start)
	}
	return nil
}

// checkText finds what package json replaces in silence, so that two names would become one.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("the header is not UTF-8")
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		high, ok := surrogate(text[i-1:])
		if !ok {
			continue
		}
		low, ok := surrogate(text[min(i+5, len(text)):])
		if high >= 0xdc00 || !ok || low < 0xdc00 {
			return fmt.Errorf("the header has half of a character, %s", text[i-1:i+5])
		}
		i += 10
	}
	return nil
}

// surrogate reads \uD800 to \uDFFF at the beginning of text.
func surrogate(text []byte) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil && unit >= 0xd800 && unit <= 0xdfff
}

// members reads a JSON object, and calls member after each name, to read what belongs to it.
func members(d *json.Decoder, what string, member func(name string) error) error {
	t, err := d.Token()
	if err == nil && t != json.Delim('{') {
		err = errors.New("it does not begin with a brace")
	}
	for err == nil && d.More() {
		if t, err = d.Token(); err == nil {
			name, _ := t.(string) // the decoder takes nothing else
			if err := member(name); err != nil {
				return err
			}
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	if err != nil {
		return fmt.Errorf("%s is not a JSON object: %w", what, err)
	}
	return nil
}

func readMetadata(d *json.Decoder, into map[string]string) error {
	return members(d, "it", func(name string) error {
		t, err := d.Token()
		if err != nil {
			return err
		}
		text, ok := t.(string)
		if !ok {
			return fmt.Errorf("%q is not a string", excerpt.Of(name))
		}
		into[name] = text
		return nil
	})
}

// read reads the members of an array. Others than these may come with newer files.
func (h *header) read(d *json.Decoder) error {
	var offsets []uint64
	fields := map[string]any{"dtype": &h.Type, "shape": &h.Dims, "data_offsets": &offsets}
	seen := make(map[string]bool, len(fields))
	err := members(d, "it", func(name string) error {
		field, ok := fields[name]
		if !ok {
			var other json.RawMessage
			return d.Decode(&other)
		}
		if seen[name] {
			return fmt.Errorf("it has two members %s", name)
		}
		seen[name] = true
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return err
		}
		if string(text) == "null" {
			return fmt.Errorf("its %s is null", name)
		}
		if err := json.Unmarshal(text, field); err != nil {
			return fmt.Errorf("its %s is wrong: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"dtype", "shape", "data_offsets"} {
		if !seen[name] {
			return fmt.Errorf("it has no %s", name)
		}
	}
	if len(offsets) != len(h.Offsets) {
		return fmt.Errorf("its data_offsets are %d numbers, not a begin and an end", len(offsets))
	}
	h.Offsets = [2]uint64(offsets)
	return nil
}

// array checks an entry of the header. room is the number of bytes for all arrays.
func (h *header) array(room uint64, start int64) (section, error) {
	if h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > room {
		return section{}, fmt.Errorf("its data is from byte %d to %d, but the file has %d bytes of data", h.Offsets[0], h.Offsets[1], room)
	}
	bytes := h.Offsets[1] - h.Offsets[0]
	a := section{offset: start + int64(h.Offsets[0]), size: int64(bytes)}
	t, ok := types[h.Type]
	if !ok {
		a.err = fmt.Errorf("the element type %q is unknown", excerpt.Of(h.Type))
		return a, nil
	}
	a.shape = array.Shape{Type: t, Dims: h.Dims}
	size, err := a.shape.HostSize()
	if err != nil {
		return section{}, err
	}
	want := uint64(size)
	if a.packed = packed[t]; a.packed > 0 {
		if want*uint64(a.packed)%8 != 0 {
			return section{}, fmt.Errorf("the elements of the shape %v do not fill whole bytes", a.shape)
		}
		want = want * uint64(a.packed) / 8
	}
	if bytes != want {
		return section{}, fmt.Errorf("its data has %d bytes, but the shape %v takes %d", bytes, a.shape, want)
	}
	return a, nil
}

// unpacker reads elements that a file packs, the first of them in the lowest bits, as a byte each.
type unpacker struct {
	r    io.ByteReader
	bits int
	left int64 // elements
	word uint
	in   int // bits that are left in word
}

func (u *unpacker) Read(p []byte) (n int, err error) {
	if u.left == 0 {
		return 0, io.EOF
	}
	for n < len(p) && u.left > 0 {
		if u.in < u.bits {
			b, err := u.r.ReadByte()
			if err != nil {
				return n, err
			}
			u.word |= uint(b) << u.in
			u.in += 8
		}
		p[n] = byte(u.word & (1<<u.bits - 1))
		u.word >>= u.bits
		u.in -= u.bits
		u.left--
		n++
	}
	return n, nil
}
