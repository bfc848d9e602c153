// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// A Variable is one environment variable.
type Variable struct {
	Name, Value string
}

// PrepareVariable is an environment variable: if it is 0, [Prepare] does nothing.
const PrepareVariable = "PJRT_PREPARE"

// Prepare sets the environment variables that the library of a plugin (a name or a path, as in
// [Find]) reads when it is loaded. It sets the variables that [Environment] lists, which leaves the
// user's own settings alone. For a CUDA plugin on a machine with an NVIDIA GPU it also loads the
// libraries of CUDA that are in Python packages, unless the plugin finds them there by itself, and
// ignores those that do not load; that may take a second, and memory. Call Prepare before the
// library is loaded, and while no other goroutine uses the environment. Programs that want the
// library's own defaults do not call it; users can turn it off with PJRT_PREPARE=0.
func Prepare(plugin string) error {
	if os.Getenv(PrepareVariable) == "0" {
		return nil
	}
	f := newFinder(ListOptions{})
	plugin = f.libraryOf(plugin)
	for _, v := range f.environment(plugin) {
		if err := os.Setenv(v.Name, v.Value); err != nil {
			return fmt.Errorf("set %s for plugin %s: %w", v.Name, plugin, err)
		}
	}
	if pluginPlatform(plugin) == "cuda" && f.hardware("cuda") == nil {
		libraries := f.libraries(plugin)
		for _, path := range libraries {
			bridge.Root.WarnOfOthers("a library that a plugin needs", path)
		}
		_, _ = f.preload(f.unfound(plugin, libraries)) // the plugin reports a missing library when it needs it
	}
	return nil
}

// Environment lists the variables that [Prepare] sets for a plugin on this machine. It omits
// variables that are set already, except XLA_FLAGS, which it extends. Only libtpu and the plugins
// for CUDA need variables.
//
// libtpu writes logs to /tmp and to standard error by default. On a machine without a TPU, where it
// can only compile ahead of time, it also spends minutes asking a metadata server that does not
// exist, and refuses to be loaded by two processes at once. Environment turns both off on such
// machines only, because a TPU needs them.
//
// XLA's plugin for CUDA compiles with ptxas and libdevice, which it expects in CUDA's usual
// directory. If they are in Python packages (nvidia-cuda-nvcc, nvidia-nvvm), or below CUDA_HOME or
// CUDA_PATH, Environment adds the flag --xla_gpu_cuda_data_dir with their directory, unless
// XLA_FLAGS has it already.
func Environment(plugin string) []Variable {
	return newFinder(ListOptions{}).environment(plugin)
}

func (f *finder) environment(plugin string) (vars []Variable) {
	set := func(name, value string) {
		if _, isSet := f.lookup(name); !isSet {
			vars = append(vars, Variable{name, value})
		}
	}
	plugin = f.libraryOf(plugin)
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
		// The answers of the metadata server. Without them libtpu prints warnings.
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

// libraryOf returns the library for its own path or that of a configuration file. A name stays as
// it is.
func (f *finder) libraryOf(plugin string) string {
	if IsPath(plugin) {
		return f.atPath(plugin, OriginPath, "").Path
	}
	return plugin
}

// pluginPlatform returns the platform of a plugin, given its name or the path of its library.
func pluginPlatform(plugin string) string {
	if !IsPath(plugin) {
		return platformsOf(plugin)[0]
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

// cudaDataDir returns a directory with CUDA's ptxas and libdevice in it, or "". It looks in the
// packages beside the library, then in those of the interpreter, then in the directories that the
// user's variables name.
func (f *finder) cudaDataDir(library string) string {
	for _, site := range f.sites(library) {
		if dir := f.nvidiaPackages(site, library); dir != "" {
			return dir
		}
	}
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := f.getenv(variable); filepath.IsAbs(dir) && f.isCUDADataDir(dir) {
			return dir
		}
	}
	return ""
}

// nvidiaPackages looks for CUDA's compiler among the packages in site. CUDA 12 has separate
// directories for its parts, later versions have one directory.
func (f *finder) nvidiaPackages(site, library string) string {
	dirs := glob(site, "nvidia/cu[0-9]*")
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

// hasTPU looks for a PCI device from Google. Network cards and disks do not count, because virtual
// machines without a TPU have these too.
func hasTPU(pciDevices string) bool {
	for _, device := range glob(pciDevices, "*") {
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

// attribute reads one of the files in which the kernel describes a device. It returns "" for an
// unreadable file.
func attribute(device, name string) string {
	text, err := os.ReadFile(filepath.Join(device, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
