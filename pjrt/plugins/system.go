// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"debug/elf"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// systemPath returns a path of the system, below the root that tests replace.
func (f *finder) systemPath(path string) string {
	return filepath.Join(f.root, filepath.FromSlash(path))
}

// systemLibraries searches the directories in which the linker looks for the libraries of every
// program.
func (f *finder) systemLibraries(context.Context) (found []Candidate, note string) {
	dirs := f.systemDirs()
	if len(dirs) == 0 {
		return nil, "no library directories"
	}
	found = append(found, f.systemBad...)
	for _, dir := range dirs {
		found = append(found, f.directory(dir, OriginSystem)...)
	}
	return found, "the system's library directories (" + strings.Join(dirs, ", ") + ")"
}

// neuron looks for the library where AWS's packages install it.
func (f *finder) neuron(context.Context) (found []Candidate, note string) {
	dir := f.systemPath("/opt/aws/neuron/lib")
	if f.goos != "linux" {
		return nil, ""
	}
	return f.directory(dir, OriginNeuron), dir
}

// multiarch names the library directories on Debian and its derivatives.
var multiarch = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

// systemDirs lists the directories in which the dynamic linker looks for libraries of every
// program, in its order. It reads them on the first call.
func (f *finder) systemDirs() []string {
	if f.systemSet {
		return f.system
	}
	f.systemSet = true
	switch f.goos {
	case "darwin":
		f.system = []string{f.systemPath("/usr/local/lib"), f.systemPath("/opt/homebrew/lib"), f.systemPath("/usr/lib")}
		return f.system
	case "windows":
		if root := f.getenv("SystemRoot"); root != "" {
			f.system = []string{filepath.Join(root, "System32")}
		}
		return f.system
	}
	r := &ldConfig{f: f}
	r.read(f.systemPath("/etc/ld.so.conf"), 0)
	if name, ok := multiarch[f.goarch]; ok {
		r.add("/lib/" + name)
		r.add("/usr/lib/" + name)
	}
	for _, dir := range []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib"} {
		r.add(dir)
	}
	if f.root == "" {
		// Systems without these directories, such as NixOS, have the C library beside the linker
		// that started this program.
		if dir := linkerDir(); dir != "" {
			r.addPath(dir)
		}
	}
	f.system = r.dirs
	return f.system
}

// linkerDir returns the directory of the dynamic linker that started this program, or "" if the
// program is linked statically.
func linkerDir() string {
	exe, err := elf.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer exe.Close()
	for _, p := range exe.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
		if err != nil {
			return ""
		}
		return filepath.Dir(realPath(strings.TrimRight(string(name), "\x00")))
	}
	return ""
}

// ldConfig reads ld.so.conf and what it includes.
type ldConfig struct {
	f     *finder
	dirs  []string
	files int
}

const (
	maxConfigFiles = 1000
	maxConfigDepth = 10
)

// read adds the directories in one file. It ignores a file that does not exist.
func (r *ldConfig) read(path string, depth int) {
	if r.files++; r.files > maxConfigFiles || depth > maxConfigDepth {
		return // files that include one another
	}
	text, err := outside.ReadRegular(path, 1<<20)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.f.systemBad = append(r.f.systemBad, unreadable(path, OriginSystem, err))
		}
		return
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ := strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "hwcap":
		case words[0] == "include":
			for _, pattern := range words[1:] {
				r.include(path, pattern, depth)
			}
		default:
			// One line may hold several directories. The text after = names the kind of library.
			for _, dir := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\r\n:,", c) }) {
				dir, _, _ = strings.Cut(dir, "=")
				r.add(dir)
			}
		}
	}
}

// include reads the files that match pattern. A relative pattern starts at the directory of the
// file that contains it.
func (r *ldConfig) include(from, pattern string, depth int) {
	if filepath.IsAbs(pattern) {
		pattern = r.f.systemPath(pattern)
	} else {
		pattern = filepath.Join(filepath.Dir(from), pattern)
	}
	files, _ := filepath.Glob(pattern) // a bad pattern matches nothing, as for the linker
	for _, file := range files {
		r.read(file, depth+1)
	}
}

// add adds a directory of the system.
func (r *ldConfig) add(dir string) {
	if strings.HasPrefix(dir, "/") {
		r.addPath(r.f.systemPath(dir))
	}
}

func (r *ldConfig) addPath(dir string) {
	if dir = filepath.Clean(dir); !slices.Contains(r.dirs, dir) {
		r.dirs = append(r.dirs, dir)
	}
}
