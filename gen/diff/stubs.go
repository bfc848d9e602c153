// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// WriteStubs prints C11 source with one function for each slot that report adds
// to a table that the older headers had already: what a plugin must fill to be
// complete at the newer version. Each returns an error made by Unimplemented(),
// which the source declares at the top and the plugin defines; those that
// cannot return an error say so. headers is the newer set. New tables, those of
// new extensions for example, are left out: a plugin that does not offer them
// has nothing to implement.
//
// Functions of headers that only a C++ compiler reads are between #ifdef
// __cplusplus and #endif.
func WriteStubs(w io.Writer, report *Report, headers *model.Set) error {
	s := &stubWriter{index: newIndex(headers), cxx: map[string]bool{}}
	for _, h := range headers.Headers() {
		s.cxx[h.Path] = needsCXX(h, headers, map[string]bool{})
	}
	s.collect(report)
	s.print(report)
	_, err := io.WriteString(w, s.out.String())
	return err
}

type stubWriter struct {
	index *index
	cxx   map[string]bool // by header path
	stubs []stub
	out   strings.Builder
}

// stub is one function to print.
type stub struct {
	header, table, slot string
	typedef             string // the function type that the slot names, if it does
	ret                 string
	params              []model.Param
}

func (s stub) name() string {
	if s.typedef == s.slot {
		return "Stub_" + s.slot // the header names the function, no table needed
	}
	return "Stub_" + s.table + "_" + s.slot
}

func (s *stubWriter) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// needsCXX reports whether a C compiler cannot read the header.
func needsCXX(h *model.Header, set *model.Set, visited map[string]bool) bool {
	if visited[h.Path] {
		return false
	}
	visited[h.Path] = true
	if len(h.Namespaces) > 0 || slices.ContainsFunc(h.Prototypes, func(f model.Func) bool { return f.CXX }) ||
		slices.ContainsFunc(h.Includes.System, func(name string) bool { return !strings.HasSuffix(name, ".h") }) ||
		slices.ContainsFunc(h.Enums, func(e model.Enum) bool { return e.Scoped || e.FixedUnderlying }) {
		return true
	}
	return slices.ContainsFunc(h.Includes.Project, func(path string) bool {
		included := set.Header(path)
		return included != nil && needsCXX(included, set, visited)
	})
}

func (s *stubWriter) collect(report *Report) {
	fresh := map[string]bool{}
	for _, c := range report.Changes {
		if c.Item == ItemStruct && c.Kind == Added {
			fresh[c.Name] = true
		}
	}
	for _, c := range report.Changes {
		if c.Item != ItemSlot || c.Kind != Added || fresh[c.Parent] {
			continue
		}
		t := s.index.tables.get(c.Parent)
		if t == nil {
			continue
		}
		slot := slotNamed(t, c.Name)
		if slot == nil {
			continue
		}
		st := stub{header: c.Header, table: c.Parent, slot: c.Name}
		f, field := slotFunc(s.index, slot), slotField(s.index, t, slot)
		switch {
		case f != nil:
			st.ret, st.params = f.Ret, f.Params
			if f.Form != "pointer-to-function" {
				st.typedef = f.Name
			}
		case field != nil && field.Sig != nil:
			st.ret, st.params = field.Sig.Ret, field.Sig.Params
		default:
			continue
		}
		s.stubs = append(s.stubs, st)
	}
}

func (s *stubWriter) print(report *Report) {
	version := ""
	if v := report.New.Version; v != nil {
		version = fmt.Sprintf(" of PJRT %d.%d", v.Major, v.Minor)
	}
	s.printf("// Stubs for the functions%s that are new since", version)
	if v := report.Old.Version; v != nil {
		s.printf(" %d.%d.\n", v.Major, v.Minor)
	} else {
		s.printf(" the older headers.\n")
	}
	if len(s.stubs) == 0 {
		s.printf("// There are none.\n")
		return
	}
	s.printf("// Replace the body of each with the function itself, or leave it.\n\n#include <stddef.h>\n")
	inSections(s, s.headerPaths(), func(path string) string { return path }, func(path string) {
		s.printf("#include %q\n", path)
	})
	s.helpers()
	inSections(s, s.stubs, func(st stub) string { return st.header }, s.function)
	s.initialisers()
}

func (s *stubWriter) headerPaths() []string {
	var paths []string
	for _, st := range s.stubs {
		if !slices.Contains(paths, st.header) {
			paths = append(paths, st.header)
		}
	}
	return paths
}

// helpers declares the functions that make the errors, one for each error type.
func (s *stubWriter) helpers() {
	var types []string
	for _, st := range s.stubs {
		if t := errorType(st.ret); t != "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		s.printf("\n// Yours to write: a new error with code UNIMPLEMENTED that names the function.\n")
	}
	for _, t := range types {
		header := ""
		for _, st := range s.stubs {
			if errorType(st.ret) == t && (header == "" || !s.cxx[st.header]) {
				header = st.header
			}
		}
		guard := s.cxx[header]
		if guard {
			s.printf("#ifdef __cplusplus\n")
		}
		s.printf("%s* %s(const char* function);\n", t, helperName(t))
		if guard {
			s.printf("#endif\n")
		}
	}
}

// errorType returns the type of the error that a function with the result ret
// returns, or "" if it returns none.
func errorType(ret string) string {
	name, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimSpace(ret), "struct "), "*")
	name = strings.TrimSpace(name)
	if !ok || !strings.HasSuffix(name, "_Error") {
		return ""
	}
	return name
}

func helperName(errorType string) string {
	if errorType == "PJRT_Error" {
		return "Unimplemented"
	}
	return "Unimplemented_" + errorType
}

func (s *stubWriter) function(st stub) {
	s.printf("\n")
	if st.typedef != "" {
		s.printf("%s %s;\n", st.typedef, st.name()) // lets the compiler compare with the header
	}
	params := make([]string, len(st.params))
	var unused []string
	for i, p := range st.params {
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("arg%d", i)
		}
		params[i] = declarator(p, name)
		unused = append(unused, fmt.Sprintf("  (void)%s;\n", name))
	}
	list := strings.Join(params, ", ")
	if list == "" {
		list = "void"
	}
	prototype := fmt.Sprintf("%s %s(%s)", tight(st.ret), st.name(), list)
	if st.typedef == "" {
		s.printf("%s;\n", prototype)
	}
	s.printf("%s {\n%s", prototype, strings.Join(unused, ""))
	ret := strings.TrimSpace(st.ret)
	switch t := errorType(ret); {
	case t != "":
		s.printf("  return %s(%q);\n", helperName(t), st.slot)
	case ret == "void":
		s.printf("  // Returns nothing, so it cannot report an error: it must do its work.\n")
	case strings.HasSuffix(ret, "*"):
		s.printf("  return NULL;  // no error can be returned here\n")
	default:
		// Static, because C and C++ agree that a static value is zero.
		s.printf("  static %s zero;\n  return zero;  // no error can be returned here\n", strings.TrimPrefix(tight(ret), "const "))
	}
	s.printf("}\n")
}

// declarator writes a parameter as C does. A pointer to a function has its name
// inside the type.
func declarator(p model.Param, name string) string {
	if before, after, ok := strings.Cut(p.Type, "(*)"); ok {
		return tight(before) + " (*" + name + ")" + after
	}
	if before, after, ok := strings.Cut(p.Type, "["); ok {
		return tight(before) + " " + name + "[" + after
	}
	return tight(p.Type) + " " + name
}

// tight writes pointers the way the headers do: T* and not T *.
func tight(t string) string { return strings.ReplaceAll(strings.TrimSpace(t), " *", "*") }

// initialisers prints, as a comment, the lines that put the stubs into their
// tables.
func (s *stubWriter) initialisers() {
	var tables []string
	for _, st := range s.stubs {
		if !slices.Contains(tables, st.table) {
			tables = append(tables, st.table)
		}
	}
	for _, table := range tables {
		s.printf("\n// Lines for the initialiser of %s, whose struct_size must be %s:\n//\n", table, s.sizeOf(table))
		for _, st := range s.stubs {
			if st.table == table {
				s.printf("//   .%s = %s,\n", st.slot, st.name())
			}
		}
	}
}

func (s *stubWriter) sizeOf(table string) string {
	st := s.index.structs.get(table)
	switch {
	case st == nil:
		return "the newer one"
	case st.StructSize != nil:
		return fmt.Sprintf("%s (%d)", st.StructSize.Const, st.StructSize.Value)
	default:
		return fmt.Sprintf("%d", st.Size)
	}
}

// inSections prints items in order, with runs of those whose header needs C++
// between #ifdef and #endif.
func inSections[T any](s *stubWriter, items []T, header func(T) string, print func(T)) {
	open := false
	for _, item := range items {
		if needs := s.cxx[header(item)]; needs != open {
			if needs {
				s.printf("\n#ifdef __cplusplus\n")
			} else {
				s.printf("\n#endif\n")
			}
			open = needs
		}
		print(item)
	}
	if open {
		s.printf("\n#endif\n")
	}
}
