// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package examples_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// xor are the weights of a network that computes exclusive or.
var xor = map[string]pjrt.HostArray{
	"layers.0.weight": pjrt.ArrayOf([]float32{1, 1, 1, 1}, 2, 2),
	"layers.0.bias":   pjrt.ArrayOf([]float32{0, -1}, 2),
	"layers.1.weight": pjrt.ArrayOf([]float32{1, -2}, 1, 2),
	"layers.1.bias":   pjrt.ArrayOf([]float32{0}, 1),
}

const weightsFile = "weights/model.safetensors"

func TestTheFileOfWeightsIsUpToDate(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	require.NoError(t, safetensors.Write(&want, xor, nil))
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(weightsFile, want.Bytes(), 0o644))
	}
	have, err := os.ReadFile(weightsFile)
	require.NoError(t, err)
	assert.Equal(t, want.Bytes(), have, "UPDATE=1 rewrites the file")
}

func TestWeightsAreLoadedByName(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "[0 1 1 0]\n", output(t, command(t, "weights", weightsFile)))
}

func TestWeightsOfAnotherModelAreAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(arrays map[string]pjrt.HostArray)
		says   string
	}{
		"one is missing": {func(arrays map[string]pjrt.HostArray) { delete(arrays, "layers.1.bias") }, "layers.1.bias"},
		"one too many": {
			func(arrays map[string]pjrt.HostArray) { arrays["layers.2.bias"] = arrays["layers.1.bias"] },
			`has arrays for which the value has no place: "layers.2.bias"`,
		},
		"another shape": {
			func(arrays map[string]pjrt.HostArray) { arrays["layers.0.bias"] = pjrt.ArrayOf([]float32{1, 2, 3}, 3) },
			"Layers[0].Bias",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrays := maps.Clone(xor)
			c.change(arrays)
			file := filepath.Join(t.TempDir(), "model.safetensors")
			require.NoError(t, safetensors.WriteFile(file, arrays, nil))
			cmd := command(t, "weights", file)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			require.Error(t, cmd.Run())
			assert.Contains(t, stderr.String(), c.says)
		})
	}
}
