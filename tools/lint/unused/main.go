// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command unused reports what nobody uses: functions, methods, types, variables,
// constants and fields that are not exported.
//
//	unused PACKAGE...
//
// The work is staticcheck's, whose package unused looks at one package in one
// configuration. What only another system, or a test with a build tag, needs is in
// use, so this command asks for all of them, and reports what is used in none. It
// does not take the time that staticcheck takes, because it reads the packages that
// others import from the build cache, and looks at a package once if all
// configurations have the same files of it.
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

// A configuration is one way to build the packages.
type configuration struct {
	environment []string
	flags       []string
	packages    []string // that need this configuration; nil means those whose files differ from the first one's
}

// tags are those of tests that need more than Go, such as a C compiler.
const tags = "-tags=aot,cc,jax,proxy,skew,wrapped"

// foreign makes use of what `make platforms` compiles.
const foreign = "-gcflags=all=-N -l"

var configurations = []configuration{
	{},
	{flags: []string{tags}},
	{environment: []string{"CGO_ENABLED=1"}, flags: []string{tags}, packages: []string{"./tools/pjrtshim"}},
	{environment: []string{"GOOS=windows", "GOARCH=amd64"}, flags: []string{foreign}},
	{environment: []string{"GOOS=darwin", "GOARCH=arm64"}, flags: []string{foreign}},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: unused PACKAGE...")
		os.Exit(2)
	}
	found, err := find("", configurations, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "unused:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// object is what is used or not. Variants of a package, with its tests and without
// them, have the same ones.
type object struct {
	file string
	line int
	name string
}

// seen is what is known of an object.
type seen struct {
	kind   string
	at     token.Position
	inTest bool // used by a package that has its tests in it
	inCode bool // used by one that has not
}

// find returns a line for each object that is used in no configuration, or by
// tests only, in the packages that patterns name in a folder.
func find(dir string, configurations []configuration, patterns []string) ([]string, error) {
	objects := make(map[object]*seen)
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
		if err := c.look(dir, packages, objects); err != nil {
			return nil, err
		}
	}
	var found []string
	for o, s := range objects {
		at := s.at.Filename
		if abs, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(abs, at); err == nil {
				at = rel
			}
		}
		test := strings.HasSuffix(o.file, "_test.go")
		switch {
		case !s.inCode && !s.inTest:
			found = append(found, fmt.Sprintf("%s:%d:%d: %s %s is not used", at, s.at.Line, s.at.Column, s.kind, o.name))
		case !s.inCode && !test:
			found = append(found, fmt.Sprintf("%s:%d:%d: %s %s is used by tests only", at, s.at.Line, s.at.Column, s.kind, o.name))
		}
	}
	slices.Sort(found)
	return found, nil
}

// files returns the files of each package in one configuration, those of its tests too.
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

// differing returns the packages that have other files in the second list.
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

// look adds what one configuration has.
func (c configuration) look(dir string, patterns []string, objects map[object]*seen) error {
	initial, err := c.load(packages.LoadSyntax, dir, patterns)
	if err != nil {
		return err
	}
	for _, p := range initial {
		for _, e := range p.Errors {
			return fmt.Errorf("%v: %w", append(c.environment, c.flags...), e)
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{unused.Analyzer.Analyzer}, initial, nil)
	if err != nil {
		return err
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			return fmt.Errorf("%s: %w", root.Package.ID, root.Err)
		}
		test := strings.Contains(root.Package.ID, " [") || strings.HasSuffix(root.Package.ID, ".test") || strings.HasSuffix(root.Package.PkgPath, "_test")
		result := root.Result.(unused.Result)
		note(objects, result.Used, test, true)
		note(objects, result.Unused, test, false)
	}
	return nil
}

func note(objects map[object]*seen, list []unused.Object, test, used bool) {
	for _, o := range list {
		if strings.HasPrefix(filepath.Base(o.Position.Filename), "zz_") || strings.Contains(o.Position.Filename, "/go-build/") {
			continue // generated
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
