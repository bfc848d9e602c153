// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package gentest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// compilePackage checks every size, offset, value and constant in Go with the C compiler CC and the
// C++ compiler CXX, by default gcc and g++, header by header.
func compilePackage(t *testing.T, dir string, x *index, functions []*capi.Function, facts []header) {
	p := load(t, dir, x)
	checked := 0
	for _, h := range facts {
		probe, n := p.probe(functions, &h)
		checked += n
		if n == 0 {
			continue
		}
		t.Run(filepath.Base(h.Path), func(t *testing.T) {
			t.Parallel()
			compile(t, cmp.Or(os.Getenv("CXX"), "g++"), "probe.cc", probe, "-std=gnu++17", "-fpermissive", "-w")
			if h.C11 {
				compile(t, cmp.Or(os.Getenv("CC"), "gcc"), "probe.c", probe, "-std=c11", "-w")
			}
		})
	}
	assert.Greater(t, checked, 10*len(p.structs)/3, "too little was checked")
}

// probe returns a program that compiles only if the compiler agrees with Go on
// the header, and the number of its assertions.
func (p *pkg) probe(functions []*capi.Function, h *header) (string, int) {
	var b strings.Builder
	n := 0
	fmt.Fprintf(&b, "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <assert.h>\n#include \"%s\"\n", h.Path)
	check := func(expr string, want any) {
		fmt.Fprintf(&b, "static_assert((%s) == (%v), \"%s: Go has %v\");\n", expr, want, expr, want)
		n++
	}
	for i := range h.Structs {
		s := &h.Structs[i]
		for _, name := range s.names() {
			have := p.structs[name]
			tag := name
			if len(s.Typedefs) == 0 {
				tag = "struct " + tag
			}
			check("sizeof("+tag+")", have.Size())
			for i, f := range fieldsOf(have) {
				member := s.Fields[i].Name
				if member == "" {
					member = s.Fields[i].Fields[0].Name
				} else {
					check(fmt.Sprintf("sizeof(((%s*)0)->%s)", tag, member), f.Type.Size())
				}
				check(fmt.Sprintf("offsetof(%s, %s)", tag, member), f.Offset)
			}
			if size := p.sizeOf(have); size != nil {
				check(size.c, size.value)
			}
		}
	}
	for _, e := range h.Enums {
		for _, v := range p.source.numbers(p.enums[e.Name].goName()) {
			switch {
			case e.Name == "":
			case e.Scoped: // in C++ the values must be qualified
				check("(int64_t)"+e.Name+"::"+v.c, v.value)
			default:
				check(v.c, v.value)
			}
		}
	}
	have := p.functionsOf(functions, h)
	for _, s := range h.tables() {
		for _, slot := range s.Fields {
			if slot.Kind == "fnptr" && len(have) > 0 {
				check(fmt.Sprintf("offsetof(%s, %s)", s.Name, slot.Name), have[0].Offset)
				have = have[1:]
			}
		}
	}
	numbers := h.numbers()
	for _, c := range p.source.numbers("") {
		if _, ok := numbers[c.c]; ok {
			check(c.c, c.value)
		}
	}
	b.WriteString("int main(void) { return 0; }\n")
	return b.String(), n
}

// goName returns the name of the Go type, or a name that no type has for an enum without a name.
func (e enum) goName() string {
	if e.Type == nil {
		return "_"
	}
	return e.Type.Name()
}

func compile(t *testing.T, compiler, name, source string, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	xla := filepath.Join(root, "third_party/xla")
	args := append(flags, "-fsyntax-only", "-I", xla, "-I", filepath.Join(xla, "stubs"), file)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s disagrees with Go: %s", compiler, out)
}
