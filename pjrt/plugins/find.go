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
	"runtime"
	"slices"
	"strings"
)

// ErrNotFound is in the chain of the error of a search that found no usable
// plugin.
var ErrNotFound = errors.New("plugin not found")

// A SearchError says why no plugin was found or chosen. It is an [ErrNotFound].
type SearchError struct {
	// Name is what was searched for, empty for the default plugin.
	Name string
	// Tried are the places that were looked into.
	Tried []string
	// Rejected are the plugins that were found but are not usable.
	Rejected []Candidate
	// Advice is what the user can do.
	Advice []string
}

// Error says in one line what was tried, what was found unusable and why, and
// what to do.
func (e *SearchError) Error() string {
	var b strings.Builder
	b.WriteString(ErrNotFound.Error())
	if e.Name != "" {
		b.WriteString(": " + e.Name)
	}
	if len(e.Tried) > 0 {
		b.WriteString(": tried " + strings.Join(e.Tried, ", "))
	}
	for i, c := range e.Rejected {
		if i == 0 {
			b.WriteString("; not usable: ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s: %v)", c.Name, c.Origin, c.Err())
	}
	for _, a := range e.Advice {
		b.WriteString("; " + a)
	}
	return b.String()
}

// Is reports whether target is ErrNotFound.
func (e *SearchError) Is(target error) bool { return target == ErrNotFound }

// Find returns the path of the library of a plugin, without loading it: that of
// the candidate that [Lookup] returns. A path is returned as it is if there is a
// file, and not looked into.
func Find(name string) (string, error) {
	if IsPath(name) && !strings.EqualFold(filepath.Ext(name), ".json") {
		return library(name, "")
	}
	c, err := Lookup(context.Background(), name, ListOptions{})
	return c.Path, err
}

// Lookup returns the plugin called name, without loading it.
//
// A name with a path separator, or with the suffix of a shared library, is a path,
// also that of a configuration file (see [ReadConfig]). Any other name is the name
// of a plugin, of a platform, or an alias of platforms (see [Platforms]), and is
// looked up in these places, one after the other:
//
//  1. PJRT_NAMES_AND_LIBRARY_PATHS;
//  2. the directories and files of PJRT_PLUGIN_LIBRARY_PATH;
//  3. those of PJRT_PLUGIN_PATH, the variable PJRT_PLUGIN_PATH_NAME, and
//     TPU_LIBRARY_PATH for tpu;
//  4. LD_LIBRARY_PATH (DYLD_LIBRARY_PATH on macOS, PATH on Windows);
//  5. the plugins that [Install] put into [Dir];
//  6. the packages of the active Python interpreter: jax_plugins and xla_plugins,
//     libtpu, libneuronxla, and what is registered by entry points;
//  7. the directory of AWS Neuron;
//  8. the directories of ld.so.conf and the linker's own.
//
// In a directory of the system, files are taken for plugins that are called
// pjrt_c_api_NAME_plugin.so, pjrt_plugin_NAME.so, or like one of the known plugins
// (.dylib on macOS, .dll on Windows).
//
// A variable of 1 to 3, or a file of 5, that leads to something unusable is an
// error, so that a typing mistake does not select another plugin. Elsewhere what
// is not usable is passed over. A plugin without hardware is returned when there
// is none with it: it can still compile. The error of an unsuccessful search is a
// [*SearchError].
func Lookup(ctx context.Context, name string, opts ListOptions) (Candidate, error) {
	return newFinder(opts).lookupPlugin(ctx, name)
}

func (f *finder) lookupPlugin(ctx context.Context, name string) (Candidate, error) {
	if name == "" {
		return Candidate{}, fmt.Errorf("%w: the name is empty; give a name such as cpu, or the path of a library", ErrNotFound)
	}
	if IsPath(name) {
		return f.lookupPath(name)
	}
	failure := &SearchError{Name: name}
	var spare *Candidate // loads, but has no hardware
	for _, platform := range Platforms(name) {
		failure.Tried = nil
		for _, p := range f.places() {
			if err := ctx.Err(); err != nil {
				return Candidate{}, err
			}
			found, note := p.search(ctx)
			if note != "" {
				failure.Tried = append(failure.Tried, note)
			}
			for _, c := range found {
				if c.Origin == OriginNames && c.Name == "" {
					return Candidate{}, c.Problem // a variable that makes no sense
				}
				if !c.answers(name, platform) {
					continue
				}
				f.inspect(&c)
				switch {
				case c.Problem != nil && c.chosen():
					return Candidate{}, f.unusable(c)
				case c.Problem != nil:
					failure.Rejected = append(failure.Rejected, c)
				case c.Hardware == nil:
					return c, nil
				case spare == nil:
					spare = &c
				}
			}
			// A place of its own decides between plugins of one platform.
			if spare != nil && spare.Platform == platform && len(Platforms(name)) == 1 {
				return *spare, nil
			}
		}
	}
	if spare != nil {
		return *spare, nil
	}
	failure.Advice = f.advice(name)
	return Candidate{}, failure
}

// lookupPath returns the candidate for a path.
func (f *finder) lookupPath(path string) (Candidate, error) {
	c := f.atPath(path, OriginPath, "")
	if c.Problem != nil {
		if errors.Is(c.Problem, fs.ErrNotExist) {
			return Candidate{}, fmt.Errorf("%w: %w", ErrNotFound, c.Problem)
		}
		return Candidate{}, c.Problem
	}
	if _, err := library(c.Path, c.Detail); err != nil {
		return Candidate{}, err
	}
	f.inspect(&c)
	return c, nil
}

// AnswersTo reports whether name asks for c: it is its own, that of its platform,
// or an alias of that.
func (c Candidate) AnswersTo(name string) bool {
	return slices.ContainsFunc(Platforms(name), func(platform string) bool { return c.answers(name, platform) })
}

// answers reports whether name, or the platform it stands for, asks for c.
func (c *Candidate) answers(name, platform string) bool {
	if c.Name == "" {
		return false
	}
	if strings.EqualFold(c.Name, name) {
		return true
	}
	if slices.Contains(c.otherNames, name) {
		return true
	}
	// Versions are for those who ask for them, on both sides.
	if strings.Contains(name, "@") || strings.Contains(c.Name, "@") || versioned.MatchString(strings.ToLower(name)) {
		return false
	}
	return c.Platform == platform
}

// chosen reports whether somebody put just this plugin there, so that nothing may
// take its place.
func (c *Candidate) chosen() bool {
	switch c.Origin {
	case OriginNames, OriginLibraryPath, OriginPluginPath, OriginCache:
		return true
	}
	return false
}

// unusable is the error of a plugin that was chosen and cannot be loaded.
func (f *finder) unusable(c Candidate) error {
	err := c.Problem
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: no such file: %s", ErrNotFound, c.Path)
	}
	switch c.Origin {
	case OriginCache:
		return fmt.Errorf("plugin %s: %w; run: pjrt install --force %s", c.Name, err, c.Name)
	case OriginNames, OriginLibraryPath, OriginPluginPath:
		return fmt.Errorf("%s: %w", c.Origin, err)
	}
	return err
}

// cached looks into the directory of installed plugins.
func (f *finder) cached(context.Context) (found []Candidate, note string) {
	dir, err := f.dir()
	if err != nil {
		return nil, err.Error()
	}
	in := installer{InstallOptions: InstallOptions{Dir: dir}}
	for i := range f.table {
		p := &f.table[i]
		w, err := p.pick(runtime.GOOS + "/" + runtime.GOARCH)
		if err != nil {
			continue
		}
		path, err := in.installed(p, w)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c := ranked(Candidate{
			Name: p.Name, Path: path, Origin: OriginCache, Detail: dir, Version: p.Version, API: p.api,
			otherNames: []string{p.kind() + "@" + p.Version},
		})
		if strings.Contains(p.Name, "@") {
			c.Experimental = true // there for tests against plugins of other ages
		}
		if err != nil {
			c.Path, c.Problem = filepath.Join(dir, p.id(w)), problem{err}
		}
		found = append(found, c)
	}
	return found, dir
}

// advice says what helps when there is no plugin called name.
func (f *finder) advice(name string) (advice []string) {
	var installable []string
	for i := range f.table {
		p := &f.table[i]
		if _, err := p.pick(runtime.GOOS + "/" + runtime.GOARCH); err != nil {
			if p.answersTo(name) {
				advice = append(advice, err.Error())
			}
			continue
		}
		switch platform := platformOf(p.Name); {
		case p.answersTo(name):
			return []string{"run: pjrt install " + name}
		case slices.Contains(Platforms(name), platform) && !strings.Contains(p.Name, "@"):
			installable = append(installable, p.Name)
		}
	}
	if len(advice) > 0 {
		return advice
	}
	if len(installable) > 0 {
		return []string{"run: pjrt install " + installable[0]}
	}
	return []string{"known plugins are " + strings.Join(names(f.table), ", ")}
}

// IsPath tells a path from a name: names contain neither separators nor the suffix
// of a library or of a configuration file.
func IsPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) ||
		strings.Contains(filepath.Base(name), ".so") || strings.HasSuffix(name, suffix(runtime.GOOS)) ||
		strings.HasSuffix(name, ".json")
}

func suffix(goos string) string {
	switch goos {
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
