// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// program is a StableHLO program with its inputs and what it must compute from them. Its
// body names the inputs %a0, %a1 and so on, and must define the results as %r0, %r1 and so
// on.
type program struct {
	inputs []array
	body   string
	// functions come before main, in the same module.
	functions string
	want      []array
	policies  []policy // one per result; missing ones are exact
	// fixed says that the program has no form with inputs as constants.
	fixed bool
	// optional says that a plugin may refuse the program cleanly whatever its
	// types are.
	optional bool
	// fill, if not nil, computes the elements of inputs and results, which takes long.
	// Before that only their types and dimensions are known.
	fill func(p *program)
	// notes, if not nil, says what the results show beyond right or wrong.
	notes func(results []array) []string
	// plain, if not empty, is an equivalent body with operations that plugins have. Faults
	// are shown with it where the body is refused.
	plain string
	// twists are faults of a compiler that would change the results.
	twists []twist
	// idle says that what is done to elements is done to none: another operation in its place
	// would give the same results.
	idle bool
}

// twist is a fault of a compiler: it takes one text for another.
type twist struct {
	fault    string
	from, to string
}

// op makes a program of one operation in its generic form. attributes go between the
// braces, regions between the parentheses.
func op(name, attributes, regions string, want []array, inputs ...array) program {
	var names, types, results []string
	for i, a := range inputs {
		names = append(names, fmt.Sprintf("%%a%d", i))
		types = append(types, a.typ())
	}
	for _, w := range want {
		results = append(results, w.typ())
	}
	out := "%r0"
	if len(want) > 1 {
		out = fmt.Sprintf("%%r:%d", len(want))
	}
	body := fmt.Sprintf("%s = \"stablehlo.%s\"(%s)", out, name, strings.Join(names, ", "))
	if regions != "" {
		body += " (" + regions + ")"
	}
	if attributes != "" {
		body += " {" + attributes + "}"
	}
	body += fmt.Sprintf(" : (%s) -> (%s)", strings.Join(types, ", "), strings.Join(results, ", "))
	return program{inputs: inputs, body: body, want: want}
}

// form says how a program gets its inputs.
type form int

const (
	parameters form = iota // all as parameters
	constants              // all as constants
	mixed                  // the first as a parameter
)

func (f form) String() string { return [...]string{"parameters", "constants", "mixed"}[f] }

// parameter reports whether input i is a parameter.
func (f form) parameter(i int) bool { return f == parameters || f == mixed && i == 0 }

// text returns the program in StableHLO.
func (p *program) text(f form) string {
	var args, results, names, lines []string
	for i, a := range p.inputs {
		if f.parameter(i) {
			args = append(args, fmt.Sprintf("%%a%d: %s", i, a.typ()))
		} else {
			lines = append(lines, fmt.Sprintf("%%a%d = stablehlo.constant %s : %s", i, a.literal(), a.typ()))
		}
	}
	several := strings.Contains(p.body, fmt.Sprintf("%%r:%d", len(p.want)))
	for i, w := range p.want {
		results = append(results, w.typ())
		if several {
			names = append(names, fmt.Sprintf("%%r#%d", i))
		} else {
			names = append(names, fmt.Sprintf("%%r%d", i))
		}
	}
	lines = append(lines, p.body, "return "+strings.Join(names, ", ")+" : "+strings.Join(results, ", "))
	return fmt.Sprintf("module @numeric {\n%sfunc.func @main(%s) -> (%s) {\n  %s\n}\n}\n",
		p.functions, strings.Join(args, ", "), strings.Join(results, ", "), strings.Join(lines, "\n  "))
}

// mustCompile reports whether every plugin that can compute must compile programs of a
// type; programs of other types may be refused.
func mustCompile(t dtype.Type) bool { return t == dtype.F32 || t == dtype.S32 || t == dtype.Pred }

// types returns every element type in the program.
func (p *program) types() []dtype.Type {
	var all []dtype.Type
	for _, a := range slices.Concat(p.inputs, p.want) {
		all = append(all, a.t)
	}
	return all
}

// run runs the program in each form and compares its results. It reports what is wrong, and
// skips a program of types that the plugin does not accept.
func (p *program) run(t *check.T, forms ...form) {
	p.needs(t)
	if why := p.try(t, forms...); why != "" {
		t.SkipUnimplf("%s", why)
	}
}

// needs skips a program of types that are newer than the plugin.
func (p *program) needs(t *check.T) {
	for _, e := range p.types() {
		if e.Since() > t.Minor() {
			t.SkipAbsentf("the element type %v came with API 0.%d, but the plugin has API 0.%d", e, e.Since(), t.Minor())
		}
	}
}

// try is run for a program of types that the plugin knows. It returns the plugin's reason
// if the plugin refuses the program and may do so.
func (p *program) try(t *check.T, forms ...form) string {
	if len(forms) == 0 {
		forms = []form{parameters, constants}
	}
	q := *p
	if q.fill != nil {
		q.fill(&q)
	}
	for _, f := range forms {
		if f == constants && (q.fixed || len(q.inputs) == 0) {
			continue
		}
		if why := q.runForm(t, f); why != "" {
			return why
		}
	}
	return ""
}

func (p *program) runForm(t *check.T, f form) string {
	c := t.Client()
	text := p.text(f)
	compile := t.CompileArgs(c, text, check.Devices(1, 1))
	out, err := check.Try(t, compile)
	if err != nil {
		t.NeedsText(compile.Program, err)
		return p.refused(t, f, text, err)
	}
	exe := check.Own(t, out.Executable)
	var args []*capi.Buffer
	for i, a := range p.inputs {
		if f.parameter(i) {
			args = append(args, p.upload(t, c, a))
		}
	}
	results := t.Run(exe, len(p.want), args...)
	var arrays []array
	for i, b := range results {
		typ := dtype.Type(t.ElementType(b))
		if typ != p.want[i].t {
			t.Errorf("%v: result %d: expected element type %v, got %v\n%s", f, i, p.want[i].t, typ, text)
			continue
		}
		if dims := t.Dimensions(b); fmt.Sprint(dims) != fmt.Sprint(p.want[i].dims) {
			t.Errorf("%v: result %d: expected dimensions %v, got %v\n%s", f, i, p.want[i].dims, dims, text)
			continue
		}
		got, err := decodeArray(p.want[i].t, p.want[i].dims, t.Download(b))
		if err == nil {
			err = compare(p.want[i], got, p.policy(i))
		}
		if err != nil {
			t.Errorf("%v: result %d: %v\n%s", f, i, err, abridged(text))
			continue
		}
		arrays = append(arrays, got)
		if s := accuracy(p.want[i], got, p.policy(i)); s != "" {
			t.Notef("%v: result %d: %s", f, i, s)
		}
		check.Destroy(t, b)
	}
	if p.notes != nil && len(arrays) == len(p.want) {
		for _, s := range p.notes(arrays) {
			t.Notef("%v: %s", f, s)
		}
	}
	for _, b := range args {
		check.Destroy(t, b)
	}
	check.Destroy(t, exe)
	return ""
}

func (p *program) policy(i int) policy {
	if i < len(p.policies) {
		return p.policies[i]
	}
	return exact
}

// refused judges the error of a program that did not compile. It returns the plugin's
// reason if the plugin may refuse the program.
func (p *program) refused(t *check.T, f form, text string, err error) string {
	must := !p.optional
	for _, e := range p.types() {
		must = must && mustCompile(e)
	}
	code := capi.CodeOf(err)
	clean := code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument
	if !must && clean || p.optional && code == capi.ErrorCodeUnknown {
		return fmt.Sprintf("the plugin does not compile it: %v", err)
	}
	t.Errorf("%v: expected the program to compile, got %v\n%s", f, err, abridged(text))
	return ""
}

// abridged returns the text with the middle of long lines removed.
func abridged(text string) string {
	const most = 2000
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if len(l) > most {
			lines[i] = fmt.Sprintf("%s ... %d characters ... %s", l[:most/2], len(l)-most, l[len(l)-most/2:])
		}
	}
	return strings.Join(lines, "\n")
}

func (p *program) upload(t *check.T, c *check.Client, a array) *capi.Buffer {
	data := a.encode()
	args := capi.ClientBufferFromHostBufferArgs{
		Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(a.t), Data: check.Pointer(data),
	}
	args.Dims, args.NumDims = check.First(a.dims)
	b := t.UploadArgs(args)
	runtime.KeepAlive(data)
	return b
}
