// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Signature has the types of a function. Those that are not ranked tensors of a type that PJRT has
// are zero.
type Signature struct {
	Params  []array.Shape // not nil
	Results []array.Shape // not nil
}

// FindMain looks for the function main in a text, and reads no further. It reports false if there
// is none that it understands, for bytecode, and for text with a zero byte, which is the end of the
// program for some compilers, and if ctx ends first.
func FindMain(ctx context.Context, program []byte) (Signature, bool) {
	if bytes.HasPrefix(program, []byte(bytecode.Magic)) || preempt.IndexByte(program, 0) >= 0 {
		return Signature{}, false
	}
	l := lexer{code: program, work: &work{ctx: ctx}}
	var found Signature
	best, depth := math.MaxInt, 0
	read := 0 // up to where functions have been read
	for {
		t := l.next()
		switch name := view(l.bytes(t)); {
		case t.kind == end:
			return found, found.Params != nil && l.work.err == nil
		case t.kind == '{':
			depth++
		case t.kind == '}':
			depth--
		case depth >= best || t.start < read:
			// A main inside a nested module is not the program's, and there is none between the
			// parts of another function.
		case name == "func.func", name == `"func.func"`:
			form := (*lexer).prettyMain
			if name[0] == '"' {
				form = (*lexer).genericMain
			}
			ahead := l
			if f, ok := form(&ahead); ok {
				found, best = f, depth
			}
			read = ahead.pos
		}
		// Only the module of the program encloses this main, so there is no need to scan the rest
		// of a long program.
		if best <= 1 {
			return found, true
		}
	}
}

// MainOfBytecode is like FindMain for a module in bytecode.
func MainOfBytecode(m *bytecode.Module) (Signature, bool) {
	if m.Main == nil {
		return Signature{}, false
	}
	return Signature{shapesOf(m.Main.Params), shapesOf(m.Main.Results)}, true
}

func shapesOf(types []dataflow.Type) []array.Shape {
	shapes := make([]array.Shape, len(types))
	for i, x := range types {
		shapes[i] = shapeOf(x)
	}
	return shapes
}

func shapeOf(x dataflow.Type) array.Shape {
	if t, err := dtype.Parse(x.Element); err == nil && t.String() == x.Element {
		return array.Shape{Type: t, Dims: slices.Clone(x.Dims)}
	}
	return array.Shape{}
}

// prettyMain reads a function of the form [visibility] @main(%a: type {attributes} loc(...), ...)
// -> type.
func (l *lexer) prettyMain() (f Signature, ok bool) {
	name := l.next()
	if name.kind == word {
		name = l.next()
	}
	if name.kind != symbol || l.name(name) != "main" || l.peek() != '(' {
		return Signature{}, false
	}
	return l.functionShapes()
}

// genericMain reads the attributes of an operation, before or after its region. They must include
// sym_name = "main" and function_type = (types) -> types.
func (l *lexer) genericMain() (f Signature, ok bool) {
	typed, named := false, false
	for depth := 0; ; {
		switch t := l.next(); t.kind {
		case end:
			return Signature{}, false
		case '(':
			if depth > 0 {
				continue
			}
			// In the older form the region comes first. Its contents do not matter here.
			if l.pos = t.start; !l.skipGroup() {
				return Signature{}, false
			}
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return f, typed && named
			}
		case word, text:
			if depth != 1 || l.peek() != '=' {
				continue
			}
			l.next()
			switch c := l.peek(); {
			case c == '"' && l.name(t) == "sym_name":
				named = l.name(l.next()) == "main"
			case c == '(' && l.name(t) == "function_type":
				if f, typed = l.functionShapes(); !typed {
					return Signature{}, false
				}
			}
		}
	}
}

// functionShapes reads parameters in parentheses, and after an arrow one result, or several in
// parentheses. If there is no arrow, there are no results.
func (l *lexer) functionShapes() (f Signature, ok bool) {
	if f.Params, ok = l.shapes(); !ok {
		return Signature{}, false
	}
	ahead := *l
	if ahead.next().kind != arrow {
		f.Results = []array.Shape{}
		return f, true
	}
	*l = ahead
	if l.peek() == '(' {
		f.Results, ok = l.shapes()
		return f, ok
	}
	f.Results = []array.Shape{l.shape()}
	l.next() // the name of the type
	return f, l.peek() != '<' || l.skipGroup()
}

// maxParameters is more than any program has, and little memory.
const maxParameters = 1 << 18

// shapes reads parameters or results in parentheses.
func (l *lexer) shapes() ([]array.Shape, bool) {
	shapes := []array.Shape{}
	for l.next(); l.peek() != ')'; {
		if len(shapes) == maxParameters {
			return nil, false
		}
		shapes = append(shapes, l.shape())
		if !l.skipParameter() {
			return nil, false
		}
	}
	l.next()
	return shapes, true
}

// shape returns the type of the parameter or result that comes next, and stays before it.
func (l *lexer) shape() array.Shape {
	ahead := *l
	t := ahead.next()
	if t.kind == value && ahead.peek() == ':' {
		ahead.next()
		t = ahead.next()
	}
	if t.kind != word || string(ahead.bytes(t)) != "tensor" || ahead.peek() != '<' {
		return array.Shape{}
	}
	x, _ := ahead.tensorType()
	return shapeOf(x)
}

// skipParameter skips a parameter with its attributes and its location, and the comma after it, but
// not the closing parenthesis.
func (l *lexer) skipParameter() bool {
	for depth := 0; ; {
		switch t := l.next(); t.kind {
		case end:
			return false
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth < 0 {
				l.pos = t.start
				return t.kind == ')'
			}
		case ',':
			if depth == 0 {
				return true
			}
		}
	}
}
