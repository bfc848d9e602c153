// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"modernc.org/cc/v4"
)

// explain turns the first error of the C front end into one that names the
// place in the original.
func (t *translation) explain(err error) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	file, line, col, msg, ok := splitPosition(first)
	s, rw := t.main, t.rw
	switch {
	case !ok:
		// The front end gives no place to a type that it does not have.
		name, _, _ := strings.Cut(first, " not supported on ")
		if i := slices.IndexFunc(s.toks, func(tok token) bool { return tok.text == name }); i >= 0 && withoutCounterpart(name) != "" {
			return s.errorAt(i, "%s", withoutCounterpart(name))
		}
		return s.errorf(1, 1, "%s", t.plain(first))
	case file == endName:
		return t.main.errorAt(len(t.main.toks), "the header ends in the middle of a declaration: "+
			"end it with a semicolon, or close what is open")
	case file == mainName:
	case t.rws[file] != nil:
		s, rw = t.files[file], t.rws[file]
	default:
		return t.main.errorf(1, 1, "%s", t.plain(msg))
	}
	col = original(t.shifts[file], line, col)
	i, found := s.byPos[[2]int{line, col}]
	late := strings.HasSuffix(msg, ":)")
	msg = t.plain(msg)
	if rest, ok := strings.CutPrefix(msg, "unexpected "); ok && found {
		if rw.usesAsType(i - 1) {
			return t.undeclared(s, rw, i-1, fmt.Sprintf("unexpected %q after %s", s.toks[i].text, s.toks[i-1].text))
		}
		_, want, _ := strings.Cut(rest, ", ")
		if want != "" {
			want = ", " + want
		}
		return s.errorf(line, col, "unexpected %q%s: this is neither C nor C++ that can be left out; write the declaration in C",
			s.toks[i].text, want)
	}
	if strings.HasPrefix(msg, "TODO ") {
		msg = "the words before this declare nothing that C knows: is a semicolon missing?"
	}
	e := &Error{Path: s.path, Line: line, Col: col, Msg: msg}
	if typ, member, ok := strings.Cut(msg, " has no member named "); ok {
		typ, _, _ = strings.Cut(strings.TrimPrefix(typ, "type "), " {")
		e.Member, e.Msg = member, fmt.Sprintf("%s has no field %s: name one that it has", typ, member)
	}
	if late {
		return &lateError{e, file, i}
	}
	return e
}

// usesAsType reports whether the token at i can only be the name of a type, or
// of a macro: a name with no type before it.
func (r *remover) usesAsType(i int) bool {
	if !r.ident(i) {
		return false
	}
	return i == 0 || r.toks[i-1].kind == kindPunct && r.toks[i-1].text != "*" || qualifiers[r.toks[i-1].text] ||
		r.isMacro(r.toks[i-1].text)
}

// undeclared returns the error that nothing declares the name at i.
func (t *translation) undeclared(s *source, rw *remover, i int, what string) *Error {
	name := s.toks[i].text
	kind, state := "the type ", "declared"
	if rw.is(i+1, "(") {
		kind, state = "the macro ", "defined"
	}
	var todo string
	switch _, tag := t.tags[name]; {
	case len(t.absent) > 0:
		var list []string
		for _, a := range t.absent {
			list = append(list, a.name)
		}
		more := ""
		if len(list) > 3 {
			list, more = list[:3], fmt.Sprintf(" and %d more", len(list)-3)
		}
		todo = fmt.Sprintf("%s%s, which it includes, cannot be found: give the directory that holds xla/ with -I",
			quoted(list), more)
	case tag:
		todo = fmt.Sprintf("write %s %s, or give it a typedef", t.tags[name], name)
	default:
		todo = "write it here, or include the header that has it"
	}
	if what != "" {
		what += ": "
	}
	return &Error{Path: s.path, Line: s.toks[i].line, Col: s.toks[i].col, undeclared: name,
		Msg: fmt.Sprintf("%s%s%s is not %s: %s", what, kind, name, state, todo)}
}

func quoted(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", s)
	}
	return b.String()
}

// plain returns a message of the front end without what only its authors understand.
func (t *translation) plain(msg string) string {
	ids := sortedKeys(t.spelled)
	slices.Reverse(ids) // __cxx_10 before __cxx_1
	for _, id := range ids {
		msg = strings.ReplaceAll(msg, id, t.spelled[id])
	}
	msg = previous.ReplaceAllStringFunc(msg, func(at string) string {
		if strings.Contains(at, mainName) {
			return strings.Replace(strings.TrimSuffix(at, ":"), mainName, t.main.path, 1)
		}
		return ""
	})
	msg = strings.ReplaceAll(msg, mainName, t.main.path)
	// The front end adds where in its own source it found the fault.
	if i := strings.LastIndex(msg, " ("); i >= 0 && strings.HasSuffix(msg, ":)") && strings.Contains(msg[i:], ".go:") {
		msg = msg[:i]
	}
	if strings.HasPrefix(msg, "macro expansion limit") {
		return fmt.Sprintf("macros expand in more than %d steps: call fewer macros within macros", maxExpansion)
	}
	if len(msg) > maxMessage { // types are spelled with all their fields
		msg = msg[:maxMessage] + " ..."
	}
	return strings.TrimRight(msg, ": ")
}

const maxMessage = 300

// previous is what the front end says about the other declaration of a name, which may be one that
// no file has.
var previous = regexp.MustCompile(`, previous declaration at [^:]*:[0-9]+:[0-9]+:`)

// lateError is an error that the front end found after it had read everything. Such
// errors come in no fixed order.
type lateError struct {
	fault *Error
	file  string
	token int
}

func (e *lateError) Error() string { return e.fault.Error() }

// earliest finds the first of the errors, of which the front end reported one: it drops
// the declaration with the error and everything after it, until the rest has no error.
func (t *translation) earliest(err error) error {
	var late *lateError
	if !errors.As(err, &late) {
		return err
	}
	if late.file != mainName {
		// A fault of an included header is also there when the header is read alone.
		s := t.files[late.file]
		if _, alone := ParseText(s.path, s.text, t.opts); alone != nil {
			return alone
		}
		return late.fault
	}
	for {
		k := sort.SearchInts(t.rw.starts, late.token+1) - 1
		if k < 0 || t.rw.starts[k] == 0 {
			return late.fault
		}
		var sooner *lateError
		if !errors.As(t.run(t.rw.starts[k]), &sooner) || sooner.file != mainName || sooner.token >= t.rw.starts[k] {
			return late.fault
		}
		late = sooner
	}
}

// untyped fails on a declaration without a type, which C allowed once: it is the
// call of a macro that nothing defines.
func (x *extractor) untyped(d *cc.Declaration) {
	if decl := d.InitDeclaratorList.InitDeclarator.Declarator; decl != nil {
		x.undeclaredAt(decl.NameTok())
	}
}

// undeclaredAt fails on a name in the place of a type, which the front end takes for
// something else.
func (x *extractor) undeclaredAt(tok cc.Token) {
	if x.err != nil {
		return
	}
	i, ok := x.tokenAt(tok)
	if !ok {
		return // in a header that has been included, or made by a macro
	}
	x.err = x.undeclared(x.main, x.rw, i, "")
}
