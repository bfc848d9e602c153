// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheExampleOfABuilderComputesExclusiveOr(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "run", "./examples/builder")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", plugins.NamesAndLibraryPaths+"=cpu:"+plugintest.Path(t, "cpu"))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, stderr.String())
	assert.Equal(t, "[0 1 1 0]\n", string(out))
}

func TestTheExampleFindsTheWeights(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "run", "./examples/linear")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOMLX_BACKEND=pjrt:"+plugintest.Path(t, "cpu"))
	out, err := c.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "weights [[2.00] [-3.00]]\nbiases [1.00]\n")
}

func TestTheExampleOfALanguageModelSaysWhatItLearned(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "run", "./examples/generate")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOMLX_BACKEND=pjrt:"+plugintest.Path(t, "cpu"))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, stderr.String())
	assert.Equal(t, "The quick brown fox jumps over the lazy dog.\n", string(out))
	assert.Contains(t, stderr.String(), "tokens per second")
}
