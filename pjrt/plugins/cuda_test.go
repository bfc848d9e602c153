// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withDriver gives the machine an NVIDIA GPU, and a driver with a version.
func withDriver(t *testing.T, f *finder, version string) {
	t.Helper()
	put(t, nil, f.root, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), f.root, "usr", "lib64", "libcuda.so."+version)
	require.NoError(t, os.Symlink("libcuda.so."+version, filepath.Join(f.root, "usr", "lib64", "libcuda.so.1")))
}

func TestADriverMayBeTooOldForCUDA(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ driver, plugin, want string }{
		{"580.65.06", "cuda13", ""},
		{"535.104.05", "cuda12", ""},
		{"535.104.05", "/site/jax_plugins/xla_cuda13/xla_cuda_plugin.so", "NVIDIA's driver 535.104.05 is too old for CUDA 13: install version 580 or newer"},
		{"470.1", "cuda12", "NVIDIA's driver 470.1 is too old for CUDA 12: install version 525 or newer"},
		{"470.1", "cuda", ""},   // its version of CUDA is not known
		{"470.1", "cuda99", ""}, // what this one needs is not known
		{"1", "cuda13", ""},     // WSL's driver does not report its version
	} {
		f := testFinder(t, map[string]string{})
		if c.driver == "1" {
			put(t, elfLibrary{}.bytes(), f.root, "usr", "lib64", "libcuda.so.1")
			put(t, nil, f.root, "dev", "dxg")
		} else {
			withDriver(t, f, c.driver)
		}
		candidate := Candidate{Name: c.plugin, Platform: "cuda", Path: c.plugin}
		f.inspect(&candidate)
		if c.want == "" {
			assert.NoError(t, candidate.Hardware, c)
		} else {
			assert.EqualError(t, candidate.Hardware, c.want)
		}
	}
}

func TestTheVersionsOfCUDA(t *testing.T) {
	t.Parallel()
	f := testFinder(t, map[string]string{})
	site := t.TempDir()
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	put(t, elfLibrary{}.bytes(), plugin)

	// Without a GPU, only what compiles counts.
	found, missing := f.cuda(plugin)
	assert.Zero(t, found)
	require.Len(t, missing, 1)
	require.EqualError(t, missing[0],
		"CUDA's ptxas and libdevice, which the plugin compiles with, are not installed: run: pip install nvidia-cuda-nvcc nvidia-nvvm")
	configuration := put(t, fmt.Appendf(nil, `{"library_path": %q}`, plugin), site, "mine.json")
	_, same := f.cuda(configuration)
	assert.Equal(t, missing, same)

	withDriver(t, f, "570.1.2")
	_, missing = f.cuda(plugin)
	require.Len(t, missing, 4)
	assert.ErrorContains(t, missing[1], "driver 570.1.2 is too old for CUDA 13")
	assert.ErrorContains(t, missing[2], `libcudart.so.13) are neither in Python packages nor in the linker's directories: run: pip install "jax-cuda13-plugin[with-cuda]"`)
	assert.ErrorContains(t, missing[3], "run: pip install nvidia-cudnn-cu13")

	put(t, elfLibrary{}.bytes(), site, "nvidia", "cu13", "lib", "libcudart.so.13")
	put(t, nil, site, "nvidia_cuda_runtime-13.0.96.dist-info", "METADATA")
	put(t, elfLibrary{}.bytes(), f.root, "usr", "lib64", "libcudnn.so.9.12.1")
	require.NoError(t, os.Symlink("libcudnn.so.9.12.1", filepath.Join(f.root, "usr", "lib64", "libcudnn.so.9")))
	for _, file := range []string{"bin/ptxas", "nvvm/libdevice/libdevice.10.bc"} {
		put(t, nil, site, "nvidia", "cu13", filepath.FromSlash(file))
	}
	_, missing = f.cuda(plugin)
	require.Len(t, missing, 2)
	require.EqualError(t, missing[1], "cuBLAS (libcublas.so.13), cuFFT (libcufft.so.12), cuSOLVER (libcusolver.so.12), cuSPARSE (libcusparse.so.12), "+
		"CUPTI (libcupti.so.13) are neither in Python packages nor in the linker's directories, and what needs them fails: "+
		`run: pip install "jax-cuda13-plugin[with-cuda]"`)
	var libraries []string
	for _, file := range []string{"libcublas.so.13", "libcufft.so.12", "libcusolver.so.12", "libcusparse.so.12", "libcupti.so.13"} {
		put(t, elfLibrary{}.bytes(), site, "nvidia", "cu13", "lib", file)
		libraries = append(libraries, filepath.Join(site, "nvidia", "cu13", "lib", file))
	}
	put(t, nil, site, "nvidia_cuda_cupti-13.0.85.dist-info", "METADATA")
	assert.Equal(t, "13.0.85", LibraryVersion(libraries[4]))
	found, missing = f.cuda(plugin)
	require.Len(t, missing, 1, "the driver")
	assert.Equal(t, CUDA{
		Driver: "570.1.2", Runtime: filepath.Join(site, "nvidia", "cu13", "lib", "libcudart.so.13"), Libraries: libraries,
		CUDNN: filepath.Join(f.root, "usr", "lib64", "libcudnn.so.9"), Compiler: filepath.Join(site, "nvidia", "cu13"),
	}, found)
	assert.Equal(t, "13.0.96", LibraryVersion(found.Runtime))
	assert.Equal(t, "9.12.1", LibraryVersion(found.CUDNN))
	assert.Empty(t, LibraryVersion("/lib/libother.so.1"))
	assert.Empty(t, LibraryVersion(found.Runtime+".so.13.0"), "no such file")

	found, missing = f.cuda("tpu")
	assert.Zero(t, found)
	assert.Empty(t, missing)
}

// The error of a plugin that does not load, or makes no client, says which of CUDA's libraries are
// missing or too old.
func TestAFailedOpenNamesTheLibrariesOfCUDA(t *testing.T) {
	t.Parallel()
	f := testFinder(t, map[string]string{})
	site := t.TempDir()
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	put(t, elfLibrary{}.bytes(), plugin)
	c := Candidate{Name: "cuda13", Platform: "cuda", Path: plugin}
	withDriver(t, f, "580.65.06")
	failed := errors.New("no client")
	err := f.explain(c, failed)
	require.ErrorIs(t, err, failed)
	require.EqualError(t, err, "no client\nwhat the plugin needs is not all there: CUDA's libraries (libcudart.so.13) are neither in Python "+
		`packages nor in the linker's directories: run: pip install "jax-cuda13-plugin[with-cuda]"; `+
		"cuDNN 9 (libcudnn.so.9) is neither in Python packages nor in the linker's directories: run: pip install nvidia-cudnn-cu13")

	assert.Equal(t, err, f.try(t.Context(), plugin, func(found Candidate) error {
		assert.NoError(t, found.Hardware)
		return failed
	}), "as Open, Share and Load say")

	for _, file := range []string{
		"libcudart.so.13", "libcublas.so.13", "libcufft.so.12", "libcusolver.so.12", "libcusparse.so.12", "libcupti.so.2025.1.0",
	} {
		put(t, elfLibrary{}.bytes(), site, "nvidia", "cu13", "lib", file)
	}
	require.NoError(t, os.Symlink("libcupti.so.2025.1.0", filepath.Join(site, "nvidia", "cu13", "lib", "libcupti.so.13")))
	put(t, elfLibrary{}.bytes(), f.root, "usr", "lib64", "libcudnn.so.9.8.0")
	require.NoError(t, os.Symlink("libcudnn.so.9.8.0", filepath.Join(f.root, "usr", "lib64", "libcudnn.so.9")))
	put(t, nil, site, "nvidia_cublas-12.9.1.dist-info", "METADATA")
	put(t, nil, site, "nvidia_cufft-12.0.0.15.dist-info", "METADATA")
	err = f.explain(c, failed)
	require.ErrorContains(t, err, "cuDNN 9.8.0 ("+filepath.Join(f.root, "usr", "lib64", "libcudnn.so.9")+
		`) is older than 9.12.0.46, the oldest that JAX 0.12 takes: run: pip install --upgrade "jax-cuda13-plugin[with-cuda]"; cuBLAS 12.9.1 (`)
	require.NotContains(t, err.Error(), "cuFFT")
	require.NotContains(t, err.Error(), "CUPTI", "its version is a year")

	assert.Equal(t, mistake{failed}, f.explain(c, mistake{failed}), "of the caller's options")
	assert.NoError(t, f.explain(c, nil))
	c.Hardware = failed
	assert.Equal(t, failed, f.explain(c, failed), "there is no GPU, which the error says already")
	assert.Equal(t, failed, f.explain(Candidate{Name: "cpu", Platform: "cpu", Path: "/x/libpjrt_cpu.so"}, failed))

	for version, want := range map[string]bool{
		"9.12": false, "9.11.9": true, "9.12.0.45": true, "9.12.0.46": false, "10": false, "": false, "9": false, "2025.1": false, "9.x": false,
	} {
		assert.Equal(t, want, olderVersion(version, "9.12.0.46"), version)
	}
}
