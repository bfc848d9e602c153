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
// others import from the build cache.
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
	packages    []string // that need this configuration; nil means those of the command line
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
	for _, c := range configurations {
		packages := patterns
		if c.packages != nil {
			packages = c.packages
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

// look adds what one configuration has.
func (c configuration) look(dir string, patterns []string, objects map[object]*seen) error {
	initial, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax, Dir: dir, Env: append(os.Environ(), c.environment...), BuildFlags: c.flags, Tests: true,
	}, patterns...)
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
