// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheExampleFindsTheWeights(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "run", "./examples/linear")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOMLX_BACKEND=pjrt:"+plugintest.Path(t, "cpu"))
	out, err := c.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "weights [[2.00] [-3.00]]\nbiases [1.00]\n")
}
