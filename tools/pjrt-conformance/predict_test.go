// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

func TestPredictSaysWhatAClientDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := tested.Launch(t, dir, "predict", "cpu", "jax@0.10.2")
	require.Zero(t, o.Status, o.Stderr)
	assert.Contains(t, o.Stdout, "jax@0.10.2: degraded\n")
	assert.Contains(t, o.Stdout, "24 of 26 user actions run as they should\n")
	assert.Contains(t, o.Stdout, "Executable_GetCostAnalysis is unimplemented (rule EXE-15)\n")
	assert.Contains(t, o.Stdout, "callback        pure_callback, debug.callback: not measured\n")
	assert.Contains(t, o.Stdout, "Device_MemoryStats is unimplemented (rule ")

	o = tested.Launch(t, dir, "predict", "cpu", "gomlx")
	require.Zero(t, o.Status, o.Stderr)
	assert.Contains(t, o.Stdout, "gomlx@0.28.8: runs\n  14 of 14 user actions run as they should\n")

	o = tested.Launch(t, dir, "predict", "cpu", "-v")
	assert.Equal(t, 1, o.Status, o.Stderr)
	assert.Contains(t, o.Stdout, "jax@0.8.1: would abort\n")
	assert.Contains(t, o.Stdout, "Profiler is an extension that the plugin lacks\n")
	o = tested.Launch(t, dir, "predict", "cpu", "--json")
	assert.Equal(t, 1, o.Status, o.Stderr)
	var all []callers.Prediction
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &all))
	var names []string
	for _, p := range all {
		names = append(names, p.Client)
		for _, a := range p.Actions {
			assert.Equal(t, len(a.Causes) > 0, a.What != "harmless", "%s: %s", p.Client, a.Name)
		}
	}
	assert.Equal(t, callers.Clients(), names)
}

func TestPredictNeedsAClientThatWasMeasuredAndAPlugin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := tested.Launch(t, dir, "predict", "cpu", "jax@0.1.0")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, `there is no profile of "jax@0.1.0": the profiles are of gomlx@`)
	clitest.Write(t, dir, "not_a_plugin.so", "text")
	o = tested.Launch(t, dir, "predict", "./not_a_plugin.so", "jax")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, "the plugin cannot be checked")
}
