// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// XLA's plugin for CPUs multiplies with the matrix that an address had before, which would look
// like a fault of whatever rule a check with another matrix is about.
func TestChecksExecuteHeavyOnItsInputAlone(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../checks/*/*.go")
	require.NoError(t, err)
	heavy, input := regexp.MustCompile(`\bcheck\.Heavy\b`), regexp.MustCompile(`\bcheck\.Heavy(Input|Argument)\(`)
	seen := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if heavy.Match(text) {
			seen++
			assert.Len(t, input.FindAll(text, -1), len(heavy.FindAll(text, -1)), "%s: a use of Heavy without its input", name)
		}
	}
	assert.GreaterOrEqual(t, seen, 5)
}
