// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// parallelOp runs programs side by side in StableHLO's interpreter: a grid of them, by
// replica and partition, with the operands and results of all programs in one list.
const parallelOp = "interpreter.run_parallel"

var (
	parallelGrid = regexp.MustCompile(`programs\s*=\s*\[((?:\s*\[[^\[\]]*\]\s*,?)+)\]`)
	parallelRow  = regexp.MustCompile(`\[([^\[\]]*)\]`)
	gridName     = regexp.MustCompile(`^\s*(?:@([\w$.-]+)|@?"([\w$.-]+)")\s*$`)
)

// launchOf is a run_parallel operation as one executable for several devices.
type launchOf struct {
	statement            *statement
	callee               string
	replicas, partitions int
	in, out              []string // types of one device
}

// devices returns how many devices the executable takes.
func (l *launchOf) devices() int { return l.replicas * l.partitions }

// parallel makes the program for a function that runs programs side by side and checks
// their results.
func (c *converter) parallel() error {
	l, err := c.launch()
	if err != nil {
		return err
	}
	for _, operand := range operandsOf(l.statement.op) {
		a, err := c.constant(c.main, operand)
		if errors.Is(err, errNotConstant) {
			return &Unusable{fmt.Sprintf("the argument %s of its programs is computed", operand)}
		}
		if err != nil {
			return err
		}
		c.program.Args = append(c.program.Args, a)
	}
	c.program.Results = make([]Result, l.devices()*len(l.out))
	for i := range c.program.Results {
		c.program.Results[i].Free = true
	}
	for _, x := range c.checks {
		if err := c.expect(l, &x); err != nil {
			return err
		}
	}
	c.program.Replicas, c.program.Partitions = l.replicas, l.partitions
	c.program.Code = []byte(c.renderParallel(l))
	c.program.finish()
	return nil
}

// launch finds the operation and reads what it runs.
func (c *converter) launch() (*launchOf, error) {
	l := &launchOf{}
	for i := range c.main.body {
		if s := &c.main.body[i]; strings.Contains(s.op, parallelOp) {
			if l.statement != nil {
				return nil, &Unusable{"it runs programs side by side more than once"}
			}
			l.statement = s
		}
	}
	if l.statement == nil {
		return nil, &Unusable{"the programs run side by side in another function than the one that checks them"}
	}
	if strings.Contains(l.statement.op, "infeed") {
		return nil, &Unusable{"its programs read an infeed, which PJRT has no call for"}
	}
	m := parallelGrid.FindStringSubmatch(l.statement.op)
	if m == nil {
		return nil, fmt.Errorf("the suite cannot read the programs of %q", cut(l.statement.op))
	}
	for _, row := range parallelRow.FindAllStringSubmatch(m[1], -1) {
		names := strings.Split(row[1], ",")
		if l.partitions == 0 {
			l.partitions = len(names)
		}
		if len(names) != l.partitions {
			return nil, errors.New("its replicas have different numbers of partitions")
		}
		l.replicas++
		for _, text := range names {
			n := gridName.FindStringSubmatch(text)
			if n == nil {
				return nil, fmt.Errorf("%q is not the name of a program", strings.TrimSpace(text))
			}
			name := n[1] + n[2]
			if l.callee != "" && l.callee != name {
				return nil, &Unusable{"its devices run different programs, which are not one executable"}
			}
			l.callee = name
		}
	}
	return l, l.signature()
}

// signature reads the types of the operation: those of all devices, which must be the same
// for each.
func (l *launchOf) signature() error {
	in, out, err := functionType(l.statement.op)
	if err != nil {
		return err
	}
	n := l.devices()
	if len(in)%n != 0 || len(out)%n != 0 {
		return fmt.Errorf("%d operands and %d results are not for %d devices", len(in), len(out), n)
	}
	l.in, l.out = in[:len(in)/n], out[:len(out)/n]
	for i, t := range slices.Concat(in, out) {
		list, at := l.in, i
		if i >= len(in) {
			list, at = l.out, i-len(in)
		}
		if len(list) > 0 && list[at%len(list)] != t {
			return &Unusable{"its devices take or return values of different types"}
		}
		if !strings.HasPrefix(t, "tensor<") {
			return &Unusable{fmt.Sprintf("its programs take or return a value of the type %s, which is not an array", t)}
		}
	}
	return nil
}

// expect turns a check into the expectation of one result of one device.
func (c *converter) expect(l *launchOf, x *expectation) error {
	s, n, err := c.main.define(x.actual)
	switch {
	case err != nil:
		return err
	case s != l.statement:
		return &Unusable{fmt.Sprintf("%s, which is checked, is computed from the results of several devices", x.actual)}
	case n >= len(c.program.Results):
		return fmt.Errorf("there is no result %s", x.actual)
	case !c.program.Results[n].Free:
		return &Unusable{fmt.Sprintf("%s is checked twice", x.actual)}
	}
	want := x.want
	if want == nil {
		if want, err = c.constant(c.main, x.expected); errors.Is(err, errNotConstant) {
			return &Unusable{fmt.Sprintf("the expected value of %s is computed", x.actual)}
		}
	}
	c.program.Results[n] = Result{Want: want, Policy: x.policy}
	return err
}

// renderParallel writes a module whose main is what each device runs. Partitions of one
// replica usually have parts of one array, and see data of their own only if the sharding
// is manual: so all arrays get a first dimension whose elements are the partitions.
func (c *converter) renderParallel(l *launchOf) string {
	var b strings.Builder
	for line := range strings.Lines(c.module[:c.all[0].begin]) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "!") {
			b.WriteString(line)
		}
	}
	fmt.Fprintf(&b, "module @parallel attributes {mhlo.num_replicas = %d : i32, mhlo.num_partitions = %d : i32} {\n", l.replicas,
		l.partitions)
	for _, f := range c.all {
		if f != c.main {
			_, rest, _ := strings.Cut(c.module[f.begin:f.end], "@")
			b.WriteString("func.func private @" + rest + "\n")
		}
	}
	if l.partitions > 1 {
		l.renderPartitioned(&b)
	} else {
		l.renderReplicated(&b)
	}
	b.WriteString("}\n")
	return b.String()
}

// renderReplicated writes a main that calls the program.
func (l *launchOf) renderReplicated(b *strings.Builder) {
	var params []string
	for i, t := range l.in {
		params = append(params, fmt.Sprintf("%%a%d: %s", i, t))
	}
	fmt.Fprintf(b, "func.func public @main(%s) -> (%s) {\n", strings.Join(params, ", "), strings.Join(l.out, ", "))
	l.call(b)
	fmt.Fprintf(b, "return%s\n}\n", typedList("r#", l.out))
}

// renderPartitioned writes a main that gives each partition its own element of the
// arguments, calls the program and makes arrays from the results.
func (l *launchOf) renderPartitioned(b *strings.Builder) {
	const manual = `{mhlo.sharding = "{manual}"}`
	var params, results, whole []string
	for i, t := range l.in {
		params = append(params, fmt.Sprintf("%%w%d: %s %s", i, leading(t, l.partitions), l.sharding(t)))
	}
	for _, t := range l.out {
		whole = append(whole, leading(t, l.partitions))
		results = append(results, leading(t, l.partitions)+" "+l.sharding(t))
	}
	fmt.Fprintf(b, "func.func public @main(%s) -> (%s) {\n", strings.Join(params, ", "), strings.Join(results, ", "))
	for i, t := range l.in {
		all, one := leading(t, l.partitions), leading(t, 1)
		fmt.Fprintf(b, "%%s%d = stablehlo.custom_call @Sharding(%%w%d) %s : (%s) -> %s\n", i, i, l.sharding(t), all, all)
		fmt.Fprintf(b, "%%m%d = stablehlo.custom_call @SPMDFullToShardShape(%%s%d) %s : (%s) -> %s\n", i, i, manual, all, one)
		fmt.Fprintf(b, "%%a%d = stablehlo.reshape %%m%d : (%s) -> %s\n", i, i, one, t)
	}
	l.call(b)
	for i, t := range l.out {
		all, one := leading(t, l.partitions), leading(t, 1)
		fmt.Fprintf(b, "%%o%d = stablehlo.reshape %%r#%d : (%s) -> %s\n", i, i, t, one)
		fmt.Fprintf(b, "%%p%d = stablehlo.custom_call @Sharding(%%o%d) %s : (%s) -> %s\n", i, i, manual, one, one)
		fmt.Fprintf(b, "%%f%d = stablehlo.custom_call @SPMDShardToFullShape(%%p%d) %s : (%s) -> %s\n", i, i, l.sharding(t), one, all)
	}
	fmt.Fprintf(b, "return%s\n}\n", typedList("f", whole))
}

// sharding returns the attribute that splits the first dimension.
func (l *launchOf) sharding(t string) string {
	extents := fmt.Sprint(l.partitions) + strings.Repeat(",1", rank(t))
	var ids []string
	for i := range l.partitions {
		ids = append(ids, fmt.Sprint(i))
	}
	return fmt.Sprintf(`{mhlo.sharding = "{devices=[%s]%s}"}`, extents, strings.Join(ids, ","))
}

// call writes a call of the program with %a0 and so on.
func (l *launchOf) call(b *strings.Builder) {
	if len(l.out) > 0 {
		fmt.Fprintf(b, "%%r:%d = ", len(l.out))
	}
	var args []string
	for i := range l.in {
		args = append(args, fmt.Sprintf("%%a%d", i))
	}
	fmt.Fprintf(b, "func.call @%s(%s) : (%s) -> (%s)\n", l.callee, strings.Join(args, ", "), strings.Join(l.in, ", "),
		strings.Join(l.out, ", "))
}

// typedList lists values and then their types, as a return does.
func typedList(prefix string, types []string) string {
	if len(types) == 0 {
		return ""
	}
	var names []string
	for i := range types {
		names = append(names, fmt.Sprintf("%%%s%d", prefix, i))
	}
	return " " + strings.Join(names, ", ") + " : " + strings.Join(types, ", ")
}

// leading puts a dimension in front of those of a tensor type.
func leading(t string, n int) string {
	return fmt.Sprintf("tensor<%dx%s", n, strings.TrimPrefix(t, "tensor<"))
}

// rank returns the number of dimensions of a tensor type; types that cannot be read have
// been refused before.
func rank(t string) int {
	_, dims, err := parseTensor(t)
	if err != nil {
		return 0
	}
	return len(dims)
}

// functionType reads the types at the end of an operation: (in, in) -> (out, out).
func functionType(op string) (in, out []string, err error) {
	at := strings.LastIndex(op, "->")
	begin := strings.LastIndex(op[:max(at, 0)], ": (")
	if at < 0 || begin < 0 {
		return nil, nil, fmt.Errorf("the suite cannot read the types of %q", cut(op))
	}
	left := strings.TrimSpace(op[begin+1 : at])
	right := strings.TrimSpace(op[at+len("->"):])
	return typeList(left), typeList(right), nil
}

// typeList splits types at their commas. A single one may have parentheses around it.
func typeList(text string) []string {
	if strings.HasPrefix(text, "(") {
		if end := closing(text, 0); end > 0 {
			text = text[1:end]
		}
	}
	var list []string
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		list = append(list, last)
	}
	return list
}

// operandsOf returns the values between the parentheses of an operation in the generic
// form.
func operandsOf(op string) []string {
	begin := strings.Index(op, "(")
	if begin < 0 {
		return nil
	}
	end := closing(op, begin)
	if end < 0 {
		return nil
	}
	return operands(op[begin:end])
}
