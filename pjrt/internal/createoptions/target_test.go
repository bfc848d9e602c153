// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package createoptions_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
)

// described returns what CheckTarget says about a GPU.
func described(kind, text string) string {
	err := createoptions.CheckTarget(kind, []capi.Attribute{{Name: "other", Value: int64(1)}, {Name: "target_config", Value: text}})
	if err == nil {
		return ""
	}
	return err.Error()
}

// gpus are the complete descriptions of the conformance suite.
func gpus(t *testing.T) map[string]string {
	t.Helper()
	list := make(map[string]string)
	for kind, name := range map[string]string{"cuda": "h100", "rocm": "mi300x", "oneapi": "max1550"} {
		b, err := os.ReadFile("../../../conformance/topologies/" + name + ".txtpb")
		require.NoError(t, err)
		list[kind] = string(b)
	}
	return list
}

func TestDescriptionsThatCompilersTakeAreNotRefused(t *testing.T) {
	t.Parallel()
	for kind, text := range gpus(t) {
		assert.Empty(t, described(kind, text), kind)
		// Without any other field they compile, or say that they cannot.
		for _, line := range strings.Split(text, "\n") {
			field, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch field {
			case "threads_per_warp", "block_dim_limit_x", "threads_per_block_limit", "shared_memory_per_block":
			default:
				if !strings.ContainsAny(line, "{}") && field != "" {
					assert.Empty(t, described(kind, strings.Replace(text, line, "", 1)), "%s without %s", kind, field)
				}
			}
		}
	}
	const all = `threads_per_warp: 32 block_dim_limit_x: 0x7fffffff threads_per_block_limit: 01000 shared_memory_per_block: 49152`
	for _, text := range []string{
		"gpu_device_info { " + all + " }", "gpu_device_info: <" + strings.ReplaceAll(all, " b", ", b") + ">;",
		"# }\n platform_name: 'a { \\' \"' \"b\" gpu_device_info\n{# threads_per_warp: 0\n" + all + " x: [1, {y: 1}] cuda_compute_capability { major: 9 } }",
		"gpu_device_info { " + all + " registers_per_block_limit: 0 clock_rate_ghz: 1e-5 a: [B, C] [d.e/f]: {} }",
		"other { threads_per_warp: 0 } gpu_device_info { " + all + " inner { threads_per_warp: 0 } }",
		"hello {", "}", "no such field", "x", "gpu_device_info { x }", "gpu_device_info { " + strings.Repeat("a {", 100000), // the plugin refuses them
		"gpu_device_info { " + all + " threads_per_warp: many }",
	} {
		assert.Empty(t, described("cuda", text), "%.100s", text)
	}
	for _, kind := range []string{"", "cpu", "tpu", "other"} {
		assert.Empty(t, described(kind, ""), kind)
	}
	assert.NoError(t, createoptions.CheckTarget("cuda", nil))
	assert.NoError(t, createoptions.CheckTarget("cuda", []capi.Attribute{{Name: "target_config", Value: int64(1)}}))
}

func TestDescriptionsThatEndTheProcessAreRefused(t *testing.T) {
	t.Parallel()
	all := gpus(t)
	for kind, text := range all {
		const missing = "gpu_device_info lacks threads_per_warp, block_dim_limit_x, threads_per_block_limit, shared_memory_per_block"
		for _, nothing := range []string{"", " ", "platform_name: 'CUDA'", "gpu_device_info {}", "gpu_device_info { a { threads_per_warp: 32 } }",
			"a: -1e-5 b: [C, D, E] [f.g]: 'h' \"i\" gpu_device_info { j: 1e-5, k: -inf }"} {
			assert.Contains(t, described(kind, nothing), missing, nothing)
		}
		for field, values := range map[string][]string{
			"threads_per_warp": {"0", "-1", "- 32", "-0x20", "00"}, "block_dim_limit_x": {"0"}, "threads_per_block_limit": {"0"},
			"shared_memory_per_block": {"0", "1", "1023"}, "registers_per_block_limit": {"-1"},
		} {
			line := regexp.MustCompile(`(?m)^  ` + field + `: .*\n`)
			if field != "registers_per_block_limit" {
				assert.Contains(t, described(kind, line.ReplaceAllString(text, "")), "gpu_device_info lacks "+field+",")
			}
			for _, v := range values {
				with := strings.Replace(line.ReplaceAllString(text, ""), "gpu_device_info {", "gpu_device_info { "+field+": "+v, 1)
				assert.Contains(t, described(kind, with), fmt.Sprintf("gpu_device_info has %s: ", field), v)
			}
		}
		for other, of := range all {
			if other != kind {
				assert.Contains(t, described(kind, of), fmt.Sprintf("gpu_device_info has a %s_compute_capability", other))
			}
		}
	}
	none := regexp.MustCompile(`rocm_compute_capability.*\n`).ReplaceAllString(all["rocm"], "")
	assert.Contains(t, described("rocm", none), "lacks rocm_compute_capability")
}
