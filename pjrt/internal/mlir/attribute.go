// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// attribute is what is known about an attribute: everything anywhere in it.
type attribute struct {
	text      string                // its first string
	names     *function             // uses the functions that it names; nil if there are none
	members   map[string]*attribute // of a dictionary, those whose names are keys
	isBounds  bool                  // of a tensor type
	hasNumber bool
	low, high int64   // its smallest and its largest number
	product   float64 // of its numbers that are not negative; 0 counts as 1
}

// maxDimension is a higher dimension number than any array has. MLIR makes lists as long as the
// numbers of the dimensions of a convolution, and ends the process if they are longer than 2^32.
const maxDimension = 1 << 16

// isKey reports whether the checks use the attribute with this name.
func isKey(name []byte) bool {
	switch string(name) {
	case "sym_name", "sym_visibility", "callee", "decomposition", "called_computations", "called_computation", "source_target_pairs":
		return true
	}
	return false
}

// member reads the value of an attribute whose name has been read. It is an attribute of the
// current operation, or a member of a if that is not nil.
func (r *reader) member(key string, a *attribute) error {
	r.take() // the equals sign
	v, err := r.value()
	if err != nil {
		return err
	}
	if a != nil {
		if a.members == nil {
			a.members = make(map[string]*attribute)
		}
		a.members[key] = v
		return nil
	}
	return r.apply(key, v)
}

// apply notes an attribute of the current operation.
func (r *reader) apply(key string, v *attribute) error {
	calls := false
	switch r.op.kind {
	case definition:
		f := r.op.function
		switch {
		case f == nil:
		case key == "sym_name":
			f.name = v.text
		case key == "sym_visibility":
			f.private = v.text == "private"
		}
	case call:
		calls = key == "callee"
	case composite:
		calls = key == "decomposition"
	case customCall:
		calls = key == "called_computations"
	case asyncStart:
		calls = key == "called_computation"
	case permute:
		if key == "source_target_pairs" && v.hasNumber {
			if r.Permutes {
				r.permuted.Add(v.low)
				r.permuted.Add(v.high)
			}
		}
	}
	if v.names != nil {
		v.names.needed = v.names.needed || calls && r.op.kind == customCall
		r.use(use{alias: v.names, mention: !calls})
	}
	return nil
}

// value reads an attribute or a type.
func (r *reader) value() (*attribute, error) {
	// In what MLIR accepts, each value in another one is in brackets of its own. In other text,
	// such as #a = #b = #c, only this keeps the reader from running out of stack, which would end
	// the process.
	if r.values++; r.values > r.depths.brackets {
		return nil, r.depths.tooDeep("attributes", r.depths.brackets)
	}
	defer func() { r.values-- }()
	a := &attribute{product: 1}
	for {
		before, h := r.last, r.hint
		t := r.take()
		switch t.kind {
		case end, ')', ']', '}', '>', ',':
			r.pos = t.start // malformed
			return a, nil
		}
		if err := r.item(t, before, h, a, false); err != nil {
			return nil, err
		}
		switch t.kind {
		case '-', arrow:
			continue
		case word, attributeName, typeName:
			// In brackets: parameters, the identity of a distinct attribute, a location.
			for c := r.peek(); c == '<' || t.kind == word && (c == '[' || c == '(' && r.hint == locations); c = r.peek() {
				before, h := r.last, r.hint
				if err := r.item(r.take(), before, h, a, false); err != nil {
					return nil, err
				}
			}
		}
		switch r.peek() {
		case '-':
			if t.kind != '(' || r.next().kind != arrow {
				return a, nil
			}
		case ':':
			r.take() // a type comes next, or another colon and a nested symbol
			if r.peek() == ':' {
				r.take()
			}
		default:
			return a, nil
		}
	}
}

// attributeName reads what begins with the alias of an attribute, or with an attribute of a
// dialect.
func (r *reader) attributeName(t, before token, h hint, a *attribute) error {
	name := r.bytes(t)[1:]
	if r.brackets == 0 && r.peek() == '=' {
		r.take()
		v, err := r.value()
		if err == nil && (v.names != nil || v.text != "" || v.members != nil || v.isBounds || v.hasNumber) {
			r.attributes[view(name)] = v
		}
		return err
	}
	if bytes.HasSuffix(name, []byte(".conv")) && r.peek() == '<' {
		return r.dimensionNumbers()
	}
	properties := before.kind == '<' && r.op.generic
	if bytes.HasSuffix(name, []byte(".bounds")) && a != nil {
		a.isBounds = true
	}
	v := r.attributes[string(name)]
	switch {
	case v == nil:
	case a != nil:
		a.add(v)
	case v.names != nil && !properties:
		r.use(use{alias: v.names, mention: h != callee})
	case properties:
		for key, member := range v.members {
			if err := r.apply(key, member); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeName reads what begins with the alias of a type, or with a type of a dialect.
func (r *reader) typeName(t token) error {
	name := r.bytes(t)[1:]
	if bytes.HasSuffix(name, []byte(".tensor_v1")) {
		r.hint = dims
		return nil
	}
	if r.brackets == 0 && r.peek() == '=' {
		r.take()
		r.deepest, r.inAlias = 0, true
		_, err := r.value()
		r.inAlias = false
		r.types[view(name)] = r.deepest
		return err
	}
	depth := r.brackets + r.types[string(name)]
	r.deepest = max(r.deepest, depth)
	if depth > r.depths.brackets && !r.inAlias {
		return r.depths.tooDeep("types", r.depths.brackets)
	}
	return nil
}

// dimensionNumbers reads the numbers of the dimensions of a convolution: [b, 0, f]x[0, i, o]->[b,
// 0, f], which may be in brackets.
func (r *reader) dimensionNumbers() error {
	a := attribute{product: 1}
	for {
		switch c := r.peek(); c {
		case '=', 'x', '-':
			r.take()
			continue
		case '[', '<':
			before := r.last
			if err := r.group(r.take(), before, none, &a, false); err != nil {
				return err
			}
			continue
		}
		if a.hasNumber && a.high > maxDimension {
			return fmt.Errorf("a convolution in the program has a dimension with the number %d, "+
				"and compilers would run out of memory", a.high)
		}
		return nil
	}
}

// addText adds a string. In portable artifacts it can be the name of a function.
func (a *attribute) addText(s string) {
	if a.text == "" {
		a.text = s
	}
	a.addUse(use{name: s, quoted: true})
}

// addUse adds the name of a function, or an alias of names.
func (a *attribute) addUse(u use) {
	if a.names == nil {
		a.names = &function{isAlias: true, hasBody: true}
	}
	a.names.uses.add(u)
}

// addNumber adds a number without its sign.
func (a *attribute) addNumber(digits []byte, negative bool) {
	n, err := strconv.ParseInt(string(digits), 0, 64)
	switch {
	case err != nil:
		return // not an integer
	case negative:
		a.addRange(-n, -n)
	default:
		a.addRange(n, n)
		a.product *= float64(max(n, 1))
	}
}

func (a *attribute) addRange(low, high int64) {
	if !a.hasNumber {
		a.low, a.high, a.hasNumber = low, high, true
	}
	a.low, a.high = min(a.low, low), max(a.high, high)
}

// maxData is how many digits addData reads: no program names so many devices.
const maxData = 1 << 20

// addData adds the 64-bit numbers in a string of hexadecimal digits.
func (a *attribute) addData(quoted []byte) {
	if len(quoted) > maxData {
		return
	}
	digits, ok := bytes.CutPrefix(bytes.Trim(quoted, `"`), []byte("0x"))
	if !ok || len(digits)%16 != 0 {
		return
	}
	data := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(data, digits); err != nil {
		return
	}
	for ; len(data) > 0; data = data[8:] {
		n := int64(binary.LittleEndian.Uint64(data))
		a.addRange(n, n)
	}
}

// add adds what is in another attribute.
func (a *attribute) add(b *attribute) {
	if a.text == "" {
		a.text = b.text
	}
	if b.names != nil {
		a.addUse(use{alias: b.names})
	}
	if a.members == nil {
		a.members = b.members
	}
	a.isBounds = a.isBounds || b.isBounds
	if b.hasNumber {
		a.addRange(b.low, b.high)
	}
	a.product *= b.product
}

// tensor reads the rest of a tensor type after its opening bracket. The type begins at start.
func (r *reader) tensor(start int) error {
	elements, dynamic := uint64(1), false
	bounds := attribute{product: 1}
	for {
		extent, ok := r.extent()
		if !ok {
			break
		}
		if extent[0] == '?' {
			dynamic = true
			continue
		}
		size, err := strconv.ParseUint(string(extent), 10, 64)
		if err != nil || size > dataflow.MaxElements/elements {
			return r.tooLarge(start)
		}
		elements *= max(size, 1)
		r.hasLarge = r.hasLarge || elements >= dataflow.Large
	}
	for {
		before, h := r.last, r.hint
		t := r.take()
		switch t.kind {
		case ')', ']', '}':
			r.pos = t.start
			return nil
		case ',':
			v, err := r.value()
			if err != nil {
				return err
			}
			if v.isBounds {
				bounds = *v
			}
			continue
		case end, '>':
			switch {
			case dynamic && bounds.isBounds && bounds.hasNumber && bounds.low < 0:
				return fmt.Errorf("the type %s in the program has a bound of less than 0, and compilers would end the process",
					r.typeFrom(start))
			case dynamic && float64(elements)*bounds.product > dataflow.MaxElements:
				return r.tooLarge(start)
			case dynamic && r.Bounded && !bounds.isBounds:
				return fmt.Errorf("the type %s in the program has a dimension without a known bound, and libtpu would end the process: "+
					"give it a bound (#stablehlo.bounds), or refine the program to static shapes", r.typeFrom(start))
			}
			return nil
		}
		if err := r.item(t, before, h, nil, false); err != nil {
			return err
		}
	}
}

func (r *reader) tooLarge(start int) error {
	return fmt.Errorf("the type %s in the program is too large for any memory, and compilers would end the process", r.typeFrom(start))
}

// typeFrom returns the text of a type, or its beginning.
func (r *reader) typeFrom(start int) string {
	const most = 200
	rest := r.code[start:min(start+most, len(r.code))]
	if i := bytes.IndexByte(rest, '>'); i >= 0 {
		return string(rest[:i+1])
	}
	return strings.ToValidUTF8(string(rest), "?") + "..."
}
