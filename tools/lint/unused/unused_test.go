// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatNobodyUsesIsFound(t *testing.T) {
	t.Setenv("GOWORK", "off")
	found, err := find("testdata/example", []configuration{
		{flags: []string{"-tags=special"}},
		{environment: []string{"GOOS=linux"}},
		{environment: []string{"GOOS=windows"}},
	}, []string{"./..."})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"example.go:12:6: func dead is not used",
		"example.go:14:6: func deader is not used",
		"example.go:16:6: func forTests is used by tests only",
		"example.go:20:6: func withTag is used by tests only",
		"example.go:25:26: field unseen is not used",
		"example.go:33:14: func thing.method is not used",
		"example_test.go:14:6: func helper is not used",
	}, found)
}

func TestPackagesThatDoNotCompileAreAnError(t *testing.T) {
	_, err := find("testdata", configurations[:1], []string{"./nowhere"})
	require.Error(t, err)
}
