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

// cudaLibraries are the libraries that XLA's plugin for CUDA looks for by their
// names when it needs them, with the directory of the Python package that brings
// each one: for CUDA 12, or for all versions. Later versions of CUDA have one
// directory for all the others.
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

// Libraries lists the shared libraries among Python's packages that a plugin (a
// name or a path, as in [Find]) looks for when it runs, and that the dynamic linker
// would not find there: those of CUDA for XLA's plugin for CUDA, of the packages
// beside the plugin, or else of the active interpreter. For all other plugins the
// list is empty.
func Libraries(plugin string) []string {
	return newFinder(ListOptions{}).libraries(plugin)
}

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

// sites returns the directories of Python packages that may have something for a
// plugin: those around its library first, then those of the interpreter.
func (f *finder) sites(plugin string) (sites []string) {
	if IsPath(plugin) {
		site := filepath.Dir(realPath(plugin))
		for range 4 { // site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
			sites = append(sites, site)
			site = filepath.Dir(site)
		}
	}
	// Without an interpreter there are no packages of it.
	more, _ := f.python(context.Background())
	return append(sites, more...)
}

// nvidiaLibraries returns CUDA's libraries among the packages in site.
func (f *finder) nvidiaLibraries(site, plugin string) (list []string) {
	directories, _ := filepath.Glob(filepath.Join(globQuote(site), "nvidia", "cu[0-9]*")) // the pattern is sound
	slices.Sort(directories)
	slices.Reverse(directories) // the newest first
	major := cudaMajor(plugin)
	if major != "" {
		directories = slices.DeleteFunc(directories, func(dir string) bool { return filepath.Base(dir) != "cu"+major })
	}
	if len(directories) > 1 {
		directories = directories[:1] // not two versions of one library
	}
	twelve := len(directories) == 0 && (major == "" || major == "12")
	for _, l := range cudaLibraries {
		places := slices.Clone(directories)
		if l.all || twelve {
			places = append(places, filepath.Join(site, "nvidia", l.directory))
		}
		for _, dir := range places {
			files, _ := filepath.Glob(filepath.Join(globQuote(dir), "lib", l.name+".[0-9]*"))
			if len(files) == 0 {
				continue
			}
			// The plugin asks for libcudart.so.13, not for libcudart.so.13.0.1.
			list = append(list, slices.MinFunc(files, func(a, b string) int { return len(a) - len(b) }))
			break
		}
	}
	return list
}

// cudaMajor returns the version of CUDA that the name of a plugin states, or "".
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

// Preload loads what [Libraries] lists into the process, so that the plugin finds
// it by its name, and returns what it loaded. They stay until the process ends.
// [Prepare] does it on machines with an NVIDIA GPU; it takes a second or so, and
// memory, and compiling ahead of time does not need it. The error joins those of
// the libraries that did not load, which may be ones that the plugin never asks
// for.
func Preload(plugin string) (loaded []string, err error) {
	f := newFinder(ListOptions{})
	return f.preload(f.libraries(plugin))
}

// preload loads libraries. One may need another that comes later, so those that
// did not load are tried again as long as others did.
func (f *finder) preload(libraries []string) (loaded []string, err error) {
	var rest []string
	var failures []error
	for _, path := range libraries {
		// The dynamic linker dies of files that are cut off.
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
