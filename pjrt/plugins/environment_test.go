// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// device writes the files in which Linux describes a PCI device.
func device(t *testing.T, root, slot, vendor, class string) {
	t.Helper()
	bus := filepath.Join(root, "sys", "bus", "pci", "devices")
	put(t, []byte(vendor+"\n"), bus, slot, "vendor")
	put(t, []byte(class+"\n"), bus, slot, "class")
}

func TestEnvironmentOfLibtpuDependsOnTheMachine(t *testing.T) {
	t.Parallel()
	bare := t.TempDir()
	device(t, bare, "0", "0x8086", "0x120000")
	device(t, bare, "1", "0x1ae0", "0x020000") // a cloud's network card
	device(t, bare, "2", "0x1ae0", "0x010802") // and its disk
	with := t.TempDir()
	device(t, with, "0", "0x1ae0", "0x020000")
	device(t, with, "1", "0x1ae0", "0x120000")
	quiet := []string{"TPU_LOG_DIR", "TPU_MIN_LOG_LEVEL", "TPU_STDERR_LOG_LEVEL"}
	alone := append(quiet[:3:3], "TPU_SKIP_MDS_QUERY", "ALLOW_MULTIPLE_LIBTPU_LOAD",
		"TPU_ACCELERATOR_TYPE", "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID")
	configuration := put(t, []byte(`{"library_path": "libtpu.so"}`), t.TempDir(), "mine.json")
	for _, c := range []struct {
		plugin, root string
		want         []string
	}{
		{"tpu", bare, alone},
		{configuration, bare, alone},
		{"libtpu", bare, alone},
		{"tpu@0.0.2", bare, alone},
		{"/opt/x/libtpu.so", bare, alone},
		{"tpu", filepath.Join(bare, "no-pci"), alone},
		{"tpu", with, quiet},
		{"cpu", bare, nil},
		{"/opt/libtpu/other.so", bare, nil},
	} {
		f := testFinder(t, nil)
		f.root = c.root
		var got []string
		for _, v := range f.environment(c.plugin) {
			got = append(got, v.Name)
		}
		assert.Equal(t, c.want, got, c)
	}
}

func TestEnvironmentOmitsVariablesThatAreSet(t *testing.T) {
	t.Parallel()
	f := testFinder(t, map[string]string{"TPU_LOG_DIR": "", "TPU_SKIP_MDS_QUERY": "0"})
	for _, v := range f.environment("tpu") {
		assert.NotContains(t, []string{"TPU_LOG_DIR", "TPU_SKIP_MDS_QUERY"}, v.Name)
	}
}

// cuda creates the files of CUDA's compiler below a directory.
func cuda(t *testing.T, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	put(t, nil, dir, "bin", "ptxas")
	put(t, nil, dir, "nvvm", "libdevice", "libdevice.10.bc")
	return dir
}

func TestCUDADataDirIsFoundAmongPythonPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	beside := cuda(t, dir, "beside", "nvidia", "cu13")
	twelve := cuda(t, dir, "both", "nvidia", "cuda_nvcc")
	thirteen := cuda(t, dir, "both", "nvidia", "cu13")
	home := cuda(t, dir, "home")
	put(t, nil, dir, "half", "nvidia", "cu13", "bin", "ptxas") // libdevice is missing
	spaced := cuda(t, dir, "a b", "nvidia", "cu14")
	library := plugin(t, dir, "beside", "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	for name, c := range map[string]struct {
		plugin string
		sites  []string
		env    map[string]string
		want   string
	}{
		"beside the library":    {library, []string{filepath.Join(dir, "both")}, nil, "--xla_gpu_cuda_data_dir=" + beside},
		"of the interpreter":    {"cuda", []string{filepath.Join(dir, "half"), filepath.Join(dir, "both")}, nil, "--xla_gpu_cuda_data_dir=" + thirteen},
		"for an older one":      {"/x/cuda12/xla_cuda_plugin.so", []string{filepath.Join(dir, "both")}, nil, "--xla_gpu_cuda_data_dir=" + twelve},
		"by an alias":           {"gpu", []string{filepath.Join(dir, "both")}, nil, "--xla_gpu_cuda_data_dir=" + thirteen},
		"by a variable":         {"cuda13", nil, map[string]string{"CUDA_HOME": "/none", "CUDA_PATH": home}, "--xla_gpu_cuda_data_dir=" + home},
		"packages first":        {"cuda13", []string{filepath.Join(dir, "both")}, map[string]string{"CUDA_HOME": home}, "--xla_gpu_cuda_data_dir=" + thirteen},
		"with a space":          {"cuda", []string{filepath.Join(dir, "a b")}, nil, `--xla_gpu_cuda_data_dir="` + spaced + `"`},
		"more flags":            {"cuda", []string{filepath.Join(dir, "both")}, map[string]string{"XLA_FLAGS": "--xla_dump_to=/x"}, "--xla_gpu_cuda_data_dir=" + thirteen + " --xla_dump_to=/x"},
		"set already":           {"cuda", []string{filepath.Join(dir, "both")}, map[string]string{"XLA_FLAGS": "--xla_gpu_cuda_data_dir=/x"}, ""},
		"flags in a file":       {"cuda", []string{filepath.Join(dir, "both")}, map[string]string{"XLA_FLAGS": "/x/flags"}, ""},
		"half of it":            {"cuda", []string{filepath.Join(dir, "half")}, nil, ""},
		"nowhere":               {"cuda", nil, nil, ""},
		"not for other plugins": {"cpu", []string{filepath.Join(dir, "both")}, nil, ""},
	} {
		f := testFinder(t, c.env)
		f.python = func(context.Context) ([]string, error) { return c.sites, nil }
		got := f.environment(c.plugin)
		if c.want == "" {
			assert.Empty(t, got, name)
			continue
		}
		assert.Equal(t, []Variable{{"XLA_FLAGS", c.want}}, got, name)
	}
}

func TestPrepareSetsOnlyWhatIsUnset(t *testing.T) {
	for _, v := range testFinder(t, nil).environment("tpu") {
		t.Setenv(v.Name, "") // restores it after the test
		require.NoError(t, os.Unsetenv(v.Name))
	}
	t.Setenv("TPU_MIN_LOG_LEVEL", "0")
	require.NoError(t, Prepare("cpu"))
	assert.Empty(t, os.Getenv("TPU_LOG_DIR"))

	t.Setenv("PJRT_PREPARE", "0")
	require.NoError(t, Prepare("tpu"))
	assert.Empty(t, os.Getenv("TPU_LOG_DIR"), "switched off")

	t.Setenv("PJRT_PREPARE", "")
	require.NoError(t, Prepare("tpu"))
	assert.Equal(t, "disabled", os.Getenv("TPU_LOG_DIR"))
	assert.Equal(t, "0", os.Getenv("TPU_MIN_LOG_LEVEL"), "the user's value stays")
}

func TestPrepareSetsTheDirectoryOfCUDA(t *testing.T) {
	dir := t.TempDir()
	library := plugin(t, dir, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	data := cuda(t, dir, "nvidia", "cu13")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("XLA_FLAGS", "")
	require.NoError(t, Prepare(library))
	assert.Equal(t, "--xla_gpu_cuda_data_dir="+data, os.Getenv("XLA_FLAGS"))
	require.NoError(t, Prepare(library), "again")
	assert.Equal(t, "--xla_gpu_cuda_data_dir="+data, os.Getenv("XLA_FLAGS"))
}
