// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryPlatformIsChecked(t *testing.T) {
	t.Setenv("GOWORK", "off")
	found := checkAll("testdata/platforms", []string{"linux/amd64", "windows/amd64", "linux/arm64", "plan10/amd64", "linux"})
	assert.Empty(t, found[0])
	require.Len(t, found[1], 1, "a test that does not compile: %q", found[1])
	assert.Contains(t, found[1][0], "example_test.go:9:5: undefined: system")
	require.NotEmpty(t, found[2], "assembly that does not fit its declaration")
	assert.Contains(t, found[2][0], "wrong argument size 8; expected $...-16")
	assert.NotEmpty(t, found[3], "no such platform")
	assert.Equal(t, []string{"a platform is written GOOS/GOARCH, such as linux/arm64"}, found[4])
}

func TestAFolderWithoutPackagesIsAnError(t *testing.T) {
	t.Setenv("GOWORK", "off")
	assert.NotEmpty(t, checkPlatform(t.TempDir(), "linux/amd64"))
}
