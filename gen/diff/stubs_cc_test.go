// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package diff_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The C and C++ compilers accept the stubs, and the lines for the table's
// initialiser.
func TestStubsCompile(t *testing.T) {
	t.Parallel()
	text := stubs(t, compareRoots(t, "old", "new"), readRoot(t, "new"))
	lines := regexp.MustCompile(`(?m)^//   (\.PJRT_Door\S+ = \S+,)$`).FindAllStringSubmatch(text, -1)
	require.Len(t, lines, 2)
	var table strings.Builder
	table.WriteString("const PJRT_Api table = {\n  .struct_size = PJRT_Api_STRUCT_SIZE,\n")
	for _, m := range lines {
		table.WriteString(m[1] + "\n")
	}
	table.WriteString("};\n")
	for _, test := range []struct {
		compiler []string
		text     string
	}{
		{[]string{cmp.Or(os.Getenv("CC"), "gcc"), "-std=c11", "-Wall", "-Wextra", "-Wmissing-prototypes", "-Wno-missing-field-initializers", "-Werror", "-x", "c"}, text + table.String()},
		{[]string{cmp.Or(os.Getenv("CXX"), "g++"), "-std=c++17", "-fpermissive", "-w", "-x", "c++"}, text},
	} {
		file := filepath.Join(t.TempDir(), "stubs.c")
		require.NoError(t, os.WriteFile(file, []byte(test.text), 0o600))
		args := append(test.compiler[1:], "-Itestdata/new", "-fsyntax-only", file)
		out, err := exec.Command(test.compiler[0], args...).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
}
