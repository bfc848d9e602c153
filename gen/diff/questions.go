// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Question is a table of exceptions of gen/golang that may need an entry.
type Question struct {
	Table string // the name of the Go variable
	Item  string // the key that the entry would have
	Why   string
}

// Questions asks about each new item what a maintainer would. describe is the text of
// capi/describe/zz_describe.go, generated from the new headers.
func Questions(items []Addition, describe string) []Question {
	q := &questions{describe: describe}
	args := make(map[string]bool) // the structs that are the arguments of a function
	for _, i := range items {
		for _, f := range i.Header.Functions {
			args[f.ArgsStruct] = true
		}
	}
	for _, i := range items {
		switch i.Item {
		case ItemFunction:
			q.function(i)
		case ItemCallback:
			q.callback(i)
		case ItemStruct, ItemField:
			name := strings.TrimPrefix(i.Name, "struct ")
			if i.Item == ItemField {
				name = i.Parent
			}
			all := structOf(i.Header, name)
			if all == nil {
				continue
			}
			if i.Item == ItemStruct {
				q.record(i.Header, all, args[name])
			}
			for _, f := range model.Leaves(i.fields) {
				q.field(all, f, args[name])
			}
		case ItemEnum:
			q.enum(i)
		}
	}
	return q.list
}

type questions struct {
	describe string
	list     []Question
}

func (q *questions) ask(table, item, format string, args ...any) {
	q.list = append(q.list, Question{table, item, fmt.Sprintf(format, args...)})
}

func structOf(h *model.Header, name string) *model.Struct {
	for i := range h.Structs {
		if h.Structs[i].Name == name {
			return &h.Structs[i]
		}
	}
	return nil
}

// function asks whether a function may take the short call path. Those that free, copy or
// wait have names that say so, and those that return an object have an out handle.
func (q *questions) function(i Addition) {
	if i.fn.Ret != "void" && !i.fn.ReturnsError {
		q.ask("resultErrors", i.Name, "it returns %s: is this its result, and not an error?", i.fn.Ret)
	}
	s := structOf(i.Header, i.fn.ArgsStruct)
	if s == nil {
		return
	}
	ins, outs := 0, 0
	for _, f := range model.Leaves(s.Fields) {
		switch {
		case f.Name == "struct_size" || f.Name == "extension_start":
		case f.Kind == "fnptr", strings.HasSuffix(f.Name, "_deleter"), strings.Contains(f.Base, "Event"),
			strings.Contains(f.Base, "Callback"):
			return
		case f.Dir == model.DirOut:
			outs++
		default:
			ins++
		}
	}
	for _, verb := range []string{"Destroy", "Delete", "Create", "Copy", "Await", "Execute", "Compile", "Free", "Set", "Register"} {
		if strings.Contains(i.Name, verb) {
			return
		}
	}
	if ins <= 2 && outs > 0 {
		q.ask("pure", i.Name, "it seems only to read what is at hand: is it true that it never waits, calls back or frees anything?")
	}
}

func (q *questions) callback(i Addition) {
	lower := strings.ToLower(i.Name)
	for _, w := range []string{"delete", "destroy", "free", "cleanup", "release"} {
		if strings.Contains(lower, w) {
			q.ask("deleterWords", i.Name, "it seems to free something: does its Go name end in one of the words?")
			return
		}
	}
}

func (q *questions) record(h *model.Header, s *model.Struct, args bool) {
	if size := s.StructSize; size != nil && size.TrueLastField != "" {
		q.ask("staleArgs", s.Name, "its size constant ends at %s, before its last field %s: until which minor?",
			size.LastField, size.TrueLastField)
	}
	if slices.ContainsFunc(s.Fields, func(f model.Field) bool { return f.Anonymous == "union" }) {
		q.ask("unionNames", s.Name, "it has a union without a name: what is the Go field called, if not Union?")
	}
	if !args && s.HasStructSize {
		for _, other := range h.Structs {
			for _, f := range other.Fields {
				if f.Base == s.Name && f.Ptr == 1 && len(counts(&other, f.Name)) > 0 {
					q.ask("elementStructs", s.Name, "%s.%s is an array of it: does its size belong to each element?", other.Name, f.Name)
					return
				}
			}
		}
	}
}

// counts returns the fields that count a list of this name, as the generator sees it.
func counts(s *model.Struct, list string) (found []string) {
	for _, name := range model.CountNames(list) {
		if slices.ContainsFunc(s.Fields, func(f model.Field) bool { return f.Name == name && f.Ptr == 0 }) {
			found = append(found, name)
		}
	}
	return found
}

// hasLengths reports whether a field has a name for the lengths of a list of texts.
func hasLengths(s *model.Struct, list string) bool {
	return slices.ContainsFunc(s.Fields, func(f model.Field) bool {
		return f.Ptr == 1 && slices.Contains(model.LengthNames(list), f.Name)
	})
}

func (q *questions) field(s *model.Struct, f model.Field, args bool) {
	key := s.Name + "." + f.Name
	counted := len(counts(s, f.Name)) > 0
	switch {
	case f.Base == "void" && f.Ptr == 1:
		q.ask("wordNames", key, "a %s: if it may hold a number, a function or a device address, and not a host address, its name "+
			"belongs here, or the field in wordExceptions", strings.TrimSpace(f.Type))
	case f.Kind == "struct" && f.Ptr == 0 && f.Dir == model.DirOut:
		q.ask("unsetByPlugins", key, "a struct by value that the plugin fills: does it leave some of its pointers unset?")
	}
	switch {
	case f.Dir == model.DirOut && f.Ptr > 0 && (f.Ptr > 1 && !strings.Contains(f.Type, "const") || f.Base == "void"):
		q.ask("callerMemory", key, "an out array: is the array itself memory of the caller, which the function fills?")
	case args && f.Dir == model.DirNone && f.Ptr == 1 && isScalar(f) && !strings.HasPrefix(f.Type, "const"):
		q.ask("unmarkedOut", key, "a %s without a mark: does the function fill it? (Memory of the caller belongs in filled.)", f.Type)
	}
	if f.Dir == model.DirOut && f.Ptr > 0 && f.Kind == "pointer" && !counted {
		q.ask("mayBeNull", key, "may it be null although the function succeeded?")
	}
	if q.isAddress(s.Name, f.Name) && !(f.Base == "void" && f.Ptr == 1) {
		q.ask("countedBy", key, "describe shows an address only: what counts it? "+
			"(A text that ends with a zero byte belongs in zeroTerminated.)")
	}
	if f.Ptr == 2 && f.Base == "char" && !hasLengths(s, f.Name) {
		q.ask("sizedBy", key, "a list of texts: which field holds their lengths?")
	}
	if f.Ptr == 0 && f.Kind == "int" {
		if list, ok := countOf(f.Name); ok && !hasList(s, list) && !q.isCount(s.Name, f.Name) {
			q.ask("countedBy", s.Name, "%s counts something, and no list has its name", f.Name)
		}
	}
}

func isScalar(f model.Field) bool {
	switch f.Base {
	case "bool", "char", "float", "double", "int", "size_t", "int32_t", "int64_t", "uint8_t", "uint32_t", "uint64_t":
		return true
	}
	return false
}

// countOf returns the list that a count of this name would have.
func countOf(name string) (string, bool) {
	if list, ok := strings.CutPrefix(name, "num_"); ok {
		return list, true
	}
	for _, end := range []string{"_size", "_count", "_len"} {
		if list, ok := strings.CutSuffix(name, end); ok && name != "struct_size" {
			return list, true
		}
	}
	return "", false
}

func hasList(s *model.Struct, list string) bool {
	return slices.ContainsFunc(s.Fields, func(f model.Field) bool { return f.Name == list && f.Ptr > 0 })
}

// block returns what package describe says of a struct.
func (q *questions) block(s string) string {
	_, rest, ok := strings.Cut(q.describe, fmt.Sprintf("Struct{Name: %q,", s))
	if !ok {
		return ""
	}
	block, _, _ := strings.Cut(rest, "\n}}\n")
	return block
}

// isAddress reports whether package describe shows a field as an address and no more.
func (q *questions) isAddress(s, field string) bool {
	for line := range strings.Lines(q.block(s)) {
		if strings.Contains(line, fmt.Sprintf("{Name: %q,", field)) {
			return strings.Contains(line, "Kind: Address")
		}
	}
	return false
}

// isCount reports whether package describe knows a field as the count of another.
func (q *questions) isCount(s, field string) bool {
	for line := range strings.Lines(q.block(s)) {
		if _, counts, ok := strings.Cut(line, "Counts: "); ok && strings.Contains(counts, fmt.Sprintf("%q", field)) {
			return true
		}
	}
	return false
}

func (q *questions) enum(i Addition) {
	for _, v := range i.enum.Values {
		if !strings.HasPrefix(plain(v.Name), plain(i.Name)) {
			q.ask("valuePrefixes", i.Name, "its value %s does not begin with its name: what is left out in Go?", v.Name)
			return
		}
	}
}
