// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// newClient returns a client of the plugin for CPUs.
func newClient(t *testing.T) *pjrt.Client {
	t.Helper()
	client, err := plugins.Open(t.Context(), "cpu", nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return client
}

func predict(ctx context.Context, client *pjrt.Client, file string, w, x []float32) ([]float32, error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	weights, err := pjrt.FromSlice(ctx, client, w, 2, 3)
	if err != nil {
		return nil, err
	}
	defer weights.Close()
	input, err := pjrt.FromSlice(ctx, client, x, 1, 2)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	outs, err := exe.Run(ctx, weights, input)
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}

func TestAProgramOfJAXRuns(t *testing.T) {
	t.Parallel()
	y, err := predict(t.Context(), newClient(t), "testdata/predict.mlir", []float32{0.25, 0.25, 0.25, 0.25, 0.25, 0.25}, []float32{1, 2})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float32{0.635149, 0.635149, 0.635149}, y, 1e-6)
}

// fits returns an error if the plugin is too old for an artifact.
func fits(plugin *pjrt.Plugin, code []byte) error {
	written, isArtifact := stablehlo.VersionOf(code)
	oldest, newest, isKnown := stablehlo.Versions(plugin.Attributes())
	if isArtifact && isKnown && written.Compare(newest) > 0 {
		return fmt.Errorf("the model needs StableHLO %v, and the plugin reads %v to %v", written, oldest, newest)
	}
	return nil
}

func TestTheVersionOfAnArtifactIsKnownBeforeItIsCompiled(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	_, newest, known := stablehlo.Versions(client.Plugin().Attributes())
	require.True(t, known)
	artifact := func(v stablehlo.Version) []byte { return []byte("ML\xefR\x0dStableHLO_v" + v.String() + "\x00") }
	assert.NoError(t, fits(client.Plugin(), artifact(newest)))
	later := stablehlo.Version{newest[0], newest[1] + 1, 0}
	err := fits(client.Plugin(), artifact(later))
	assert.EqualError(t, err, fmt.Sprintf("the model needs StableHLO %v, and the plugin reads 0.9.0 to %v", later, newest))
	_, err = client.Compile(t.Context(), pjrt.Program{Code: artifact(later)}, nil)
	assert.ErrorContains(t, err, fmt.Sprintf("the program is a portable artifact of StableHLO %v, and the plugin reads 0.9.0 to %v: "+
		"use a newer plugin, or write the artifact for StableHLO %v, in Python with "+
		`jaxlib.mlir.dialects.stablehlo.serialize_portable_artifact_str(exported.mlir_module(), "%v")`, later, newest, newest, newest))
}
