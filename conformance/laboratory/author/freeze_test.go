// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestANewListHasWhatTheSuiteChecks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sums := filepath.Join(dir, lists.Sums)
	require.NoError(t, os.WriteFile(sums, []byte("00  2026.11.txt\n"), 0o644))
	added, err := freeze(dir, "2099.12", false)
	require.NoError(t, err)
	assert.Contains(t, added, " of them new since "+lists.Newest().Name)
	text, err := os.ReadFile(filepath.Join(dir, "2099.12.txt"))
	require.NoError(t, err)
	l, err := lists.Parse("2099.12", string(text))
	require.NoError(t, err)
	for _, name := range lists.Newest().New(l) {
		id, _, _ := strings.Cut(name, "/")
		assert.Equal(t, rules.Robust, rules.ByID(id).Severity, "%s: what a list has, a later one has too, if clients do it", name)
	}
	assert.Equal(t, "L0", l.Level("LOAD-01"))
	assert.Empty(t, l.Level("LOAD-07"), "a recommendation does not bind")
	got, err := os.ReadFile(sums)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("00  2026.11.txt\n%x  2099.12.txt\n", sha256.Sum256(text)), string(got))
}

func TestAListThatExistsIsNotMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for says, test := range map[string]struct {
		name  string
		again bool
	}{
		"lists never change":              {lists.Newest().Name, false},
		"name a later month":              {"2001.01", false},
		`"newest" is not a month`:         {"newest", false},
		"only that one can be made again": {"2099.12", true},
	} {
		_, err := freeze(dir, test.name, test.again)
		assert.ErrorContains(t, err, says)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files)
}
