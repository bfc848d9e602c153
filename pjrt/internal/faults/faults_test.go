// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package faults_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/faults"
)

func TestThePageHasTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/known-faults.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), faults.Markdown())
}
