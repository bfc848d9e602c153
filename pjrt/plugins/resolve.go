// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// missing returns what the dynamic linker would not find when it loads the library at path: needed
// libraries, including those that other libraries need, and symbol versions that a library lacks.
func (f *finder) missing(path string) (missing []string) {
	real := realPath(path)
	queue := []loaded{{path: real, rpaths: nil}}
	seen := map[string]bool{real: true}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		img := f.image(l.path)
		if img.err != nil {
			continue // resolve has checked this file already
		}
		if len(img.runpath) == 0 { // with a RUNPATH, the linker ignores the RPATH
			l.rpaths = append(slices.Clip(l.rpaths), expandAll(f, img.rpath, l.path)...)
		}
		for _, name := range img.needs {
			found := f.resolve(name, l, img.image)
			if found == "" {
				missing = appendNew(missing, name)
				continue
			}
			if found == builtIn {
				continue
			}
			missing = appendNew(missing, f.lackingVersions(found, name, img.wants[name])...)
			if found = realPath(found); !seen[found] {
				seen[found] = true
				queue = append(queue, loaded{found, l.rpaths})
			}
		}
	}
	return missing
}

// loaded is a library that the linker loads, with the RPATHs of the libraries that need it.
type loaded struct {
	path   string
	rpaths []string
}

func appendNew(list []string, values ...string) []string {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// builtIn stands for a library that is not a file.
const builtIn = "(built in)"

// resolve returns the path of the library called name that l needs, or "" if there is none.
func (f *finder) resolve(name string, l loaded, img image) string {
	switch img.format {
	case "Mach-O":
		return f.resolveMachO(name, l, img)
	case "PE":
		return f.resolvePE(name, l)
	}
	if strings.ContainsRune(name, '/') {
		return f.firstOf(img, expand(f, name, l.path))
	}
	var dirs []string
	if len(img.runpath) == 0 {
		dirs = append(dirs, l.rpaths...)
	}
	for _, dir := range splitPaths(f.getenv("LD_LIBRARY_PATH")) {
		dirs = append(dirs, expand(f, dir, l.path))
	}
	dirs = append(dirs, expandAll(f, img.runpath, l.path)...)
	dirs = append(dirs, f.systemDirs()...)
	for _, dir := range dirs {
		if found := f.firstOf(img, filepath.Join(dir, name)); found != "" {
			return found
		}
	}
	return ""
}

// firstOf returns the first path with a library of the same kind as img. The linker skips those for
// other machines.
func (f *finder) firstOf(img image, paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if found := f.image(path); found.err == nil && found.format == img.format && found.arch == img.arch {
			return path
		}
	}
	return ""
}

func expandAll(f *finder, dirs []string, library string) (expanded []string) {
	for _, dir := range dirs {
		expanded = append(expanded, expand(f, dir, library))
	}
	return expanded
}

// platformWords are the values of $PLATFORM.
var platformWords = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// expand replaces the dynamic linker's variables by their values.
func expand(f *finder, path, library string) string {
	if !strings.ContainsRune(path, '$') {
		return path
	}
	lib := "lib64"
	if name, ok := multiarch[f.goarch]; ok && slices.Contains(f.systemDirs(), f.systemPath("/lib/"+name)) {
		if _, err := os.Stat(f.systemPath("/lib/" + name)); err == nil {
			lib = "lib/" + name
		}
	}
	origin := filepath.Dir(library)
	return strings.NewReplacer(
		"${ORIGIN}", origin, "$ORIGIN", origin, "${LIB}", lib, "$LIB", lib,
		"${PLATFORM}", platformWords[f.goarch], "$PLATFORM", platformWords[f.goarch],
	).Replace(path)
}

// lackingVersions returns the symbol versions in wants that the library at path does
// not have.
func (f *finder) lackingVersions(path, name string, wants []string) (lacking []string) {
	has := f.image(path).has
	if len(has) == 0 {
		return nil // the linker accepts a library without versions
	}
	for _, version := range wants {
		if !has[version] {
			lacking = append(lacking, fmt.Sprintf("%s of %s (%s lacks it)", version, name, path))
		}
	}
	return lacking
}

// resolveMachO follows the rules of dyld. Since macOS 11, the system's own libraries are not files.
func (f *finder) resolveMachO(name string, l loaded, img image) string {
	origin := filepath.Dir(l.path)
	expandMac := func(path string) string {
		for _, variable := range []string{"@loader_path", "@executable_path"} {
			if rest, ok := strings.CutPrefix(path, variable); ok {
				return filepath.Join(origin, rest)
			}
		}
		return path
	}
	if strings.HasPrefix(name, "/usr/lib/") || strings.HasPrefix(name, "/System/") {
		return builtIn
	}
	var paths []string
	for _, dir := range filepath.SplitList(f.getenv("DYLD_LIBRARY_PATH")) {
		paths = append(paths, filepath.Join(dir, filepath.Base(name)))
	}
	if rest, ok := strings.CutPrefix(name, "@rpath/"); ok {
		for _, dir := range img.runpath {
			paths = append(paths, filepath.Join(expandMac(dir), rest))
		}
	} else {
		paths = append(paths, expandMac(name))
	}
	for _, dir := range f.systemDirs() {
		paths = append(paths, filepath.Join(dir, filepath.Base(name)))
	}
	return f.firstOf(img, paths...)
}

// resolvePE follows the rules of Windows. API sets are names without files.
func (f *finder) resolvePE(name string, l loaded) string {
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, "api-ms-win-") || strings.HasPrefix(lower, "ext-ms-") {
		return builtIn
	}
	dirs := append([]string{filepath.Dir(l.path)}, f.systemDirs()...)
	for _, dir := range append(dirs, filepath.SplitList(f.getenv("PATH"))...) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			if slices.Contains(f.systemDirs(), dir) {
				return builtIn // Windows has all its libraries
			}
			return path
		}
	}
	return ""
}
