// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"bytes"
	"context"
	"iter"
	"math"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Magic is the beginning of bytecode.
const Magic = "ML\xefR"

// Module has the parts of a module that compilers are sensitive to.
type Module struct {
	Functions []Function
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

	// Main has the types of the function main that is nested least, or is nil if there is none
	// whose types are known.
	Main *FunctionType

	// Operations are what Read was told to keep of the operations, or nil if nothing is in the
	// module that the checks of package dataflow look at.
	Operations *dataflow.Module

	tensors func(ctx context.Context, yield func(Tensor) bool) error
}

// Tensors returns the tensor types in the module. Each is valid until the next.
func (m *Module) Tensors() iter.Seq[Tensor] {
	return func(yield func(Tensor) bool) {
		if m.tensors == nil {
			return
		}
		_ = m.tensors(context.Background(), yield) // Read has read all of them
	}
}

// FunctionType has the types of a function. Those that are not tensors have no element.
type FunctionType struct {
	Params, Results []dataflow.Type
}

// Function is a function of a module.
type Function struct {
	Name    string
	HasBody bool
	Uses    []int // the functions that its operations name, as indices of Module.Functions
}

// Tensor is a tensor type in a module.
type Tensor struct {
	Dims []int64 // unknown ones are Dynamic
	// Encoded says that the type has an encoding, such as bounds.
	Encoded bool
	// Text is the type in MLIR's notation, instead of Dims, if the module has it as text.
	Text []byte
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
	text       string // everything in the section of strings
	strings    []span // in text
	dialects   []dialect
	operations []knownOperation
	code       []byte
	attributes []entry
	types      []entry
	properties []span // in the module

	functions []function
	function  int // index of the current one, or -1
	mainDepth int // of the function whose types are in Main; maxDepth+1 if there is none
	// What is long is read once, however many operations have it.
	dictionaries map[uint64]members
	lists        map[uint64]numbers
	permuted     map[uint64]bool // attributes whose numbers are in Permuted
	uses         map[call]bool   // those of functions with more than a few

	compiler dataflow.Compiler
	names    []string // of the operations, unless there is no compiler
	checked  bool     // whether there is something that the checks look at
	graph    *graph   // nil if there is nothing
}

// span is where something is. The positions of a module of which this package reads anything
// fit in 32 bits.
type span struct{ start, end uint32 }

// function is a function, with strings as indices.
type function struct {
	name    uint64
	hasBody bool
	uses    []uint32
}

// call says that a function names a symbol.
type call struct {
	function int
	symbol   uint32
}

// Read reads a module. It fails with ErrTooDeep if regions are nested more than 4096 deep, with the
// error of ctx if that ends, and otherwise if the module is damaged, or in a form that the package
// does not know.
//
// It keeps the operations for the checks of the compiler c. For the zero Compiler it keeps none.
//
// The steps and the memory that it takes are proportional to the size of the module, whatever is in
// it.
func Read(ctx context.Context, code []byte, c dataflow.Compiler) (*Module, error) {
	if !bytes.HasPrefix(code, []byte(Magic)) || uint64(len(code)) > math.MaxUint32 {
		return nil, errMalformed
	}
	r := &reader{module: code, pos: len(Magic), end: len(code)}
	m := &module{version: r.varint(), code: code, function: -1, mainDepth: maxDepth + 1, compiler: c}
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
		func() error { return m.readTensors(ctx) },
		func() error { return m.readMeshes() },
		func() error { return m.readOperations(ctx, sections[sectionIR]) },
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := read(); err != nil {
			return nil, err
		}
	}
	m.resolve()
	if m.graph != nil {
		m.Operations = m.graph.program
	}
	return &m.Module, nil
}

// readStrings reads the strings, whose lengths come first, in reverse order.
func (m *module) readStrings(r *reader) error {
	n := r.count()
	if n > len(r.rest())/2 {
		return errMalformed // each has a length, and a zero byte at its end
	}
	m.strings = make([]span, n)
	m.text = string(r.rest())
	start := r.pos
	end := len(m.text) // of the next string
	for i := len(m.strings) - 1; i >= 0; i-- {
		size := r.varint()
		if size == 0 || size > uint64(end) {
			return errMalformed
		}
		m.strings[i].end = uint32(end - 1) // without the zero byte
		end -= int(size)
		m.strings[i].start = uint32(end)
	}
	if r.err != nil || start+end < r.pos {
		return errMalformed
	}
	return nil
}

// string returns a string by its index. It shares memory with all others.
func (m *module) string(index uint64) (string, bool) {
	if index >= uint64(len(m.strings)) {
		return "", false
	}
	at := m.strings[index]
	return m.text[at.start:at.end], true
}

// dialect is a dialect that this package knows, or otherDialect.
type dialect byte

const (
	otherDialect dialect = iota
	dialectBuiltin
	dialectFunc
	dialectStableHLO
	dialectVHLO
	dialectShardy
)

var dialects = map[string]dialect{
	"builtin": dialectBuiltin, "func": dialectFunc, "stablehlo": dialectStableHLO, "vhlo": dialectVHLO, "sdy": dialectShardy,
}

// operationKind says what this package does with an operation.
type operationKind byte

const (
	anyOperation operationKind = iota
	opModule
	opFunction
	opCall // or a composite operation
	opPermute
)

// knownOperation is what is known about the operations with one name.
type knownOperation struct {
	kind    operationKind
	dialect dialect
}

// operations has the names of the operations of each dialect.
var operations = map[dialect]map[string]operationKind{
	dialectBuiltin:   {"module": opModule},
	dialectFunc:      {"func": opFunction, "call": opCall},
	dialectStableHLO: {"composite": opCall, "collective_permute": opPermute},
	dialectVHLO: {
		"func_v1": opFunction, "call_v1": opCall, "composite_v1": opCall, "collective_permute_v1": opPermute,
	},
}

// maxName is longer than any name of a dialect or an operation that this package knows. Only
// shorter ones are looked up, since a module can have the same long name at every place.
const maxName = 64

// readDialects reads the names of the dialects and of their operations.
func (m *module) readDialects(r *reader) error {
	m.dialects = make([]dialect, r.count())
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
		if len(name) < maxName {
			m.dialects[i] = dialects[name]
		}
	}
	if m.version >= versionElide {
		r.varint() // number of operations
	}
	for r.err == nil && !r.empty() {
		number, n := r.varint(), r.count()
		if number >= uint64(len(m.dialects)) {
			return errMalformed
		}
		known := operations[m.dialects[number]]
		for range n {
			index := r.varint()
			if m.version >= versionProperties {
				index >>= 1 // the lowest bit says whether the writer knew the operation
			}
			name, ok := m.string(index)
			if !ok {
				return errMalformed
			}
			o := knownOperation{dialect: m.dialects[number]}
			if len(name) < maxName {
				o.kind = known[name]
			} else {
				name = ""
			}
			m.operations = append(m.operations, o)
			if m.compiler != (dataflow.Compiler{}) {
				name = withoutVersion(name)
				m.names = append(m.names, name)
				m.checked = m.checked || m.compiler.Checks(name) ||
					name == "slice" && preempt.Contains(m.code, []byte(dataflow.HugeStride))
			}
		}
	}
	return r.err
}

// withoutVersion returns the name of StableHLO's operation for that of one in a portable artifact.
func withoutVersion(name string) string {
	if i := strings.LastIndex(name, "_v"); i > 0 && i+2 < len(name) && '0' <= name[i+2] && name[i+2] <= '9' {
		return name[:i]
	}
	return name
}

// readProperties finds the properties of the operations.
func (m *module) readProperties(r *reader) error {
	if r == nil {
		return nil
	}
	m.properties = make([]span, r.count())
	for i := range m.properties {
		p := r.bytes(r.varint())
		m.properties[i] = span{uint32(p.pos), uint32(p.end)}
	}
	return r.err
}

// resolve makes the list of functions. Of several functions with one name, the last is meant.
func (m *module) resolve() {
	m.Functions = make([]Function, len(m.functions))
	byIndex := make(map[uint64]int, len(m.functions)) // by the index of the name
	for i, f := range m.functions {
		name, _ := m.string(f.name)
		m.Functions[i] = Function{Name: name, HasBody: f.hasBody}
		byIndex[f.name] = i
	}
	byName := make(map[string]int, len(byIndex)) // each name is hashed once, as it may be long
	for index, i := range byIndex {
		name, _ := m.string(index)
		byName[name] = max(byName[name], i)
	}
	target := make(map[uint32]int) // of each symbol; -1 for none
	for i, f := range m.functions {
		for _, symbol := range f.uses {
			to, ok := target[symbol]
			if !ok {
				name, _ := m.string(uint64(symbol))
				if to, ok = byName[name]; !ok {
					to = -1
				}
				target[symbol] = to
			}
			if to >= 0 {
				m.Functions[i].Uses = append(m.Functions[i].Uses, to)
			}
		}
	}
}
