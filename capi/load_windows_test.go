// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLibrariesOfAPluginMayLieBesideIt(t *testing.T) {
	path := filepath.FromSlash(os.Getenv("PJRT_TEST_NEEDING"))
	if path == "" {
		t.Skip("PJRT_TEST_NEEDING names no library that needs another beside it: make test-wine makes one")
	}
	l, err := load(path)
	require.NoError(t, err)
	_, err = l.symbol("GetPjrtApi")
	require.NoError(t, err)
}
