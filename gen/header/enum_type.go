// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// mayStateEnumTypes reports whether checkEnumTypes can find anything in these sources. Most headers
// state no type for the values of an enum, and have no colon outside comments.
func mayStateEnumTypes(sources map[string]*remover) bool {
	for _, r := range sources {
		if r.colon || slices.ContainsFunc(r.edits, func(e edit) bool { return strings.Contains(e.repl+e.suffix, ":") }) {
			return true
		}
	}
	return false
}

// checkEnumTypes returns an error if an enum states a type for its values that is no integer type,
// or may be none. C++ wants an integer type there. The front end takes any, and ends the process if
// an enum leads to itself: it asks the enum for its size, which asks itself.
func checkEnumTypes(ast *cc.AST) error {
	types := enumTypes{others: map[string]bool{}}
	for l := ast.TranslationUnit; l != nil && types.err == nil; l = l.TranslationUnit {
		types.visit(reflect.ValueOf(l.ExternalDeclaration))
	}
	return types.err
}

type enumTypes struct {
	others map[string]bool // names that typedefs give to types that are no integer types, or may be none
	err    error           // about the first such enum
}

// visit looks at a node and at all that it consists of.
func (e *enumTypes) visit(n reflect.Value) {
	switch n.Kind() {
	case reflect.Interface:
		e.visit(n.Elem())
	case reflect.Pointer:
		if n.IsNil() {
			return
		}
		if s, ok := n.Interface().(*cc.EnumSpecifier); ok && s.EnumTypeSpecifier != nil {
			e.check(s)
		}
		e.visit(n.Elem())
		if d, ok := n.Interface().(*cc.Declaration); ok {
			e.declare(d)
		}
	case reflect.Struct:
		if n.Type() == reflect.TypeFor[cc.Token]() {
			return
		}
		for i := range n.NumField() {
			if n.Type().Field(i).IsExported() {
				e.visit(n.Field(i))
			}
		}
	}
}

func (e *enumTypes) check(s *cc.EnumSpecifier) {
	for _, t := range cc.NodeTokens(s.EnumTypeSpecifier) {
		if e.err == nil && e.isOther(t) {
			e.err = fmt.Errorf("%v: the type of an enum's values must be an integer type, such as int32_t, and not %s",
				t.Position(), t.SrcStr())
		}
	}
}

// declare notes the names that a typedef gives to other types than integers.
func (e *enumTypes) declare(d *cc.Declaration) {
	specifiers := cc.NodeTokens(d.DeclarationSpecifiers)
	isTypedef := slices.ContainsFunc(specifiers, func(t cc.Token) bool { return t.SrcStr() == "typedef" })
	if !isTypedef || !slices.ContainsFunc(specifiers, e.isOther) {
		return
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		e.others[l.InitDeclarator.Declarator.Name()] = true
	}
}

// isOther reports whether a token of a type says that it is no integer type, or leaves it open.
func (e *enumTypes) isOther(t cc.Token) bool {
	switch word := t.SrcStr(); word {
	case "enum", "struct", "union", "void", "float", "double", "typeof", "__typeof", "__typeof__", "_Atomic":
		return true
	default:
		return e.others[word]
	}
}
