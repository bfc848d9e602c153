// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
)

// A table that was made before a check was added or removed is stale.
func TestTheTableOfCompilesHasEveryQuickCheck(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../../internal/driver/compiles.tsv")
	require.NoError(t, err)
	checks := make(map[string]int)
	for _, c := range suite.Checks() {
		if c.Profile <= check.Quick {
			checks[c.Rule]++
		}
	}
	have := make(map[string]int)
	for line := range strings.Lines(string(table)) {
		var r compiling
		_, err := fmt.Sscanf(line, "%s %d %d", &r.rule, &r.programs, &r.checks)
		require.NoError(t, err, line)
		have[r.rule] = r.checks
	}
	assert.Equal(t, checks, have, "make conformance, and write the table again, as author compiles -h says")
}

func TestATableOfCompilesIsCompared(t *testing.T) {
	t.Parallel()
	rows := []compiling{{"CMP-01", 30, 2}, {"CMP-02", 10, 1}, {"EVT-01", 0, 1}}
	const others = "CMP-02\t10\t1\nEVT-01\t0\t1\n"
	assert.NoError(t, compareCompiles(rows, "CMP-01\t30\t2\n"+others))
	assert.NoError(t, compareCompiles(rows, "CMP-01\t19\t2\n"+others), "time decides how many")
	assert.NoError(t, compareCompiles(rows, "CMP-01\t40\t2\nCMP-02\t0\t1\nEVT-01\t2\t1\n"), "another check may compile it first")
	for table, says := range map[string]string{
		"CMP-01\t30\t2\nCMP-02\t10\t1\n":        "rule EVT-01: the table says 0 checks, the report 1",
		"CMP-01\t16\t2\n" + others:              "the group CMP: the table says 26 programs, the report 40",
		"CMP-01\t30\t3\n" + others:              "rule CMP-01: the table says 3 checks, the report 2",
		"CMP-01\t30\t2\nOLD-1\t1\t1\n" + others: "rule OLD-1 is only in the table",
		"CMP-01\n":                              "the line",
	} {
		assert.ErrorContains(t, compareCompiles(rows, table), says)
	}

	// If many groups are off by a little, the table is from another suite.
	var many []compiling
	var table strings.Builder
	for i := range 100 {
		many = append(many, compiling{fmt.Sprintf("CMP%d-01", i), 10, 1})
		fmt.Fprintf(&table, "CMP%d-01\t7\t1\n", i)
	}
	assert.ErrorContains(t, compareCompiles(many, table.String()), "all rules: the table says 700 programs, the report 1000")
}
