// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/unused"
)

// configuration is one way to build packages.
type configuration struct {
	environment []string // in addition to the process's
	flags       []string // of the go command
	packages    []string // that need this configuration; nil means those whose files differ from the first one's
	fromSource  bool     // read imported packages from their sources, which takes less time than compiling them
}

// object is a declaration that is used or not. The variants of a package, with and
// without its tests, share its objects.
type object struct {
	file string
	line int
	name string
}

// seen is what is known about an object.
type seen struct {
	kind   string
	at     token.Position
	inTest bool // used in a variant with tests
	inCode bool // used in a variant without tests
}

// findUnused runs analyzers over packages in several configurations, and reports unused code:
// functions, methods, types, variables, constants and fields that are not exported.
//
// The work is done by staticcheck, whose package unused looks at one package in one configuration.
// Code that only another system, or a test with a build tag, needs is in use, so findUnused looks at
// all configurations and reports what none of them uses. It takes less time than staticcheck, because
// it looks at a package only once if all configurations have the same files of it.
//
// It loads the packages that patterns name in a folder. It returns a line for each
// diagnostic of the analyzers, and for each object that is used in no configuration, or
// by tests only.
func findUnused(dir string, configurations []configuration, analyzers []*analysis.Analyzer, patterns []string) ([]string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &finder{dir: absolute, analyzers: append(slices.Clone(analyzers), unused.Analyzer.Analyzer), objects: make(map[object]*seen)}
	first, err := configurations[0].files(dir, patterns)
	if err != nil {
		return nil, err
	}
	for i, c := range configurations {
		packages := patterns
		if c.packages != nil {
			packages = c.packages
		} else if i > 0 {
			files, err := c.files(dir, patterns)
			if err != nil {
				return nil, err
			}
			packages = differing(first, files)
		}
		if len(packages) == 0 {
			continue
		}
		if err := f.look(c, packages); err != nil {
			return nil, err
		}
	}
	for o, s := range f.objects {
		test := strings.HasSuffix(o.file, "_test.go")
		switch {
		case !s.inCode && !s.inTest:
			f.report(s.at, fmt.Sprintf("%s %s is not used", s.kind, o.name))
		case !s.inCode && !test:
			f.report(s.at, fmt.Sprintf("%s %s is used by tests only", s.kind, o.name))
		}
	}
	slices.Sort(f.found)
	return slices.Compact(f.found), nil // a package with its tests has the files of the package
}

type finder struct {
	dir       string
	analyzers []*analysis.Analyzer
	objects   map[object]*seen
	found     []string
}

func (f *finder) report(at token.Position, message string) {
	if generated(at) {
		return
	}
	name := at.Filename
	if rel, err := filepath.Rel(f.dir, name); err == nil {
		name = rel
	}
	f.found = append(f.found, fmt.Sprintf("%s:%d:%d: %s", name, at.Line, at.Column, message))
}

// files returns the files of each package in one configuration, including its tests.
func (c configuration) files(dir string, patterns []string) (map[string][]string, error) {
	loaded, err := c.load(packages.NeedName|packages.NeedFiles|packages.NeedForTest, dir, patterns)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]string)
	for _, p := range loaded {
		path := p.PkgPath
		if p.ForTest != "" {
			path = p.ForTest
		}
		if strings.HasSuffix(p.ID, ".test") {
			continue // generated
		}
		files[path] = append(files[path], p.GoFiles...)
	}
	for _, list := range files {
		slices.Sort(list)
	}
	return files, nil
}

// differing returns the packages whose files in the second list differ.
func differing(first, second map[string][]string) []string {
	var paths []string
	for path, files := range second {
		if !slices.Equal(files, first[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func (c configuration) load(mode packages.LoadMode, dir string, patterns []string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: mode, Dir: dir, Env: append(os.Environ(), c.environment...), BuildFlags: c.flags, Tests: true,
	}, patterns...)
}

// look adds the findings and objects of one configuration.
func (f *finder) look(c configuration, patterns []string) error {
	mode := packages.LoadSyntax
	if c.fromSource {
		mode = packages.LoadAllSyntax
	}
	initial, err := c.load(mode, f.dir, patterns)
	if err != nil {
		return err
	}
	for _, p := range initial {
		for _, e := range p.Errors {
			return fmt.Errorf("%v: %w", append(c.environment, c.flags...), e)
		}
	}
	graph, err := checker.Analyze(f.analyzers, initial, nil)
	if err != nil {
		return err
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			return fmt.Errorf("%s: %w", root.Package.ID, root.Err)
		}
		if root.Analyzer != unused.Analyzer.Analyzer {
			for _, d := range root.Diagnostics {
				f.report(root.Package.Fset.Position(d.Pos), d.Message)
			}
			continue
		}
		test := strings.Contains(root.Package.ID, " [") || strings.HasSuffix(root.Package.ID, ".test") || strings.HasSuffix(root.Package.PkgPath, "_test")
		result := root.Result.(unused.Result)
		note(f.objects, result.Used, test, true)
		note(f.objects, result.Unused, test, false)
	}
	return nil
}

func note(objects map[object]*seen, list []unused.Object, test, used bool) {
	for _, o := range list {
		if strings.HasPrefix(filepath.Base(o.Position.Filename), "zz_") || generated(o.Position) {
			continue
		}
		key := object{o.Position.Filename, o.Position.Line, o.Name}
		s := objects[key]
		if s == nil {
			s = &seen{kind: o.Kind, at: o.Position}
			objects[key] = s
		}
		s.inTest = s.inTest || used && test
		s.inCode = s.inCode || used && !test
	}
}

// generated reports whether the go command wrote the file, such as the main package of
// tests. It lies in the build cache, where files have no suffix.
func generated(at token.Position) bool { return filepath.Ext(at.Filename) != ".go" }
