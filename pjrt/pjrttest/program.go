// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// Func is a program: it computes the results of one execution on one device. The function
// may change the arguments. If it returns an error, the execution fails with that error; if
// it panics, the execution fails with INTERNAL.
//
// Executions with the same first device run one after another, in the order in which their
// arguments became ready. An execution on several devices calls the function for one
// device after the other.
type Func func(args []pjrt.HostArray) ([]pjrt.HostArray, error)

// Signature has the shapes of the parameters and results of a program. If a list is nil,
// the plugin reads the shapes from the text that is compiled.
type Signature struct {
	Parameters, Results []pjrt.Shape
}

// Alias lets a result take the memory of an argument, which is consumed.
type Alias struct {
	Result, Parameter int
	// Must says that an execution fails if it may not consume the argument.
	Must bool
}

// Program tells a plugin what a compiled program does.
type Program struct {
	// Name is the name of the compiled program; "" means the name of its module. Unless
	// Match is set, the Program stands for all code whose module has this name, and for
	// the text that consists of the name alone.
	Name string
	// Match reports whether the Program stands for the code that is compiled.
	Match func(code []byte, format pjrt.Format) bool
	// Signature has the shapes of the parameters and results.
	Signature Signature
	// Aliases are the arguments that executions consume, in addition to those that the
	// text of the program marks with tf.aliasing_output or jax.buffer_donor.
	Aliases []Alias
	// MemoryKinds are the memory kinds of the results. Where an entry is "", or if the list
	// is nil, mhlo.memory_kind in the program's text decides; without it, the result goes
	// to the device's default memory.
	MemoryKinds []string
	// Cost is what the cost analysis reports in addition to bytes accessed.
	Cost []pjrt.Attribute

	// Func is the program for one device. Set either Func or Launch.
	Func Func
	// Launch is the program for all devices of an execution at once. It is for programs
	// whose devices exchange data with each other or with the host.
	Launch func(l *Launch) error
}

// Program registers fn for all programs called name: those whose module has this name, and
// the text that consists of the name alone. A later registration replaces an earlier one.
// sig may be zero if the text of the program has the signature.
//
// Program panics if name is empty or fn is nil.
func (p *Plugin) Program(name string, sig Signature, fn Func) {
	p.AddProgram(Program{Name: name, Signature: sig, Func: fn})
}

// AddProgram registers a program. If several match, the latest counts. AddProgram panics
// if the program has neither Name nor Match, or not exactly one of Func and Launch.
func (p *Plugin) AddProgram(program Program) {
	if program.Name == "" && program.Match == nil {
		panic("pjrttest: a program needs a Name or Match")
	}
	if (program.Func == nil) == (program.Launch == nil) {
		panic(fmt.Sprintf("pjrttest: the program %q needs either Func or Launch", program.Name))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.programs = append(p.programs, &program)
}

// program returns the Program that is registered for code.
func (p *Plugin) program(code []byte, format pjrt.Format) (*Program, error) {
	p.mu.Lock()
	programs := slices.Clone(p.programs)
	p.mu.Unlock()
	module := moduleName(code, format)
	text := string(bytes.TrimSpace(code))
	var names []string
	for _, x := range slices.Backward(programs) {
		if x.Match != nil {
			if x.Match(code, format) {
				return x, nil
			}
		} else if x.Name == module || x.Name == text {
			if format != pjrt.FormatMLIR {
				return x, nil
			}
			return x, balanced(string(code))
		}
		switch {
		case x.Name == "":
		case len(names) < 10:
			names = append(names, strconv.Quote(x.Name))
		case len(names) == 10:
			names = append(names, "and more")
		}
	}
	what := fmt.Sprintf("the program %q", module)
	if module == "" {
		what = fmt.Sprintf("the program %q", abbreviate(text))
	}
	known := "no program is registered"
	if len(names) > 0 {
		known = "there are " + strings.Join(names, ", ")
	}
	return nil, invalid("%s is not known to this pjrttest plugin: register it with Program or AddProgram; %s", what, known)
}

// balanced returns an error for text whose brackets are not closed, such as that of a
// truncated program. It checks nothing else, and does not check bytecode.
func balanced(code string) error {
	if strings.HasPrefix(code, bytecode.Magic) {
		return nil
	}
	var open []byte
	line := 1
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '\n':
			line++
		case '"':
			end := i + 1
			for end < len(code) && code[end] != '"' {
				if code[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(code) {
				return invalid("the program ends within a string that begins in line %d", line)
			}
			line += strings.Count(code[i:end], "\n")
			i = end
		case '/':
			if strings.HasPrefix(code[i:], "//") {
				n := strings.IndexByte(code[i:], '\n')
				if n < 0 {
					n = len(code) - i
				}
				i += n - 1
			}
		case '(', '{', '[':
			open = append(open, c)
		case ')', '}', ']':
			n := len(open)
			if n == 0 || !strings.Contains("(){}[]", string([]byte{open[n-1], c})) {
				return invalid("the program has an unexpected %q in line %d", string(c), line)
			}
			open = open[:n-1]
		}
	}
	if n := len(open); n > 0 {
		return invalid("the program is truncated: it ends in line %d with %d brackets open", line, n)
	}
	return nil
}

func abbreviate(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

// moduleName returns the name of the module in code, or "" if it has none.
func moduleName(code []byte, format pjrt.Format) string {
	switch format {
	case pjrt.FormatMLIR:
		_, rest, ok := strings.Cut(string(code), "module @")
		if !ok {
			return ""
		}
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			name, _, _ := strings.Cut(quoted, `"`)
			return name
		}
		end := strings.IndexFunc(rest, func(r rune) bool {
			return !(r == '_' || r == '.' || r == '$' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		})
		if end < 0 {
			end = len(rest)
		}
		return rest[:end]
	case pjrt.FormatHLO:
		return string(last(code, 1).Bytes)
	case pjrt.FormatHLOWithConfig:
		return string(last(last(code, 1).Bytes, 1).Bytes)
	}
	return ""
}

// last returns the last field of a message with the given number, or a zero Field if there is none,
// or if b is not a message.
func last(b []byte, number wire.Number) (found wire.Field) {
	for f, err := range wire.Fields(b) {
		if err != nil {
			return wire.Field{}
		}
		if f.Number == number {
			found = f
		}
	}
	return found
}

// consumption says how an execution consumes an argument.
type consumption struct {
	result int // the one that takes its memory; -1 for any
	must   bool
}

// consumed returns the arguments that executions of a program consume: its Aliases, and
// those that its text marks.
func (x *Program) consumed(code []byte, format pjrt.Format, parameters, results int) (map[int]consumption, error) {
	all := make(map[int]consumption)
	if format == pjrt.FormatMLIR {
		texts, _ := mainTexts(string(code))
		for i, text := range texts {
			if result, ok := attribute(text, "tf.aliasing_output"); ok {
				n, err := strconv.Atoi(result)
				if err != nil {
					return nil, invalid("parameter %d is aliased with result %q, which is not a number", i, result)
				}
				all[i] = consumption{result: n}
			} else if donor, ok := attribute(text, "jax.buffer_donor"); ok && donor == "true" {
				all[i] = consumption{result: -1}
			}
		}
	}
	for _, a := range x.Aliases {
		all[a.Parameter] = consumption{a.Result, a.Must}
	}
	for i, c := range all {
		if i < 0 || i >= parameters || c.result < -1 || c.result >= results {
			return nil, invalid("the program aliases parameter %d of %d with result %d of %d", i, parameters, c.result, results)
		}
	}
	return all, nil
}

// mainTexts returns the texts of the parameters of the function main. It also returns those
// of the results if they are in parentheses, as results with attributes are.
func mainTexts(code string) (parameters, results []string) {
	_, rest, ok := strings.Cut(code, "@main(")
	if !ok {
		return nil, nil
	}
	parameters, rest = splitList(rest)
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "->")
	if !ok {
		return parameters, nil
	}
	if rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "("); ok {
		results, _ = splitList(rest)
	}
	return parameters, results
}

// splitList splits a text at its commas up to the parenthesis that closes it, and returns
// the elements and the rest of the text.
func splitList(text string) (list []string, rest string) {
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case c == '>' && i > 0 && text[i-1] == '-':
		case strings.IndexByte(")]}>", c) >= 0 && depth > 0:
			depth--
		case c == ',' && depth == 0:
			list = append(list, text[start:i])
			start = i + 1
		case c == ')':
			return append(list, text[start:i]), text[i+1:]
		}
	}
	return nil, ""
}

// attribute returns the value of an attribute in the text of a parameter or result: a
// string without its quotes, otherwise the first word.
func attribute(text, name string) (string, bool) {
	_, rest, ok := strings.Cut(text, name)
	if !ok {
		return "", false
	}
	if rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "="); !ok {
		return "", false
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		value, _, _ := strings.Cut(quoted, `"`)
		return value, true
	}
	if end := strings.IndexAny(rest, " :,}\t\n"); end >= 0 {
		rest = rest[:end]
	}
	return rest, true
}

// layoutModes returns the orders that the attribute mhlo.layout_mode asks for. An order is
// nil if the compiler may choose.
func layoutModes(texts []string, shapes []pjrt.Shape) ([]order, error) {
	orders := make([]order, len(shapes))
	for i, text := range texts {
		mode, ok := attribute(text, "mhlo.layout_mode")
		if !ok || mode == "default" || mode == "auto" || i >= len(shapes) {
			continue
		}
		inside, ok := strings.CutPrefix(mode, "{")
		if ok {
			inside, ok = strings.CutSuffix(inside, "}")
		}
		if !ok {
			return nil, invalid("%q is not a layout mode", mode)
		}
		o := order{}
		for word := range strings.SplitSeq(inside, ",") {
			if word == "" && inside == "" {
				break
			}
			d, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
			if err != nil {
				return nil, invalid("%q is not a layout mode", mode)
			}
			o = append(o, d)
		}
		if err := o.check(len(shapes[i].Dims)); err != nil {
			return nil, err
		}
		orders[i] = o
	}
	return orders, nil
}

// shapes returns the shapes of the parameters and results of a program.
func (x *Program) shapes(code []byte, format pjrt.Format) (parameters, results []pjrt.Shape, err error) {
	parameters, results = x.Signature.Parameters, x.Signature.Results
	if parameters != nil && results != nil {
		return parameters, results, nil
	}
	if format != pjrt.FormatMLIR {
		return nil, nil, invalid("the shapes of a program in the format %q cannot be read: register it with a Signature",
			string(format))
	}
	if parameters == nil {
		list, ok := stablehlo.Main(code)
		if parameters, err = known("parameter", list, ok); err != nil {
			return nil, nil, err
		}
	}
	if results == nil {
		list, ok := stablehlo.Results(code)
		if results, err = known("result", list, ok); err != nil {
			return nil, nil, err
		}
	}
	return parameters, results, nil
}

func known(what string, list []pjrt.Shape, ok bool) ([]pjrt.Shape, error) {
	if !ok {
		return nil, invalid("the %ss of the program cannot be read from its text: register it with a Signature", what)
	}
	for i, x := range list {
		if !x.Known() {
			return nil, invalid("%s %d of the program has a type that cannot be read from its text: register it with a Signature", what, i)
		}
		if _, err := shapeOf(capi.BufferType(x.Type), sliceData(x.Dims), uintptr(len(x.Dims))); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func sliceData(dims []int64) *int64 {
	p, _ := list(dims)
	return p
}
