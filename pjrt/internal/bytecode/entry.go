// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// entry is an attribute or a type.
type entry struct {
	span
	dialect dialect
	custom  bool // in the dialect's own form, not as text
}

// read returns a reader of what is in a part of the module.
func (m *module) read(s span) reader {
	return reader{module: m.code, pos: int(s.start), end: int(s.end)}
}

// The first numbers of the dialects' own forms.
const (
	builtinDictionary = 1
	builtinString     = 2
	builtinSymbol     = 4 // FlatSymbolRefAttr
	builtinType       = 6 // TypeAttr
	builtinInteger    = 8
	builtinNumbers    = 18 // DenseIntOrFPElementsAttr

	builtinFunction      = 2
	builtinTensor        = 13
	builtinEncodedTensor = 14

	vhloString        = 14
	vhloNumbers       = 15 // TensorV1Attr
	vhloType          = 17 // TypeV1Attr
	vhloFunction      = 8
	vhloTensor        = 20
	vhloEncodedTensor = 21

	sdyMeshAxis = 1
	sdyMesh     = 2
)

// readEntries locates the attributes and types in their section.
func (m *module) readEntries(offsets, data *reader) error {
	attributes, types := offsets.varint(), offsets.varint()
	// Each takes at least one byte.
	if limit := uint64(len(offsets.rest())); attributes > limit || types > limit-attributes {
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
				e := data.bytes(size)
				*list = append(*list, entry{span{uint32(e.pos), uint32(e.end)}, m.dialects[dialect], custom})
			}
			if offsets.err != nil || data.err != nil || n == 0 && offsets.empty() {
				return errMalformed
			}
		}
	}
	return nil
}

// open returns the first number of an attribute of a dialect, and the rest of the attribute.
func (m *module) open(index uint64, d dialect) (code uint64, rest reader, ok bool) {
	if index >= uint64(len(m.attributes)) {
		return 0, reader{}, false
	}
	e := m.attributes[index]
	if !e.custom || e.dialect != d {
		return 0, reader{}, false
	}
	r := m.read(e.span)
	code = r.varint()
	return code, r, r.err == nil
}

// name returns the index of the text of an attribute that is a string, or of the name of one that
// is a symbol.
func (m *module) name(index uint64) (text uint64, ok bool) {
	for range 2 {
		if code, r, ok := m.open(index, dialectVHLO); ok && code == vhloString {
			text = r.varint()
			return text, text < uint64(len(m.strings))
		}
		code, r, ok := m.open(index, dialectBuiltin)
		switch {
		case !ok:
			return 0, false
		case code == builtinString:
			text = r.varint()
			return text, text < uint64(len(m.strings))
		case code != builtinSymbol:
			return 0, false
		}
		index = r.varint() // the string of the symbol
	}
	return 0, false
}

// typeOf returns the index of the type in an attribute that is a type.
func (m *module) typeOf(index uint64) (typ uint64, ok bool) {
	if code, r, ok := m.open(index, dialectVHLO); ok && code == vhloType {
		return r.varint(), r.err == nil
	}
	code, r, ok := m.open(index, dialectBuiltin)
	if !ok || code != builtinType {
		return 0, false
	}
	typ = r.varint()
	return typ, r.err == nil
}

// isSymbol reports whether an attribute can be the name of a symbol.
func (m *module) isSymbol(index uint64) bool {
	if code, _, ok := m.open(index, dialectBuiltin); ok {
		return code == builtinSymbol
	}
	code, _, ok := m.open(index, dialectVHLO)
	return ok && code == vhloString
}

// numbers returns the elements of an attribute that is an array of 64-bit integers. If all are
// equal, it may return only one.
func (m *module) numbers(index uint64) (list []int64, ok bool) {
	code, r, ok := m.open(index, dialectBuiltin)
	if !ok || code != builtinNumbers {
		if code, r, ok = m.open(index, dialectVHLO); !ok || code != vhloNumbers {
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
	code, r, ok := m.open(index, dialectBuiltin)
	if !ok || code != builtinInteger {
		return 0, false
	}
	r.varint() // type
	n = r.signed()
	return n, r.err == nil
}

// readMeshes notes whether the module uses Shardy, and its meshes.
func (m *module) readMeshes() error {
	m.Shardy = slices.Contains(m.dialects, dialectShardy) || slices.ContainsFunc(m.strings, func(s span) bool {
		return strings.HasPrefix(m.text[s.start:s.end], "xla.sdy.")
	})
	for i := range m.attributes {
		code, r, ok := m.open(uint64(i), dialectShardy)
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
	code, r, ok := m.open(index, dialectShardy)
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

// members are the members of a dictionary that this package knows, as indices of attributes; 0 for
// those that are missing, and otherwise the index plus 1.
type members struct{ name, functionType, callee, decomposition, pairs, replicas, partitions uint64 }

// long is a length from which on something is read only once. What is shorter is not worth
// remembering.
const long = 64

// dictionary returns the members of a dictionary.
func (m *module) dictionary(index uint64) members {
	code, r, ok := m.open(index, dialectBuiltin)
	if !ok || code != builtinDictionary {
		return members{}
	}
	size := r.end - r.pos
	if size >= long {
		if known, ok := m.dictionaries[index]; ok {
			return known
		}
	}
	var found members
	for range r.count() {
		key, value := r.varint(), r.varint()
		text, ok := m.name(key)
		if !ok || r.err != nil {
			continue
		}
		switch name, _ := m.string(text); name {
		case "sym_name":
			found.name = value + 1
		case "function_type":
			found.functionType = value + 1
		case "callee":
			found.callee = value + 1
		case "decomposition":
			found.decomposition = value + 1
		case "source_target_pairs":
			found.pairs = value + 1
		case "mhlo.num_replicas":
			found.replicas = value + 1
		case "mhlo.num_partitions":
			found.partitions = value + 1
		}
	}
	if size >= long {
		if m.dictionaries == nil {
			m.dictionaries = make(map[uint64]members)
		}
		m.dictionaries[index] = found
	}
	return found
}

// numbers are those of a list that this package needs.
type numbers struct {
	count              int
	first, second      uint64
	secondLast, latest uint64
}

// propertiesOf returns the properties of an operation, most of which are indices of attributes.
func (m *module) propertiesOf(index uint64) numbers {
	s := m.properties[index]
	if s.end-s.start >= long {
		if known, ok := m.lists[index]; ok {
			return known
		}
	}
	var list numbers
	for r := m.read(s); r.err == nil && !r.empty(); {
		n := r.varint()
		switch list.count {
		case 0:
			list.first = n
		case 1:
			list.second = n
		}
		list.count, list.secondLast, list.latest = list.count+1, list.latest, n
	}
	if s.end-s.start >= long {
		if m.lists == nil {
			m.lists = make(map[uint64]numbers)
		}
		m.lists[index] = list
	}
	return list
}

// readTensors reads all tensor types, to find out whether one is damaged.
func (m *module) readTensors(ctx context.Context) error {
	m.tensors = func(ctx context.Context, yield func(Tensor) bool) error {
		var dims []int64 // of all
		for i, e := range m.types {
			if i%often == often-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			r := m.read(e.span)
			t := Tensor{Dims: dims[:0]}
			known := true
			if e.custom {
				known = m.readTensor(&r, e.dialect, &t)
			} else {
				t.Text = bytes.TrimSuffix(r.rest(), []byte{0})
			}
			if r.err != nil {
				return r.err
			}
			if known && !yield(t) {
				return nil
			}
			dims = t.Dims
		}
		return nil
	}
	return m.tensors(ctx, func(t Tensor) bool {
		m.checked = m.checked || t.isLarge()
		return true
	})
}

// readTensor reads a type in a dialect's own form, and reports whether it is a tensor.
func (m *module) readTensor(r *reader, d dialect, t *Tensor) bool {
	code := r.varint()
	known := false
	switch d {
	case dialectBuiltin:
		known, t.Encoded = code == builtinTensor || code == builtinEncodedTensor, code == builtinEncodedTensor
	case dialectVHLO:
		known, t.Encoded = code == vhloTensor || code == vhloEncodedTensor, code == vhloEncodedTensor
	}
	if !known {
		r.err = nil
		return false
	}
	if t.Encoded {
		r.varint() // the encoding comes first
	}
	for range r.count() {
		t.Dims = append(t.Dims, r.signed())
	}
	return true
}

// few is a number of uses up to which a function's own list is searched.
const few = 8

// noteUse notes that the current function names a symbol, whose name is a string.
func (m *module) noteUse(symbol uint64) {
	if m.function < 0 {
		return
	}
	f := &m.functions[m.function]
	s := uint32(symbol)
	if len(f.uses) <= few {
		if slices.Contains(f.uses, s) {
			return
		}
	} else {
		if m.uses == nil {
			m.uses = make(map[call]bool)
		}
		if m.uses[call{m.function, s}] || slices.Contains(f.uses[:few], s) {
			return
		}
		m.uses[call{m.function, s}] = true
	}
	f.uses = append(f.uses, s)
}
