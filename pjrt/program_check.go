// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
)

// maxElements is more elements than the memory of any machine holds. XLA's
// compilers end the process on arrays with more than that, one at 2^54 elements,
// others when the number of elements overflows.
const maxElements = 1 << 50

// checkCode refuses what XLA's compilers are known to end the process on, as far
// as it can be seen in MLIR: functions without a body or that call themselves, and
// arrays beyond all memory. libtpu ends it on dimensions without a bound too, and on
// collective permutes between devices that do not exist, when there is only one.
func (p Program) checkCode(plugin *Plugin, devices int) error {
	switch p.Format {
	case FormatMLIR:
	case FormatHLO:
		return checkHLO(p.Code)
	case FormatHLOWithConfig:
		module, err := wireMessage(p.Code, fieldHLOModule)
		if err != nil {
			return nil // the plugin says what it is
		}
		return checkHLO(module)
	default:
		return nil
	}
	t := mlirText{bounded: plugin.kind == KindTPU, functions: make(map[string]*mlirFunction)}
	if plugin.kind == KindTPU {
		t.devices = devices
	}
	switch {
	case bytes.HasPrefix(p.Code, []byte(bytecodeMagic)):
		module, err := bytecode.Read(p.Code)
		if err != nil {
			return nil // the plugin may know more of it
		}
		if err := t.take(module); err != nil {
			return err
		}
	case isText(p.Code):
		t.rest = p.Code
		if err := t.scan(); err != nil {
			return err
		}
	}
	if f := t.functions["main"]; f != nil {
		if cycle := f.cycle(t.functions, nil); cycle != nil {
			return invalid("the program calls itself, which compilers end the process on: @%s", strings.Join(cycle, " calls @"))
		}
	}
	return nil
}

// take looks at a module that was bytecode.
func (t *mlirText) take(m *bytecode.Module) error {
	for _, f := range m.Functions {
		if !f.HasBody {
			return noBody(f.Name)
		}
		t.functions[f.Name] = &mlirFunction{name: f.Name, uses: f.Uses}
	}
	for _, n := range m.Permuted {
		if err := t.checkPermuted(n); err != nil {
			return err
		}
	}
	for _, tensor := range m.Tensors {
		text := tensor.Text
		if text == "" {
			var b strings.Builder
			for _, d := range tensor.Dims {
				if d == bytecode.Dynamic {
					b.WriteByte('?')
				} else {
					b.WriteString(strconv.FormatInt(d, 10))
				}
				b.WriteByte('x')
			}
			if tensor.Encoded {
				b.WriteString("..., #stablehlo.bounds<>")
			}
			text = tensorType + b.String() + "...>"
		}
		t.rest = []byte(text)
		if err := t.scan(); err != nil {
			return err
		}
	}
	return nil
}

func noBody(function string) error {
	return invalid("the function @%s in the program has no body, which compilers end the process on", function)
}

const tensorType = "tensor<"

// mlirText is MLIR text that is being read. Only its lexical form is looked at;
// what is wrong with the program else is left for the plugin to say.
type mlirText struct {
	rest      []byte
	bounded   bool // whether dimensions need a bound
	devices   int  // that the program is for, 0 if it does not matter
	functions map[string]*mlirFunction
	current   *mlirFunction // that was begun last, nil before the first
}

type mlirFunction struct {
	name string
	uses []string // symbols that it names, other functions among them
	done bool     // known to be in no cycle
}

// cycle returns the names of functions that call each other in a circle, the
// first one twice, or nil. path leads to f.
func (f *mlirFunction) cycle(functions map[string]*mlirFunction, path []string) []string {
	if i := slices.Index(path, f.name); i >= 0 {
		return append(slices.Clone(path[i:]), f.name)
	}
	if f.done {
		return nil
	}
	path = append(path, f.name)
	for _, name := range f.uses {
		if g := functions[name]; g != nil {
			if c := g.cycle(functions, path); c != nil {
				return c
			}
		}
	}
	f.done = true
	return nil
}

func (t *mlirText) scan() error {
	const function, customCall = "func.func", "custom_call"
	custom := false // whether the last word was custom_call, whose target is no function
	for {
		t.skipSpace()
		switch {
		case len(t.rest) == 0:
			return nil
		case t.rest[0] == '"':
			t.skipString()
		case bytes.HasPrefix(t.rest, []byte(tensorType)):
			t.rest = t.rest[len(tensorType):]
			if err := t.checkTensor(); err != nil {
				return err
			}
		case bytes.HasPrefix(t.rest, []byte(function)):
			t.rest = t.rest[len(function):]
			if err := t.enterFunction(); err != nil {
				return err
			}
		case t.rest[0] == '@':
			if name := t.symbol(); t.current != nil && !custom {
				t.current.uses = append(t.current.uses, name)
			}
		case isWordByte(t.rest[0]):
			word := t.word()
			if string(word) == "source_target_pairs" {
				if err := t.checkPairs(); err != nil {
					return err
				}
			}
			custom = bytes.HasSuffix(word, []byte(customCall))
			continue
		default:
			t.rest = t.rest[1:]
		}
		custom = false
	}
}

// skipSpace skips space and comments.
func (t *mlirText) skipSpace() {
	for len(t.rest) > 0 {
		switch c := t.rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			t.rest = t.rest[1:]
		case bytes.HasPrefix(t.rest, []byte("//")):
			end := bytes.IndexByte(t.rest, '\n')
			if end < 0 {
				end = len(t.rest) - 1
			}
			t.rest = t.rest[end+1:]
		default:
			return
		}
	}
}

// skipString skips a string and returns what is between its quotes.
func (t *mlirText) skipString() string {
	for i := 1; i < len(t.rest); i++ {
		switch t.rest[i] {
		case '\\':
			i++
		case '"':
			s := string(t.rest[1:i])
			t.rest = t.rest[i+1:]
			return s
		}
	}
	t.rest = nil
	return ""
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// word reads letters, digits and what else names are made of.
func (t *mlirText) word() []byte {
	n := 0
	for n < len(t.rest) && isWordByte(t.rest[n]) {
		n++
	}
	w := t.rest[:n]
	t.rest = t.rest[n:]
	return w
}

// symbol reads a name that begins with @.
func (t *mlirText) symbol() string {
	t.rest = t.rest[1:]
	if len(t.rest) > 0 && t.rest[0] == '"' {
		return t.skipString()
	}
	return string(t.word())
}

// checkTensor looks at the dimensions of a tensor type, behind its bracket.
func (t *mlirText) checkTensor() error {
	end := bytes.IndexByte(t.rest, '>') + 1
	elements, dynamic := uint64(1), false
	rest := t.rest
	for {
		n := 0
		for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		unknown := n == 0 && len(rest) > 0 && rest[0] == '?'
		if unknown {
			n, dynamic = 1, true
		}
		if n == 0 || n >= len(rest) || rest[n] != 'x' {
			break
		}
		if !unknown {
			size, err := strconv.ParseUint(string(rest[:n]), 10, 64)
			if err != nil || size > maxElements/elements {
				return invalid("the type tensor<%s in the program has more elements than any memory, which compilers end the process on", t.rest[:end])
			}
			elements *= max(size, 1)
		}
		rest = rest[n+1:]
	}
	if dynamic && t.bounded && !t.hasBounds() {
		return invalid("the type tensor<%s in the program has a dimension of no known bound, which libtpu ends the process on: "+
			"give it a bound (#stablehlo.bounds), or refine the program to static shapes", t.rest[:end])
	}
	return nil
}

// checkPairs looks at the numbers of devices in a dense array that may be next.
func (t *mlirText) checkPairs() error {
	ahead := *t
	for _, word := range []string{"=", "dense", "<"} {
		ahead.skipSpace()
		rest, ok := bytes.CutPrefix(ahead.rest, []byte(word))
		if !ok {
			return nil
		}
		ahead.rest = rest
	}
	text, _, _ := bytes.Cut(ahead.rest, []byte(">"))
	for _, word := range bytes.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[], \t\r\n", r) }) {
		if n, err := strconv.ParseInt(string(word), 10, 64); err == nil {
			if err := t.checkPermuted(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *mlirText) checkPermuted(n int64) error {
	if t.devices > 0 && (n < 0 || n >= int64(t.devices)) {
		return invalid("a collective permute in the program is from or to number %d, and the compile options are for %d: "+
			"libtpu can end the process on that; set Replicas or Partitions", n, t.devices)
	}
	return nil
}

// hasBounds reports whether the tensor type whose dimensions are next has bounds.
func (t *mlirText) hasBounds() bool {
	depth := 1
	for i, c := range t.rest {
		switch c {
		case '<':
			if bytes.HasSuffix(t.rest[:i], []byte("bounds")) {
				return true
			}
			depth++
		case '>':
			if depth--; depth == 0 {
				return false
			}
		}
	}
	return false
}

// enterFunction reads the name of a function, and looks whether it has a body.
func (t *mlirText) enterFunction() error {
	t.skipSpace()
	for len(t.rest) > 0 && isWordByte(t.rest[0]) { // public, private or nested
		t.word()
		t.skipSpace()
	}
	if len(t.rest) == 0 || t.rest[0] != '@' {
		return nil // "func.func" in its generic form, or no program at all
	}
	f := &mlirFunction{name: t.symbol()}
	t.functions[f.name] = f
	t.current = f
	ahead := *t
	if !ahead.hasBody() {
		return noBody(f.name)
	}
	return nil
}

// hasBody reports whether a body follows, behind the arguments, results and
// attributes of a function. It consumes them.
func (t *mlirText) hasBody() bool {
	t.skipSpace()
	if len(t.rest) == 0 || t.rest[0] != '(' {
		return true // malformed
	}
	t.skipBrackets()
	t.skipSpace()
	if bytes.HasPrefix(t.rest, []byte("->")) {
		t.rest = t.rest[2:]
		t.skipSpace()
		t.skipType()
	}
	t.skipSpace()
	if bytes.HasPrefix(t.rest, []byte("attributes")) {
		t.word()
		t.skipSpace()
		t.skipBrackets()
		t.skipSpace()
	}
	return len(t.rest) > 0 && t.rest[0] == '{'
}

// skipType skips one type, or a list of types in parentheses.
func (t *mlirText) skipType() {
	for len(t.rest) > 0 {
		switch c := t.rest[0]; {
		case c == '(' || c == '<':
			t.skipBrackets()
			return
		case c == '!' || isWordByte(c):
			t.rest = t.rest[1:]
		default:
			return
		}
	}
}

// skipBrackets skips from a bracket to the one that closes it.
func (t *mlirText) skipBrackets() {
	depth := 0
	for len(t.rest) > 0 {
		switch c := t.rest[0]; {
		case c == '"':
			t.skipString()
			continue
		case c == '/' && bytes.HasPrefix(t.rest, []byte("//")):
			t.skipSpace()
			continue
		case bytes.HasPrefix(t.rest, []byte("->")):
			t.rest = t.rest[1:] // its > closes nothing
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			if depth--; depth == 0 {
				t.rest = t.rest[1:]
				return
			}
		}
		t.rest = t.rest[1:]
	}
}
