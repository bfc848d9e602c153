// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build jax

package docs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentsCommandsForJAXWork(t *testing.T) {
	python := os.Getenv("PJRT_JAX_PYTHON")
	require.NotEmpty(t, python, "run make jax")
	for _, d := range documents(t) {
		if slices.ContainsFunc(d.blocks, func(b block) bool { return b.kind == "console" && b.has("jax") }) {
			follow(t, d, "jax", filepath.Dir(python))
		}
	}
}
