// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strings"
)

// checkTested returns an error if a condition tests a macro of which the reader cannot know
// whether a C compiler would see it: one that only a compiler or a header that is not read may
// define. The front end would take it for undefined, and leave out fields without a word.
func (u *unit) checkTested() error {
	if err := u.checkConditions(u.main); err != nil {
		return err
	}
	for _, name := range sortedKeys(u.files) {
		if s := u.files[name]; s != nil {
			if err := u.checkConditions(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *unit) checkConditions(s *source) error {
	for i, d := range s.dirs {
		if !d.tested {
			continue
		}
		for _, t := range testedNames(d) {
			if why := u.whyUnknown(s, i, t.text); why != "" {
				return s.errorf(t.line, t.col, "#%s tests %s, %s", d.name, t.text, why)
			}
		}
	}
	return nil
}

// testedNames returns the names of macros in a condition.
func testedNames(d directive) (names []token) {
	for i := 0; i < len(d.toks); i++ {
		t := d.toks[i]
		switch {
		case t.kind != kindIdent || t.text == "defined":
		case strings.HasPrefix(t.text, "__has_") && i+1 < len(d.toks) && d.toks[i+1].text == "(":
			names = append(names, t)
			if m := matching(d.toks, i+1); m > 0 {
				i = m
			}
		default:
			names = append(names, t)
		}
		if d.name != "if" && d.name != "elif" {
			break
		}
	}
	return names
}

// whyUnknown says why nobody knows the value of the macro that the directive i of s tests, and
// what to do. It returns nothing if the value is known.
func (u *unit) whyUnknown(s *source, i int, name string) string {
	if foreign[name] || isPredefined(name) || preludeMacros[name] || u.settled(s, i, name) {
		return ""
	}
	for _, a := range u.absent {
		if a.sure {
			at := fmt.Sprintf("line %d", a.line)
			if a.by != s {
				at += " of " + a.by.path
			}
			return fmt.Sprintf("which nothing before it defines, and %q, which %s includes, cannot be found: "+
				"give the directory that holds it with -I", a.name, at)
		}
	}
	for _, n := range sortedKeys(u.unread) {
		if defines(u.unread[n], name) {
			return fmt.Sprintf("which %q defines, and that is not read because it is C++: define it in a header that is C", n)
		}
	}
	_, defined := u.macros[name]
	switch header := standardMacros[name]; {
	case defined:
		return ""
	case header != "" && !u.includes(header):
		return fmt.Sprintf("which <%s> defines and nothing includes: include it", header)
	case header != "":
		return ""
	case unsure[name] != "":
		return unsure[name]
	case mayBePredefined(name):
		return "which compilers may define and this reader does not know: test another macro, or define it in the header"
	}
	return ""
}

// settled reports whether the sources that are read decide what the macro is at the directive i
// of s: it is defined before that, in an included header, or as an include guard.
func (u *unit) settled(s *source, i int, name string) bool {
	if i+1 < len(s.dirs) {
		if next := s.dirs[i+1]; next.name == "define" && len(next.toks) == 1 && next.toks[0].text == name {
			return true
		}
	}
	for _, d := range s.dirs[:i] {
		if (d.name == "define" || d.name == "undef") && len(d.toks) > 0 && d.toks[0].text == name {
			return true
		}
	}
	for _, other := range append(sortedKeys(u.files), mainName) {
		if o := u.files[other]; other == mainName && s != u.main && defines(u.main, name) || o != nil && o != s && defines(o, name) {
			return true
		}
	}
	return false
}

// includes reports whether a source includes a standard header, by its name in C or in C++, or
// another one that includes it.
func (u *unit) includes(header string) bool {
	return u.standard[header] || u.standard["c"+strings.TrimSuffix(header, ".h")] || header == "endian.h" && u.standard["sys/types.h"]
}
