// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package xla

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A compiler and how it is called. Upstream's headers that are not C need
// -fpermissive: one of them gives a field the name of its own type.
type compiler struct {
	args []string
	ext  string
}

func cCompiler() compiler {
	return compiler{[]string{cmp.Or(os.Getenv("CC"), "gcc"), "-std=c11", "-Wall", "-Werror"}, ".c"}
}

func cxxCompiler() compiler {
	return compiler{[]string{cmp.Or(os.Getenv("CXX"), "g++"), "-std=c++17", "-fpermissive", "-w"}, ".cc"}
}

// build compiles source into a program, or only checks it when out is empty.
func (c compiler) build(t *testing.T, source, out string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "probe"+c.ext)
	require.NoError(t, os.WriteFile(file, []byte(source), 0o666))
	args := append(c.args[1:len(c.args):len(c.args)], "-I.", "-Istubs")
	if out == "" {
		args = append(args, "-fsyntax-only")
	} else {
		args = append(args, "-o", out)
	}
	text, err := exec.Command(c.args[0], append(args, file)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// probe is a program that includes one header, lets the compiler check what a
// compiler can check, and prints the numbers.
type probe struct {
	bytes.Buffer
	cxx  bool
	want map[string]string
}

func (p *probe) number(key, expr string, want int64) {
	fmt.Fprintf(p, "  printf(\"%s\\t%%lld\\n\", (long long)(%s));\n", key, expr)
	p.want[key] = strconv.FormatInt(want, 10)
}

// sameType makes the compiler refuse when two types differ.
func (p *probe) sameType(key, a, b string) {
	if p.cxx {
		fmt.Fprintf(p, "  static_assert(std::is_same<__typeof__(%s), __typeof__(%s)>::value, \"%s\");\n", a, b, key)
	} else {
		fmt.Fprintf(p, "  _Static_assert(__builtin_types_compatible_p(__typeof__(%s), __typeof__(%s)), \"%s\");\n", a, b, key)
	}
}

func newProbe(h header, cxx bool) *probe {
	p := &probe{cxx: cxx, want: map[string]string{}}
	// The header comes first, so that it must include what it needs.
	fmt.Fprintf(p, "#include \"%s\"\n#include <stdio.h>\n#include <stddef.h>\n", h.Path)
	if p.cxx {
		fmt.Fprintln(p, "#include <type_traits>")
	}
	fmt.Fprintf(p, "#ifndef %s\n#error no guard\n#endif\n", h.Guard)
	for _, m := range h.Macros {
		if m.Undef {
			fmt.Fprintf(p, "#ifdef %s\n#error %s is still defined\n#endif\n", m.Name, m.Name)
		} else {
			fmt.Fprintf(p, "#ifndef %s\n#error %s is not defined\n#endif\n", m.Name, m.Name)
		}
	}
	// Both languages refuse a second declaration that differs from the first.
	fmt.Fprintln(p, "#ifdef __cplusplus\nextern \"C\" {\n#endif")
	for _, f := range append(append([]fn{}, h.Functions...), h.Callbacks...) {
		name := f.Name
		if f.Form == "pointer-to-function" {
			name = "(*" + name + ")"
		}
		fmt.Fprintf(p, "typedef %s %s(%s);\n", f.Ret, name, params(f))
	}
	for _, f := range h.Prototypes {
		if f.Namespace == "" {
			fmt.Fprintf(p, "%s %s(%s);\n", f.Ret, f.Name, params(f))
		}
	}
	for _, name := range h.Opaque {
		fmt.Fprintf(p, "typedef struct %s %s;\n", name, name)
	}
	fmt.Fprintln(p, "#ifdef __cplusplus\n}\n#endif\nint main(void) {")
	for _, m := range h.Macros {
		if m.Value != nil {
			p.number("macro "+m.Name, m.Name, *m.Value)
		}
	}
	for _, e := range h.Enums {
		name := e.Name
		if e.Typedef == "" {
			name = "enum " + name
		}
		p.number("sizeof "+e.Name, "sizeof("+name+")", e.Size)
		sign := "(" + name + ")-1 < 0"
		if p.cxx {
			sign = "std::is_signed<std::underlying_type<" + name + ">::type>::value"
		}
		signed := int64(0)
		if e.Signed {
			signed = 1
		}
		p.number("signed "+e.Name, sign, signed)
		for _, v := range e.Values {
			value := v.Name
			if e.Scoped {
				value = e.Name + "::" + value
			}
			p.number(e.Name+"."+v.Name, value, v.Value)
		}
	}
	for _, s := range h.Structs {
		name := "struct " + s.Name
		align := "_Alignof"
		if p.cxx {
			align = "alignof"
		}
		p.number("sizeof "+s.Name, "sizeof("+name+")", s.Sizeof)
		p.number("alignof "+s.Name, align+"("+name+")", s.Alignof)
		if s.StructSize != nil {
			p.number(s.StructSize.Const, s.StructSize.Const, s.StructSize.Value)
		}
		for _, alias := range s.Typedefs {
			p.sameType(alias, alias, name)
		}
		leaves(s.Fields, func(x field) {
			key := s.Name + "." + x.Name
			p.number("offset "+key, "offsetof("+name+", "+x.Name+")", x.Offset)
			p.number("size "+key, "sizeof((("+name+"*)0)->"+x.Name+")", x.Size)
			p.sameType(key, "((("+name+"*)0)->"+x.Name+")", x.Type)
		})
	}
	fmt.Fprintln(p, "  return 0;\n}")
	return p
}

// includeTwice shows that a header needs nothing before it, and is guarded.
func includeTwice(path string) string {
	return fmt.Sprintf("#include %q\n#include %q\n", path, path)
}

func params(f fn) string {
	var types []string
	for _, param := range f.Params {
		types = append(types, param.Type)
	}
	return strings.Join(types, ", ")
}

func TestCompilerMeasuresTheFacts(t *testing.T) {
	t.Parallel()
	for path, h := range readFacts(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			cxx := h.C11 != nil && !*h.C11
			if h.C11 == nil {
				cxx = cCompiler().build(t, includeTwice(path), "") != nil
			}
			c := cCompiler()
			if cxx {
				c = cxxCompiler()
			}
			p := newProbe(h, cxx)
			program := filepath.Join(t.TempDir(), "probe")
			require.NoError(t, c.build(t, p.String(), program))
			out, err := exec.Command(program).Output()
			require.NoError(t, err)
			have := map[string]string{}
			for line := range strings.Lines(string(out)) {
				key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				have[key] = value
			}
			assert.Equal(t, p.want, have)
		})
	}
}

// What is C upstream must be C here and C++ as well; what is not must not be,
// or the generator would not be tried on such headers.
func TestHeadersAreInTheLanguageOfTheOriginals(t *testing.T) {
	t.Parallel()
	for path, h := range readFacts(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			assert.NoError(t, cxxCompiler().build(t, includeTwice(path), ""))
			if h.C11 != nil {
				err := cCompiler().build(t, includeTwice(path), "")
				assert.Equal(t, *h.C11, err == nil, "compiles as C11: %v", err)
			}
		})
	}
}
