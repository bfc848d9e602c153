// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import "bytes"

// Magic is the beginning of bytecode.
const Magic = "ML\xefR"

// Module has the parts of a module that compilers are sensitive to.
type Module struct {
	Functions []Function
	Tensors   []Tensor
	// Permuted has the numbers of devices in collective permutes.
	Permuted []int64
	// Replicas and Partitions are the attributes mhlo.num_replicas and mhlo.num_partitions of
	// the module, 0 if it does not have them.
	Replicas, Partitions int64
	// Mesh is the number of devices in the largest of Shardy's meshes, 0 if there are none.
	Mesh int64
	// Shardy says that the module has attributes or operations of Shardy.
	Shardy bool
	// Regions is how deep regions are nested.
	Regions int
}

// Function is a function of a module.
type Function struct {
	Name    string
	HasBody bool
	Uses    []string // symbols that its operations name
}

// Tensor is a tensor type in a module.
type Tensor struct {
	Dims []int64 // unknown ones are Dynamic
	// Encoded says that the type has an encoding, such as bounds.
	Encoded bool
	// Text is the type in MLIR's notation, instead of Dims, if the module has it as text.
	Text string
}

// Dynamic is an unknown dimension.
const Dynamic = -1 << 63

// The sections of a module.
const (
	sectionString         = 0
	sectionDialect        = 1
	sectionAttrType       = 2
	sectionAttrTypeOffset = 3
	sectionIR             = 4
	sectionProperties     = 8
	numSections           = 16 // more than exist
)

// The versions of the format in which something changed.
const (
	versionDialects   = 1 // dialects have versions
	versionLazy       = 2 // isolated regions are sections
	versionUseLists   = 3 // orders of uses
	versionElide      = 4 // block arguments without locations, number of operations
	versionProperties = 5 // properties
	versionNewest     = 6
)

// module is the state of reading a module.
type module struct {
	Module
	version    uint64
	strings    [][]byte
	dialects   []string
	operations []string // with their dialects
	attributes []entry
	types      []entry
	properties []*reader
	function   int // index of the current one, or -1
}

// Read reads a module. It fails with ErrTooDeep if regions are nested more than 4096 deep, and
// otherwise if the module is damaged, or in a form that the package does not know.
func Read(code []byte) (*Module, error) {
	if !bytes.HasPrefix(code, []byte(Magic)) {
		return nil, errMalformed
	}
	r := &reader{module: code, pos: len(Magic), end: len(code)}
	m := &module{version: r.varint(), function: -1}
	r.text() // the producer
	var sections [numSections]*reader
	for r.err == nil && !r.empty() {
		id, contents := r.section()
		if int(id) >= len(sections) || sections[id] != nil {
			return nil, errMalformed
		}
		sections[id] = contents
	}
	if r.err != nil || m.version > versionNewest {
		return nil, errMalformed
	}
	for _, id := range []int{sectionString, sectionDialect, sectionAttrType, sectionAttrTypeOffset, sectionIR} {
		if sections[id] == nil {
			return nil, errMalformed
		}
	}
	for _, read := range []func() error{
		func() error { return m.readStrings(sections[sectionString]) },
		func() error { return m.readDialects(sections[sectionDialect]) },
		func() error { return m.readEntries(sections[sectionAttrTypeOffset], sections[sectionAttrType]) },
		func() error { return m.readProperties(sections[sectionProperties]) },
		func() error { return m.readTensors() },
		func() error { return m.readMeshes() },
		func() error { return m.readBlock(sections[sectionIR], 0) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return &m.Module, nil
}

// readStrings reads the strings, whose lengths come first, in reverse order.
func (m *module) readStrings(r *reader) error {
	m.strings = make([][]byte, r.count())
	end := len(r.rest()) // of the next string, from the beginning of what is there now
	start := r.pos
	for i := len(m.strings) - 1; i >= 0; i-- {
		size := r.varint()
		if size == 0 || size > uint64(end) {
			return errMalformed
		}
		end -= int(size)
		m.strings[i] = r.module[start+end : start+end+int(size)-1] // without the zero byte at its end
	}
	if r.err != nil || start+end < r.pos {
		return errMalformed
	}
	return nil
}

// string returns a string by its index.
func (m *module) string(index uint64) (string, bool) {
	if index >= uint64(len(m.strings)) {
		return "", false
	}
	return string(m.strings[index]), true
}

// readDialects reads the names of the dialects and of their operations.
func (m *module) readDialects(r *reader) error {
	m.dialects = make([]string, r.count())
	for i := range m.dialects {
		index, hasVersion := r.varint(), false
		if m.version >= versionDialects {
			index, hasVersion = index>>1, index&1 != 0
		}
		if hasVersion {
			r.section()
		}
		name, ok := m.string(index)
		if !ok {
			return errMalformed
		}
		m.dialects[i] = name
	}
	if m.version >= versionElide {
		r.varint() // number of operations
	}
	for r.err == nil && !r.empty() {
		dialect, n := r.varint(), r.count()
		if dialect >= uint64(len(m.dialects)) {
			return errMalformed
		}
		for range n {
			index := r.varint()
			if m.version >= versionProperties {
				index >>= 1 // the lowest bit says whether the writer knew the operation
			}
			name, ok := m.string(index)
			if !ok {
				return errMalformed
			}
			m.operations = append(m.operations, m.dialects[dialect]+"."+name)
		}
	}
	return r.err
}

// readProperties finds the properties of the operations.
func (m *module) readProperties(r *reader) error {
	if r == nil {
		return nil
	}
	m.properties = make([]*reader, r.count())
	for i := range m.properties {
		m.properties[i] = r.bytes(r.varint())
	}
	return r.err
}
