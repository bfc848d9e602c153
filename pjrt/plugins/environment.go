// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// A Variable is one environment variable.
type Variable struct {
	Name, Value string
}

// PrepareVariable is the environment variable that, set to 0, makes [Prepare] set
// nothing and load nothing.
const PrepareVariable = "PJRT_PREPARE"

// Prepare sets the environment variables that the library of a plugin (a name or
// a path, as in [Find]) reads when it is loaded. It sets what [Environment] lists,
// so the user's own settings win. On machines with an NVIDIA GPU it also loads the
// libraries of CUDA that a plugin for it looks for, as [Preload] does; what does
// not load is left for the plugin to find. Call it before the library is loaded,
// and while no other goroutine uses the environment. A program that wants the
// library's own behaviour does not call it; a user gets the same with
// PJRT_PREPARE=0.
func Prepare(plugin string) error {
	if os.Getenv(PrepareVariable) == "0" {
		return nil
	}
	f := newFinder(ListOptions{})
	for _, v := range f.environment(plugin) {
		if err := os.Setenv(v.Name, v.Value); err != nil {
			return fmt.Errorf("set %s for plugin %s: %w", v.Name, plugin, err)
		}
	}
	if pluginPlatform(plugin) == "cuda" && f.hardware("cuda") == nil {
		_, _ = f.preload(f.libraries(plugin)) // what is missing shows when it is needed
	}
	return nil
}

// Environment lists what [Prepare] sets for a plugin on this machine. Variables
// that are set already are left out, but for XLA_FLAGS, which is extended. The list
// is empty for every library but libtpu and those for CUDA.
//
// libtpu writes logs into /tmp and to standard error unless told otherwise. On a
// machine without a TPU, where it can only compile ahead of time, it also asks a
// metadata server that does not exist, for minutes, and refuses to be loaded by
// two processes at once; the variables against that are set on such machines
// only, since a TPU needs both.
//
// XLA's plugin for CUDA compiles with ptxas and libdevice, which it looks for in
// CUDA's usual directory. Where they come from Python packages (nvidia-cuda-nvcc,
// nvidia-nvvm), or are named by CUDA_HOME or CUDA_PATH, the flag
// --xla_gpu_cuda_data_dir leads to them, unless XLA_FLAGS has it already.
func Environment(plugin string) []Variable {
	return newFinder(ListOptions{}).environment(plugin)
}

func (f *finder) environment(plugin string) (vars []Variable) {
	set := func(name, value string) {
		if _, isSet := f.lookup(name); !isSet {
			vars = append(vars, Variable{name, value})
		}
	}
	switch pluginPlatform(plugin) {
	case "tpu":
		set("TPU_LOG_DIR", "disabled")
		set("TPU_MIN_LOG_LEVEL", "3")
		set("TPU_STDERR_LOG_LEVEL", "3")
		if hasTPU(f.systemPath("/sys/bus/pci/devices")) {
			break
		}
		set("TPU_SKIP_MDS_QUERY", "1")
		set("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")
		// What the metadata server would have answered; without them libtpu warns.
		set("TPU_ACCELERATOR_TYPE", "v5litepod-4")
		set("TPU_WORKER_HOSTNAMES", "localhost")
		set("TPU_WORKER_ID", "0")
	case "cuda":
		flags := f.getenv(xlaflags.Variable)
		if _, possible := xlaflags.With(flags, cudaDataDirFlag, ""); !possible {
			break
		}
		if dir := f.cudaDataDir(plugin); dir != "" {
			flags, _ = xlaflags.With(flags, cudaDataDirFlag, dir)
			vars = append(vars, Variable{xlaflags.Variable, flags})
		}
	}
	return vars
}

// pluginPlatform is the platform of a plugin that is given by its name or path.
func pluginPlatform(plugin string) string {
	if !IsPath(plugin) {
		return Platforms(plugin)[0]
	}
	base := filepath.Base(plugin)
	switch {
	case strings.HasPrefix(base, "libtpu"):
		return "tpu"
	case strings.Contains(base, "cuda"):
		return "cuda"
	}
	return ""
}

const cudaDataDirFlag = "xla_gpu_cuda_data_dir"

// cudaDataDir returns a directory with CUDA's ptxas and libdevice in it, or "".
// The packages beside the library come first, then those of the interpreter, then
// what the user's variables name.
func (f *finder) cudaDataDir(library string) string {
	for _, site := range f.sites(library) {
		if dir := f.nvidiaPackages(site, library); dir != "" {
			return dir
		}
	}
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := f.getenv(variable); dir != "" && f.isCUDADataDir(dir) {
			return dir
		}
	}
	return ""
}

// nvidiaPackages looks for CUDA's compiler among the packages in site. That of
// CUDA 12 has a directory of its own, that of later versions shares one.
func (f *finder) nvidiaPackages(site, library string) string {
	dirs, _ := filepath.Glob(filepath.Join(globQuote(site), "nvidia", "cu[0-9]*")) // the pattern is sound
	slices.Sort(dirs)
	slices.Reverse(dirs) // the newest first
	twelve := filepath.Join(site, "nvidia", "cuda_nvcc")
	if strings.Contains(library, "cuda12") {
		dirs = append([]string{twelve}, dirs...)
	} else {
		dirs = append(dirs, twelve)
	}
	for _, dir := range dirs {
		if f.isCUDADataDir(dir) {
			return dir
		}
	}
	return ""
}

func (f *finder) isCUDADataDir(dir string) bool {
	ptxas := "ptxas"
	if f.goos == "windows" {
		ptxas += ".exe"
	}
	for _, file := range []string{filepath.Join("bin", ptxas), filepath.Join("nvvm", "libdevice", "libdevice.10.bc")} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// hasTPU looks for a PCI device of Google's that is neither a network card nor a
// disk, which virtual machines without a TPU have as well.
func hasTPU(pciDevices string) bool {
	devices, _ := filepath.Glob(filepath.Join(globQuote(pciDevices), "*"))
	for _, device := range devices {
		if attribute(device, "vendor") != "0x1ae0" {
			continue
		}
		class := attribute(device, "class")
		if !strings.HasPrefix(class, "0x01") && !strings.HasPrefix(class, "0x02") {
			return true
		}
	}
	return false
}

// attribute reads one of the files that the kernel describes a device with; what
// cannot be read is empty.
func attribute(device, name string) string {
	text, err := os.ReadFile(filepath.Join(device, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
