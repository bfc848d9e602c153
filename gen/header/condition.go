// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"slices"
	"strconv"
	"strings"
)

// condition is an open #if.
type condition struct {
	outer bool // the surrounding text is active
	on    bool // this branch is
	taken bool // a branch was known to be taken
	maybe bool // it, or one around it, asks whether a header exists
}

// tests reports whether d is a condition that a compiler evaluates: it does not evaluate the
// #elif after a branch that it took.
func (l *lexer) tests(d directive) bool {
	switch d.name {
	case "if", "ifdef", "ifndef":
		return true
	case "elif", "elifdef", "elifndef":
		return len(l.cond) > 0 && !l.cond[len(l.cond)-1].taken
	}
	return false
}

func (l *lexer) conditional(d directive) {
	n := len(l.cond)
	switch d.name {
	case "if", "ifdef", "ifndef":
		v, outer := truth(d), l.active()
		asks := slices.ContainsFunc(d.toks, func(t token) bool { return strings.HasPrefix(t.text, "__has_include") })
		l.cond = append(l.cond, condition{outer: outer, on: outer && v != no, taken: v == yes, maybe: d.maybe || asks})
	case "elif":
		if n > 0 {
			c := &l.cond[n-1]
			v := truth(d)
			c.on = c.outer && !c.taken && v != no
			c.taken = c.taken || v == yes
		}
	case "else":
		if n > 0 {
			c := &l.cond[n-1]
			c.on = c.outer && !c.taken
		}
	case "endif":
		if n > 0 {
			l.cond = l.cond[:n-1]
		}
	}
}

// answer is what can be said about a condition by what the compiler alone defines, without
// knowing the macros of the headers.
type answer byte

const (
	unknown answer = iota
	yes
	no
)

func (a answer) not() answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

func answerOf(b bool) answer {
	if b {
		return yes
	}
	return no
}

// truth answers a condition.
func truth(d directive) answer {
	if len(d.toks) == 0 {
		return unknown
	}
	switch d.name {
	case "ifdef":
		return definedness(d.toks[0].text)
	case "ifndef":
		return definedness(d.toks[0].text).not()
	}
	e := evaluation{toks: d.toks}
	v := e.or()
	if e.lost || e.i < len(e.toks) {
		return unknown
	}
	return v.truth()
}

// definedness says whether the compiler defines a macro.
func definedness(name string) answer {
	switch {
	case foreign[name]:
		return no
	case isPredefined(name):
		return yes
	}
	return unknown
}

// evaluation is a condition that is being evaluated. It knows the logical operators and the
// comparisons, which are what conditions on compilers consist of, and is lost at all others.
type evaluation struct {
	toks  []token
	i     int
	depth int
	lost  bool
}

// operand is a value in a condition.
type operand struct {
	n     int64
	known bool
}

func known(n int64) operand { return operand{n: n, known: true} }

func logical(a answer) operand {
	switch a {
	case yes:
		return known(1)
	case no:
		return known(0)
	}
	return operand{}
}

func (o operand) truth() answer {
	if o.known {
		return answerOf(o.n != 0)
	}
	return unknown
}

func (e *evaluation) next(text string) bool {
	if e.i < len(e.toks) && e.toks[e.i].text == text && e.toks[e.i].kind != kindString {
		e.i++
		return true
	}
	return false
}

func (e *evaluation) or() operand {
	v := e.and()
	for e.next("||") {
		a, b := v.truth(), e.and().truth()
		switch {
		case a == yes || b == yes:
			v = known(1)
		case a == no && b == no:
			v = known(0)
		default:
			v = operand{}
		}
	}
	return v
}

func (e *evaluation) and() operand {
	v := e.comparison()
	for e.next("&&") {
		a, b := v.truth(), e.comparison().truth()
		switch {
		case a == no || b == no:
			v = known(0)
		case a == yes && b == yes:
			v = known(1)
		default:
			v = operand{}
		}
	}
	return v
}

func (e *evaluation) comparison() operand {
	v := e.unary()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if !e.next(op) {
			continue
		}
		w := e.unary()
		if !v.known || !w.known {
			return operand{}
		}
		return logical(answerOf(compare(op, v.n, w.n)))
	}
	return v
}

func compare(op string, a, b int64) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	case "<":
		return a < b
	}
	return a > b
}

func (e *evaluation) unary() operand {
	if e.depth++; e.depth > maxNesting {
		e.lost = true
		return operand{}
	}
	defer func() { e.depth-- }()
	switch {
	case e.next("!"):
		return logical(e.unary().truth().not())
	case e.next("("):
		v := e.or()
		e.lost = e.lost || !e.next(")")
		return v
	case e.next("defined"):
		open := e.next("(")
		name := e.take()
		e.lost = e.lost || open && !e.next(")")
		return logical(definedness(name.text))
	}
	return e.primary()
}

// take returns the next token and goes past it.
func (e *evaluation) take() token {
	if e.i == len(e.toks) {
		e.lost = true
		return token{}
	}
	e.i++
	return e.toks[e.i-1]
}

// primary evaluates a number or a name. What a function-like macro returns is not known.
func (e *evaluation) primary() operand {
	switch t := e.take(); t.kind {
	case kindNumber:
		if n, err := strconv.ParseInt(strings.TrimRight(t.text, "uUlL"), 0, 64); err == nil {
			return known(n)
		}
	case kindIdent:
		if e.next("(") {
			for depth := 1; depth > 0 && !e.lost; {
				switch e.take().text {
				case "(":
					depth++
				case ")":
					depth--
				}
			}
			return operand{}
		}
		if foreign[t.text] {
			return known(0)
		}
		return predefinedValue(t.text)
	default:
		e.lost = true
	}
	return operand{}
}
