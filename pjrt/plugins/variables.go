// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Environment variables that say where plugins are.
const (
	// NamesAndLibraryPaths names plugins: name:path pairs separated by commas (name;path on
	// Windows), as in JAX. A path that ends in .json is that of a configuration file.
	NamesAndLibraryPaths = "PJRT_NAMES_AND_LIBRARY_PATHS"
	// PluginLibraryPath lists directories of plugins, separated as in PATH. An
	// element may also be the file of a plugin.
	PluginLibraryPath = "PJRT_PLUGIN_LIBRARY_PATH"
	// PluginPath has the form of PluginLibraryPath. With _ and the name of a plugin in capitals
	// appended, as in PJRT_PLUGIN_PATH_CUDA, it is the path of that plugin's library.
	PluginPath = "PJRT_PLUGIN_PATH"
	// TPULibraryPath is the path of libtpu, as in JAX.
	TPULibraryPath = "TPU_LIBRARY_PATH"
)

// atPath returns the candidate for a path from the user, which may be that of a configuration file.
func (f *finder) atPath(path string, origin Origin, name string) Candidate {
	if name == "" {
		if name = pluginOfFile(filepath.Base(path), f.goos); name == "" {
			name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
	}
	c := ranked(Candidate{Name: name, Path: path, Origin: origin})
	if !strings.EqualFold(filepath.Ext(path), ".json") {
		return c
	}
	c.Detail = path
	config, err := readConfig(path)
	if err != nil {
		c.Problem = problem{err}
		return c
	}
	c.Path, c.Options = config.libraryPath, config.options
	if config.priority != nil {
		c.Priority = *config.priority
	}
	if config.experimental != nil {
		c.Experimental = *config.experimental
	}
	c.FailQuietly = config.failQuietly
	return c
}

// named reads PJRT_NAMES_AND_LIBRARY_PATHS.
func (f *finder) named(context.Context) (found []Candidate, note string) {
	value := f.getenv(NamesAndLibraryPaths)
	if value == "" {
		return nil, NamesAndLibraryPaths + " (not set)"
	}
	for entry := range strings.SplitSeq(value, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		name, path, ok := f.pair(entry)
		if !ok || name == "" || path == "" {
			found = append(found, Candidate{
				Origin: OriginNames, Detail: entry, Problem: problemf("%s: %q is not name:path", NamesAndLibraryPaths, entry),
			})
			continue
		}
		c := f.atPath(path, OriginNames, name)
		if c.Detail == "" {
			c.Detail = entry
			// A user who names a plugin wants to know if it does not work.
			c.FailQuietly = false
		}
		found = append(found, c)
	}
	return found, fmt.Sprintf("%s (%s)", NamesAndLibraryPaths, value)
}

// pair splits name:path at the first separator, because a path may contain more of them.
func (f *finder) pair(entry string) (name, path string, ok bool) {
	if f.goos == "windows" {
		if name, path, ok = strings.Cut(entry, ";"); ok {
			return name, path, ok
		}
	}
	return strings.Cut(entry, ":")
}

// variable searches the directories and files of plugins that a variable lists.
func (f *finder) variable(origin Origin, name string) (found []Candidate, note string) {
	value := f.getenv(name)
	if value == "" {
		return nil, name + " (not set)"
	}
	for _, element := range filepath.SplitList(value) {
		if element == "" {
			continue
		}
		info, err := os.Stat(element)
		switch {
		case err != nil:
			found = append(found, unreadable(element, origin, err))
		case info.IsDir():
			found = append(found, f.directory(element, origin)...)
		case pluginOfFile(filepath.Base(element), f.goos) != "" || strings.HasSuffix(element, ".json"):
			found = append(found, f.atPath(element, origin, ""))
		default:
			found = append(found, Candidate{
				Path: element, Origin: origin,
				Problem: problemf("%s: %s does not have the name of a plugin, such as pjrt_c_api_NAME_plugin%s: rename it, or name it in %s",
					name, element, suffix(f.goos), NamesAndLibraryPaths),
			})
		}
	}
	return found, fmt.Sprintf("%s (%s)", name, value)
}

// pluginPath reads PJRT_PLUGIN_PATH, PJRT_PLUGIN_PATH_NAME and TPU_LIBRARY_PATH.
func (f *finder) pluginPath(context.Context) (found []Candidate, note string) {
	found, note = f.variable(OriginPluginPath, PluginPath)
	for _, variable := range f.environ() {
		key, path, _ := strings.Cut(variable, "=")
		name, ok := strings.CutPrefix(key, PluginPath+"_")
		if key == TPULibraryPath {
			name, ok = "tpu", true
		}
		if !ok || name == "" || path == "" {
			continue
		}
		c := f.atPath(path, OriginPluginPath, strings.ToLower(name))
		c.variable = key
		if c.Detail == "" {
			c.Detail = key
		}
		found = append(found, c)
	}
	return found, note
}

// loaderPath searches the directories of the variable that the dynamic linker reads. Relative ones
// do not count: nobody named the plugins in them, and whoever fills the working directory could.
func (f *finder) loaderPath(context.Context) (found []Candidate, note string) {
	name := f.loaderVariable()
	value := f.getenv(name)
	if value == "" {
		return nil, name + " (not set)"
	}
	for _, dir := range filepath.SplitList(value) {
		if filepath.IsAbs(dir) {
			found = append(found, f.directory(dir, OriginLoaderPath)...)
		}
	}
	return found, fmt.Sprintf("%s (%s)", name, value)
}

func (f *finder) loaderVariable() string {
	switch f.goos {
	case "darwin":
		return "DYLD_LIBRARY_PATH"
	case "windows":
		return "PATH"
	}
	return "LD_LIBRARY_PATH"
}

// directory returns the files in dir with plugin names, or dir itself as a candidate with a problem
// if it cannot be read. A directory that does not exist has no files.
func (f *finder) directory(dir string, origin Origin) []Candidate {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return []Candidate{unreadable(dir, origin, err)}
	}
	var found []Candidate
	for _, entry := range entries {
		if name := pluginOfFile(entry.Name(), f.goos); name != "" {
			found = append(found, ranked(Candidate{Name: name, Path: filepath.Join(dir, entry.Name()), Origin: origin, Detail: dir}))
		}
	}
	return found
}

// unreadable returns the candidate for a place that could not be searched.
func unreadable(path string, origin Origin, err error) Candidate {
	return Candidate{Path: path, Origin: origin, Problem: problemf("%s cannot be read: %w", path, withoutPath(err))}
}
