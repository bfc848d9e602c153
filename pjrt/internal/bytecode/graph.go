// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"encoding/binary"
	"math/bits"
	"sort"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// graph makes a dataflow.Module of the operations while they are read.
type graph struct {
	*module
	program   *dataflow.Module
	names     []string // of the operations, by their indices
	mainDepth int
	kept      int // how many operations

	blocks []*dataflow.Block // those around what is read
	scopes []scope

	// What is read once, however many operations have it.
	known        map[uint64]dataflow.Type
	attributes   map[uint64]dataflow.Attribute
	properties   map[propertiesOf]map[string]dataflow.Attribute
	dictionaries map[uint64]map[string]dataflow.Attribute
}

// propertiesOf are properties of operations of one name, which says what they mean.
type propertiesOf struct{ operation, properties uint64 }

// scope has the values that operations can name: those of a region that is isolated from those
// around it, and of the regions within it.
type scope struct {
	regions []region
	claimed uint64 // how many values all regions say that they have
}

// region has the values of a region, whose numbers begin with first. Those that come later are not
// in it yet.
type region struct {
	first, claimed uint64
	values         []*dataflow.Value
}

func newGraph(m *module, names []string) *graph {
	return &graph{
		module: m, names: names, mainDepth: maxDepth + 1, blocks: []*dataflow.Block{{}}, scopes: []scope{{regions: []region{{}}}},
		program:      &dataflow.Module{Functions: make(map[string]*dataflow.Block)},
		known:        make(map[uint64]dataflow.Type),
		attributes:   make(map[uint64]dataflow.Attribute),
		properties:   make(map[propertiesOf]map[string]dataflow.Attribute),
		dictionaries: make(map[uint64]map[string]dataflow.Attribute),
	}
}

// enter begins a region of an operation, which says how many values it has.
func (g *graph) enter(o *dataflow.Op, values uint64, isolated bool) {
	b := new(dataflow.Block)
	o.Regions = append(o.Regions, b)
	g.blocks = append(g.blocks, b)
	if isolated {
		g.scopes = append(g.scopes, scope{})
	}
	s := &g.scopes[len(g.scopes)-1]
	s.regions = append(s.regions, region{first: s.claimed, claimed: values})
	s.claimed += values
}

// leave ends a region.
func (g *graph) leave(isolated bool) {
	g.blocks = g.blocks[:len(g.blocks)-1]
	if isolated {
		g.scopes = g.scopes[:len(g.scopes)-1]
		return
	}
	s := &g.scopes[len(g.scopes)-1]
	last := len(s.regions) - 1
	s.claimed -= s.regions[last].claimed
	s.regions = s.regions[:last]
}

// block returns the block that is read.
func (g *graph) block() *dataflow.Block { return g.blocks[len(g.blocks)-1] }

func (g *graph) define(v *dataflow.Value) {
	s := &g.scopes[len(g.scopes)-1]
	if n := len(s.regions); n > 0 {
		s.regions[n-1].values = append(s.regions[n-1].values, v)
	}
}

// use returns the value with a number. One that is defined later, as no producer of programs does
// it, counts as unknown.
func (g *graph) use(number uint64) *dataflow.Value {
	list := g.scopes[len(g.scopes)-1].regions
	i := sort.Search(len(list), func(i int) bool { return list[i].first > number }) - 1
	// Regions without values begin where the next one does.
	if i >= 0 && number-list[i].first < uint64(len(list[i].values)) {
		return list[i].values[number-list[i].first]
	}
	return new(dataflow.Value)
}

// argument adds a parameter of a block.
func (g *graph) argument(typ uint64) {
	v := &dataflow.Value{Type: g.typ(typ)}
	b := g.block()
	b.Params = append(b.Params, v)
	g.define(v)
}

// needs reports whether an operation can matter to another, or to a check.
func (g *graph) needs(op operation) bool {
	if op.parts&(hasResults|hasOperands|hasRegions) != 0 {
		return true
	}
	switch g.names[op.index] {
	case "call", "composite", "return":
		return true
	}
	return false
}

// operation adds an operation without its regions.
func (g *graph) operation(op operation) *dataflow.Op {
	o := &dataflow.Op{Name: g.names[op.index], Attributes: g.attributesOf(op)}
	b := g.block()
	b.Ops = append(b.Ops, o)
	return o
}

// function notes that an operation is a function of this name, once its regions have been read.
func (g *graph) function(o *dataflow.Op, name string, depth int) {
	if len(o.Regions) == 0 {
		return
	}
	o.Regions[0].Public = o.IsPublic()
	if g.program.Functions[name] == nil || depth < g.mainDepth {
		g.program.Functions[name] = o.Regions[0]
	}
	if name == "main" && depth < g.mainDepth {
		g.program.Main, g.mainDepth = o.Regions[0], depth
	}
}

// layouts has the properties of StableHLO's operations that the checks look at, in the order in
// which they are written: that of their names. A question mark is one that may be missing, and one
// without a name does not matter.
var layouts = map[string][]string{
	"broadcast_compare": {"broadcast_dimensions?", "compare_type?", "comparison_direction"},
	"call":              {"arg_attrs?", "callee", "no_inline?", "res_attrs?"},
	"compare":           {"compare_type?", "comparison_direction"},
	"composite":         {"composite_attributes?", "decomposition", "name", "version?"},
	"concatenate":       {"dimension"},
	"constant":          {"value"},
	"convolution": {
		"batch_group_count", "dimension_numbers", "feature_group_count", "lhs_dilation?", "padding?", "precision_config?", "rhs_dilation?",
		"window_reversal?", "window_strides?",
	},
	"custom_call": {
		"api_version?", "backend_config?", "call_target_name", "called_computations?", "has_side_effect?", "operand_layouts?",
		"output_operand_aliases?", "result_layouts?",
	},
	"func":               {"?", "", "?", "?", "sym_name", "sym_visibility?"},
	"get_dimension_size": {"dimension"},
	"iota":               {"iota_dimension"},
	"pad":                {"edge_padding_high", "edge_padding_low", "interior_padding"},
	"reduce_window":      {"base_dilations?", "padding?", "window_dilations?", "window_dimensions", "window_strides?"},
	"select_and_scatter": {"padding?", "window_dimensions?", "window_strides?"},
	"set_dimension_size": {"dimension"},
	"slice":              {"limit_indices", "start_indices", "strides"},
	"sort":               {"dimension?", "is_stable?"},
	"top_k":              {"k"},
}

// broadcastLayout has the properties of CHLO's operations on arrays that it makes equally large.
var broadcastLayout = []string{"broadcast_dimensions?"}

// portableConvolution has the properties of a convolution in portable artifacts.
var portableConvolution = []string{
	"batch_group_count", "feature_group_count", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
	"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "lhs_dilation", "output_batch_dimension",
	"output_feature_dimension", "output_spatial_dimensions", "padding", "precision_config", "rhs_dilation", "window_reversal", "window_strides",
}

// olderLayouts has the properties of a call before it could have attributes for its values, and of
// a function before it could ask not to be inlined.
var olderLayouts = map[string][]string{
	"call": {"callee", "no_inline?"},
	"func": {"?", "", "?", "sym_name", "sym_visibility?"},
}

// attributesOf returns what is known about the attributes of an operation. Those that are not known
// are there as numbers, which are equal for equal attributes.
func (g *graph) attributesOf(op operation) map[string]dataflow.Attribute {
	var fromDictionary, fromProperties map[string]dataflow.Attribute
	if op.parts&hasAttributes != 0 {
		fromDictionary = g.dictionaryOf(op.attributes)
	}
	if op.parts&hasProperties != 0 {
		key := propertiesOf{op.index, op.properties}
		known, ok := g.properties[key]
		if !ok {
			known = g.propertiesOf(op)
			g.properties[key] = known
		}
		fromProperties = known
	}
	switch {
	case len(fromDictionary) == 0:
		return fromProperties
	case len(fromProperties) == 0:
		return fromDictionary
	}
	both := make(map[string]dataflow.Attribute, len(fromDictionary)+len(fromProperties))
	for _, list := range []map[string]dataflow.Attribute{fromDictionary, fromProperties} {
		for name, a := range list {
			both[name] = a
		}
	}
	return both
}

func (g *graph) propertiesOf(op operation) map[string]dataflow.Attribute {
	found := map[string]dataflow.Attribute{"properties": {Numbers: []int64{int64(op.properties)}}}
	operation := g.names[op.index]
	layout := layouts[operation]
	if layout == nil && dataflow.IsBroadcast(operation) {
		layout = broadcastLayout
	}
	span := g.module.properties[op.properties]
	portable := g.operations[op.index].dialect == dialectVHLO
	if portable && operation == "convolution" {
		layout = portableConvolution
	}
	r := g.read(span)
	if older := olderLayouts[operation]; older != nil {
		n := 0
		for ahead := r; ahead.err == nil && !ahead.empty() && n < len(layout); n++ {
			ahead.varint()
		}
		if n <= len(older) {
			layout = older
		}
	}
	for _, name := range layout {
		if r.empty() {
			break
		}
		name, optional := strings.CutSuffix(name, "?")
		if portable && name != "callee" && operation == "call" {
			continue // StableHLO's own call has no others
		}
		index := r.varint()
		if optional && !portable {
			if index&1 == 0 {
				continue
			}
			index >>= 1
		}
		if name != "" {
			found[name] = g.member(name, index)
		}
	}
	if layout != nil {
		delete(found, "properties")
	}
	return found
}

// dictionaryOf returns the members of a dictionary that the checks look at.
func (g *graph) dictionaryOf(index uint64) map[string]dataflow.Attribute {
	if known, ok := g.dictionaries[index]; ok {
		return known
	}
	found := map[string]dataflow.Attribute{"dictionary": {Numbers: []int64{int64(index)}}}
	if code, r, ok := g.open(index, dialectBuiltin); ok && code == builtinDictionary {
		for range r.count() {
			key, value := r.varint(), r.varint()
			text, ok := g.name(key)
			if !ok || r.err != nil {
				continue
			}
			switch name, _ := g.string(text); name {
			case "callee", "decomposition", "call_target_name", "backend_config", "mhlo.frontend_attributes", "compare_type",
				"comparison_direction", "dimension", "iota_dimension", "value", "is_stable",
				"base_dilations", "padding", "window_dilations", "window_dimensions", "window_strides",
				"dimension_numbers", "input_spatial_dimensions", "kernel_spatial_dimensions", "feature_group_count",
				"lhs_dilation", "rhs_dilation", "window_reversal", "edge_padding_low", "edge_padding_high", "interior_padding",
				"start_indices", "limit_indices", "strides", "k", "broadcast_dimensions", "sym_visibility":
				found[name] = g.member(name, value)
			}
		}
	}
	g.dictionaries[index] = found
	return found
}

// The first numbers of more of the dialects' own forms.
const (
	builtinArray = 17 // DenseArrayAttr

	stablehloDirection  = 2
	stablehloComparison = 3
	stablehloNumbers    = 4 // ConvDimensionNumbersAttr
	stablehloBounds     = 13

	vhloBoolean    = 2
	vhloDirection  = 3
	vhloComparison = 4
	vhloDictionary = 6
	vhloInteger    = 9
	vhloBounds     = 18
)

var (
	directions  = []string{"EQ", "NE", "GE", "GT", "LE", "LT"}
	comparisons = []string{"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}
)

func named(list []string, number uint64) string {
	if number < uint64(len(list)) {
		return list[number]
	}
	return ""
}

// attribute returns what is known about an attribute.
func (g *graph) attribute(index uint64) dataflow.Attribute {
	if known, ok := g.attributes[index]; ok {
		return known
	}
	a, ok := g.readAttribute(index)
	if !ok {
		a = dataflow.Attribute{Text: "attribute " + strconv.FormatUint(index, 10), Zero: a.Zero}
	}
	g.attributes[index] = a
	return a
}

// member returns what is known about an attribute of an operation.
func (g *graph) member(name string, index uint64) dataflow.Attribute {
	a := g.attribute(index)
	if name == "backend_config" {
		a.Index = g.hasIndex(index)
	}
	return a
}

// hasIndex reports whether there is a number of type index anywhere in a dictionary.
func (g *graph) hasIndex(dictionary uint64) bool {
	seen := map[uint64]bool{dictionary: true}
	for list := []uint64{dictionary}; len(list) > 0; {
		index := list[len(list)-1]
		list = list[:len(list)-1]
		if index >= uint64(len(g.module.attributes)) {
			continue
		}
		d := g.module.attributes[index].dialect
		code, r, ok := g.open(index, d)
		switch {
		case !ok:
		case d == dialectBuiltin && code == builtinInteger, d == dialectVHLO && code == vhloInteger:
			if g.simple(r.varint()) == "index" {
				return true
			}
		case d == dialectBuiltin && code == builtinDictionary, d == dialectVHLO && code == vhloDictionary:
			for range r.count() {
				r.varint() // the name
				if value := r.varint(); !seen[value] && r.err == nil {
					seen[value] = true
					list = append(list, value)
				}
			}
		}
	}
	return false
}

func (g *graph) readAttribute(index uint64) (a dataflow.Attribute, ok bool) {
	if name, ok := g.name(index); ok {
		text, _ := g.string(name)
		return dataflow.Attribute{Text: text}, true
	}
	if index >= uint64(len(g.module.attributes)) {
		return a, false
	}
	e := g.module.attributes[index]
	code, r, ok := g.open(index, e.dialect)
	if !ok {
		return a, false
	}
	switch e.dialect {
	case dialectBuiltin:
		switch code {
		case builtinInteger:
			return g.readInteger(&r)
		case builtinArray:
			typ := r.varint()
			r.varint() // how many
			a, ok = g.readNumbers(&r, typ)
			a.Splat = false
			return a, ok
		case builtinNumbers:
			return g.readTyped(&r)
		}
	case dialectStableHLO:
		switch code {
		case stablehloDirection:
			a.Text = named(directions, r.varint())
		case stablehloComparison:
			a.Text = named(comparisons, r.varint())
		case stablehloNumbers:
			return readDimensionNumbers(&r)
		}
	case dialectVHLO:
		switch code {
		case vhloBoolean:
			a.Numbers = []int64{int64(r.varint())}
			return a, r.err == nil
		case vhloDirection:
			a.Text = named(directions, r.varint())
		case vhloComparison:
			a.Text = named(comparisons, r.varint())
		case vhloInteger:
			return g.readInteger(&r)
		case vhloNumbers:
			return g.readTyped(&r)
		}
	}
	return a, a.Text != ""
}

// readDimensionNumbers reads the spatial dimensions of the input and of the kernel of a
// convolution.
func readDimensionNumbers(r *reader) (a dataflow.Attribute, ok bool) {
	for range 2 {
		r.signed() // batches or features
		r.signed()
		n := r.count()
		if n > maxNumbers {
			return a, false
		}
		for range n {
			a.Numbers = append(a.Numbers, r.signed())
		}
	}
	return a, r.err == nil
}

// readInteger reads the type and the value of an integer.
func (g *graph) readInteger(r *reader) (a dataflow.Attribute, ok bool) {
	element := g.simple(r.varint())
	width := integerBits(element)
	switch {
	case width == 0 && element != "index" || width > 64:
		return a, false
	case 0 < width && width <= 8:
		a.Numbers = []int64{int64(r.byte())}
	default:
		a.Numbers = []int64{r.signed()}
	}
	return a, r.err == nil
}

// readTyped reads the type of a tensor and its elements.
func (g *graph) readTyped(r *reader) (dataflow.Attribute, bool) { return g.readNumbers(r, r.varint()) }

// maxNumbers is how many numbers of one attribute are read. No attribute that the checks look at
// has more.
const maxNumbers = 256

// readNumbers reads integers of a type, or of the elements of a tensor. If there is only one, it
// may stand for any number of them.
func (g *graph) readNumbers(r *reader, typ uint64) (a dataflow.Attribute, ok bool) {
	t := g.typ(typ)
	if t.Element == "" {
		t.Element = g.simple(typ)
	}
	data := r.bytes(r.varint()).rest()
	width := integerBits(t.Element)
	if r.err == nil && len(data) > 0 && len(data) <= maxNumbers {
		a.Zero = isZeros(data, t.Element)
	}
	if r.err != nil || width == 0 || width > 64 || len(data) == 0 {
		return a, false
	}
	size := max(1, width/8)
	if len(data)%size != 0 || len(data)/size > maxNumbers {
		return a, false
	}
	if t.Element == "i1" && len(t.Dims) > 0 {
		a.Numbers = unpack(data, t.Dims)
		a.Splat = len(a.Numbers) == 1
		return a, a.Numbers != nil
	}
	a.Splat = len(data) == size
	unsigned := strings.HasPrefix(t.Element, "u") || width == 1
	for ; len(data) > 0; data = data[size:] {
		var word [8]byte
		copy(word[:], data[:size])
		n := binary.LittleEndian.Uint64(word[:])
		switch {
		case width == 1:
			n &= 1
		case !unsigned:
			shift := 64 - 8*size
			n = uint64(int64(n<<shift) >> shift)
		}
		a.Numbers = append(a.Numbers, int64(n))
	}
	return a, true
}

// unpack returns the elements of an array of i1, eight of which are in a byte. A byte with all bits
// set, or none, may stand for any number of elements.
func unpack(data []byte, dims []int64) []int64 {
	elements := int64(1)
	for _, d := range dims {
		if elements *= d; d <= 0 || elements > maxNumbers {
			return nil
		}
	}
	if len(data) == 1 && (data[0] == 0 || data[0] == 0xff) {
		return []int64{int64(data[0] & 1)}
	}
	if int64(len(data)) != (elements+7)/8 {
		return nil
	}
	list := make([]int64, elements)
	for i := range list {
		list[i] = int64(data[i/8] >> (i % 8) & 1)
	}
	return list
}

// isZeros reports whether elements of a type are zeros of any sign.
func isZeros(data []byte, element string) bool {
	size := 0 // of numbers whose highest bit is a sign
	switch strings.TrimSuffix(strings.TrimPrefix(element, "complex<"), ">") {
	case "f16", "bf16":
		size = 2
	case "f32":
		size = 4
	case "f64":
		size = 8
	}
	return dataflow.IsZeros(data, size)
}

// integerBits returns the width of a type of integers, or 0 for others.
func integerBits(element string) int {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(element, "u"), "s"), "i")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// The types of the dialect builtin in its own form.
const (
	builtinIntegerType = 0
	builtinComplexType = 9
	builtinTuple       = 15

	vhloComplexType = 1
	vhloTuple       = 23
)

// builtinTypes are the other element types of the dialect builtin. Older writers have those of
// fewer than 16 bits as text.
var builtinTypes = map[uint64]string{
	1: "index", 3: "bf16", 4: "f16", 5: "f32", 6: "f64", 21: "tf32", 22: "f8E5M2", 23: "f8E4M3", 24: "f8E4M3FN", 25: "f8E5M2FNUZ",
	26: "f8E4M3FNUZ", 27: "f8E4M3B11FNUZ", 28: "f8E3M4", 29: "f4E2M1FN", 30: "f6E2M3FN", 31: "f6E3M2FN", 32: "f8E8M0FNU",
}

// vhloTypes are the element types of StableHLO's portable artifacts.
var vhloTypes = map[uint64]string{
	0: "i1", 2: "bf16", 3: "f16", 4: "f32", 5: "f64", 6: "f8E4M3FN", 7: "f8E5M2", 9: "index",
	10: "i4", 11: "i8", 12: "i16", 13: "i32", 14: "i64", 15: "ui4", 16: "ui8", 17: "ui16", 18: "ui32", 19: "ui64",
	27: "f8E4M3FNUZ", 28: "f8E5M2FNUZ", 29: "f8E4M3B11FNUZ", 31: "i2", 32: "ui2", 34: "tf32", 35: "f8E4M3", 36: "f8E3M4",
	37: "f4E2M1FN", 38: "f6E2M3FN", 39: "f6E3M2FN", 40: "f8E8M0FNU",
}

// typ returns a type by its index.
func (g *graph) typ(index uint64) dataflow.Type {
	if known, ok := g.known[index]; ok {
		return known
	}
	var t dataflow.Type
	if code, r, d, ok := g.openType(index); ok {
		switch d {
		case dialectBuiltin:
			switch code {
			case builtinTensor, builtinEncodedTensor:
				t = g.readTensorType(&r, code == builtinEncodedTensor)
			case builtinTuple:
				t = g.readTuple(&r)
			}
		case dialectVHLO:
			switch code {
			case vhloTensor, vhloEncodedTensor:
				t = g.readTensorType(&r, code == vhloEncodedTensor)
			case vhloTuple:
				t = g.readTuple(&r)
			}
		}
	}
	g.known[index] = t
	return t
}

// openType returns the first number of a type in its dialect's own form, and the rest of it.
func (g *graph) openType(index uint64) (code uint64, rest reader, d dialect, ok bool) {
	if index >= uint64(len(g.types)) || !g.types[index].custom {
		return 0, reader{}, otherDialect, false
	}
	e := g.types[index]
	rest = g.read(e.span)
	code = rest.varint()
	return code, rest, e.dialect, rest.err == nil
}

// element returns the name of an element type, or "".
func (g *graph) element(index uint64) string {
	code, r, d, ok := g.openType(index)
	switch {
	case ok && (d == dialectBuiltin && code == builtinComplexType || d == dialectVHLO && code == vhloComplexType):
		return "complex<" + g.simple(r.varint()) + ">"
	default:
		return g.simple(index)
	}
}

// simple returns the name of an element type with no other type in it.
func (g *graph) simple(index uint64) string {
	code, r, d, ok := g.openType(index)
	switch {
	case ok && d == dialectBuiltin && code == builtinIntegerType:
		return integerType(r.varint())
	case ok && d == dialectBuiltin:
		return builtinTypes[code]
	case ok && d == dialectVHLO:
		return vhloTypes[code]
	case index >= uint64(len(g.types)) || g.types[index].custom:
		return ""
	}
	r = g.read(g.types[index].span)
	text, _, _ := strings.Cut(string(r.rest()[:min(len(r.rest()), maxName)]), "\x00")
	return text
}

// hasCheckedTypes reports whether there are types that the checks look at, whatever operations have
// them.
func hasCheckedTypes(m *module) bool {
	g := &graph{module: m}
	for i := range m.types {
		name := g.simple(uint64(i))
		code, _, d, ok := g.openType(uint64(i))
		if ok && (d == dialectBuiltin && code == builtinTuple || d == dialectVHLO && code == vhloTuple) {
			name = "tuple"
		}
		if m.compiler.ChecksType(name) {
			return true
		}
	}
	return false
}

// integerType returns the name of a type of integers, given its width and whether it has a sign.
func integerType(n uint64) string {
	prefix := "i"
	switch n & 3 {
	case 1:
		prefix = "si"
	case 2:
		prefix = "ui"
	}
	return prefix + strconv.FormatUint(n>>2, 10)
}

// readTuple reads the type of a tuple after its code.
func (g *graph) readTuple(r *reader) dataflow.Type {
	t := dataflow.Type{Tuple: true}
	for range min(r.count(), dataflow.MaxParts) {
		index := r.varint()
		code, _, d, ok := g.openType(index)
		part := dataflow.Type{}
		if ok && (d == dialectBuiltin && code != builtinTuple || d == dialectVHLO && code != vhloTuple) {
			part = g.typ(index)
		}
		t.Parts = append(t.Parts, part)
	}
	return t
}

// readTensorType reads the type of a tensor after its code.
func (g *graph) readTensorType(r *reader, encoded bool) (t dataflow.Type) {
	encoding := uint64(0)
	if encoded {
		encoding = r.varint()
	}
	n := r.count()
	t.Dims = make([]int64, 0, n)
	for range n {
		t.Dims = append(t.Dims, r.signed())
	}
	if t.Element = g.element(r.varint()); r.err != nil {
		return dataflow.Type{}
	}
	if !encoded {
		return t
	}
	code, bounds, ok := g.open(encoding, dialectStableHLO)
	if !ok || code != stablehloBounds {
		if code, bounds, ok = g.open(encoding, dialectVHLO); !ok || code != vhloBounds {
			return t
		}
	}
	for range bounds.count() {
		t.Bounds = append(t.Bounds, bounds.signed())
	}
	return t
}

// isLarge reports whether an array has at least dataflow.Large elements.
func (t *Tensor) isLarge() bool {
	elements := uint64(1)
	for _, d := range t.Dims {
		if d <= 0 {
			continue
		}
		over, product := bits.Mul64(elements, uint64(d))
		if over > 0 || product >= dataflow.Large {
			return true
		}
		elements = product
	}
	return false
}
