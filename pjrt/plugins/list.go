// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// ListOptions say where [List] and [Lookup] look. The zero value is right for
// most.
type ListOptions struct {
	// Python is the command that is asked for the directories of Python packages;
	// empty means python3 (python on Windows). It is not run when a virtual
	// environment is active that has nothing to do with the system's packages.
	Python string
	// NoPython leaves the packages of Python out.
	NoPython bool
}

// List returns every plugin that can be found, of all platforms, those of the
// preferred platform first. What looks like a plugin but is none, or cannot be
// loaded, is in the list with its Problem, and so are places that cannot be read.
//
// No library is loaded: exports and needed libraries are read from the files. List
// runs the Python interpreter once in the life of the process (see
// [ListOptions]). The error is that of ctx.
func List(ctx context.Context, opts ListOptions) ([]Candidate, error) {
	return newFinder(opts).list(ctx)
}

// Inspect looks at the library at path as List does, without loading it, or at the
// library that a configuration file (see [ReadConfig]) names. A path that leads to
// no plugin has a Problem.
func Inspect(path string) Candidate {
	f := newFinder(ListOptions{NoPython: true})
	c := f.atPath(path, OriginPath, "")
	f.inspect(&c)
	return c
}

// finder carries what tests replace.
type finder struct {
	getenv  func(string) string
	environ func() []string
	dir     func() (string, error)
	table   []Package
	goos    string
	goarch  string
	// root stands before the paths of the system's own files.
	root string
	// python lists the interpreter's directories of packages.
	python func(context.Context) ([]string, error)

	images    map[string]imageResult // by path; made by inspect
	system    []string               // directories of the linker; made by systemDirs
	systemSet bool
	systemBad []Candidate // what was unreadable on the way
}

func newFinder(opts ListOptions) *finder {
	f := &finder{
		getenv:  os.Getenv,
		environ: os.Environ,
		dir:     Dir,
		table:   packages,
		goos:    runtime.GOOS,
		goarch:  runtime.GOARCH,
	}
	f.python = func(ctx context.Context) ([]string, error) {
		if opts.NoPython {
			return nil, nil
		}
		return f.sitePackages(ctx, opts.Python)
	}
	return f
}

// A place is one of the places that plugins are looked for in. It returns what it
// found, not yet inspected, and a note of where it looked.
type place struct {
	origin Origin
	search func(context.Context) (found []Candidate, note string)
}

func (f *finder) places() []place {
	return []place{
		{OriginNames, f.named},
		{OriginLibraryPath, func(context.Context) ([]Candidate, string) { return f.variable(OriginLibraryPath, PluginLibraryPath) }},
		{OriginPluginPath, f.pluginPath},
		{OriginLoaderPath, f.loaderPath},
		{OriginCache, f.cached},
		{OriginPython, f.pythonPackages},
		{OriginNeuron, f.neuron},
		{OriginSystem, f.systemLibraries},
	}
}

func (f *finder) list(ctx context.Context) ([]Candidate, error) {
	var all []Candidate
	for _, p := range f.places() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, _ := p.search(ctx)
		for _, c := range found {
			if f.seen(all, c) {
				continue
			}
			f.inspect(&c)
			all = append(all, c)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byPreference(all)
	return all, nil
}

// seen reports whether list has the plugin already: the same file under the same
// name.
func (f *finder) seen(list []Candidate, c Candidate) bool {
	if c.Path == "" {
		return false
	}
	return slices.ContainsFunc(list, func(other Candidate) bool {
		return other.Name == c.Name && (other.Path == c.Path || realPath(other.Path) == realPath(c.Path))
	})
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
