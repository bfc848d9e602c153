// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

// validPrograms returns programs of JAX and StableHLO that compilers take, by file.
func validPrograms(t testing.TB) map[string][]byte {
	t.Helper()
	programs := make(map[string][]byte)
	for _, pattern := range []string{
		"tools/pjrt/testdata/programs/*/program.mlir*",
		"conformance/internal/check/artifacts/*.mlir*",
		"conformance/laboratory/internal/corpus/testdata/checkout/stablehlo/testdata/*.mlir*",
		"conformance/laboratory/internal/corpus/testdata/checkout/stablehlo/tests/*/*.mlir*",
	} {
		files, err := filepath.Glob("../../../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			programs[file] = code
		}
	}
	return programs
}

func TestValidProgramsPass(t *testing.T) {
	t.Parallel()
	for file, code := range validPrograms(t) {
		for _, minor := range []int{0, 81, 106, 115} {
			assert.NoError(t, check(code, mlir.Limits{UpToNUL: true, CPU: minor}), "%s on API 0.%d", file, minor)
		}
	}
}
