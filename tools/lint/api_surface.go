// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// A surface is what the packages of a release export, by their import paths.
type surface struct {
	version  string
	packages map[string]*types.Package
}

// promised reports whether programs elsewhere may rely on a package. Packages that others
// cannot import, commands, examples and the generator do not count.
func promised(p *packages.Package) bool {
	path := p.PkgPath + "/"
	for _, part := range []string{"/internal/", "/examples/", "/testdata/"} {
		if strings.Contains(path, part) {
			return false
		}
	}
	inside := strings.TrimPrefix(path, p.Module.Path+"/")
	for _, part := range []string{"gen/", "third_party/", "tools/"} {
		if strings.HasPrefix(inside, part) {
			return false
		}
	}
	return p.Name != "main"
}

// loadSurface reads the exports of the packages that go list finds in a folder.
func loadSurface(dir string, patterns, environment []string) (*surface, error) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedModule,
		Dir:  dir,
		Env:  environment,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	s := &surface{packages: make(map[string]*types.Package)}
	for _, p := range list {
		for _, wrong := range p.Errors {
			err = errors.Join(err, wrong)
		}
		if p.Module != nil && promised(p) {
			s.packages[p.PkgPath] = p.Types
		}
	}
	return s, err
}

// write writes the surface to a file: the version in the gzip header, and the export data of
// all packages. The same surface gives the same file on any machine.
func (s *surface) write(file string) error {
	var list []*types.Package
	for _, path := range slices.Sorted(maps.Keys(s.packages)) {
		list = append(list, s.packages[path])
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	w.Comment = s.version
	// An empty file set leaves out the positions of declarations.
	if err := gcexportdata.WriteBundle(w, token.NewFileSet(), list); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// readSurface reads what write wrote.
func readSurface(file string) (*surface, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &surface{version: r.Comment, packages: make(map[string]*types.Package)}
	list, err := gcexportdata.ReadBundle(r, token.NewFileSet(), make(map[string]*types.Package))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range list {
		s.packages[p.Path()] = p
	}
	return s, nil
}

// A breakage is a change that breaks programs written for the last release.
type breakage struct {
	path string // of the package
	name string // Type.Method without parentheses, or "" for a package that is gone
	what string
}

func (b breakage) String() string {
	if b.name == "" {
		return b.path + ": " + b.what
	}
	return b.path + "." + b.name + ": " + b.what
}

// compare returns what breaks programs that were written for the surface before.
func compare(before, after *surface) []breakage {
	var list []breakage
	for _, path := range slices.Sorted(maps.Keys(before.packages)) {
		now, ok := after.packages[path]
		if !ok {
			list = append(list, breakage{path: path, what: "removed"})
			continue
		}
		for _, c := range apidiff.Changes(before.packages[path], now).Changes {
			if c.Compatible {
				continue
			}
			name, what, _ := strings.Cut(c.Message, ": ")
			list = append(list, breakage{path, strings.NewReplacer("(", "", ")", "", "*", "").Replace(name), what})
		}
	}
	return list
}

const heading = "\n### What breaks\n"

// missing returns an error that lists the breakages since a version that the changelog does
// not name.
func missing(version string, broken []breakage, changelog string) error {
	section, _, _ := strings.Cut(changelog, "\n## "+version)
	_, section, _ = strings.Cut(section, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	section, _, _ = strings.Cut(section, "\n### ")
	var absent []string
	for _, b := range broken {
		if !slices.ContainsFunc(b.names(), func(n string) bool { return strings.Contains(section, "`"+n+"`") }) {
			absent = append(absent, "`"+b.names()[0]+"` ("+b.what+")")
		}
	}
	if absent == nil {
		return nil
	}
	return fmt.Errorf("the API breaks programs written for %s: undo that, or say in CHANGELOG.md, under %q of the newest version, "+
		"what to write instead of\n  %s", version, strings.TrimSpace(heading), strings.Join(absent, "\n  "))
}

// names returns the names that the changelog may use for the breakage.
func (b breakage) names() []string {
	_, inside, ok := strings.Cut(b.path, "/purepjrt/purepjrt/")
	if !ok {
		inside = b.path
	}
	if b.name == "" {
		return []string{inside}
	}
	return []string{inside[strings.LastIndex(inside, "/")+1:] + "." + b.name, inside + "." + b.name}
}
