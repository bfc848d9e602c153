// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// hardware says why a plugin for platform will find no devices on this machine. It returns nil if
// it knows no reason.
func (f *finder) hardware(platform string) error {
	switch platform {
	case "cuda":
		return f.nvidia()
	case "rocm":
		if f.goos != "linux" || f.first("/dev/kfd") == "" {
			return errors.New("no AMD GPU: there is no /dev/kfd (the amdgpu driver creates it)")
		}
	case "oneapi":
		if f.goos != "linux" || f.first("/dev/dri/renderD*") == "" {
			return errors.New("no Intel GPU: there is no /dev/dri/renderD* (the i915 or xe driver creates it)")
		}
		if f.sharedLibrary("libze_loader.so.1") == "" {
			return errors.New("no driver for Intel GPUs: libze_loader.so.1 is not in the linker's directories: install Level Zero")
		}
	case "tpu":
		return f.tpu()
	case "neuron":
		if f.first("/dev/neuron*") == "" {
			return errors.New("no Neuron device: there is no /dev/neuron0")
		}
	case "tt":
		if f.goos != "linux" || f.first("/dev/tenstorrent/[0-9]*") == "" {
			return errors.New("no Tenstorrent device: there is no /dev/tenstorrent/0 (the tt-kmd driver creates it)")
		}
	case "metal":
		if f.goos != "darwin" {
			return errors.New("Metal exists on macOS only")
		}
	}
	return nil
}

func (f *finder) nvidia() error {
	if visible, set := f.lookup("CUDA_VISIBLE_DEVICES"); set && (visible == "" || strings.HasPrefix(visible, "-1")) {
		return fmt.Errorf("CUDA_VISIBLE_DEVICES=%q hides all NVIDIA GPUs", visible)
	}
	switch f.goos {
	case "windows":
		for _, dir := range f.systemDirs() {
			if f.first(filepath.ToSlash(filepath.Join(dir, "nvcuda.dll"))) != "" {
				return nil
			}
		}
		return errors.New("no driver for NVIDIA GPUs: there is no nvcuda.dll")
	case "linux":
	default:
		return fmt.Errorf("CUDA has no driver for %s", f.goos)
	}
	// /dev/dxg is the GPU of the Windows host of a WSL. The last two are for Jetsons.
	device := f.first("/dev/nvidia[0-9]*", "/dev/dxg", "/dev/nvgpu/igpu0", "/dev/nvhost-gpu")
	driver := f.sharedLibrary("libcuda.so.1")
	switch {
	case device == "" && driver == "":
		return errors.New("no NVIDIA GPU: there is no /dev/nvidia0, and no driver (libcuda.so.1)")
	case device == "":
		return fmt.Errorf("no NVIDIA GPU: there is no /dev/nvidia0, but there is a driver (%s): a container must be given the devices", driver)
	case driver == "":
		return fmt.Errorf("there is an NVIDIA GPU (%s), but no driver: libcuda.so.1 is not in the linker's directories: "+
			"install the driver, or give the container its libraries", device)
	}
	return nil
}

// driver returns the version of NVIDIA's driver, which is in the name of its library, or "".
func (f *finder) driver() string {
	_, version, _ := strings.Cut(filepath.Base(realPath(f.sharedLibrary("libcuda.so.1"))), ".so.")
	if !strings.Contains(version, ".") {
		return "" // WSL has a link without a version
	}
	return version
}

// oldestDriver has, for each version of CUDA, the oldest driver that runs its programs.
var oldestDriver = map[string]int{"11": 450, "12": 525, "13": 580}

// driverFor returns an error if the driver is too old for a plugin.
func (f *finder) driverFor(plugin string) error {
	major, oldest := cudaMajor(plugin), 0
	if oldest = oldestDriver[major]; oldest == 0 || f.goos != "linux" {
		return nil
	}
	version := f.driver()
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n >= oldest {
		return nil
	}
	return fmt.Errorf("NVIDIA's driver %s is too old for CUDA %s: install version %d or newer", version, major, oldest)
}

// suited returns the packages of f's table. One whose devices need a newer driver than this
// machine's has changed places with a later one for the same devices, if there is one that does
// not.
func (f *finder) suited() []Package {
	table := slices.Clone(f.table)
	for i := range table {
		platform := platformOf(table[i].Name)
		if f.driverFor(table[i].Name) == nil {
			continue
		}
		k := slices.IndexFunc(table[i:], func(p Package) bool {
			return platformOf(p.Name) == platform && !p.old && f.driverFor(p.Name) == nil
		})
		if k > 0 {
			table[i], table[i+k] = table[i+k], table[i]
		}
	}
	return table
}

// tpu looks for a TPU on the PCI bus and for the device files of its drivers.
func (f *finder) tpu() error {
	if f.goos != "linux" {
		return fmt.Errorf("TPUs have no driver for %s", f.goos)
	}
	device := f.first("/dev/accel[0-9]*", "/dev/vfio/[0-9]*")
	switch onBus := hasTPU(f.systemPath("/sys/bus/pci/devices")); {
	case !onBus && f.first("/dev/accel[0-9]*") == "":
		return errors.New("no TPU: there is no device from Google on the PCI bus, and no /dev/accel0")
	case device == "":
		return errors.New("there is a TPU on the PCI bus, but neither /dev/accel0 nor /dev/vfio/0: a container must be given the devices")
	}
	return nil
}

// first returns the first file of the system that matches one of the patterns, which have wildcards
// in their last element only.
func (f *finder) first(patterns ...string) string {
	for _, pattern := range patterns {
		root := f.root
		if filepath.VolumeName(filepath.FromSlash(pattern)) != "" {
			root = ""
		}
		dir, name := path.Split(pattern)
		if files := glob(filepath.Join(root, filepath.FromSlash(dir)), name); len(files) > 0 {
			return files[0]
		}
	}
	return ""
}

// sharedLibrary returns the path at which the dynamic linker finds a library that
// a plugin loads by its name.
func (f *finder) sharedLibrary(name string) string {
	return f.resolve(name, loaded{}, image{format: "ELF", arch: f.goarch})
}

// lookup returns the value of a variable and whether it is set.
func (f *finder) lookup(name string) (value string, set bool) {
	for _, variable := range f.environ() {
		if value, set := strings.CutPrefix(variable, name+"="); set {
			return value, true
		}
	}
	return "", false
}
