// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
	"strings"
)

// Compiler is one of XLA's.
type Compiler struct {
	Minor int  // of the API of the plugin, if it is one for CPUs; 0 for another
	MLIR  bool // it parses the program with MLIR
}

// The plugins that were tried have API 0.81, 0.106 and 0.115. One between a plugin that ends the
// process and one that does not counts as one that does.
const (
	after81   = 82  // those of API 0.81 are right, and those of 0.106 and 0.115 are not
	before106 = 106 // those of API 0.106 are right
	before115 = 115 // those of API 0.115 are right
	after106  = 107 // those of API 0.106 are right, and that of 0.115 is not
)

// Checks reports whether a check for the compiler looks at operations of this name. Slices are left
// out: see [HugeStride].
func (c Compiler) Checks(operation string) bool {
	switch concerns := checked[operation]; {
	case concerns == nothing:
		return c.Minor > 0 && IsBroadcast(operation)
	case operation == "bitcast_convert":
		return c.MLIR && c.Minor > 0 && c.Minor < before106
	default:
		return c.Minor > 0 || concerns == allCompilers
	}
}

// checked are the operations that checks look at, and which compilers these concern.
var checked = map[string]concerned{
	"top_k": allCompilers, "topk": allCompilers, "real_dynamic_slice": allCompilers, Cast: allCompilers,

	"sort": forCPUs, "reduce_window": forCPUs, "convolution": forCPUs, "concatenate": forCPUs, "remainder": forCPUs, "rng": forCPUs,
	"set_dimension_size": forCPUs, "dynamic_reshape": forCPUs, "custom_call": forCPUs, "infeed": forCPUs, "outfeed": forCPUs,
	"bitcast_convert": forCPUs, "all_reduce": forCPUs, "case": forCPUs, "collective_permute": forCPUs, "fft": forCPUs,
	"partition_id": forCPUs, "replica_id": forCPUs, "while": forCPUs,
	"all_gather": forCPUs, "all_to_all": forCPUs, "cholesky": forCPUs, "collective_broadcast": forCPUs, "recv": forCPUs,
	"reduce_scatter": forCPUs, "scatter": forCPUs, "select_and_scatter": forCPUs, "send": forCPUs, "triangular_solve": forCPUs,
}

type concerned byte

const (
	nothing concerned = iota
	forCPUs
	allCompilers
)

// ChecksType reports whether a check for the compiler looks at all operations on values of a type,
// given its beginning.
func (c Compiler) ChecksType(name string) bool {
	switch {
	case c.Minor == 0:
		return false
	case strings.HasPrefix(name, sixBits):
		return c.MLIR || c.Minor >= before115
	case strings.HasPrefix(name, "tuple"):
		return c.MLIR
	}
	return false
}

// sixBits is how the names of types of six bits begin.
const sixBits = "f6E"

// Types returns the beginnings of the names of the types that ChecksType looks for.
func (c Compiler) Types() (names []string) {
	for _, name := range []string{sixBits, "tuple"} {
		if c.ChecksType(name) {
			names = append(names, name)
		}
	}
	return names
}

// MaxElements is more elements than fit in the memory of any machine. XLA's compilers end the
// process on larger arrays: some from 2^54 elements on, others if the number of elements overflows.
const MaxElements = 1 << 50

// Large is how many elements an array has at least that is too large for a compiler but may be
// small enough for a memory.
const Large = 1 << 35

// Check returns an error for a program on which the compiler, or its executable, ends the process.
func (m *Module) Check(c Compiler) error {
	if err := m.every(func(o *Op) error { return checkRead(o, c) }); err != nil {
		return err
	}
	m.markLive()
	if m.Main == nil {
		return nil
	}
	madeHLO := slices.Concat(m.live, m.uncalled)
	if err := eachOf(madeHLO, false, checkSlice); err != nil || c.Minor == 0 {
		return err
	}
	// Up to API 0.106, HLO is made of what nothing uses, too.
	if err := eachOf(madeHLO, c.Minor < before115, checkPolygamma); err != nil {
		return err
	}
	if err := m.checkParameters(c); err != nil {
		return err
	}
	if err := m.checkResults(c); err != nil {
		return err
	}
	return m.each(func(o *Op) error {
		if err := checkSixBits(o, c); err != nil {
			return err
		}
		switch o.Name {
		case "sort":
			if err := m.checkBodies(o, c); err != nil {
				return err
			}
			return m.checkSort(o, c)
		case "map", "reduce", "scatter", "select_and_scatter":
			return m.checkBodies(o, c)
		case "reduce_window":
			if err := m.checkBodies(o, c); err != nil {
				return err
			}
			return m.checkWindows(o, c)
		case "convolution":
			return checkConvolution(o)
		case "concatenate":
			return checkConcatenate(o, c)
		case "optimization_barrier":
			return m.checkJoined(o.Operands, c)
		case "remainder":
			return checkRemainder(o)
		case "rng":
			return checkRandom(o)
		case "bitcast_convert":
			return checkBits(o, c)
		case "custom_call":
			return checkCustomCall(o, c)
		case "infeed", "outfeed":
			return checkFeed(o)
		}
		return nil
	})
}

// checkParameters refuses a tuple among the parameters of MLIR. Executions end the process on one
// without elements, and up to API 0.105 on any, and otherwise return an error.
func (m *Module) checkParameters(c Compiler) error {
	if !c.MLIR {
		return nil
	}
	for i, p := range m.Main.Params {
		if p.Type.Tuple {
			return fmt.Errorf("parameter %d of the program is a tuple, and an execution would fail or end the process: "+
				"make each element a parameter of its own, and set TupledArguments if the arguments are to be one tuple", i)
		}
	}
	return nil
}

// checkResults refuses results of sizes beyond their bounds, and those of 512 GiB and more.
func (m *Module) checkResults(c Compiler) error {
	for _, v := range m.Main.results() {
		if c.Minor >= after106 {
			if err := checkLarge(v); err != nil {
				return err
			}
			if isEmptySixBits(v) {
				return emptySixBits("a result of the program", v)
			}
		}
	}
	if err := m.checkJoined(m.Main.results(), c); err != nil {
		return err
	}
	return m.checkSizes()
}

// results returns what the block returns.
func (b *Block) results() []*Value {
	if len(b.Ops) == 0 {
		return nil
	}
	if last := b.Ops[len(b.Ops)-1]; last.Name == "return" {
		return last.Operands
	}
	return nil
}

func (o *Op) dimension() int {
	if _, ok := o.Attributes["dim"]; ok {
		return int(o.number("dim", -1))
	}
	return int(o.number("dimension", -1))
}

// checkLarge refuses a result that is too large for the plugin, which divides by the number of its
// parts: one computed element by element from parameters alone, or an iota in any arrangement.
func checkLarge(v *Value) error {
	const most = 1 << 39 // bytes
	if v.Type.elements()*bytesOf(v.Type.Element) < most || !isIota(v) && !isOfParameters(v, new(int)) {
		return nil
	}
	return fmt.Errorf("a result of the program has %.0f elements of %s, 512 GiB or more, and the compiler would end the process: "+
		"make it of smaller arrays", v.Type.elements(), v.Type.Element)
}

func isIota(v *Value) bool {
	for range maxCalls {
		switch {
		case v.Op == nil:
			return false
		case v.Op.Name == "iota":
			return true
		case !isArrangement(v.Op.Name) || len(v.Op.Operands) != 1:
			return false
		}
		v = v.Op.Operands[0]
	}
	return false
}

// isArrangement reports whether an operation only says which element of its operand goes where.
func isArrangement(name string) bool {
	return name == "reshape" || name == "broadcast_in_dim" || name == "transpose"
}

// isOfParameters reports whether a value is computed element by element from parameters alone.
// What the compiler makes with constants or broadcasts it divides in another way. seen counts the
// operations on the way.
func isOfParameters(v *Value, seen *int) bool {
	const most = 64
	o := v.Op
	if *seen++; *seen > most || o == nil || o.Name == "iota" || !isElementwise(o.Name) && o.Name != "reshape" || len(o.Operands) == 0 {
		return false
	}
	for _, operand := range o.Operands {
		isParameter := operand.Op == nil && operand.Type.Element != ""
		if !isParameter && !isOfParameters(operand, seen) {
			return false
		}
	}
	return o.Name != "reshape" || o.Operands[0].Op != nil
}

func bytesOf(element string) float64 {
	bits := 0.0
	if strings.HasPrefix(element, "complex<") {
		return 2 * bytesOf(strings.TrimSuffix(strings.TrimPrefix(element, "complex<"), ">"))
	}
	digits := strings.TrimLeft(element, "abcdefghijklmnopqrstuvwxyz")
	for _, c := range digits {
		if c < '0' || c > '9' {
			break
		}
		bits = bits*10 + float64(c-'0')
	}
	return max(1, bits/8)
}

// isElementwise reports whether an operation computes each element by itself.
func isElementwise(name string) bool {
	switch name {
	case "abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "compare", "complex", "convert", "cosine", "count_leading_zeros",
		"divide", "exponential", "exponential_minus_one", "floor", "imag", "iota", "is_finite", "log", "log_plus_one", "logistic",
		"maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "power", "real", "reduce_precision", "remainder",
		"round_nearest_afz", "round_nearest_even", "rsqrt", "select", "shift_left", "shift_right_arithmetic",
		"shift_right_logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor":
		return true
	}
	return false
}

// smallSort is how many elements std::sort sorts by insertion, which stays within the array
// whatever the comparator says.
const smallSort = 16

// checkSort refuses comparators that let std::sort leave the array.
func (m *Module) checkSort(o *Op, c Compiler) error {
	if o.isTrue("is_stable") || len(o.Operands) == 0 || len(o.Regions) != 1 {
		return nil
	}
	if o.alongDimension() <= smallSort || m.isSimpleOrder(o.Regions[0], c) || m.comparatorOrder(o.Regions[0]) != noOrder {
		return nil
	}
	return fmt.Errorf("the comparator of a sort in the program is no strict order: it can be true for equal elements, or for two elements both ways, " +
		"and an execution would end the process: compare with LT or GT, or set is_stable")
}

// isSimpleOrder reports whether the plugin knows the comparator by its form, and sorts without it.
func (m *Module) isSimpleOrder(b *Block, c Compiler) bool {
	operands := len(b.Params) / 2
	for range maxCalls {
		results := b.results()
		if len(results) != 1 || results[0].Op == nil || len(b.Params) < 2 {
			return false
		}
		o := results[0].Op
		first, second := b.Params[0], b.Params[1]
		if len(o.Operands) < 2 ||
			(o.Operands[0] != first || o.Operands[1] != second) && (o.Operands[0] != second || o.Operands[1] != first) {
			return false
		}
		if f := m.Functions[o.Attributes["callee"].Text]; o.Name == "call" && f != nil && len(o.Operands) == len(b.Params) {
			b = f
			continue
		}
		if o.Name != "compare" || o.Attributes["compare_type"].Text == "TOTALORDER" || first.Type.Element == "i1" {
			return false
		}
		switch direction := o.Attributes["comparison_direction"].Text; {
		case c.Minor >= before115:
			return direction == "GE" || direction == "LE"
		case direction != "GE" || operands != 1:
			return false
		}
		switch e := first.Type.Element; e {
		case "f32", "f64", "bf16":
			return true
		default:
			return strings.HasPrefix(e, "i") || strings.HasPrefix(e, "ui")
		}
	}
	return false
}

// maxCalls is how many calls in a row the checks follow.
const maxCalls = 16

// window is the window of a reduction along one dimension.
type window struct{ size, stride, low, high, base, dilation int64 }

func windowsOf(o *Op, rank int) []window {
	size, stride := o.numbers("window_dimensions", rank, 1), o.numbers("window_strides", rank, 1)
	base, dilation := o.numbers("base_dilations", rank, 1), o.numbers("window_dilations", rank, 1)
	padding := o.numbers("padding", 2*rank, 0)
	list := make([]window, rank)
	for i := range list {
		list[i] = window{size[i], stride[i], padding[2*i], padding[2*i+1], base[i], dilation[i]}
	}
	return list
}

// checkWindows refuses windows that crop, and windows over dimensions of unknown size.
func (m *Module) checkWindows(o *Op, c Compiler) error {
	if len(o.Operands) == 0 || len(o.Results) == 0 || len(o.Regions) == 0 {
		return nil
	}
	t := &o.Operands[0].Type
	windows := windowsOf(o, len(t.Dims))
	if c.Minor < before115 {
		for i, w := range windows {
			moves := w.low != 0 || w.high != 0 || w.size >= 2*w.stride
			if t.isBounded(i) && (w.size != 1 || w.low != 0 || w.high != 0) && moves {
				return fmt.Errorf("a reduce_window in the program has a window of %d along dimension %d, whose size is not known, "+
					"and an execution would be wrong or end the process: use an array of known sizes, with the initial value in the rest", w.size, i)
			}
		}
	}
	if in := o.Operands[0].Op; c.Minor >= before115 && in != nil && in.Name == "broadcast_in_dim" {
		return nil // the compiler makes a smaller one instead
	}
	crops := false
	for _, w := range windows {
		if w.size != 1 || w.stride != 1 || w.base != 1 || w.dilation != 1 || w.low > 0 || w.high > 0 {
			return nil
		}
		crops = crops || w.low < 0 || w.high < 0
	}
	if !crops || len(o.Operands) != 2 || len(o.Regions) != 1 || o.Results[0].Type.elements() == 0 || !m.addsOrChooses(o.Regions[0], o) {
		return nil
	}
	return fmt.Errorf("a reduce_window in the program has windows of one element and negative padding, and the compiler would end the process: " +
		"use slice, or pad with negative padding")
}

// addsOrChooses reports whether a reduction is an addition, a minimum or a maximum in a type that
// the plugin computes with.
func (m *Module) addsOrChooses(b *Block, o *Op) bool {
	switch o.Operands[0].Type.Element {
	case "bf16", "f16":
		return false
	}
	for range maxCalls {
		results := b.results()
		if len(results) != 1 || results[0].Op == nil || len(b.Params) != 2 {
			return false
		}
		root := results[0].Op
		if len(root.Operands) != 2 || !slices.Contains(b.Params, root.Operands[0]) ||
			!slices.Contains(b.Params, root.Operands[1]) || root.Operands[0] == root.Operands[1] {
			return false
		}
		switch root.Name {
		case "add", "minimum", "maximum":
			return true
		case "call":
			if b = m.Functions[root.Attributes["callee"].Text]; b != nil {
				continue
			}
		}
		return false
	}
	return false
}

// checkConcatenate refuses an operand of unknown size after one of known size, for which MLIR looks
// up the encoding of the first.
func checkConcatenate(o *Op, c Compiler) error {
	if !c.MLIR || c.Minor >= before106 || len(o.Operands) == 0 {
		return nil
	}
	d := o.dimension()
	if o.Operands[0].Type.Element == "" || o.Operands[0].Type.isBounded(d) {
		return nil
	}
	for i, v := range o.Operands {
		if v.Type.isBounded(d) {
			return fmt.Errorf("a concatenate in the program has operand %d, whose size along dimension %d is not known, after operand 0, whose size is, "+
				"and the compiler would end the process: put it first, or set the size of operand 0 with set_dimension_size", i, d)
		}
	}
	return nil
}

// folding says whether the compiler computes an operation.
type folding byte

const (
	notAsked folding = iota
	isComputed
	isKept
)

// isFolded reports whether the compiler computes the result, since it depends on constants alone.
func (o *Op) isFolded(depth int) bool {
	if o.folded == notAsked {
		o.folded = isKept
		if o.dependsOnConstants(depth) {
			o.folded = isComputed
		}
	}
	return o.folded == isComputed
}

func (o *Op) dependsOnConstants(depth int) bool {
	const deepest = 1 << 12
	if o.Name == "constant" {
		return true
	}
	if depth > deepest || o.Name == "return" || o.Name == "iota" || len(o.Operands) == 0 || len(o.Regions) > 0 || hasEffect(o.Name) {
		return false
	}
	for _, v := range o.Operands {
		if v.Op == nil || !v.Op.isFolded(depth+1) {
			return false
		}
	}
	return true
}
