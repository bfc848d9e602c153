// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// requiredLibraries are the libraries of CUDA that XLA's plugin calls. The first two are needed to
// make a client, the others by some programs.
var requiredLibraries = []struct {
	name, file string
	of         map[string]cudaVersions // by the major version of CUDA
}{
	{"CUDA's runtime", "libcudart.so", map[string]cudaVersions{"12": {"12", "12.1.105"}, "13": {"13", "13.0.48"}}},
	{"cuDNN", "libcudnn.so", map[string]cudaVersions{"12": {"9", "9.10.2.21"}, "13": {"9", "9.12.0.46"}}},
	{"cuBLAS", "libcublas.so", map[string]cudaVersions{"12": {"12", "12.1.3.1"}, "13": {"13", "13.0.0.19"}}},
	{"cuFFT", "libcufft.so", map[string]cudaVersions{"12": {"11", "11.0.2.54"}, "13": {"12", "12.0.0.15"}}},
	{"cuSOLVER", "libcusolver.so", map[string]cudaVersions{"12": {"11", "11.4.5.107"}, "13": {"12", "12.0.3.29"}}},
	{"cuSPARSE", "libcusparse.so", map[string]cudaVersions{"12": {"12", "12.1.0.106"}, "13": {"12", "12.6.2.49"}}},
	{"CUPTI", "libcupti.so", map[string]cudaVersions{"12": {"12", "12.1.105"}, "13": {"13", "13.0.48"}}},
}

// cudaVersions are versions of a library: the one in its name, and the oldest that JAX's packages
// for CUDA, as of 0.12, accept.
type cudaVersions struct{ inName, oldest string }

// compilerPackages are the Python packages with the parts of CUDA that XLA's plugin compiles with.
const compilerPackages = "nvidia-cuda-nvcc nvidia-nvvm"

// FindCUDA looks for the parts of CUDA that a plugin (a name or a path, as in [Find]) needs, and
// loads nothing. For a plugin that is not for CUDA, the result is zero. The errors say what is
// missing or too old, and what to do about it; on a machine without an NVIDIA GPU, only the
// compiler counts, which needs no GPU. [Open] adds those about libraries to the error of a plugin
// that fails.
func FindCUDA(plugin string) (CUDA, []error) {
	return newFinder(ListOptions{}).cuda(plugin)
}

func (f *finder) cuda(plugin string) (c CUDA, missing []error) {
	plugin = f.libraryOf(plugin)
	if pluginPlatform(plugin) != "cuda" {
		return CUDA{}, nil
	}
	major := cudaMajor(plugin)
	c.Driver = f.driver()
	if c.Compiler = f.cudaDataDir(plugin); c.Compiler == "" && f.isCUDADataDir(f.systemPath("/usr/local/cuda")) {
		c.Compiler = f.systemPath("/usr/local/cuda")
	}
	if c.Compiler == "" {
		missing = append(missing, fmt.Errorf("CUDA's ptxas and libdevice, which the plugin compiles with, are not installed: "+
			"run: %s", f.compilerAdvice(plugin, major)))
	}
	wrong := f.librariesOfCUDA(plugin, &c)
	if f.hardware("cuda") != nil {
		return c, missing
	}
	return c, append(missing, wrong...)
}

// librariesOfCUDA stores the libraries that a plugin for CUDA finds. The errors are about those
// that are missing or too old, and about the driver.
func (f *finder) librariesOfCUDA(plugin string, c *CUDA) (wrong []error) {
	major := cudaMajor(plugin)
	if err := f.driverFor(plugin); err != nil {
		wrong = append(wrong, err)
	}
	var absent []string
	for _, l := range requiredLibraries {
		v := cmp.Or(l.of[major].inName, map[string]string{"libcudart.so": major, "libcudnn.so": "9"}[l.file])
		if v == "" {
			continue
		}
		path := f.cudaLibrary(plugin, l.file, v)
		switch {
		case l.file == "libcudart.so":
			c.Runtime = path
		case l.file == "libcudnn.so":
			c.CUDNN = path
		case path != "":
			c.Libraries = append(c.Libraries, path)
		}
		oldest := l.of[major].oldest
		version := ""
		if path != "" {
			version = LibraryVersion(path)
		}
		switch {
		case path == "" && l.file == "libcudart.so":
			wrong = append(wrong, fmt.Errorf("CUDA's libraries (libcudart.so.%s) are neither in Python packages nor in the "+
				"linker's directories: run: pip install \"jax-cuda%s-plugin[with-cuda]\"", major, major))
		case path == "" && l.file == "libcudnn.so":
			wrong = append(wrong, fmt.Errorf("cuDNN 9 (libcudnn.so.9) is neither in Python packages nor in the linker's directories: "+
				"run: pip install nvidia-cudnn-cu%s", major))
		case path == "":
			absent = append(absent, l.name+" ("+l.file+"."+v+")")
		case olderVersion(version, oldest):
			wrong = append(wrong, fmt.Errorf("%s %s (%s) is older than %s, the oldest that JAX 0.12 takes: "+
				"run: pip install --upgrade \"jax-cuda%s-plugin[with-cuda]\"", l.name, version, path, oldest, major))
		}
	}
	if c.Runtime != "" && len(absent) > 0 {
		wrong = append(wrong, fmt.Errorf("%s are neither in Python packages nor in the linker's directories, and what needs them "+
			"fails: run: pip install \"jax-cuda%s-plugin[with-cuda]\"", strings.Join(absent, ", "), major))
	}
	return wrong
}

// explain adds to the error of a plugin for CUDA which libraries are missing or too old.
func (f *finder) explain(c Candidate, err error) error {
	var m mistake
	if err == nil || c.Hardware != nil || pluginPlatform(c.Path) != "cuda" || errors.As(err, &m) {
		return err
	}
	wrong := f.librariesOfCUDA(c.Path, new(CUDA))
	if len(wrong) == 0 {
		return err
	}
	var list []string
	for _, w := range wrong {
		list = append(list, w.Error())
	}
	return fmt.Errorf("%w\nwhat the plugin needs is not all there: %s", err, strings.Join(list, "; "))
}

// olderVersion reports whether a version is older than another, as far as both are told. CUPTI's
// files have years for versions, which say nothing.
func olderVersion(version, than string) bool {
	have, want := strings.Split(version, "."), strings.Split(than, ".")
	for i := range min(len(have), len(want)) {
		a, errA := strconv.Atoi(have[i])
		b, errB := strconv.Atoi(want[i])
		switch {
		case errA != nil || errB != nil || a >= 2000:
			return false
		case a != b:
			return a < b
		}
	}
	return false
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
// the name of the Python distribution that it belongs to. It returns "" if neither name has one, or
// if there is no such file.
func LibraryVersion(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "" // a name that is too long for a file may have any number of folders
	}
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
