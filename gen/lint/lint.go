// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lint finds faults in C headers that declare PJRT or an extension of it: what
// keeps a struct from growing, what readers of other versions would take for something
// else, and, against an older version of the header, what breaks the ABI.
//
// It reports what the header says, whoever wrote it. A fault that has been released
// stays, because its correction would break the ABI too.
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Rule names what a finding is about.
type Rule string

// The rules.
const (
	NoStructSize   Rule = "no-struct-size"   // a struct that cannot say how large it is
	StructSizeLate Rule = "struct-size-late" // struct_size that is not where every reader looks for it
	NoSizeConstant Rule = "no-size-constant" // a struct_size without a constant to put into it
	MissingField   Rule = "missing-field"    // a size constant that names a field that the struct does not have
	StaleSize      Rule = "stale-size"       // a size constant that does not end with the last field
	HiddenSize     Rule = "hidden-size"      // a size constant that has the name of a macro
	Hole           Rule = "hole"             // padding between fields
	Renumbered     Rule = "renumbered"       // an enumerator with another number than before
	Inserted       Rule = "inserted"         // a field or slot in front of older ones
	Moved          Rule = "moved"            // a field or slot at another offset than before
	Broken         Rule = "broken"           // another change that breaks the ABI
)

// Finding is one fault.
type Finding struct {
	Rule    Rule
	Item    string    // the C name of what is at fault, such as My_Do_Args.flags
	Pos     model.Pos // the zero Pos if the place is not known
	Problem string    // what is wrong
	Advice  string    // what to do about it
}

// String returns the problem, the advice and the rule.
func (f Finding) String() string { return fmt.Sprintf("%s: %s (%s)", f.Problem, f.Advice, f.Rule) }

// linter collects the findings about one header.
type linter struct {
	h     *model.Header
	found []Finding
}

// add adds a finding about an item. Its place is the first of the places that is known;
// they are spelled as in model.Header.Places.
func (l *linter) add(rule Rule, item string, places []string, problem, advice string) {
	f := Finding{Rule: rule, Item: item, Problem: problem, Advice: advice, Pos: model.Pos{Line: 1, Col: 1}}
	for _, p := range places {
		if pos, ok := l.h.Places[p]; ok {
			f.Pos = pos
			break
		}
	}
	l.found = append(l.found, f)
}

// sorted returns the findings in the order of their places.
func (l *linter) sorted() []Finding {
	slices.SortStableFunc(l.found, Compare)
	return l.found
}

// Compare orders findings by their places.
func Compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
}

// Header returns the faults of a header in the order of their places.
func Header(h *model.Header) []Finding {
	l := &linter{h: h}
	for i := range h.Structs {
		s := &h.Structs[i]
		if s.Kind == "union" {
			continue
		}
		l.structSize(s)
		l.constant(s)
		l.holes(s)
	}
	return l.sorted()
}

// structSize checks that a struct that grows with the API says how large it is.
func (l *linter) structSize(s *model.Struct) {
	at := []string{"struct " + s.Name}
	if s.HasStructSize {
		if f := s.Fields[0]; f.Name != "struct_size" {
			l.add(StructSizeLate, s.Name, append([]string{s.Name + ".struct_size"}, at...),
				fmt.Sprintf("struct_size of %s comes after %s", s.Name, nameOf(&f)),
				"make it the first field, because readers look for it at offset 0")
		} else if f.Kind != "int" || f.Size != 8 {
			l.add(StructSizeLate, s.Name, append([]string{s.Name + ".struct_size"}, at...),
				fmt.Sprintf("struct_size of %s is of type %s", s.Name, f.Type), "make it a size_t, as in every other struct")
		}
		return
	}
	what := ""
	switch {
	case len(s.Fields) == 0:
	case s.Role == model.RoleExtension:
		if !l.sizedBase(s) {
			what = "the extension"
		}
	case s.Role == model.RoleArgs, s.Role == model.RoleAPITable:
		what = "struct"
	case s.Role == model.RoleFunctionTable && !l.sizedBase(s):
		what = "the table"
	case s.Role == model.RoleStruct && l.isOptions(s):
		what = "struct"
	}
	switch what {
	case "":
	case "the extension":
		l.add(NoStructSize, s.Name, at, fmt.Sprintf("the extension %s has no struct_size", s.Name),
			"make PJRT_Extension_Base base its first field, or readers cannot tell which functions it has")
	default:
		l.add(NoStructSize, s.Name, at, fmt.Sprintf("%s %s has no struct_size", what, s.Name),
			"make size_t struct_size its first field, or it can never grow")
	}
}

// sizedBase reports whether a struct begins with another that states its size.
func (l *linter) sizedBase(s *model.Struct) bool {
	f := &s.Fields[0]
	if f.Kind != "struct" || f.Ptr > 0 {
		return false
	}
	for i := range l.h.Structs {
		if inner := &l.h.Structs[i]; inner.Name == f.Base && inner != s && len(inner.Fields) > 0 {
			return inner.HasStructSize || l.sizedBase(inner)
		}
	}
	return slices.Contains([]string{"PJRT_Extension_Base", "XLA_FFI_Extension_Base", "XLA_FFI_Extension"}, f.Base)
}

// isOptions reports whether args point to one object of the struct, which the caller
// fills in: such a struct will get more fields, as args do.
func (l *linter) isOptions(s *model.Struct) bool {
	if s.Fields[0].Name == "vtable" {
		return false
	}
	for i := range l.h.Structs {
		args := &l.h.Structs[i]
		if args.Role != model.RoleArgs {
			continue
		}
		for j := range args.Fields {
			f := &args.Fields[j]
			if f.Kind == "pointer" && f.Ptr == 1 && f.Base == s.Name && f.Dir != model.DirOut && !counted(args, f) {
				return true
			}
		}
	}
	return false
}

// counted reports whether another field says how many a pointer points to.
func counted(s *model.Struct, f *model.Field) bool {
	return slices.ContainsFunc(s.Fields, func(other model.Field) bool {
		return other.Name == "num_"+f.Name || other.Name == f.Name+"_size" || other.Name == f.Name+"_count"
	})
}

// constant checks the constant that callers put into struct_size.
func (l *linter) constant(s *model.Struct) {
	c := s.StructSize
	if c == nil {
		if s.HasStructSize {
			l.add(NoSizeConstant, s.Name, []string{"struct " + s.Name},
				fmt.Sprintf("no constant %s_STRUCT_SIZE says what to put into struct_size", s.Name),
				fmt.Sprintf("write PJRT_DEFINE_STRUCT_TRAITS(%s, %s) after the struct", s.Name, nameOf(&s.Fields[len(s.Fields)-1])))
		}
		return
	}
	at := []string{c.Const, "struct " + s.Name}
	end, last := int64(0), ""
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Offset+f.Size > end {
			end, last = f.Offset+f.Size, nameOf(f)
		}
	}
	switch {
	case c.LastFieldIsNotLast || c.TrueLastField != "":
		l.add(StaleSize, s.Name, at,
			fmt.Sprintf("%s ends with %s, but the last field of %s is %s", c.Const, c.LastField, s.Name, c.TrueLastField),
			fmt.Sprintf("name %s in it, or callers report that they lack that field", c.TrueLastField))
	case c.LastField == "" && c.Value != end:
		l.add(StaleSize, s.Name, at, fmt.Sprintf("%s is %d, but the last field of %s, %s, ends at %d", c.Const, c.Value, s.Name, last, end),
			fmt.Sprintf("compute it: PJRT_STRUCT_SIZE(%s, %s)", s.Name, last))
	}
	if c.ShadowedByMacro {
		l.add(HiddenSize, s.Name, at, fmt.Sprintf("a macro hides the constant %s", c.Const),
			"remove the macro: PJRT_DEFINE_STRUCT_TRAITS makes the constant")
	}
}

// holes looks for padding that lies between fields.
func (l *linter) holes(s *model.Struct) {
	for _, h := range s.Holes {
		offset, size := h[0], h[1]
		for i := range s.Fields {
			f := &s.Fields[i]
			if f.Offset != offset+size {
				continue
			}
			name := nameOf(f)
			l.add(Hole, s.Name+"."+name, []string{s.Name + "." + name, "struct " + s.Name},
				fmt.Sprintf("%s has %s of padding before %s", s.Name, bytesOf(size), name),
				"order the fields by size, or give the bytes a field of their own that callers set to 0: nothing clears padding")
			break
		}
	}
}

// nameOf returns the name of a field or, for a union without a name, that of its first
// member.
func nameOf(f *model.Field) string {
	for f.Name == "" && len(f.Fields) > 0 {
		f = &f.Fields[0]
	}
	return f.Name
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
