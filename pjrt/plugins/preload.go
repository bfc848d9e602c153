// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// cudaLibraries lists the libraries that XLA's plugin for CUDA loads by name when it needs them,
// each with the directory of its Python package. Unless all is set, that directory is for CUDA 12
// only: later versions have one directory for all these libraries.
var cudaLibraries = []struct {
	name, directory string
	all             bool
}{
	{"libcudart.so", "cuda_runtime", false},
	{"libnvrtc.so", "cuda_nvrtc", false},
	{"libnvJitLink.so", "nvjitlink", false},
	{"libcublasLt.so", "cublas", false},
	{"libcublas.so", "cublas", false},
	{"libcupti.so", "cuda_cupti", false},
	{"libcusparse.so", "cusparse", false},
	{"libcusolver.so", "cusolver", false},
	{"libcufft.so", "cufft", false},
	{"libnccl.so", "nccl", true},
	{"libnvshmem_host.so", "nvshmem", true},
	{"libcudnn.so", "cudnn", true},
}

// libraries lists the shared libraries in Python packages that a plugin (a name or a path) needs
// when it runs and that the dynamic linker would not find there. For XLA's CUDA plugin these are
// the libraries of CUDA, from the packages beside the plugin or from those of the active
// interpreter. For all other plugins the list is empty.
func (f *finder) libraries(plugin string) []string {
	if pluginPlatform(plugin) != "cuda" || f.goos != "linux" {
		return nil
	}
	for _, site := range f.sites(plugin) {
		if list := f.nvidiaLibraries(site, plugin); len(list) > 0 {
			return list
		}
	}
	return nil
}

// sites returns the directories of Python packages to search for a plugin: that of its library, the
// one whose packages include the library, then those of the interpreter. Other directories above
// the library have nothing to do with it, and what is in them may be anyone's: in /tmp, for
// example.
func (f *finder) sites(plugin string) (sites []string) {
	if IsPath(plugin) {
		dir := filepath.Dir(realPath(plugin))
		sites = append(sites, dir)
		for range 4 { // site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
			namespace := slices.Contains(pluginNamespaces, filepath.Base(dir))
			dir = filepath.Dir(dir)
			if namespace || slices.Contains(packageDirectories, filepath.Base(dir)) {
				sites = append(sites, dir)
				break
			}
		}
	}
	// Without an interpreter there are no packages.
	more, _ := f.python(context.Background())
	return append(sites, more...)
}

// packageDirectories lists the names of directories of Python packages; Debian has its own.
var packageDirectories = []string{"site-packages", "dist-packages"}

// nvidiaLibraries returns CUDA's libraries among the packages in site.
func (f *finder) nvidiaLibraries(site, plugin string) (list []string) {
	directories := glob(site, "nvidia/cu[0-9]*")
	slices.Reverse(directories) // the newest first
	major := cudaMajor(plugin)
	if major != "" {
		directories = slices.DeleteFunc(directories, func(dir string) bool { return filepath.Base(dir) != "cu"+major })
	}
	if len(directories) > 1 {
		directories = directories[:1] // do not mix versions of CUDA
	}
	twelve := len(directories) == 0 && (major == "" || major == "12")
	for _, l := range cudaLibraries {
		places := slices.Clone(directories)
		if l.all || twelve {
			places = append(places, filepath.Join(site, "nvidia", l.directory))
		}
		for _, dir := range places {
			files := glob(dir, "lib/"+l.name+".[0-9]*")
			if len(files) == 0 {
				continue
			}
			// The plugin loads libcudart.so.13, not libcudart.so.13.0.1.
			list = append(list, slices.MinFunc(files, func(a, b string) int { return len(a) - len(b) }))
			break
		}
	}
	return list
}

// cudaMajor returns the version of CUDA in the name of a plugin, or "".
func cudaMajor(plugin string) string {
	_, version, _ := strings.Cut(plugin, "cuda")
	for version != "" && (version[0] < '0' || version[0] > '9') {
		_, rest, ok := strings.Cut(version, "cuda")
		if !ok {
			return ""
		}
		version = rest
	}
	end := 0
	for end < len(version) && version[end] >= '0' && version[end] <= '9' {
		end++
	}
	return version[:end]
}

// unfound returns those of the libraries for a plugin that it would not find by itself, or with
// other files for what they need in turn, and what these need. The others load when they are
// needed, which saves time and memory: most programs need few, and one takes a tenth of a second.
func (f *finder) unfound(plugin string, libraries []string) []string {
	path, err := filepath.Abs(plugin)
	own := f.image(path)
	if err != nil || own.err != nil || realPath(path) != path { // $ORIGIN is where the linker finds it
		return libraries
	}
	listed := make(map[string]string, len(libraries))
	for _, l := range libraries {
		listed[filepath.Base(l)] = l
	}
	finds := func(name string, by loaded, img image) bool {
		found := f.resolve(name, by, img)
		return found != "" && realPath(found) == realPath(listed[name])
	}
	load := func(path string, img image, by loaded) loaded {
		if len(img.runpath) > 0 { // with a RUNPATH, the linker ignores the RPATH
			return loaded{path, by.rpaths}
		}
		return loaded{path, append(expandAll(f, img.rpath, path), by.rpaths...)}
	}
	self := load(path, own.image, loaded{})
	lost := make(map[string]bool)
	for name, path := range listed {
		img := f.image(path)
		it := load(path, img.image, self)
		lost[name] = img.err != nil || !finds(name, self, own.image) || slices.ContainsFunc(img.needs, func(need string) bool {
			return listed[need] != "" && !finds(need, it, img.image)
		})
	}
	for again := true; again; {
		again = false
		for name, path := range listed {
			for _, need := range f.image(path).needs {
				if lost[name] && listed[need] != "" && !lost[need] {
					lost[need], again = true, true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(libraries), func(path string) bool { return !lost[filepath.Base(path)] })
}

// preload loads libraries into the process, so that the plugin finds them by name, and returns
// those that it loaded. They stay loaded until the process ends. The error joins the errors of all
// libraries that did not load, some of which the plugin may never use.
//
// One library may need another that comes later in the list, so preload retries those that
// failed as long as others load.
func (f *finder) preload(libraries []string) (loaded []string, err error) {
	var rest []string
	var failures []error
	for _, path := range libraries {
		// The dynamic linker crashes on truncated files.
		if img := f.image(path); img.err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", path, img.err))
			continue
		}
		rest = append(rest, path)
	}
	for progress := true; progress && len(rest) > 0; {
		progress = false
		var errs []error
		rest = slices.DeleteFunc(rest, func(path string) bool {
			err := loadLibrary(path)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
				return false
			}
			loaded = append(loaded, path)
			progress = true
			return true
		})
		if !progress {
			failures = append(failures, errs...)
		}
	}
	return loaded, errors.Join(failures...)
}
