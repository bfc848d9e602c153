// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestKnownWaiversAreForTheirPluginOnly(t *testing.T) {
	t.Parallel()
	plugins := map[string]*report.Plugin{
		"waivers/cpu-0.81.json":     {File: "xla_cpu_pjrt.so", Minor: 81, Platform: "cpu"},
		"waivers/cpu-0.106.json":    {File: "libpjrt_cpu.so", Minor: 106, Platform: "cpu"},
		"waivers/cpu-0.115.json":    {File: "pjrt_c_api_cpu_plugin.so", Minor: 115, Platform: "cpu"},
		"waivers/cuda-0.54.json":    {File: "xla_cuda_plugin.so", Minor: 54},
		"waivers/cuda-0.68.json":    {File: "xla_cuda_plugin.so", Minor: 68},
		"waivers/cuda-0.115.json":   {File: "xla_cuda_plugin.so", Minor: 115},
		"waivers/cuda-0.116.json":   {File: "xla_cuda_plugin.so", Minor: 116},
		"waivers/rocm-0.116.json":   {File: "xla_rocm_plugin.so", Minor: 116},
		"waivers/oneapi-0.115.json": {File: "xla_oneapi_plugin.so", Minor: 115},
		"waivers/libtpu-0.55.json":  {File: "libtpu.so", Minor: 55},
		"waivers/libtpu-0.67.json":  {File: "libtpu.so", Minor: 67},
		"waivers/libtpu-0.116.json": {File: "libtpu.so", Minor: 116},
		"waivers/libtpu-0.117.json": {File: "libtpu.so", Minor: 117},
		"":                          {File: "my_plugin.so", Minor: 81, Platform: "cpu"},
	}
	files := KnownWaivers()
	assert.Len(t, files, len(plugins)-1)
	for name, p := range plugins {
		var got []string
		for _, f := range (&Options{}).waivers(p) {
			got = append(got, f.Name)
		}
		if name == "" {
			assert.Empty(t, got)
			continue
		}
		assert.Equal(t, []string{name}, got)
		assert.Empty(t, (&Options{NoKnownWaivers: true}).waivers(p))
	}
}

func TestKnownWaiversNameEachCheckOnce(t *testing.T) {
	t.Parallel()
	for _, f := range KnownWaivers() {
		seen := make(map[string]bool)
		for _, w := range f.Waivers {
			assert.False(t, seen[w.Check], "%s: %s", f.Name, w.Check)
			seen[w.Check] = true
		}
	}
}

func TestKnownWaiversSayWhatIsFoundAndHowItIsKnownToBeWrong(t *testing.T) {
	t.Parallel()
	for _, f := range KnownWaivers() {
		for _, w := range f.Waivers {
			assert.NotEqual(t, len(w.Digests) == 0, w.Varies == "", "%s: %s: it needs digests, or a reason for their absence", f.Name, w.Check)
			assert.NotEmpty(t, w.Witness, "%s: %s", f.Name, w.Check)
		}
	}
}

func TestWaiversAreReadFromFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w.json")
	_, err := ReadWaivers(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(`{"plugin": {"name": "x"}, "waivers": [{"check": "EVT-01", "verdicts": ["FAIL"], "reason": "r"}]}`), 0o600))
	f, err := ReadWaivers(path)
	require.NoError(t, err)
	assert.Equal(t, path, f.Name)
	assert.Equal(t, f, (&Options{Waivers: []*report.WaiverFile{f}, NoKnownWaivers: true}).waivers(&report.Plugin{})[0])
}
