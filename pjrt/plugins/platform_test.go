// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlatforms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"gpu": {"cuda", "rocm", "oneapi"}, "GPU": {"cuda", "rocm", "oneapi"}, "host": {"cpu"}, "cpu": {"cpu"},
		"cuda": {"cuda"}, "cuda12": {"cuda"}, "cuda13": {"cuda"}, "CUDA-12": {"cuda"}, "cuda12@0.6.0": {"cuda"}, "rocm60": {"rocm"},
		"tpu": {"tpu"}, "libtpu": {"tpu"}, "tpu@0.0.2": {"tpu"}, "xpu": {"oneapi"}, "neuron": {"neuron"}, "metal_14": {"metal"},
		"libtt": {"tt"}, "tenstorrent": {"tt"}, "rocm10": {"rocm"},
		"cpu@0.115": {"cpu"}, "mine": {"mine"}, "mine2": {"mine2"}, "cudax": {"cudax"},
	} {
		assert.Equal(t, want, platformsOf(name), name)
	}
	platformsOf("gpu")[0] = "changed"
	assert.Equal(t, "cuda", platformsOf("gpu")[0])
}

func TestPlatformsAreRanked(t *testing.T) {
	t.Parallel()
	last := int(^uint(0) >> 1)
	for _, name := range []string{"cuda13", "rocm", "xpu", "tpu", "neuron", "tt", "mine", "cpu"} {
		c := ranked(Candidate{Name: name})
		assert.Less(t, c.Priority, last, name)
		assert.False(t, c.Experimental)
		assert.True(t, c.FailQuietly)
		last = c.Priority
	}
	assert.True(t, ranked(Candidate{Name: "metal"}).Experimental)
}

func TestFileNamesOfPlugins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, goos, want string }{
		{"pjrt_c_api_cpu_plugin.so", "linux", "cpu"},
		{"libpjrt_c_api_cuda_plugin.so", "linux", "cuda"},
		{"pjrt_plugin_xpu.so", "linux", "xpu"},
		{"pjrt-plugin-tt.so", "linux", "tt"},
		{"libpjrt_plugin_iree_cpu.so.1.2", "linux", "iree_cpu"},
		{"libpjrt_rocm.so", "linux", "rocm"},
		{"xla_cuda_plugin.so", "linux", "cuda"},
		{"xla_rocm_plugin.so", "linux", "rocm"},
		{"xla_cpu_pjrt.so", "linux", "cpu"},
		{"libtpu.so", "linux", "tpu"},
		{"libneuronpjrt.so", "linux", "neuron"},
		{"libtt.so", "linux", "tt"},
		{"libttx.so", "linux", ""},
		{"pjrt_plugin_metal_14.dylib", "darwin", "metal_14"},
		{"pjrt_c_api_cpu_plugin.so", "darwin", "cpu"},
		{"pjrt_c_api_cpu_plugin.DLL", "windows", "cpu"},
		{"pjrt_c_api_cpu_plugin.dylib", "linux", ""},
		{"pjrt_c_api_cpu_plugin.dll", "linux", ""},
		{"pjrt_c_api_cpu_plugin.so", "windows", ""},
		{"pjrt_c_api_cpu_plugin.so.bak", "linux", ""},
		{"pjrt_c_api_cpu_plugin.sole", "linux", ""},
		{"pjrt_c_api_cpu_plugin", "linux", ""},
		{"pjrt_c_api__plugin.so", "linux", ""},
		{"pjrt_plugin_.so", "linux", ""},
		{"libpjrt_other.so", "linux", ""},
		{"libcuda.so.1", "linux", ""},
		{"libtpu_extra.so", "linux", ""},
		{".so", "linux", ""},
		{"", "windows", ""},
	} {
		assert.Equal(t, c.want, pluginOfFile(c.file, c.goos), c)
	}
}

func TestCandidatesAnswerToNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		candidate string
		yes, no   []string
	}{
		{"cuda13", []string{"cuda13", "CUDA13", "cuda", "gpu", "nvidia"}, []string{"cuda12", "rocm", "host", "cuda13@1"}},
		{"tpu@0.0.2", []string{"tpu@0.0.2"}, []string{"tpu", "tpu@0.0.3"}},
		{"cpu", []string{"cpu", "host"}, []string{"gpu", "cpu@0.0.1", ""}},
		{"", nil, []string{"", "cpu"}},
	} {
		for _, name := range c.yes {
			assert.True(t, ranked(Candidate{Name: c.candidate}).AnswersTo(name), "%s %s", c.candidate, name)
		}
		for _, name := range c.no {
			assert.False(t, ranked(Candidate{Name: c.candidate}).AnswersTo(name), "%s %s", c.candidate, name)
		}
	}
}
