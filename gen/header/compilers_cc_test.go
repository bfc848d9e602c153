// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package header

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gccDefines returns what gcc defines after it has read the text.
func gccDefines(t *testing.T, text string) map[string]string {
	t.Helper()
	cmd := exec.Command("gcc", "-dM", "-E", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	m := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "#define "), " ")
		m[name] = value
	}
	return m
}

// versions are macros that differ between the versions of gcc and of its C library.
var versions = wordSet("__GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__ __GXX_ABI_VERSION __STDC_VERSION__ __STDC_ISO_10646__")

func TestTheCompilersMacrosAreThoseOfGCC(t *testing.T) {
	t.Parallel()
	defined := gccDefines(t, "")
	for name, value := range predefined {
		if got, ok := defined[name]; assert.True(t, ok, name) && !versions[name] {
			assert.Equal(t, got, value, name)
		}
	}
	distributions := wordSet("__CET__ _FORTIFY_SOURCE __SSP_STRONG__")
	for name := range foreign {
		if _, ok := defined[name]; !distributions[name] && !strings.HasPrefix(name, "__has_") {
			assert.False(t, ok, "%s is not foreign", name)
		}
	}
	for name := range gccAttributes {
		got := gccDefines(t, fmt.Sprintf("#if __has_attribute(%s)\n#define HAS 1\n#endif\n", name))
		assert.Contains(t, got, "HAS", name)
	}
}

func TestStandardMacrosAreThoseOfGCC(t *testing.T) {
	t.Parallel()
	for macro, header := range standardMacros {
		got := gccDefines(t, fmt.Sprintf("#define _DEFAULT_SOURCE\n#include <%s>\n", header))
		assert.Contains(t, got, macro, header)
	}
}

// Whatever is read has the layout that gcc gives it. What is not read is refused.
func TestLayoutsAreThoseOfGCC(t *testing.T) {
	t.Parallel()
	const a = "__attribute__((aligned(16)))"
	before := []string{
		"", "#define P __attribute__((packed))\nstruct P X { char a; int b; };", "struct X { int a; } " + a + ";", "struct " + a + " X { int a; };",
		a + " struct X { int a; };", "typedef struct X { int a; } X " + a + ";", "struct X; typedef struct X Y " + a + "; struct X { int a; };",
		"typedef int T " + a + ";", "typedef " + a + " int T;", "typedef int (" + a + " T);", "typedef int Z, " + a + " T;", "typedef int T " + a + ", Z;",
		"typedef " + a + " int T, *Q;", "typedef long T __attribute__((aligned(2)));", "typedef int T __attribute__((mode(DI)));",
		"typedef int T __attribute__((vector_size(16)));", "typedef enum { EA } " + a + " T;", "typedef enum { EA } T " + a + ";",
		"typedef enum __attribute__((packed)) { EA } T;", "struct X { long a; } __attribute__((aligned(32)));", "struct X { long a, b; };",
		"union X { int a " + a + "; char b; };", "#pragma pack(2)\nstruct X { char a; int b; };\n#pragma pack()",
	}
	fields := []string{
		"int x;", "int x " + a + ";", a + " int x;", "int " + a + " x;", "int x " + a + ", z;", "int z, x " + a + ";", a + " int z, *x;",
		"int * " + a + " x;", "int " + a + " * x;", "int (" + a + " x);", "void (" + a + " *x)(void);", "void (*x)(void) " + a + ";", "int x[3] " + a + ";",
		"int x __attribute__((aligned));", "int x __attribute__((unused, aligned(16), cold));", "int x __attribute__((aligned(8), aligned(32)));",
		"__attribute__((aligned(2))) int x;", "int x __attribute__((aligned(1)));", "int x __attribute__((packed));",
		"_Alignas(16) int x;", "_Alignas(16) _Alignas(8) int x;", "_Alignas(8) int x " + a + ";", "_Alignas(max_align_t) char x;",
		"struct { int x; } " + a + ";", a + " struct { int x; };", "struct " + a + " { int x; };", "_Atomic(long) x;", "max_align_t x;", "va_list x;",
		"struct X x;", "struct X x[2];", a + " struct X x;", "_Atomic struct X x;", "union X x;", "Y x;", "T x;", "T* x;", a + " T x;", "T x " + a + ";",
		"__int128 x;", "long double x;", "int_fast16_t x;", "wchar_t x[PATH_MAX];",
	}
	dir := t.TempDir()
	read := 0
	for i, b := range before {
		for j, f := range fields {
			if b != "" && !strings.ContainsAny(f, "XYT") || b == "" && strings.ContainsAny(f, "XYT") {
				continue
			}
			text := "#include <limits.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n" + b + "\nstruct S {\n  char c;\n  " + f + "\n  int y;\n};\n"
			h, err := ParseText(filepath.Join(dir, "h.h"), []byte(text), Options{})
			if err != nil {
				continue
			}
			read++
			s := structOf(t, h, "S")
			y := field(t, s, "y").Offset
			file := filepath.Join(dir, fmt.Sprintf("%d-%d.c", i, j))
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
				"%s_Static_assert(sizeof(struct S) == %d, \"\");\n_Static_assert(offsetof(struct S, y) == %d, \"\");\n", text, s.Size, y), 0o644))
			out, err := exec.Command("gcc", "-w", "-fsyntax-only", file).CombinedOutput()
			assert.NoError(t, err, "%s\n%s", text, out)
		}
	}
	assert.Greater(t, read, 40)
}
