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
)

// Compile checks every size, offset, value and constant in Go with the C compiler CC and the C++ compiler CXX, by
// default gcc and g++, header by header. root is the folder of the module.
func Compile(t *testing.T, x *Index, facts []Header, root string) {
	checked := 0
	for _, h := range facts {
		probe, n := probe(x, h)
		checked += n
		if n == 0 {
			continue
		}
		t.Run(filepath.Base(h.Path), func(t *testing.T) {
			t.Parallel()
			compile(t, root, cmp.Or(os.Getenv("CXX"), "g++"), "probe.cc", probe, "-std=gnu++17", "-fpermissive", "-w")
			if h.C11 {
				compile(t, root, cmp.Or(os.Getenv("CC"), "gcc"), "probe.c", probe, "-std=c11", "-w")
			}
		})
	}
	assert.Greater(t, checked, 10*len(x.Structs)/3, "too little was checked")
}

// probe returns a program that compiles only if the compiler agrees with Go on
// the header, and the number of its assertions.
func probe(x *Index, facts Header) (string, int) {
	header := facts.Path
	scoped := make(map[string]bool) // C++ enums whose values must be qualified with their name
	for _, e := range facts.Enums {
		scoped[e.Name] = e.Scoped
	}
	var b strings.Builder
	n := 0
	fmt.Fprintf(&b, "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <assert.h>\n#include \"%s\"\n", header)
	check := func(expr string, want any) {
		fmt.Fprintf(&b, "static_assert((%s) == (%v), \"%s: Go has %v\");\n", expr, want, expr, want)
		n++
	}
	for _, s := range x.Structs {
		if s.Header != header {
			continue
		}
		tag := s.C
		if s.Tag {
			tag = "struct " + tag
		}
		check("sizeof("+tag+")", s.Type.Size())
		for i, f := range fieldsOf(s.Type) {
			check(fmt.Sprintf("offsetof(%s, %s)", tag, s.Fields[i]), f.Offset)
			if !s.Union[i] {
				check(fmt.Sprintf("sizeof(((%s*)0)->%s)", tag, s.Fields[i]), f.Type.Size())
			}
		}
		if s.SizeConst != "" {
			check(s.SizeConst, s.Size)
		}
	}
	for _, e := range x.Enums {
		for _, v := range e.Values {
			switch {
			case e.Header != header:
			case scoped[e.C]:
				check("(int64_t)"+e.C+"::"+v.C, v.Value)
			default:
				check(v.C, v.Value)
			}
		}
	}
	for _, f := range x.Functions {
		if f.Header == header {
			check(fmt.Sprintf("offsetof(%s, %s)", f.Table, f.Slot), f.Offset)
		}
	}
	for _, c := range x.Constants {
		if _, isText := c.Value.(string); c.Header == header && !isText {
			check(c.C, c.Value)
		}
	}
	b.WriteString("int main(void) { return 0; }\n")
	return b.String(), n
}

func compile(t *testing.T, root, compiler, name, source string, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	xla := filepath.Join(root, "third_party/xla")
	args := append(flags, "-fsyntax-only", "-I", xla, "-I", filepath.Join(xla, "stubs"), file)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s disagrees with Go: %s", compiler, out)
}
