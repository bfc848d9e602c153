// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	gopath "path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// StableHLO returns the programs with expectations of a StableHLO checkout: its interpreter's
// tests, the tests of mathematical functions and the test data. Each occurs twice, with its
// inputs as constants and as parameters, because plugins treat the two differently.
func StableHLO(dir string) ([]Case, error) {
	root := filepath.Join(dir, "stablehlo")
	if _, err := os.Stat(filepath.Join(root, "tests")); err != nil {
		root = dir
	}
	var cases []Case
	found := false
	for _, part := range []string{"tests/interpret", "tests/math", "testdata"} {
		folder := filepath.Join(root, filepath.FromSlash(part))
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		found = true
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".mlir" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil || !hasChecks(string(text)) {
				return err // test data without expectations belongs to other tests
			}
			name := "stablehlo/" + strings.TrimSuffix(filepath.ToSlash(rel), ".mlir")
			cases = append(cases, convertible(name, gopath.Dir(name), path, string(text))...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	switch {
	case !found:
		return nil, fmt.Errorf("%s is not a checkout of StableHLO: it has none of stablehlo/tests/interpret, stablehlo/tests/math and stablehlo/testdata", dir)
	case len(cases) == 0:
		return nil, fmt.Errorf("%s: no file has check operations", root)
	}
	return cases, nil
}

var checkOp = regexp.MustCompile(`^(?:"?check\.(\w+)"?|"?stablehlo\.custom_call"?.*?(?:@"?|call_target_name\s*=\s*")check\.(\w+))`)

func hasChecks(text string) bool { return strings.Contains(text, "check.e") }

// The forms of a program.
const (
	constants  = "constants"
	parameters = "parameters"
)

// convertible returns the cases of a file. They read it again when they run.
func convertible(name, set, path, text string) []Case {
	var cases []Case
	parts := split(text)
	for i, part := range parts {
		if !hasChecks(uncomment(part)) {
			continue
		}
		id := name
		if len(parts) > 1 {
			id += "/" + strconv.Itoa(i+1)
		}
		forms := []string{constants, parameters}
		if strings.Contains(part, parallelOp) {
			forms = forms[1:] // each device has inputs of its own
		}
		for _, form := range forms {
			cases = append(cases, Case{Name: id + "/" + form, Set: set + ", inputs as " + form, Profile: check.Quick,
				Load: func() (*Program, error) {
					text, err := os.ReadFile(path)
					if err != nil {
						return nil, err
					}
					parts := split(string(text))
					if i >= len(parts) {
						return nil, fmt.Errorf("%s has changed", path)
					}
					return Convert(parts[i], form == parameters)
				}})
		}
	}
	return cases
}

// expectation is a check operation.
type expectation struct {
	actual, expected string       // values
	typ, other       string       // their types
	want             *array.Array // if the operation holds it
	policy           Policy
}

// disabled matches the comment with which a file of test data says that it is not run, with or
// without a reason in parentheses.
var disabled = regexp.MustCompile(`(?i)^\s*//\s*(?:(RUN-DISABLED|DISABLED-RUN|RUN\(disabled\))(?:\(([^)]*)\))?)`)

// printOp matches an operation of the interpreter on which no value depends.
var printOp = regexp.MustCompile(`(?m)^\s*"?interpreter\.print\b"?.*$`)

// Convert makes a program from a text with a function that holds check operations. The checked
// values become its results. Their expected values are read here, and the plugin does not see
// them as results. If parametric is true, the inputs become parameters: the results of functions
// such as @inputs that return constants or, if there are none, the constants of the function.
//
// A *Unusable error says why the text cannot become a program.
func Convert(text string, parametric bool) (*Program, error) {
	p := &Program{}
	for line := range strings.Lines(text) {
		if m := disabled.FindStringSubmatch(line); m != nil {
			p.Doubt = "the data set does not run it itself"
			if m[2] != "" {
				p.Doubt += ": " + m[2]
			}
		}
	}
	module := printOp.ReplaceAllString(uncomment(text), "")
	c := &converter{module: module, program: p}
	if err := c.convert(parametric); err != nil {
		var u *Unusable
		if errors.As(err, &u) {
			return nil, err
		}
		return nil, &Unusable{"it cannot be converted: " + err.Error()}
	}
	return p, nil
}

type converter struct {
	module  string
	program *Program
	all     []*function
	main    *function
	checks  []expectation
}

// unusable lists operations that need more than one program and its results.
var unusable = []struct{ word, reason string }{
	{"interpreter.", "it uses operations of StableHLO's interpreter"},
	{"check.expect_serialized_eq", "it compares files that StableHLO's interpreter writes"},
	{"dense_resource<", "its constants are in a resource"},
	{`"func.func"`, "its functions are in the generic form"},
}

func (c *converter) convert(parametric bool) (err error) {
	words := strings.ReplaceAll(c.module, parallelOp, "")
	for _, u := range unusable {
		if strings.Contains(words, u.word) {
			return &Unusable{u.reason}
		}
	}
	if c.all, err = functions(c.module); err != nil {
		return err
	}
	for _, f := range c.all {
		for i := range f.body {
			if !checkOp.MatchString(f.body[i].op) {
				continue
			}
			if c.main != nil && c.main != f {
				return &Unusable{fmt.Sprintf("both @%s and @%s hold checks", c.main.name, f.name)}
			}
			c.main = f
			x, err := readCheck(&f.body[i])
			if err != nil {
				return err
			}
			c.checks = append(c.checks, *x)
		}
	}
	switch {
	case c.main == nil:
		return &Unusable{"it checks nothing at the top of a function"}
	case c.main.params != "":
		return &Unusable{fmt.Sprintf("@%s, which holds the checks, takes arguments", c.main.name)}
	}
	for _, f := range c.all {
		if f != c.main && f.name == "main" {
			return &Unusable{"the checks are not in @main"}
		}
	}
	if c.main.name != "main" && len(regexp.MustCompile(`@`+regexp.QuoteMeta(c.main.name)+`\b`).FindAllString(c.module, 2)) > 1 {
		return &Unusable{fmt.Sprintf("@%s, which holds the checks, is called by other functions", c.main.name)}
	}
	if strings.Contains(c.module, parallelOp) {
		return c.parallel()
	}
	var names, types []string
	for _, x := range c.checks {
		r := Result{Want: x.want, Policy: x.policy}
		names, types = append(names, x.actual), append(types, x.typ)
		if x.want == nil {
			r.Want, err = c.constant(c.main, x.expected)
			if errors.Is(err, errNotConstant) {
				// The plugin computes both sides.
				r.As = len(names)
				c.program.Results = append(c.program.Results, r)
				names, types = append(names, x.expected), append(types, x.other)
				r, err = Result{As: len(names) - 1, Policy: Policy{Kind: Close}}, nil
			}
			if err != nil {
				return err
			}
		}
		c.program.Results = append(c.program.Results, r)
	}
	inputs := map[string]string{}
	if parametric {
		if inputs, err = c.inputs(); err != nil {
			return err
		}
		if len(inputs) == 0 {
			return &Unusable{"it has no inputs"}
		}
	}
	c.program.Code = []byte(c.render(names, types, inputs))
	c.program.finish()
	return nil
}

// finish sets what all programs of a checkout have in common.
func (p *Program) finish() {
	p.Optional = true // a checkout is often newer than the plugin
	p.Fuzz = func(i int) bool { return p.Args[i].Type.IsFloat() }
}

var (
	attribute = regexp.MustCompile(`(\w+)\s*=\s*(-?[\d.]+(?:[eE][+-]?\d+)?)`)
	constKind = regexp.MustCompile(`_const$`)
)

// readCheck reads a check operation, in its pretty or generic form or as a
// custom call.
func readCheck(s *statement) (*expectation, error) {
	m := checkOp.FindStringSubmatch(s.op)
	kind, custom := m[1], m[2] != ""
	if custom {
		kind = m[2]
	}
	body, rest, literal := dense(s.op)
	x := &expectation{}
	values, types := operands(rest), tensors(rest)
	numbers := map[string]string{}
	for _, a := range attribute.FindAllStringSubmatch(rest, -1) {
		numbers[a[1]] = a[2]
	}
	switch short := constKind.ReplaceAllString(kind, ""); {
	case short == "expect_eq":
		x.policy = Policy{Kind: Equal}
	case short == "eq" && custom:
		x.policy = Policy{Kind: Almost, Atol: 1e-4}
	case short == "expect_almost_eq" && custom:
		x.policy = Policy{Kind: Almost, Atol: 1e-3}
	case short == "expect_almost_eq":
		x.policy = Policy{Kind: Almost, Atol: 1e-4}
	case short == "expect_close" && custom:
		x.policy = Policy{Kind: Close, MaxULP: 3}
	case short == "expect_close":
		x.policy = Policy{Kind: Close, MaxULP: 1}
	default:
		return nil, &Unusable{fmt.Sprintf("the suite does not know the check %q", kind)}
	}
	for name, at := range map[string]*uint64{"min_ulp_difference": &x.policy.MinULP, "max_ulp_difference": &x.policy.MaxULP} {
		if n, ok := numbers[name]; ok {
			u, err := strconv.ParseUint(n, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			*at = u
		}
	}
	if n, ok := numbers["tolerance"]; ok {
		var err error
		if x.policy.Atol, err = strconv.ParseFloat(n, 64); err != nil {
			return nil, fmt.Errorf("tolerance: %w", err)
		}
	}
	switch {
	case literal && len(values) == 1 && len(types) > 0:
		t, dims, err := parseTensor(types[0])
		if err != nil {
			return nil, err
		}
		if x.want, err = parseDense(body, t, dims); err != nil {
			return nil, err
		}
		x.actual, x.typ = values[0], types[len(types)-1]
	case !literal && len(values) == 2 && len(types) > 0:
		x.actual, x.typ, x.expected, x.other = values[0], types[0], values[1], types[min(1, len(types)-1)]
	default:
		return nil, fmt.Errorf("the check %s has %d operands and %d types", kind, len(values), len(types))
	}
	return x, nil
}

// maxCalls limits the functions that a constant is followed through. A function may call itself.
const maxCalls = 100

// constant returns the array that a value is, if it is a constant, or a result of a function that
// returns one.
func (c *converter) constant(f *function, name string) (*array.Array, error) {
	return c.constantWithin(f, name, 0)
}

func (c *converter) constantWithin(f *function, name string, calls int) (*array.Array, error) {
	if calls > maxCalls {
		return nil, fmt.Errorf("a constant comes through calls of functions that are nested more than %d deep", maxCalls)
	}
	s, n, err := f.define(name)
	if err != nil {
		return nil, err
	}
	if constantOp.MatchString(s.op) {
		return readConstant(s)
	}
	m := callOp.FindStringSubmatch(s.op)
	if m == nil {
		return nil, errNotConstant
	}
	for _, g := range c.all {
		if g.name != m[1] || g.params != "" {
			continue
		}
		values, err := g.returned()
		if err != nil {
			return nil, err
		}
		if n >= len(values) {
			return nil, fmt.Errorf("@%s has no result %d", g.name, n)
		}
		return c.constantWithin(g, values[n], calls+1)
	}
	return nil, errNotConstant
}

func readConstant(s *statement) (*array.Array, error) {
	body, rest, ok := dense(s.op)
	types := tensors(rest)
	if !ok || len(types) == 0 {
		return nil, fmt.Errorf("the suite cannot read the constant %q", cut(s.op))
	}
	t, dims, err := parseTensor(types[0])
	if err != nil {
		return nil, err
	}
	return parseDense(body, t, dims)
}

// inputs chooses the values that become parameters and reads them. It returns the names of the
// parameters by the values that they replace, and adds the arguments to the program.
func (c *converter) inputs() (map[string]string, error) {
	expected := map[string]bool{}
	for _, x := range c.checks {
		b, _ := base(x.expected)
		expected[b] = true
	}
	replaced := map[string]string{}
	put := func(name string, a *array.Array) {
		replaced[name] = fmt.Sprintf("%%input_%d", len(c.program.Args))
		c.program.Args = append(c.program.Args, a)
	}
	for i := range c.main.body {
		s := &c.main.body[i]
		m := callOp.FindStringSubmatch(s.op)
		if m == nil || len(s.results) != 1 || expected[s.results[0]] {
			continue
		}
		var names []string
		var arrays []*array.Array
		for n := range len(tensors(s.op)) {
			name := s.results[0]
			if len(tensors(s.op)) > 1 {
				name = fmt.Sprintf("%s#%d", name, n)
			}
			a, err := c.constant(c.main, name)
			if errors.Is(err, errNotConstant) {
				arrays = nil // the function computes
				break
			}
			if err != nil {
				return nil, err
			}
			names, arrays = append(names, name), append(arrays, a)
		}
		for i, a := range arrays {
			put(names[i], a)
		}
	}
	if len(replaced) > 0 {
		return replaced, nil
	}
	for i := range c.main.body {
		s := &c.main.body[i]
		if !constantOp.MatchString(s.op) || len(s.results) != 1 || expected[s.results[0]] || !c.main.free(s.results[0]) {
			continue
		}
		a, err := readConstant(s)
		if err != nil {
			return nil, err
		}
		put(s.results[0], a)
	}
	return replaced, nil
}

// bound matches operations in which only the first operand may be other than a constant.
var bound = regexp.MustCompile(`^"?stablehlo\.(?:dynamic_(?:broadcast|conv|gather|iota|pad|reshape)|real_dynamic_slice|set_dimension_size|rng\b)`)

// free reports whether a constant of the function can become a parameter: no operation requires
// it to be known, and no region captures it.
func (f *function) free(name string) bool {
	for i := range f.body {
		op := f.body[i].op
		for n, at := range value.FindAllStringIndex(op, -1) {
			if op[at[0]:at[1]] != name {
				continue
			}
			if n > 0 && bound.MatchString(op) || strings.Contains(op[:at[0]], "{") {
				return false
			}
		}
	}
	return true
}

// render writes the module with the function as a public main that returns the values.
func (c *converter) render(names, types []string, inputs map[string]string) string {
	params := make([]string, len(inputs))
	for i, a := range c.program.Args {
		params[i] = fmt.Sprintf("%%input_%d: %s", i, shape(a))
	}
	replace := func(text string) string {
		return value.ReplaceAllStringFunc(text, func(name string) string {
			if to, ok := inputs[name]; ok {
				return to
			}
			return name
		})
	}
	var b strings.Builder
	at := 0
	for _, f := range c.all {
		b.WriteString(c.module[at:f.begin])
		at = f.end
		if f != c.main {
			_, rest, _ := strings.Cut(c.module[f.begin:f.end], "@")
			b.WriteString("func.func private @" + rest)
			continue
		}
		fmt.Fprintf(&b, "func.func public @main(%s) -> (%s) {\n", strings.Join(params, ", "), strings.Join(types, ", "))
		for _, s := range f.body {
			if checkOp.MatchString(s.op) || returnOp.MatchString(s.op) || replacedBy(&s, inputs) {
				continue
			}
			b.WriteString(replace(strings.TrimRight(s.text, " \n")) + "\n")
		}
		for i := range names {
			names[i] = replace(names[i])
		}
		fmt.Fprintf(&b, "return %s : %s\n}", strings.Join(names, ", "), strings.Join(types, ", "))
	}
	b.WriteString(c.module[at:])
	return b.String()
}

// replacedBy reports whether the results of a statement became parameters.
func replacedBy(s *statement, inputs map[string]string) bool {
	if len(s.results) == 0 {
		return false
	}
	_, whole := inputs[s.results[0]]
	_, first := inputs[s.results[0]+"#0"]
	return whole || first
}
