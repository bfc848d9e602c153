// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePageHasTheKnownFaults(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../pjrt/docs/known-faults.md")
	require.NoError(t, err)
	var table strings.Builder
	table.WriteString("| what happens | API of the plugins | what to do | refused |\n|---|---|---|---|\n")
	for _, f := range knownFaults {
		refused, ages := "no", strings.Join(f.ages, ", ")
		if len(f.ages) == len(allAges) {
			ages = "all"
		}
		if f.refused {
			refused = "yes"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", f.what, ages, f.avoid, refused)
	}
	assert.Contains(t, string(page), table.String())
}

// A plugin between two that were tried may have the faults of both.
func TestFaultsOfAPlugin(t *testing.T) {
	t.Parallel()
	has := func(minor int, word string) bool {
		return slices.ContainsFunc(faultsOf(minor), func(f fault) bool { return strings.Contains(f.what, word) })
	}
	for minor, want := range map[int][3]bool{
		54: {true, true, false}, 81: {true, true, false}, 90: {true, true, false}, 106: {false, true, false},
		110: {false, true, true}, 115: {false, false, true}, 120: {false, false, true},
	} {
		assert.Equal(t, want, [3]bool{has(minor, "`concatenate` in MLIR"), has(minor, "`abs`"), has(minor, "512 GiB")}, "API 0.%d", minor)
	}
}
