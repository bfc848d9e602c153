// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCountsSeeWhatIsTrackedAndWrittenByHand(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":                     "module example.com/house\n\ngo 1.26.0\n",
		"README.md":                  "four words, that's all\n",
		"main.go":                    "package main\n\nfunc main() {}\n",
		"testdata/free.go":           "package free\n",
		"pjrt/floor.go":              "package pjrt\n\nvar first = 1\n\ntype T struct{}\n\nfunc (*T) Method() {}\n\nfunc (*T) method() {}\n",
		"pjrt/roof.go":               "package pjrt\n\nvar Both, _ = first, cellar\n\nfunc (t *T) Other() { t.method() }\n",
		"pjrt/cellar.go":             "package pjrt\n\nvar cellar = Deep()\n\nfunc Deep() int { var t T; t.method(); return 1 }\n",
		"pjrt/floor_test.go":         "package pjrt\n",
		"pjrt/zz_made.go":            "package pjrt\n",
		"pjrt/internal/in/in.go":     "package in\n\nconst In = 1\n",
		"pjrt/examples/e/e.go":       "package e\n\nconst E = 1\n",
		"extensions/ext/ext.go":      "package ext\n\ntype (\n\tA int\n\tB = A\n)\n\nfunc (A) Method() {}\n",
		"extensions/tests/t_test.go": "package tests\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, line := range []string{"init -q", "add ."} {
		out, err := exec.Command("git", strings.Fields(line)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile("untracked.go", []byte("package main\n"), 0o666))
	var out bytes.Buffer
	require.NoError(t, counts(&out, true))
	for _, want := range []string{
		"      6 folders with Go\n",
		"      2 public packages\n",
		"      8 exported names\n", // T, its two methods, Both and Deep; A, its method and B
		"     36 lines by hand\n",
		"      4 words of Markdown\n",
		"      0 upward arrows of 3 between files of pjrt\n",
		"\nlines by hand:\n     19 pjrt\n",
	} {
		assert.Contains(t, out.String(), want)
	}
}

func TestArrowsOfACircleLeadUpwardOnce(t *testing.T) {
	t.Parallel()
	a := &arrows{names: make(map[arrow]map[string]bool), out: make(map[string][]string), in: make(map[string][]string)}
	a.files = []string{"a.go", "b.go", "c.go", "d.go"}
	for _, e := range []arrow{{"a.go", "b.go"}, {"b.go", "c.go"}, {"c.go", "a.go"}, {"c.go", "b.go"}, {"d.go", "a.go"}} {
		a.names[e] = map[string]bool{"f": true}
		a.out[e.from] = append(a.out[e.from], e.to)
		a.in[e.to] = append(a.in[e.to], e.from)
	}
	assert.Equal(t, []arrow{{"b.go", "c.go"}}, a.upward(a.order()))
}
