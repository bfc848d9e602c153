// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
)

// number encodes a number in MLIR's bytecode.
func number(n int) []byte {
	for size := 1; size <= 8; size++ {
		if uint64(n) < 1<<(7*size) {
			word := binary.LittleEndian.AppendUint64(nil, uint64(n)<<size|1<<(size-1))
			return word[:size]
		}
	}
	return binary.LittleEndian.AppendUint64([]byte{0}, uint64(n))
}

// module collects the parts of a module in bytecode, version 6.
type module struct {
	strings    []string
	dialects   []int    // as strings
	operations [][2]int // dialect and string
	attributes [][]byte // of the dialect of the same number
	of         []int
	types      [][]byte
	typesOf    []int
	properties [][]byte
	body       []byte // operations of the module
	count      int    // how many
}

func newModule() *module {
	return &module{
		strings:  []string{"builtin", "module", "func", "call", "sym_name", "callee", "stablehlo", "collective_permute", "source_target_pairs", "main"},
		dialects: []int{0, 2, 6}, operations: [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 7}},
	}
}

// The operations of newModule.
const (
	opModule = iota
	opFunc
	opCall
	opPermute
)

func (m *module) text(s string) int {
	m.strings = append(m.strings, s)
	return len(m.strings) - 1
}

// attribute adds an attribute of the dialect builtin.
func (m *module) attribute(parts ...int) int {
	var b []byte
	for _, p := range parts {
		b = append(b, number(p)...)
	}
	return m.raw(b)
}

func (m *module) raw(b []byte) int {
	m.attributes, m.of = append(m.attributes, b), append(m.of, 0)
	return len(m.attributes) - 1
}

// add adds an operation: its name, and a dictionary of attributes or -1, or properties.
func (m *module) add(op, attributes, properties int) {
	m.count++
	m.body = append(m.body, number(op)...)
	switch {
	case attributes >= 0:
		m.body = append(append(append(m.body, 1), number(0)...), number(attributes)...)
	case properties >= 0:
		m.body = append(append(append(m.body, 1<<6), number(0)...), number(properties)...)
	default:
		m.body = append(append(m.body, 0), number(0)...)
	}
}

func (m *module) bytes() []byte {
	var lengths, text []byte
	for i := len(m.strings) - 1; i >= 0; i-- {
		lengths = append(lengths, number(len(m.strings[i])+1)...)
	}
	for _, s := range m.strings {
		text = append(append(text, s...), 0)
	}
	b := append([]byte(bytecode.Magic), number(6)...)
	b = append(b, 'x', 0)
	section := func(id byte, parts ...[]byte) {
		contents := bytes.Join(parts, nil)
		b = append(append(append(b, id), number(len(contents))...), contents...)
	}
	section(0, number(len(m.strings)), lengths, text)
	dialects := number(len(m.dialects))
	for _, s := range m.dialects {
		dialects = append(dialects, number(s<<1)...)
	}
	dialects = append(dialects, number(len(m.operations))...)
	for _, op := range m.operations {
		dialects = append(append(append(dialects, number(op[0])...), number(1)...), number(op[1]<<1)...)
	}
	section(1, dialects)
	offsets := append(number(len(m.attributes)), number(len(m.types))...)
	entries := func(list [][]byte, of []int) {
		for i, e := range list {
			offsets = append(append(append(offsets, number(of[i])...), number(1)...), number(len(e)<<1|1)...)
		}
	}
	entries(m.attributes, m.of)
	entries(m.types, m.typesOf)
	section(2, bytes.Join(m.attributes, nil), bytes.Join(m.types, nil))
	section(3, offsets)
	// One block without arguments, with the module, whose region has one block.
	ir := append(number(1<<1), number(opModule)...)
	ir = append(append(ir, 1<<4), number(0)...)
	ir = append(append(ir, number(1<<1)...), number(1)...)
	ir = append(append(append(ir, number(0)...), number(m.count<<1)...), m.body...)
	section(4, ir)
	properties := number(len(m.properties))
	for _, p := range m.properties {
		properties = append(append(properties, number(len(p))...), p...)
	}
	section(8, properties)
	return b
}

func bytecodes() []Input {
	var list []Input
	add := func(name string, fill func(m *module, size int)) {
		list = append(list, Input{Name: name, Form: Bytecode, Make: func(size int) []byte {
			m := newModule()
			fill(m, size)
			return m.bytes()
		}})
	}
	add("dialects with a long name", func(m *module, size int) {
		long := m.text(string(bytes.Repeat([]byte("d"), size/2)))
		for range size / 6 {
			m.dialects = append(m.dialects, long)
		}
	})
	add("operations with a long name", func(m *module, size int) {
		long := m.text(string(bytes.Repeat([]byte("d"), size/2)))
		for range size / 8 {
			m.operations = append(m.operations, [2]int{0, long})
		}
	})
	add("dialects", func(m *module, size int) {
		for range size {
			m.dialects = append(m.dialects, 0)
		}
	})
	add("strings", func(m *module, size int) {
		for range size / 2 {
			m.text("")
		}
	})
	add("strings of Shardy", func(m *module, size int) {
		for range size / 9 {
			m.text("xla.sd")
		}
	})
	add("functions", func(m *module, size int) {
		for i := 0; i < size/24; i++ {
			name := m.attribute(2, m.text(fmt.Sprint(i)))
			m.add(opFunc, m.attribute(1, 1, m.attribute(2, 4), name), -1)
		}
	})
	add("functions with one long name", func(m *module, size int) {
		name := m.attribute(2, m.text(string(bytes.Repeat([]byte("f"), size/2))))
		dictionary := m.attribute(1, 1, m.attribute(2, 4), name)
		for range size / 10 {
			m.add(opFunc, dictionary, -1)
		}
	})
	add("functions with one name in properties", func(m *module, size int) {
		name := m.attribute(2, m.text(string(bytes.Repeat([]byte("f"), size/2))))
		m.properties = append(m.properties, append(number(name), number(0)...))
		for range size / 10 {
			m.add(opFunc, -1, 0)
		}
	})
	add("functions with long properties", func(m *module, size int) {
		name := m.attribute(2, m.text("f"))
		m.properties = append(m.properties, append(bytes.Repeat(number(0), size/2), append(number(name), number(0)...)...))
		for range size / 10 {
			m.add(opFunc, -1, 0)
		}
	})
	add("calls", func(m *module, size int) {
		key := m.attribute(2, 5)
		m.add(opFunc, m.attribute(1, 1, m.attribute(2, 4), m.attribute(2, 9)), -1)
		for i := 0; i < size/24; i++ {
			m.add(opCall, m.attribute(1, 1, key, m.attribute(4, m.attribute(2, m.text(fmt.Sprint(i))))), -1)
		}
	})
	add("calls of one function", func(m *module, size int) {
		callee := m.attribute(1, 1, m.attribute(2, 5), m.attribute(4, m.attribute(2, m.text("g"))))
		m.add(opFunc, m.attribute(1, 1, m.attribute(2, 4), m.attribute(2, 9)), -1)
		for range size / 4 {
			m.add(opCall, callee, -1)
		}
	})
	add("calls with one long dictionary", func(m *module, size int) {
		parts := []int{1, size / 8}
		for range size / 8 {
			parts = append(parts, m.attribute(2, 5), 0)
		}
		dictionary := m.attribute(parts...)
		for range size / 8 {
			m.add(opCall, dictionary, -1)
		}
	})
	add("permutations of one long list", func(m *module, size int) {
		data := make([]byte, size/2/8*8)
		numbers := m.raw(append(append(number(18), number(0)...), append(number(len(data)), data...)...))
		dictionary := m.attribute(1, 1, m.attribute(2, 8), numbers)
		for range size / 8 {
			m.add(opPermute, dictionary, -1)
		}
	})
	add("permutations", func(m *module, size int) {
		key := m.attribute(2, 8)
		for i := 0; i < size/30; i++ {
			data := binary.LittleEndian.AppendUint64(nil, uint64(i))
			numbers := m.raw(append(append(number(18), number(0)...), append(number(8), data...)...))
			m.add(opPermute, m.attribute(1, 1, key, numbers), -1)
		}
	})
	add("operations", func(m *module, size int) {
		for range size / 3 {
			m.add(opModule, -1, -1)
		}
	})
	add("empty attributes", func(m *module, size int) {
		for range size / 3 {
			m.raw(nil)
		}
	})
	add("tensors", func(m *module, size int) {
		one := append(append(number(13), number(1)...), append(number(2<<1), number(0)...)...)
		for range size / 7 {
			m.types, m.typesOf = append(m.types, one), append(m.typesOf, 0)
		}
	})
	add("scalars", func(m *module, size int) {
		for range size / 5 {
			m.types, m.typesOf = append(m.types, append(number(13), number(0)...)), append(m.typesOf, 0)
		}
	})
	add("dimensions of a tensor", func(m *module, size int) {
		one := append(number(13), number(size)...)
		m.types, m.typesOf = [][]byte{append(append(one, bytes.Repeat(number(1<<1), size)...), number(0)...)}, []int{0}
	})
	add("parameters", func(m *module, size int) {
		scalar, function := append(number(13), number(0)...), append(number(2), number(size)...)
		function = append(append(function, bytes.Repeat(number(0), size)...), number(0)...)
		m.types, m.typesOf = [][]byte{append(scalar, number(0)...), function}, []int{0, 0}
		name, typ := m.attribute(2, 4), m.attribute(2, m.text("function_type"))
		m.add(opFunc, m.attribute(1, 2, name, m.attribute(2, 9), typ, m.attribute(6, 1)), -1)
	})
	add("properties", func(m *module, size int) {
		for range size / 2 {
			m.properties = append(m.properties, []byte{1})
		}
	})
	add("empty properties", func(m *module, size int) {
		for range size {
			m.properties = append(m.properties, nil)
		}
	})
	add("meshes", func(m *module, size int) {
		m.dialects = append(m.dialects, m.text("sdy"))
		axis := append(append(number(1), number(0)...), number(1<<1)...)
		m.attributes, m.of = append(m.attributes, axis), append(m.of, 3)
		for range size / 8 {
			mesh := append(append(number(2), number(2)...), append(number(0), number(0)...)...)
			m.attributes, m.of = append(m.attributes, mesh), append(m.of, 3)
		}
	})
	return list
}
