// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHardware(t *testing.T) {
	t.Parallel()
	library := string(elfLibrary{}.bytes())
	googles := map[string]string{"sys/bus/pci/devices/0/vendor": "0x1ae0\n", "sys/bus/pci/devices/0/class": "0x120000\n"}
	for _, c := range []struct {
		platform string
		files    map[string]string
		env      map[string]string
		goos     string
		want     string // "" for no error
	}{
		{platform: "cpu"},
		{platform: "mine"},
		{platform: "cuda", want: "no NVIDIA GPU: there is no /dev/nvidia0, and no driver (libcuda.so.1)"},
		{platform: "cuda", files: map[string]string{"dev/nvidiactl": ""}, want: "no NVIDIA GPU"},
		{platform: "cuda", files: map[string]string{"dev/nvidia0": ""}, want: "there is an NVIDIA GPU (DIR/dev/nvidia0), but no driver: libcuda.so.1"},
		{platform: "cuda", files: map[string]string{"usr/lib64/libcuda.so.1": library}, want: "but there is a driver (DIR/usr/lib64/libcuda.so.1)"},
		{platform: "cuda", files: map[string]string{"dev/nvidia3": "", "usr/lib64/libcuda.so.1": library}},
		{platform: "cuda", files: map[string]string{"dev/dxg": "", "w/libcuda.so.1": library}, env: map[string]string{"LD_LIBRARY_PATH": "DIR/w"}},
		{platform: "cuda", files: map[string]string{"dev/nvidia0": "", "usr/lib64/libcuda.so.1": "text"}, want: "but no driver"},
		{platform: "cuda", files: map[string]string{"dev/nvidia0": "", "usr/lib64/libcuda.so.1": library}, env: map[string]string{"CUDA_VISIBLE_DEVICES": ""}, want: `CUDA_VISIBLE_DEVICES="" hides all`},
		{platform: "cuda", files: map[string]string{"dev/nvidia0": "", "usr/lib64/libcuda.so.1": library}, env: map[string]string{"CUDA_VISIBLE_DEVICES": "-1"}, want: "hides all"},
		{platform: "cuda", files: map[string]string{"dev/nvidia0": "", "usr/lib64/libcuda.so.1": library}, env: map[string]string{"CUDA_VISIBLE_DEVICES": "0"}},
		{platform: "cuda", goos: "darwin", want: "CUDA has no driver for darwin"},
		{platform: "cuda", goos: "windows", want: "there is no nvcuda.dll"},
		{platform: "rocm", want: "no AMD GPU: there is no /dev/kfd"},
		{platform: "rocm", files: map[string]string{"dev/kfd": ""}},
		{platform: "oneapi", want: "no Intel GPU"},
		{platform: "oneapi", files: map[string]string{"dev/dri/renderD128": ""}, want: "libze_loader.so.1 is not in the linker's directories"},
		{platform: "oneapi", files: map[string]string{"dev/dri/renderD128": "", "usr/lib/libze_loader.so.1": library}},
		{platform: "tpu", want: "no TPU"},
		{platform: "tpu", files: map[string]string{"dev/vfio/0": ""}, want: "no TPU"},
		{platform: "tpu", files: googles, want: "there is a TPU on the PCI bus, but neither /dev/accel0 nor /dev/vfio/0"},
		{platform: "tpu", files: map[string]string{"dev/accel0": ""}},
		{platform: "tpu", files: map[string]string{"dev/vfio/0": "", "sys/bus/pci/devices/0/vendor": "0x1ae0", "sys/bus/pci/devices/0/class": "0x120000"}},
		{platform: "tpu", goos: "darwin", want: "TPUs have no driver for darwin"},
		{platform: "neuron", want: "no Neuron device"},
		{platform: "neuron", files: map[string]string{"dev/neuron0": ""}},
		{platform: "tt", want: "no Tenstorrent device: there is no /dev/tenstorrent/0"},
		{platform: "tt", files: map[string]string{"dev/tenstorrent/0": ""}},
		{platform: "tt", files: map[string]string{"dev/tenstorrent/0": ""}, goos: "darwin", want: "no Tenstorrent device"},
		{platform: "metal", want: "Metal exists on macOS only"},
		{platform: "metal", goos: "darwin"},
	} {
		env := map[string]string{}
		f := testFinder(t, env)
		for name, value := range c.env {
			env[name] = replaceDir(value, f.root)
		}
		if c.goos != "" {
			f.goos = c.goos
		}
		for file, content := range c.files {
			put(t, []byte(content), f.root, filepath.FromSlash(file))
		}
		err := f.hardware(c.platform)
		if c.want == "" {
			assert.NoError(t, err, c)
			continue
		}
		assert.ErrorContains(t, err, replaceDir(c.want, f.root))
	}
}

func TestWindowsDriverOfNVIDIA(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := testFinder(t, map[string]string{"SystemRoot": dir})
	f.goos, f.root = "windows", ""
	put(t, nil, dir, "System32", "nvcuda.dll")
	require.NoError(t, f.hardware("cuda"))
}
