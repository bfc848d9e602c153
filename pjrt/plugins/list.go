// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// ListOptions say where [List] searches. The zero value suits most programs.
type ListOptions struct {
	// Python is the command of the interpreter, which is asked for its package directories, as in
	// [InstallOptions]. Empty means python3 (python on Windows). It is not run if an active virtual
	// environment excludes the system's packages. A virtual environment is active if VIRTUAL_ENV or
	// CONDA_PREFIX names it: one in or above the working directory does not count.
	Python string
	// NoPython leaves out Python packages.
	NoPython bool
}

// List returns every plugin that it finds in the places of [Find], for all platforms, the preferred
// platform first. The list includes files that look like plugins but are not, or that cannot be
// loaded, and places that cannot be read, each with its Problem.
//
// List loads no library: it reads exports and needed libraries from the files. It runs the Python
// interpreter once in the life of the process (see [ListOptions]). The only error is that of ctx.
func List(ctx context.Context, opts ListOptions) ([]Candidate, error) {
	return newFinder(opts).list(ctx)
}

// finder holds the parts of a search that tests replace.
type finder struct {
	getenv  func(string) string
	environ func() []string
	dir     func() (string, error)
	table   []Package
	goos    string
	goarch  string
	// root is prepended to the paths of the system's files.
	root string
	// python lists the interpreter's package directories.
	python func(context.Context) ([]string, error)

	images    map[string]imageResult // by path; filled by inspect
	system    []string               // directories of the linker; filled by systemDirs
	systemSet bool
	systemBad []Candidate // unreadable files among those that systemDirs reads
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

// A place is one of the places where plugins may be. Its search returns what it found, not yet
// inspected, and a note on where it searched.
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
		if err := abandon.Err(ctx, nil, ""); err != nil {
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
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return nil, err
	}
	byPreference(all)
	return all, nil
}

// seen reports whether list already has the plugin: the same file under the same name.
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
