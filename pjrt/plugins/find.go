// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

// ErrNotFound is wrapped by the error of a search that found no usable plugin.
var ErrNotFound = errors.New("plugin not found")

// A SearchError says why no plugin was found or chosen. It matches [ErrNotFound].
type SearchError struct {
	// Name is the name searched for, or empty for the default plugin.
	Name string
	// Tried lists the places that were searched.
	Tried []string
	// Rejected lists the plugins that were found but are not usable.
	Rejected []Candidate
	// Advice lists what the user can do.
	Advice []string
}

// Error says in one short line, fit for a log, what to do, why the first plugins were unusable, and
// how many places were searched; the fields have everything.
func (e *SearchError) Error() string {
	if e == nil {
		return ErrNotFound.Error()
	}
	var b strings.Builder
	b.WriteString(ErrNotFound.Error())
	if e.Name != "" {
		b.WriteString(": " + e.Name)
	}
	for i, a := range e.Advice {
		if i == 0 || !strings.HasSuffix(e.Advice[i-1], "?") {
			b.WriteString(";")
		}
		b.WriteString(" " + a)
	}
	const shown = 2
	for i, c := range e.Rejected[:min(shown, len(e.Rejected))] {
		b.WriteString([]string{"; not usable: ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s (%s: %s)", c.Name, c.source(), firstLine(c.Err()))
	}
	if more := len(e.Rejected) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	if len(e.Tried) > 0 {
		fmt.Fprintf(&b, "; searched %d places", len(e.Tried))
	}
	return b.String()
}

// Is reports whether target is ErrNotFound, or ErrUnusable if a library that was found cannot be
// loaded.
func (e *SearchError) Is(target error) bool {
	return target == ErrNotFound || target == ErrUnusable && e != nil &&
		slices.ContainsFunc(e.Rejected, func(c Candidate) bool { return c.Problem != nil })
}

// Find returns the plugin called name, or the best one on this machine if name is empty. It loads
// nothing.
//
// A name with a path separator, or with the suffix of a shared library or a configuration file, is
// a path. Any other name is that of a plugin, of a platform, or an alias of platforms. Find
// searches these places, in this order:
//
//  1. PJRT_NAMES_AND_LIBRARY_PATHS;
//  2. the directories and files of PJRT_PLUGIN_LIBRARY_PATH;
//  3. those of PJRT_PLUGIN_PATH, the variable PJRT_PLUGIN_PATH_NAME, and
//     TPU_LIBRARY_PATH for tpu;
//  4. LD_LIBRARY_PATH (DYLD_LIBRARY_PATH on macOS, PATH on Windows);
//  5. the plugins that [Install] put into [Dir];
//  6. the packages of the active Python interpreter: jax_plugins and xla_plugins, libtpu,
//     libneuronxla, and plugins registered by entry points;
//  7. the directory of AWS Neuron;
//  8. the directories of ld.so.conf and the linker's default directories.
//
// In a directory of the system, a file counts as a plugin if its name is pjrt_c_api_NAME_plugin.so,
// pjrt_plugin_NAME.so, or that of a known plugin (.dylib on macOS, .dll on Windows).
//
// Relative directories in LD_LIBRARY_PATH, PYTHONPATH, VIRTUAL_ENV and the like do not count:
// whoever fills the working directory would decide which plugin is loaded.
//
// If a variable of places 1 to 3 or a plugin of place 5 is unusable, Find returns an error, so that
// a typo does not select another plugin. In the other places it skips unusable plugins. If no
// plugin has hardware, Find returns one without: it can still compile. The error of an unsuccessful
// search is a [*SearchError].
//
// What is at a path is returned whatever it is: its Problem says why a library cannot be loaded. If
// there is no library, Find returns an error as well.
//
// Without a name, the first plugin that can be loaded and finds devices is the best, in the order
// cuda, rocm, oneapi, tpu, neuron, tt, others, cpu. Of the others, those of places 4 and 6 to 8,
// which nobody asked for, come last, since nothing shows that they have devices. Experimental
// plugins do not count, and a plugin that the user configured must be usable (see
// [Candidate.FailQuietly]). If PJRT_PLATFORMS or, failing that, JAX_PLATFORMS or JAX_PLATFORM_NAME
// is set, the best plugin is that of the first name in the variable, and it is an error if one of
// the names has no usable plugin.
func Find(ctx context.Context, name string) (Candidate, error) {
	return newFinder(ListOptions{}).find(ctx, name)
}

func (f *finder) find(ctx context.Context, name string) (Candidate, error) {
	if name != "" {
		return f.lookupPlugin(ctx, name)
	}
	list, err := f.selectPlugins(ctx)
	if err != nil {
		return Candidate{}, err
	}
	return list[0], nil
}

// lookupPlugin returns the plugin called name.
func (f *finder) lookupPlugin(ctx context.Context, name string) (Candidate, error) {
	if IsPath(name) {
		return f.lookupPath(name)
	}
	failure := &SearchError{Name: name}
	var spare *Candidate // loads, but has no hardware
	for _, platform := range platformsOf(name) {
		failure.Tried = nil
		for _, p := range f.places() {
			if err := abandon.Err(ctx, nil, ""); err != nil {
				return Candidate{}, err
			}
			found, note := p.search(ctx)
			if note != "" {
				failure.Tried = append(failure.Tried, note)
			}
			for _, c := range found {
				if c.Origin == OriginNames && c.Name == "" {
					return Candidate{}, c.Problem // an entry of a variable that cannot be parsed
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
			// Among plugins of one platform, the order of places decides.
			if spare != nil && spare.Platform == platform && len(platformsOf(name)) == 1 {
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
	problem := c.Problem
	f.inspect(&c)
	switch {
	case errors.Is(problem, fs.ErrNotExist):
		return c, fmt.Errorf("%w: %w", ErrNotFound, errors.Unwrap(problem)) // nothing is there to be unusable
	case problem != nil:
		return c, problem
	}
	_, err := library(c.Path, c.Detail)
	if name := pluginOfFile(path, f.goos); name != "" && errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w in the working directory: a name with %s is a path; to search for the plugin, say %s",
			err, suffix(f.goos), name)
	}
	return c, err
}

// AnswersTo reports whether name asks for c: it is the name of c, the name of its platform, or an
// alias of the platform.
func (c Candidate) AnswersTo(name string) bool {
	return slices.ContainsFunc(platformsOf(name), func(platform string) bool { return c.answers(name, platform) })
}

// answers reports whether name asks for c, directly or by the platform that it stands for.
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
	// A name with a version, or a candidate with one, matches only exactly.
	if strings.Contains(name, "@") || strings.Contains(c.Name, "@") && !c.alternative || versioned.MatchString(strings.ToLower(name)) {
		return false
	}
	return c.Platform == platform
}

// chosen reports whether the user chose this very plugin, so that no other may replace it.
func (c *Candidate) chosen() bool {
	switch c.Origin {
	case OriginNames, OriginLibraryPath, OriginPluginPath, OriginCache:
		return true
	}
	return false
}

// unusable returns the error for a plugin that was chosen and cannot be loaded.
func (f *finder) unusable(c Candidate) error {
	err := c.Problem
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: no such file: %s", ErrNotFound, c.Path)
	}
	switch c.Origin {
	case OriginCache:
		return fmt.Errorf("plugin %s: %w", c.Name, err)
	case OriginNames, OriginLibraryPath, OriginPluginPath:
		return fmt.Errorf("%s: %w", c.source(), err)
	}
	return err
}

// source names where the user chose c: the variable, or else the place.
func (c *Candidate) source() string { return cmp.Or(c.variable, string(c.Origin)) }

// cached searches the directory of installed plugins.
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
			otherNames: p.versionNames(), alternative: p.alternative(),
		})
		if p.old {
			c.Experimental = true
		}
		if err != nil {
			c.Path, c.Problem = filepath.Join(dir, p.id(w)), problem{err}
			var known *cacheError
			if errors.As(err, &known) {
				c.remedy = known.remedy
			}
		}
		found = append(found, c)
	}
	return found, dir
}

// advice says what to do if there is no plugin called name.
func (f *finder) advice(name string) (advice []string) {
	var installable []string
	table := f.suited()
	for i := range table {
		p := &table[i]
		if _, err := p.pick(runtime.GOOS + "/" + runtime.GOARCH); err != nil {
			if p.AnswersTo(name) {
				advice = append(advice, err.Error())
			}
			continue
		}
		switch platform := platformOf(p.Name); {
		case p.AnswersTo(name):
			return []string{f.runInstall(name)}
		case slices.Contains(platformsOf(name), platform) && !strings.Contains(p.Name, "@"):
			installable = append(installable, p.Name)
		}
	}
	if len(advice) > 0 {
		return advice
	}
	if len(installable) > 0 {
		return []string{f.runInstall(installable[0])}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return []string{"for the file of this name, write ." + string(filepath.Separator) + name}
	}
	candidates := names(f.table)
	for _, p := range platforms {
		candidates = append(candidates, p.name)
	}
	candidates = append(candidates, slices.Sorted(maps.Keys(aliases))...)
	if near := nearest(name, candidates); near != "" && near != name {
		advice = append(advice, "did you mean "+near+"?")
	}
	return append(advice, "the known plugins are "+strings.Join(names(f.table), ", "))
}

// runInstall says how to install a plugin.
func (f *finder) runInstall(name string) string {
	if _, err := f.dir(); err != nil {
		return "set HOME or XDG_CACHE_HOME, then run: pjrt install " + name
	}
	return "run: pjrt install " + name
}

// nearest returns the candidate with the most similar spelling, or "" if none is similar.
func nearest(name string, candidates []string) string {
	best, distance := "", len(name)/3+2
	for _, c := range candidates {
		if d := spelling.Distance(strings.ToLower(name), c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// IsPath reports whether name is a path. Names of plugins contain neither separators nor the suffix
// of a library or a configuration file.
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
		return "", problemf("plugin library: %s%w", prefix, err)
	case info.IsDir():
		return "", problemf("plugin library: %s%s is a directory, not a library", prefix, path)
	}
	return path, nil
}
