// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"context"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// The parts that an operation may have.
const (
	hasAttributes = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

// maxDepth limits the nesting of regions. Real programs have a few levels, and compilers end the
// process on 750.
const maxDepth = 4096

// maxOperations and a sixteenth of the bytes of a program is how many operations the checks look
// at: more would take more memory than is promised.
const maxOperations = 1 << 16

// often is after how many operations or types the context is asked whether it has ended.
const often = 1 << 12

// readOperations reads all operations. It makes a graph of them if there is anything that the
// checks look at, which the sections before tell.
func (m *module) readOperations(ctx context.Context, r *reader) error {
	if m.compiler != (dataflow.Compiler{}) && (m.checked || hasCheckedTypes(m)) {
		m.graph = newGraph(m, m.names)
	}
	return m.readBlock(ctx, r, 0)
}

// readBlock reads a block and the operations in it.
func (m *module) readBlock(ctx context.Context, r *reader, depth int) error {
	if depth > maxDepth {
		return ErrTooDeep
	}
	m.Regions = max(m.Regions, depth)
	operations, hasArguments := r.flagged()
	if hasArguments {
		for range r.count() {
			m.blockArgument(r)
		}
		if m.version >= versionUseLists && r.byte() != 0 {
			return errMalformed // orders of uses, which no producer of programs writes
		}
	}
	for i := range operations {
		if i%often == often-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.readOperation(ctx, r, depth); err != nil {
			return err
		}
	}
	return r.err
}

func (m *module) blockArgument(r *reader) {
	hasLocation, typ := true, uint64(0)
	if m.version >= versionElide {
		typ, hasLocation = r.flagged()
	} else {
		typ = r.varint()
	}
	if m.graph != nil {
		m.graph.argument(typ)
	}
	if hasLocation {
		r.varint()
	}
}

// operation is an operation without its regions.
type operation struct {
	index      uint64 // of its name
	kind       operationKind
	attributes uint64 // index of the dictionary
	properties uint64 // index of them
	parts      byte
}

func (m *module) readOperation(ctx context.Context, r *reader, depth int) error {
	index := r.varint()
	if r.err != nil || index >= uint64(len(m.operations)) {
		return errMalformed
	}
	op := operation{index: index, kind: m.operations[index].kind, parts: r.byte()}
	r.varint() // location
	if op.parts&hasAttributes != 0 {
		op.attributes = r.varint()
	}
	if op.parts&hasProperties != 0 {
		if op.properties = r.varint(); op.properties >= uint64(len(m.properties)) {
			return errMalformed
		}
	}
	var o *dataflow.Op
	if m.graph != nil && m.graph.needs(op) {
		if m.graph.kept++; m.graph.kept > maxOperations+len(m.code)/16 {
			m.graph = nil
		} else {
			o = m.graph.operation(op)
		}
	}
	results := m.readValues(r, op, o)
	if op.parts&hasUseLists != 0 {
		m.skipUseLists(r, results)
	}
	outer := m.function
	defer func() { m.function = outer }()
	if err := m.note(op, depth); err != nil {
		return err
	}
	if op.parts&hasRegions == 0 || r.err != nil {
		return r.err
	}
	regions, isolated := r.flagged()
	contents := r
	if isolated && m.version >= versionLazy {
		id, section := r.section()
		if id != sectionIR {
			return errMalformed
		}
		contents = section
	}
	if err := m.readRegions(ctx, contents, regions, depth, o, isolated); err != nil {
		return err
	}
	if m.graph != nil && op.kind == opFunction {
		name, _ := m.string(m.functions[m.function].name)
		m.graph.function(o, name, depth)
	}
	return r.err
}

// readValues reads the results and operands of an operation, and returns the number of results. o
// is nil if there is no graph.
func (m *module) readValues(r *reader, op operation, o *dataflow.Op) (results int) {
	if op.parts&hasResults != 0 {
		results = r.count()
		for range results {
			typ := r.varint()
			if o != nil {
				m.graph.define(o.NewResult(m.graph.typ(typ)))
			}
		}
	}
	if op.parts&hasOperands != 0 {
		for range r.count() {
			number := r.varint()
			if o != nil {
				o.Operands = append(o.Operands, m.graph.use(number))
			}
		}
	}
	if op.parts&hasSuccessors != 0 {
		r.skip(r.count())
	}
	return results
}

// note collects what an operation says about functions and devices.
func (m *module) note(op operation, depth int) error {
	switch op.kind {
	case opModule:
		if depth == 0 {
			m.noteDevices(op)
		}
	case opFunction:
		name, ok := m.functionName(op)
		if !ok {
			return errMalformed
		}
		m.functions = append(m.functions, function{name: name})
		m.function = len(m.functions) - 1
		if text, _ := m.string(name); text == "main" && depth < m.mainDepth {
			m.Main, m.mainDepth = m.functionType(op), depth
		}
	case opCall:
		m.noteSymbols(op)
	case opPermute:
		m.notePermute(op)
	}
	return nil
}

// members returns the attributes of an operation.
func (m *module) members(op operation) members {
	if op.parts&hasAttributes == 0 {
		return members{}
	}
	return m.dictionary(op.attributes)
}

// noteDevices notes how many devices the module is for.
func (m *module) noteDevices(op operation) {
	found := m.members(op)
	if found.replicas != 0 {
		m.Replicas, _ = m.integer(found.replicas - 1)
	}
	if found.partitions != 0 {
		m.Partitions, _ = m.integer(found.partitions - 1)
	}
}

// notePermute notes the devices of a collective permute, which are its last property.
func (m *module) notePermute(op operation) {
	note := func(index uint64) {
		if m.permuted[index] {
			return
		}
		if m.permuted == nil {
			m.permuted = make(map[uint64]bool)
		}
		m.permuted[index] = true
		list, _ := m.numbers(index)
		m.Permuted = append(m.Permuted, list...)
	}
	if found := m.members(op); found.pairs != 0 {
		note(found.pairs - 1)
	}
	if op.parts&hasProperties != 0 {
		if list := m.propertiesOf(op.properties); list.count > 0 {
			note(list.latest)
		}
	}
}

// functionName returns the index of the name of a function. Properties are in the order of their
// names: arg_attrs, function_type, no_inline (not in old versions), res_attrs, sym_name,
// sym_visibility.
func (m *module) functionName(op operation) (name uint64, ok bool) {
	if found := m.members(op); found.name != 0 {
		name, ok = m.name(found.name - 1)
	}
	if ok || op.parts&hasProperties == 0 {
		return name, ok
	}
	list := m.propertiesOf(op.properties)
	if list.count < 2 {
		return 0, false
	}
	return m.name(list.secondLast)
}

// maxTypes is more parameters, or results, than any real program has. A type takes far more memory
// than a parameter of that type takes in a program.
const maxTypes = 1 << 16

// functionType returns the types of a function, or nil if they are not known.
func (m *module) functionType(op operation) *FunctionType {
	typ, found := uint64(0), false
	if index := m.members(op).functionType; index != 0 {
		typ, found = m.typeOf(index - 1)
	}
	if !found && op.parts&hasProperties != 0 {
		if list := m.propertiesOf(op.properties); list.count > 1 {
			typ, found = m.typeOf(list.second)
		}
	}
	if !found {
		return nil
	}
	g := &graph{module: m, known: make(map[uint64]dataflow.Type)}
	code, r, d, ok := g.openType(typ)
	if !ok || d != dialectBuiltin && d != dialectVHLO || d == dialectBuiltin && code != builtinFunction ||
		d == dialectVHLO && code != vhloFunction {
		return nil
	}
	f := new(FunctionType)
	for _, list := range []*[]dataflow.Type{&f.Params, &f.Results} {
		n := r.count()
		if n > maxTypes {
			return nil
		}
		*list = make([]dataflow.Type, 0, n)
		for range n {
			*list = append(*list, g.typ(r.varint()))
		}
	}
	if r.err != nil {
		return nil
	}
	return f
}

// noteSymbols notes the function that an operation names: callee of a call, and
// decomposition of a composite operation.
func (m *module) noteSymbols(op operation) {
	found := m.members(op)
	for _, index := range []uint64{found.callee, found.decomposition} {
		if index != 0 {
			m.noteSymbol(index - 1)
		}
	}
	if op.parts&hasProperties == 0 {
		return
	}
	// Properties are in the order of their names. Those of a call are arg_attrs, callee, no_inline
	// and res_attrs, or only the middle two in old versions. Those of a composite are
	// composite_attributes, decomposition, name and version.
	switch list := m.propertiesOf(op.properties); list.count {
	case 1, 2:
		m.noteSymbol(list.first)
	case 4:
		m.noteSymbol(list.second)
	}
}

func (m *module) noteSymbol(index uint64) {
	if name, ok := m.name(index); ok && m.isSymbol(index) {
		m.noteUse(name)
	}
}

// skipUseLists skips the orders of the uses of an operation's results.
func (m *module) skipUseLists(r *reader, results int) {
	lists := 1
	if results > 1 {
		lists = r.count()
	}
	for range lists {
		if results > 1 {
			r.varint() // which result
		}
		n, _ := r.flagged()
		if n > uint64(r.end-r.pos) {
			r.fail()
		}
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.varint()
		}
	}
}

// readRegions reads the regions of an operation, which is o in the graph. The region of a function
// that is only declared is empty.
func (m *module) readRegions(ctx context.Context, r *reader, regions uint64, depth int, o *dataflow.Op, isolated bool) error {
	function := m.function
	for range regions {
		blocks := r.count()
		if blocks == 0 {
			if r.err != nil {
				return r.err
			}
			continue
		}
		if function >= 0 {
			m.functions[function].hasBody = true
		}
		values := r.varint()
		if o != nil {
			m.graph.enter(o, values, isolated)
		}
		for range blocks {
			if err := m.readBlock(ctx, r, depth+1); err != nil {
				return err
			}
		}
		if o != nil && m.graph != nil {
			m.graph.leave(isolated)
		}
	}
	return r.err
}
