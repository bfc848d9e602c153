// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// entry is an attribute or a type.
type entry struct {
	dialect string
	custom  bool // in the dialect's own form, not as text
	data    *reader
}

// The first numbers of the dialects' own forms.
const (
	builtinDictionary = 1
	builtinString     = 2
	builtinSymbol     = 4 // FlatSymbolRefAttr
	builtinInteger    = 8
	builtinNumbers    = 18 // DenseIntOrFPElementsAttr

	builtinTensor        = 13
	builtinEncodedTensor = 14

	vhloString        = 14
	vhloNumbers       = 15 // TensorV1Attr
	vhloTensor        = 20
	vhloEncodedTensor = 21

	sdyMeshAxis = 1
	sdyMesh     = 2
)

// readEntries locates the attributes and types in their section.
func (m *module) readEntries(offsets, data *reader) error {
	attributes, types := offsets.varint(), offsets.varint()
	// Each takes at least one byte in each of the two sections.
	if limit := uint64(len(offsets.rest())); attributes > limit || types > limit {
		return errMalformed
	}
	m.attributes = make([]entry, 0, attributes)
	m.types = make([]entry, 0, types)
	for _, list := range []*[]entry{&m.attributes, &m.types} {
		for len(*list) < cap(*list) {
			dialect, n := offsets.varint(), offsets.count()
			if dialect >= uint64(len(m.dialects)) || n > cap(*list)-len(*list) {
				return errMalformed
			}
			for range n {
				size, custom := offsets.flagged()
				*list = append(*list, entry{m.dialects[dialect], custom, data.bytes(size)})
			}
			if offsets.err != nil || data.err != nil || n == 0 && offsets.empty() {
				return errMalformed
			}
		}
	}
	return nil
}

// open returns the first number of an attribute of a dialect, and the rest of the attribute.
func (m *module) open(index uint64, dialect string) (code uint64, rest *reader, ok bool) {
	if index >= uint64(len(m.attributes)) {
		return 0, nil, false
	}
	e := m.attributes[index]
	if !e.custom || e.dialect != dialect {
		return 0, nil, false
	}
	r := *e.data
	code = r.varint()
	return code, &r, r.err == nil
}

// name returns the text of an attribute that is a string, or the name of one that
// is a symbol.
func (m *module) name(index uint64) (string, bool) {
	for range 2 {
		if code, r, ok := m.open(index, "vhlo"); ok && code == vhloString {
			return m.string(r.varint())
		}
		code, r, ok := m.open(index, "builtin")
		switch {
		case !ok:
			return "", false
		case code == builtinString:
			return m.string(r.varint())
		case code != builtinSymbol:
			return "", false
		}
		index = r.varint() // the string of the symbol
	}
	return "", false
}

// isSymbol reports whether an attribute can be the name of a symbol.
func (m *module) isSymbol(index uint64) bool {
	if code, _, ok := m.open(index, "builtin"); ok {
		return code == builtinSymbol
	}
	code, _, ok := m.open(index, "vhlo")
	return ok && code == vhloString
}

// numbers returns the elements of an attribute that is an array of 64-bit integers. If all are
// equal, it may return only one.
func (m *module) numbers(index uint64) (list []int64, ok bool) {
	code, r, ok := m.open(index, "builtin")
	if !ok || code != builtinNumbers {
		if code, r, ok = m.open(index, "vhlo"); !ok || code != vhloNumbers {
			return nil, false
		}
	}
	r.varint() // type
	words := r.bytes(r.varint())
	data := words.rest()
	if r.err != nil || len(data)%8 != 0 {
		return nil, false
	}
	for ; len(data) > 0; data = data[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(data)))
	}
	return list, true
}

// integer returns an attribute that is an integer of 9 to 64 bits.
func (m *module) integer(index uint64) (n int64, ok bool) {
	code, r, ok := m.open(index, "builtin")
	if !ok || code != builtinInteger {
		return 0, false
	}
	r.varint() // type
	n = r.signed()
	return n, r.err == nil
}

// readMeshes notes whether the module uses Shardy, and its meshes.
func (m *module) readMeshes() error {
	m.Shardy = slices.Contains(m.dialects, "sdy") || slices.ContainsFunc(m.strings, func(s []byte) bool {
		return bytes.HasPrefix(s, []byte("xla.sdy."))
	})
	for i := range m.attributes {
		code, r, ok := m.open(uint64(i), "sdy")
		if !ok || code != sdyMesh {
			continue
		}
		size := int64(1)
		for range r.count() {
			size = product(size, m.axis(r.varint()))
		}
		if r.err == nil {
			m.Mesh = max(m.Mesh, size)
		}
	}
	return nil
}

// axis returns the number of devices along an axis of a mesh, or 0.
func (m *module) axis(index uint64) int64 {
	code, r, ok := m.open(index, "sdy")
	if !ok || code != sdyMeshAxis {
		return 0
	}
	r.varint() // name
	n := r.signed()
	if r.err != nil {
		return 0
	}
	return n
}

// product returns the product of two numbers of devices, or 0 if there is no such number.
func product(a, b int64) int64 {
	if a < 1 || b < 1 || a > math.MaxInt32/b {
		return 0
	}
	return a * b
}

// dictionary calls fn with the names and indices of the members of a dictionary.
func (m *module) dictionary(index uint64, fn func(name string, value uint64)) {
	code, r, ok := m.open(index, "builtin")
	if !ok || code != builtinDictionary {
		return
	}
	for range r.count() {
		key, value := r.varint(), r.varint()
		if name, ok := m.name(key); ok && r.err == nil {
			fn(name, value)
		}
	}
}

// readTensors collects the tensor types.
func (m *module) readTensors() error {
	for _, e := range m.types {
		r := *e.data
		if !e.custom {
			m.Tensors = append(m.Tensors, Tensor{Text: string(bytes.TrimSuffix(r.rest(), []byte{0}))})
			continue
		}
		code := r.varint()
		known, encoded := false, false
		switch e.dialect {
		case "builtin":
			known, encoded = code == builtinTensor || code == builtinEncodedTensor, code == builtinEncodedTensor
		case "vhlo":
			known, encoded = code == vhloTensor || code == vhloEncodedTensor, code == vhloEncodedTensor
		}
		if !known {
			continue
		}
		if encoded {
			r.varint() // the encoding comes first
		}
		t := Tensor{Dims: make([]int64, r.count()), Encoded: encoded}
		for i := range t.Dims {
			t.Dims[i] = r.signed()
		}
		if r.err != nil {
			return r.err
		}
		m.Tensors = append(m.Tensors, t)
	}
	return nil
}

// uses notes that the current function names a symbol.
func (m *module) uses(name string) {
	if m.function < 0 {
		return
	}
	if f := &m.Functions[m.function]; !slices.Contains(f.Uses, name) {
		f.Uses = append(f.Uses, name)
	}
}
