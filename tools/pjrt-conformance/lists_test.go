// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/lists"
)

func TestListsPrintsTheLists(t *testing.T) {
	t.Parallel()
	o := tested.Launch(t, "", "lists")
	assert.Zero(t, o.Status, o.Stderr)
	assert.Regexp(t, `(?m)^LIST +CHECKS +NEW +L0 +L1 +L2 +L3 +L4 +X +Q$`, o.Stdout)
	assert.Regexp(t, `(?m)^2026\.11 +\d{4} +\d{4} `, o.Stdout)
	o = tested.Launch(t, "", "lists", "2026.11")
	assert.Zero(t, o.Status, o.Stderr)
	assert.Contains(t, o.Stdout, "\nL0\n  LOAD-01\n")
	o = tested.Launch(t, "", "lists", "2025.01")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, `there is no list "2025.01" of checks: the lists are 2026.11`)
	o = tested.Launch(t, "", "run", "cpu", "--list", "2025.01")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, `there is no list "2025.01" of checks`)
}

func TestListsMarksWhatIsNew(t *testing.T) {
	t.Parallel()
	older, err := lists.Parse("2027.01", "[L0]\nLOAD-01\n[L1]\nCLI-14\n")
	require.NoError(t, err)
	newer, err := lists.Parse("2027.02", "[L0]\nLOAD-01\nLOAD-02\n[L1]\nCLI-14\n")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, printList(&b, newer, older))
	assert.Equal(t, "2027.02: 3 checks, 1 of them new since 2027.01\n\nL0\n  LOAD-01\n  LOAD-02 (new)\n\nL1\n  CLI-14\n", b.String())
}
