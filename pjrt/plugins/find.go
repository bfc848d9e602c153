// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment variables that [Find] reads.
const (
	// NamesAndLibraryPaths names plugins: name:path pairs separated by commas, as
	// JAX reads it.
	NamesAndLibraryPaths = "PJRT_NAMES_AND_LIBRARY_PATHS"
	// PluginLibraryPath lists directories of plugins, separated as in PATH. An
	// element that is a file called as [Find] says is taken too.
	PluginLibraryPath = "PJRT_PLUGIN_LIBRARY_PATH"
)

// ErrNotFound is what [Find] wraps when no place has the plugin.
var ErrNotFound = errors.New("plugin not found")

// Find returns the path of the library of a plugin, without loading it.
//
// A name with a path separator, or with the suffix of a shared library, is a path
// and is returned as it is if there is a file. Any other name is looked up in
// PJRT_NAMES_AND_LIBRARY_PATHS, then in the directories of
// PJRT_PLUGIN_LIBRARY_PATH (files called pjrt_c_api_NAME_plugin.so or
// pjrt_plugin_NAME.so; .dylib on macOS, .dll on Windows), then among the plugins
// that [Install] put into [Dir]. An entry that names the plugin but leads to no
// file is an error, so that a typing mistake does not select another plugin. The
// error of an unsuccessful search wraps [ErrNotFound] and lists what was tried.
func Find(name string) (string, error) {
	return finder{getenv: os.Getenv, dir: Dir, table: packages}.find(name)
}

// finder carries what tests replace.
type finder struct {
	getenv func(string) string
	dir    func() (string, error)
	table  []Package
}

func (f finder) find(name string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("%w: the name is empty; give a name such as cpu, or the path of a library", ErrNotFound)
	}
	if isPath(name) {
		return library(name, "")
	}
	var tried []string
	for _, place := range []func(string) (string, string, error){f.named, f.directories, f.cached} {
		path, missed, err := place(name)
		if path != "" || err != nil {
			return path, err
		}
		tried = append(tried, missed)
	}
	advice := "known plugins are " + strings.Join(names(f.table), ", ")
	if _, err := known(f.table, name); err == nil {
		advice = "run: pjrt install " + name
	}
	return "", fmt.Errorf("%w: %s: tried %s; %s", ErrNotFound, name, strings.Join(tried, ", "), advice)
}

// named looks into PJRT_NAMES_AND_LIBRARY_PATHS.
func (f finder) named(name string) (path, missed string, err error) {
	value := f.getenv(NamesAndLibraryPaths)
	if value == "" {
		return "", NamesAndLibraryPaths + " (not set)", nil
	}
	for entry := range strings.SplitSeq(value, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		// The first colon ends the name: a path may contain more of them.
		key, path, ok := strings.Cut(entry, ":")
		if !ok || key == "" || path == "" {
			return "", "", fmt.Errorf("%s: %q is not name:path", NamesAndLibraryPaths, entry)
		}
		if key == name {
			path, err := library(path, NamesAndLibraryPaths)
			return path, "", err
		}
	}
	return "", fmt.Sprintf("%s (%s)", NamesAndLibraryPaths, value), nil
}

// directories looks into PJRT_PLUGIN_LIBRARY_PATH.
func (f finder) directories(name string) (path, missed string, err error) {
	value := f.getenv(PluginLibraryPath)
	if value == "" {
		return "", PluginLibraryPath + " (not set)", nil
	}
	for _, element := range filepath.SplitList(value) {
		for _, base := range []string{"pjrt_c_api_" + name + "_plugin", "pjrt_plugin_" + name} {
			candidate := filepath.Join(element, base+suffix())
			if filepath.Base(element) == base+suffix() {
				candidate = element
			}
			if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() {
				return candidate, "", nil
			}
		}
	}
	return "", fmt.Sprintf("%s (%s)", PluginLibraryPath, value), nil
}

// cached looks into the directory of installed plugins.
func (f finder) cached(name string) (path, missed string, err error) {
	dir, err := f.dir()
	if err != nil {
		return "", err.Error(), nil
	}
	p, err := known(f.table, name)
	if err != nil {
		return "", dir, nil
	}
	w, err := p.pick(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	in := installer{InstallOptions: InstallOptions{Dir: dir}}
	path, err = in.installed(p, w)
	if errors.Is(err, fs.ErrNotExist) {
		return "", filepath.Join(dir, p.id(w)), nil
	}
	return path, "", err
}

// isPath tells a path from a name: names contain neither separators nor the
// suffix of a library.
func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) ||
		strings.Contains(filepath.Base(name), ".so") || strings.HasSuffix(name, suffix())
}

func suffix() string {
	switch runtime.GOOS {
	case "darwin", "ios":
		return ".dylib"
	case "windows":
		return ".dll"
	}
	return ".so"
}

// library checks that path is a file. Source says where the path came from.
func library(path, source string) (string, error) {
	prefix := ""
	if source != "" {
		prefix = source + ": "
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %sno such file: %s", ErrNotFound, prefix, path)
	case err != nil:
		return "", fmt.Errorf("plugin library: %s%w", prefix, err)
	case info.IsDir():
		return "", fmt.Errorf("plugin library: %s%s is a directory, not a library", prefix, path)
	}
	return path, nil
}
