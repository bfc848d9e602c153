// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// CUDA holds the parts of CUDA that a plugin finds on this machine. It looks beside its library,
// then in Python packages, then in the directories of the dynamic linker. A missing part is "".
type CUDA struct {
	// Driver is the version of NVIDIA's driver, such as 580.65.06. It is also "" if the driver does
	// not report it.
	Driver string
	// Runtime and CUDNN are the paths of these libraries.
	Runtime, CUDNN string
	// Libraries are the paths of the others that XLA calls: cuBLAS, cuFFT, cuSOLVER, cuSPARSE and
	// CUPTI, in this order, without those that are missing.
	Libraries []string
	// Compiler is the directory with ptxas and libdevice, without which the plugin cannot compile.
	Compiler string
}

// calledLibraries are the other libraries of CUDA, with the versions in their names that belong to
// a major version of CUDA.
var calledLibraries = []struct {
	name, file string
	versions   map[string]string // by the major version of CUDA
}{
	{"cuBLAS", "libcublas.so", map[string]string{"12": "12", "13": "13"}},
	{"cuFFT", "libcufft.so", map[string]string{"12": "11", "13": "12"}},
	{"cuSOLVER", "libcusolver.so", map[string]string{"12": "11", "13": "12"}},
	{"cuSPARSE", "libcusparse.so", map[string]string{"12": "12", "13": "12"}},
	{"CUPTI", "libcupti.so", map[string]string{"12": "12", "13": "13"}},
}

// compilerPackages are the Python packages with the parts of CUDA that XLA's plugin compiles with.
const compilerPackages = "nvidia-cuda-nvcc nvidia-nvvm"

// FindCUDA looks for the parts of CUDA that a plugin (a name or a path, as in [Find]) needs, and
// loads nothing. For a plugin that is not for CUDA, the result is zero. The errors say what is
// missing or too old, and what to do about it; on a machine without an NVIDIA GPU, only the
// compiler counts, which needs no GPU.
func FindCUDA(plugin string) (CUDA, []error) {
	return newFinder(ListOptions{}).cuda(plugin)
}

func (f *finder) cuda(plugin string) (c CUDA, missing []error) {
	if pluginPlatform(plugin) != "cuda" {
		return CUDA{}, nil
	}
	major := cudaMajor(plugin)
	c.Driver = f.driver()
	c.Runtime = f.cudaLibrary(plugin, "libcudart.so", major)
	c.CUDNN = f.cudaLibrary(plugin, "libcudnn.so", "9")
	if c.Compiler = f.cudaDataDir(plugin); c.Compiler == "" && f.isCUDADataDir(f.systemPath("/usr/local/cuda")) {
		c.Compiler = f.systemPath("/usr/local/cuda")
	}
	if c.Compiler == "" {
		missing = append(missing, fmt.Errorf("CUDA's ptxas and libdevice, which the plugin compiles with, are not installed: "+
			"run: %s", f.compilerAdvice(plugin, major)))
	}
	if f.hardware("cuda") != nil {
		return c, missing
	}
	if err := f.driverFor(plugin); err != nil {
		missing = append(missing, err)
	}
	if c.Runtime == "" {
		missing = append(missing, fmt.Errorf("CUDA's libraries (libcudart.so.%s) are neither in Python packages nor in the "+
			"linker's directories: run: pip install \"jax-cuda%s-plugin[with-cuda]\"", major, major))
	}
	var names []string
	for _, l := range calledLibraries {
		version, known := l.versions[major]
		if !known {
			continue
		}
		if path := f.cudaLibrary(plugin, l.file, version); path != "" {
			c.Libraries = append(c.Libraries, path)
		} else {
			names = append(names, l.name+" ("+l.file+"."+version+")")
		}
	}
	if c.Runtime != "" && len(names) > 0 {
		missing = append(missing, fmt.Errorf("%s are neither in Python packages nor in the linker's directories, and what needs them "+
			"fails: run: pip install \"jax-cuda%s-plugin[with-cuda]\"", strings.Join(names, ", "), major))
	}
	if c.CUDNN == "" {
		missing = append(missing, fmt.Errorf("cuDNN 9 (libcudnn.so.9) is neither in Python packages nor in the linker's directories: "+
			"run: pip install nvidia-cudnn-cu%s", major))
	}
	return c, missing
}

// compilerAdvice returns the command that installs what a plugin compiles with.
func (f *finder) compilerAdvice(plugin, major string) string {
	dir, err := f.dir()
	for i := range f.table {
		p := &f.table[i]
		w, has := p.wheels[f.goos+"/"+f.goarch]
		if err != nil || !has || len(p.compiler) == 0 || !IsPath(plugin) {
			continue
		}
		if realPath(plugin) == realPath(filepath.Join(dir, p.id(w), p.fileName())) {
			return "pjrt install " + p.Name
		}
	}
	if major == "12" {
		return "pip install nvidia-cuda-nvcc-cu12"
	}
	return "pip install " + compilerPackages
}

// cudaLibrary returns the path of one of CUDA's libraries, or "".
func (f *finder) cudaLibrary(plugin, name, major string) string {
	for _, path := range f.libraries(plugin) {
		if strings.HasPrefix(filepath.Base(path), name+"."+major) {
			return path
		}
	}
	l := loaded{}
	img := image{format: "ELF", arch: f.goarch}
	if IsPath(plugin) {
		l.path = realPath(plugin)
		if own := f.image(l.path); own.err == nil {
			img.runpath, l.rpaths = own.runpath, expandAll(f, own.rpath, l.path)
		}
	}
	return f.resolve(name+"."+major, l, img)
}

var versionInName = regexp.MustCompile(`\.so\.([0-9]+\.[0-9.]+)$`)

// LibraryVersion returns the version in the file name of a library, after following links, or in
// the name of the Python distribution that it belongs to. It returns "" if neither name has one.
func LibraryVersion(path string) string {
	if m := versionInName.FindStringSubmatch(realPath(path)); m != nil {
		return m[1]
	}
	stem, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "lib"), ".")
	stem = map[string]string{
		"cudart": "cuda_runtime", "cudnn": "cudnn", "cupti": "cuda_cupti",
		"cublas": "cublas", "cufft": "cufft", "cusolver": "cusolver", "cusparse": "cusparse",
	}[stem]
	if stem == "" {
		return ""
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, info := range glob(dir, "nvidia_"+stem+"*.dist-info") {
			_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(info), ".dist-info"), "-")
			return version
		}
	}
	return ""
}
