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
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// pythonTimeout is how long the interpreter may take to say where its packages
// are.
const pythonTimeout = 5 * time.Second

// interpreters remembers the answers of interpreters by command, because starting one takes longer
// than the rest of a search.
var interpreters = struct {
	// mu is a lock: sending to it locks. It is a channel so that waiters can give up while the
	// holder runs an interpreter.
	mu    chan struct{}
	paths map[string]interpreterPaths // guarded by mu
}{make(chan struct{}, 1), make(map[string]interpreterPaths)}

type interpreterPaths struct {
	dirs []string
	err  error
}

// sitePackages lists the directories in which the active interpreter looks for packages: those of
// an active virtual or Conda environment, and those that the interpreter itself reports, unless the
// environment excludes them. Relative paths in variables do not count: plugins would be loaded from
// wherever the user happens to be.
func (f *finder) sitePackages(ctx context.Context, command string) ([]string, error) {
	dirs := slices.DeleteFunc(filepath.SplitList(f.getenv("PYTHONPATH")), func(dir string) bool { return !filepath.IsAbs(dir) })
	alone := false
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		prefix := f.getenv(variable)
		if !filepath.IsAbs(prefix) || alone {
			continue
		}
		pattern := "lib/python3*/site-packages"
		if f.goos == "windows" {
			pattern = "Lib/site-packages"
		}
		found := glob(prefix, pattern)
		dirs = append(dirs, found...)
		alone = len(found) > 0 && !systemSitePackages(prefix)
	}
	if alone {
		return dirs, nil
	}
	if command == "" {
		command = python.Default()
	}
	more, err := askInterpreter(ctx, command)
	return append(dirs, more...), err
}

// systemSitePackages reports whether the virtual environment at prefix includes the packages of the
// interpreter that created it.
func systemSitePackages(prefix string) bool {
	content, err := outside.ReadRegular(filepath.Join(prefix, "pyvenv.cfg"), 1<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == "include-system-site-packages" {
			return strings.EqualFold(strings.TrimSpace(value), "true")
		}
	}
	return false
}

// glob returns the paths below dir that match a pattern with slashes, sorted. Only the pattern has
// wildcards; it must be sound.
func glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

// askInterpreter returns the directories that command reports. It runs command only once in the
// life of the process.
func askInterpreter(ctx context.Context, command string) ([]string, error) {
	select {
	case interpreters.mu <- struct{}{}:
		defer func() { <-interpreters.mu }()
	case <-ctx.Done():
		return nil, abandon.Err(ctx, nil, "another call that asks "+command)
	}
	if known, ok := interpreters.paths[command]; ok {
		return known.dirs, known.err
	}
	dirs, err := runInterpreter(ctx, command)
	if err := abandon.Err(ctx, nil, command); err != nil {
		return nil, err // not the interpreter's fault, so not remembered
	}
	interpreters.paths[command] = interpreterPaths{dirs, err}
	return dirs, err
}

func runInterpreter(ctx context.Context, command string) ([]string, error) {
	path, err := python.Find(command)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pythonTimeout)
	defer cancel()
	cmd := python.Command(ctx, path, nil, `sys.stdout.buffer.write(b"\0".join(map(os.fsencode, sys.path)))`)
	stdout, stderr, err := python.Run(cmd)
	if err != nil {
		var tooMuch *python.OutputError
		switch {
		case errors.As(err, &tooMuch):
			return nil, err
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return nil, fmt.Errorf("%s did not answer within %s", command, pythonTimeout)
		case python.Reason(stderr) != "":
			return nil, fmt.Errorf("%s failed: %s", command, python.Reason(stderr))
		}
		return nil, fmt.Errorf("%s failed: %w", command, err)
	}
	var dirs []string
	for dir := range strings.SplitSeq(stdout, "\x00") {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// pythonPackages looks for plugins in Python packages.
func (f *finder) pythonPackages(ctx context.Context) (found []Candidate, note string) {
	dirs, err := f.python(ctx)
	if err != nil {
		note = fmt.Sprintf(" (%v)", err)
	}
	// Python's path includes zip archives and directories that do not exist.
	dirs = slices.DeleteFunc(slices.Compact(slices.Clone(dirs)), func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
	if len(dirs) == 0 {
		return nil, "Python packages" + note
	}
	for _, dir := range dirs {
		found = append(found, f.sitePackage(dir, dirs)...)
	}
	return found, "Python packages in " + strings.Join(dirs, ", ") + note
}

// knownPackages lists libraries at fixed places below a package directory.
var knownPackages = []struct{ name, path string }{
	{"cpu", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
	{"tpu", "libtpu/libtpu.so"},
	{"neuron", "libneuronxla/libneuronpjrt.so"},
	{"cuda13", "winjax_cuda13_pjrt/pjrt_c_api_gpu_plugin.dll"},
	{"mtl", "metal_pjrt_core/pjrt_c_api_mtl_plugin.dylib"},
}

// pluginNamespaces lists the packages whose modules are plugins.
var pluginNamespaces = []string{"jax_plugins", "xla_plugins"}

// sitePackage searches one package directory.
func (f *finder) sitePackage(site string, all []string) (found []Candidate) {
	entries, err := os.ReadDir(site)
	if err != nil {
		return []Candidate{unreadable(site, OriginPython, err)}
	}
	for _, known := range knownPackages {
		path := filepath.Join(site, filepath.FromSlash(known.path))
		if _, err := os.Lstat(path); err == nil {
			found = append(found, f.packaged(known.name, path, site, entries))
		}
	}
	for _, namespace := range pluginNamespaces {
		modules, err := os.ReadDir(filepath.Join(site, namespace))
		if err != nil {
			continue
		}
		for _, module := range modules {
			dir := filepath.Join(site, namespace, module.Name())
			if info, err := os.Stat(dir); err != nil || !info.IsDir() || module.Name() == "__pycache__" {
				continue
			}
			for _, library := range f.pluginsBelow(dir) {
				found = append(found, f.packaged(moduleName(module.Name(), library, f.goos), library, site, entries))
			}
		}
	}
	for _, entry := range entries {
		if ext := filepath.Ext(entry.Name()); ext == ".dist-info" || ext == ".egg-info" {
			found = append(found, f.entryPoints(site, entry.Name(), all, found)...)
		}
	}
	return found
}

// moduleName returns the name of the plugin in the library of a module: usually the file's, or the
// module's if it says more (xla_cuda13, not cuda).
func moduleName(module, library, goos string) string {
	short := strings.TrimSuffix(strings.TrimPrefix(module, "xla_"), "_pjrt")
	if platform := platformOf(short); "lib"+platform == short {
		short = platform
	}
	name := pluginOfFile(filepath.Base(library), goos)
	if name == "" || platformOf(short) == platformOf(name) {
		return short
	}
	return name
}

// packaged returns the candidate for a library of a Python package.
func (f *finder) packaged(name, library, site string, entries []os.DirEntry) Candidate {
	c := ranked(Candidate{Name: name, Path: library, Origin: OriginPython, Detail: site})
	rel, err := filepath.Rel(site, library)
	if err != nil {
		return c
	}
	rel = filepath.ToSlash(rel)
	// Most distributions have the name of their package.
	project, _, _ := strings.Cut(rel, "/")
	installed(&c, project, entries)
	for i := range f.table {
		p := &f.table[i]
		if p.Library == rel && installed(&c, strings.ReplaceAll(p.Project, "-", "_"), entries) && c.Version == p.Version {
			c.API = p.api
		}
	}
	return c
}

// installed sets the version and the detail of a candidate from the distribution of a project, if
// that is among the entries of a package directory.
func installed(c *Candidate, project string, entries []os.DirEntry) bool {
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".dist-info")
		if version, cut := strings.CutPrefix(name, project+"-"); ok && cut {
			c.Version, c.Detail = version, entry.Name()
			return true
		}
	}
	return false
}

// maxPackageFiles limits how many files of a package are checked. Plugins lie near the top of their
// packages.
const maxPackageFiles = 4096

// pluginsBelow returns the plugins in a package: libraries that have the name of a plugin or export
// GetPjrtApi.
func (f *finder) pluginsBelow(dir string) (libraries []string) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if n++; n > maxPackageFiles {
			return filepath.SkipAll
		}
		if err != nil {
			return nil // the rest of the package is still there
		}
		if entry.IsDir() {
			if strings.Count(path[len(dir):], string(filepath.Separator)) > 3 {
				return filepath.SkipDir
			}
			return nil
		}
		if _, ok := librarySuffix(entry.Name(), f.goos); !ok {
			return nil
		}
		if pluginOfFile(entry.Name(), f.goos) != "" || f.image(path).exports {
			libraries = append(libraries, path)
		}
		return nil
	})
	return libraries
}

// entryPointGroups lists the groups in which packages register plugins.
var entryPointGroups = map[string]bool{"jax_plugins": true, "xla_plugins": true, "torch_xla.plugins": true}

// maxEntryPoints is the largest size of an entry_points.txt, in bytes.
const maxEntryPoints = 1 << 20

// entryPoints returns the plugins that a distribution registers and that are not
// in found yet.
func (f *finder) entryPoints(site, distribution string, all []string, found []Candidate) (more []Candidate) {
	path := filepath.Join(site, distribution, "entry_points.txt")
	content, err := outside.ReadRegular(path, maxEntryPoints)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, outside.ErrNotFile) {
		return nil
	}
	if err != nil {
		return []Candidate{unreadable(path, OriginPython, err)}
	}
	for _, point := range parseEntryPoints(content) {
		dir := moduleDir(point.module, all)
		// The library may be in the distribution's own package, as metaljax's is, which registers
		// the module jax_plugins.metal.
		if own := moduleDir(distributionName(distribution), []string{site}); dir != "" && own != "" && f.pluginsBelow(dir) == nil {
			dir = own
		}
		covered := slices.ContainsFunc(found, func(c Candidate) bool {
			return dir != "" && strings.HasPrefix(c.Path, dir+string(filepath.Separator))
		})
		if covered {
			continue
		}
		name := distributionName(distribution)
		_, version, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(distribution, ".dist-info"), ".egg-info"), "-")
		registered := ranked(Candidate{
			Name: strings.TrimSuffix(strings.TrimPrefix(point.name, "xla_"), "_plugin"),
			Path: dir, Origin: OriginPython, Detail: distribution, Version: version,
		})
		switch {
		case dir == "":
			registered.Path = path
			registered.Problem = problemf("the Python package %s registers a plugin in the module %s, which is in none of the package directories",
				name, point.module)
			more = append(more, registered)
			continue
		case f.pluginsBelow(dir) == nil:
			if slices.ContainsFunc(found, func(c Candidate) bool { return c.Name == registered.Name }) {
				continue // jax-graft registers the library of metal-pjrt-core
			}
			registered.Problem = problemf("the Python package %s registers a plugin, but no library in %s exports GetPjrtApi: if it is elsewhere, name it in %s",
				name, dir, NamesAndLibraryPaths)
			more = append(more, registered)
			continue
		}
		for _, library := range f.pluginsBelow(dir) {
			c := registered
			c.Path = library
			more = append(more, c)
		}
	}
	return more
}

// distributionName returns the name of a distribution, given that of its directory, such as
// metaljax-0.11.9.dist-info.
func distributionName(dir string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(dir, ".dist-info"), ".egg-info"), "-")
	return name
}

// moduleDir returns the directory of a module, whose name has dots between its packages.
func moduleDir(module string, all []string) string {
	parts := strings.Split(module, ".")
	for _, part := range parts {
		if part == "" || strings.ContainsAny(part, `/\`) {
			return ""
		}
	}
	for _, site := range all {
		dir := filepath.Join(append([]string{site}, parts...)...)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		// If the module is a file, its library lies beside it.
		if info, err := os.Stat(dir + ".py"); err == nil && info.Mode().IsRegular() && len(parts) > 1 {
			return filepath.Dir(dir)
		}
	}
	return ""
}

// entryPoint is one line of entry_points.txt.
type entryPoint struct{ name, module string }

// parseEntryPoints returns the entries of the groups in which plugins are registered. It ignores
// all other text, because the file has other uses.
func parseEntryPoints(content []byte) (points []entryPoint) {
	group := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[' && line[len(line)-1] == ']':
			group = strings.TrimSpace(line[1 : len(line)-1])
		case entryPointGroups[group]:
			name, module, ok := strings.Cut(line, "=")
			module, _, _ = strings.Cut(module, "[") // extras
			module, _, _ = strings.Cut(module, ":") // the attribute
			name, module = strings.TrimSpace(name), strings.TrimSpace(module)
			if ok && name != "" && module != "" {
				points = append(points, entryPoint{name, module})
			}
		}
	}
	return points
}
