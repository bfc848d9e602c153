// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

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

// readBlock reads a block and the operations in it.
func (m *module) readBlock(r *reader, depth int) error {
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
	for range operations {
		if err := m.readOperation(r, depth); err != nil {
			return err
		}
	}
	return r.err
}

func (m *module) blockArgument(r *reader) {
	hasLocation := true
	if m.version >= versionElide {
		_, hasLocation = r.flagged()
	} else {
		r.varint()
	}
	if hasLocation {
		r.varint()
	}
}

// operation is an operation without its regions.
type operation struct {
	name       string
	attributes uint64 // index of the dictionary
	properties *reader
	parts      byte
}

func (m *module) readOperation(r *reader, depth int) error {
	index := r.varint()
	if r.err != nil || index >= uint64(len(m.operations)) {
		return errMalformed
	}
	op := operation{name: m.operations[index], parts: r.byte()}
	r.varint() // location
	if op.parts&hasAttributes != 0 {
		op.attributes = r.varint()
	}
	if op.parts&hasProperties != 0 {
		i := r.varint()
		if i >= uint64(len(m.properties)) {
			return errMalformed
		}
		properties := *m.properties[i]
		op.properties = &properties
	}
	results := 0
	if op.parts&hasResults != 0 {
		results = r.count()
		r.skip(results)
	}
	for _, part := range []byte{hasOperands, hasSuccessors} {
		if op.parts&part != 0 {
			r.skip(r.count())
		}
	}
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
	if isolated && m.version >= versionLazy {
		id, contents := r.section()
		if id != sectionIR {
			return errMalformed
		}
		if err := m.readRegions(contents, regions, depth); err != nil {
			return err
		}
		return r.err
	}
	return m.readRegions(r, regions, depth)
}

// note collects what an operation says about functions and devices.
func (m *module) note(op operation, depth int) error {
	switch op.name {
	case "builtin.module":
		if depth == 0 {
			m.noteDevices(op)
		}
	case "func.func", "vhlo.func_v1":
		name, ok := m.functionName(op)
		if !ok {
			return errMalformed
		}
		m.Functions = append(m.Functions, Function{Name: name})
		m.function = len(m.Functions) - 1
	case "func.call", "vhlo.call_v1", "stablehlo.composite", "vhlo.composite_v1":
		m.noteSymbols(op)
	case "stablehlo.collective_permute", "vhlo.collective_permute_v1":
		m.notePermute(op)
	}
	return nil
}

// noteDevices notes how many devices the module is for.
func (m *module) noteDevices(op operation) {
	if op.parts&hasAttributes == 0 {
		return
	}
	m.dictionary(op.attributes, func(key string, value uint64) {
		switch n, _ := m.integer(value); key {
		case "mhlo.num_replicas":
			m.Replicas = n
		case "mhlo.num_partitions":
			m.Partitions = n
		}
	})
}

// notePermute notes the devices of a collective permute, which are its last property.
func (m *module) notePermute(op operation) {
	note := func(index uint64) {
		list, _ := m.numbers(index)
		m.Permuted = append(m.Permuted, list...)
	}
	if op.parts&hasAttributes != 0 {
		m.dictionary(op.attributes, func(key string, value uint64) {
			if key == "source_target_pairs" {
				note(value)
			}
		})
	}
	if op.properties != nil {
		if list := op.properties.varints(); len(list) > 0 {
			note(list[len(list)-1])
		}
	}
}

// functionName returns the name of a function. Properties are in the order of their names:
// arg_attrs, function_type, no_inline (not in old versions), res_attrs, sym_name, sym_visibility.
func (m *module) functionName(op operation) (name string, ok bool) {
	if op.parts&hasAttributes != 0 {
		m.dictionary(op.attributes, func(key string, value uint64) {
			if key == "sym_name" {
				name, ok = m.name(value)
			}
		})
	}
	if ok || op.properties == nil {
		return name, ok
	}
	list := op.properties.varints()
	if len(list) < 2 {
		return "", false
	}
	return m.name(list[len(list)-2])
}

// noteSymbols notes the function that an operation names: callee of a call, and
// decomposition of a composite operation.
func (m *module) noteSymbols(op operation) {
	if op.parts&hasAttributes != 0 {
		m.dictionary(op.attributes, func(key string, value uint64) {
			if key == "callee" || key == "decomposition" {
				m.noteSymbol(value)
			}
		})
	}
	if op.properties == nil {
		return
	}
	// Properties are in the order of their names. Those of a call are arg_attrs, callee, no_inline
	// and res_attrs, or only the middle two in old versions. Those of a composite are
	// composite_attributes, decomposition, name and version.
	switch list := op.properties.varints(); len(list) {
	case 1, 2:
		m.noteSymbol(list[0])
	case 4:
		m.noteSymbol(list[1])
	}
}

func (m *module) noteSymbol(index uint64) {
	if name, ok := m.name(index); ok && m.isSymbol(index) {
		m.uses(name)
	}
}

// varints reads the remaining numbers.
func (r *reader) varints() []uint64 {
	var list []uint64
	for r.err == nil && !r.empty() {
		list = append(list, r.varint())
	}
	return list
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

// readRegions reads the regions of an operation. The region of a function that is only declared is
// empty.
func (m *module) readRegions(r *reader, regions uint64, depth int) error {
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
			m.Functions[function].HasBody = true
		}
		r.varint() // number of values
		for range blocks {
			if err := m.readBlock(r, depth+1); err != nil {
				return err
			}
		}
	}
	return r.err
}
