// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/callers"
)

func TestConformanceForSaysWhatAClientDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--for", "jax@0.10.2")
	require.Zero(t, o.status, o.stderr)
	assert.Contains(t, o.stdout, "jax@0.10.2: runs\n")
	assert.Contains(t, o.stdout, "25 of 26 user actions run as they should\n")
	assert.Contains(t, o.stdout, "callback        pure_callback, debug.callback: not measured\n")
	assert.Contains(t, o.stdout, "Device_MemoryStats is unimplemented (rule ")

	o = launch(t, dir, "conformance", "--plugin", "cpu", "--for", "all", "--json", "clients.json", "-v")
	assert.Equal(t, 1, o.status, o.stderr)
	assert.Contains(t, o.stdout, "jax@0.8.1: would abort\n")
	assert.Contains(t, o.stdout, "Profiler is an extension that the plugin lacks\n")
	text, err := os.ReadFile(filepath.Join(dir, "clients.json"))
	require.NoError(t, err)
	var all []callers.Prediction
	require.NoError(t, json.Unmarshal(text, &all))
	var names []string
	for _, p := range all {
		names = append(names, p.Client)
		for _, a := range p.Actions {
			assert.Equal(t, len(a.Causes) > 0, a.What != "harmless", "%s: %s", p.Client, a.Name)
		}
	}
	assert.Equal(t, callers.Clients(), names)
}

func TestConformanceForNeedsAClientThatWasMeasuredAndAPlugin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--for", "jax@0.1.0")
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, `there is no profile of "jax@0.1.0": the profiles are of jax@`)
	write(t, dir, "not_a_plugin.so", "text")
	o = launch(t, dir, "conformance", "--plugin", "./not_a_plugin.so", "--for", "jax")
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, "the plugin cannot be checked")
}
