// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

func TestUnusedCodeIsFound(t *testing.T) {
	t.Setenv("GOWORK", "off")
	found, err := findUnused("testdata/unused", []configuration{
		{flags: []string{"-tags=special"}},
		{environment: []string{"GOOS=linux"}},
		{environment: []string{"GOOS=windows"}},
	}, nil, []string{"./..."})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"example.go:12:6: func dead is not used",
		"example.go:14:6: func deader is not used",
		"example.go:16:6: func forTests is used by tests only",
		"example.go:20:6: func withTag is used by tests only",
		"example.go:25:26: field unseen is not used",
		"example.go:33:14: func thing.method is not used",
		"example_test.go:14:6: func helper is not used",
	}, found)
}

func TestAnalyzersSeeEachFileOfEachConfigurationOnce(t *testing.T) {
	t.Setenv("GOWORK", "off")
	functions := &analysis.Analyzer{Name: "functions", Doc: "reports functions", Run: func(p *analysis.Pass) (any, error) {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					p.Reportf(d.Name.Pos(), "function %s", d.Name.Name)
				}
			}
		}
		return nil, nil
	}}
	found, err := findUnused("testdata/unused", []configuration{
		{environment: []string{"GOOS=linux"}},
		{environment: []string{"GOOS=windows"}},
	}, []*analysis.Analyzer{functions}, []string{"./..."})
	require.NoError(t, err)
	for _, want := range []string{"example.go:8:6: function Exported", "example_windows.go:7:6: function Windows"} {
		n := 0
		for _, line := range found {
			if line == want {
				n++
			}
		}
		assert.Equal(t, 1, n, "%s in %q", want, found)
	}
}

func TestPackagesThatDoNotCompileAreAnError(t *testing.T) {
	_, err := findUnused("testdata", []configuration{{}}, nil, []string{"./nowhere"})
	require.Error(t, err)
}
