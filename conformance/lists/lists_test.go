// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lists_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestAListNeverChanges(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile(lists.Sums)
	require.NoError(t, err)
	var want strings.Builder
	for _, l := range lists.All() {
		text, err := os.ReadFile(l.Name + ".txt")
		require.NoError(t, err)
		fmt.Fprintf(&want, "%x  %s.txt\n", sha256.Sum256(text), l.Name)
	}
	assert.Equal(t, want.String(), string(sums), "a list was changed: make a new one with make list")
}

func TestTheSuiteHasTheChecksOfEveryList(t *testing.T) {
	t.Parallel()
	has := make(map[string]bool)
	for _, c := range suite.Checks() {
		has[c.Name()] = true
	}
	for _, l := range lists.All() {
		assert.NotEmpty(t, l.Checks())
		var gone []string
		for _, c := range l.Checks() {
			assert.Contains(t, report.LevelNames(), l.Level(c), c)
			if !has[c] {
				gone = append(gone, c)
			}
		}
		assert.Empty(t, gone, "checks of the list %s that the suite no longer has: a check keeps its name", l.Name)
	}
}

func TestListsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	text := lists.Format("2027.01", []string{"L0", "L1"}, []lists.Check{{Name: "CLI-14", Level: "L1"}, {Name: "LOAD-01", Level: "L0"}})
	l, err := lists.Parse("2027.01", text)
	require.NoError(t, err)
	assert.Equal(t, []string{"LOAD-01", "CLI-14"}, l.Checks())
	assert.Equal(t, "L1", l.Level("CLI-14"))
	assert.Empty(t, l.Level("CLI-15"))
	assert.Equal(t, map[string]int{"L0": 1, "L1": 1}, l.Counts())
	assert.Nil(t, l.Before())
	for says, test := range map[string][2]string{
		"is not named after a month":                  {"newest", ""},
		"line 1: \"LOAD-01\" stands before any level": {"2027.01", "LOAD-01\n"},
		"line 3: LOAD-01 is there twice":              {"2027.01", "[L0]\nLOAD-01\nLOAD-01\n"},
	} {
		_, err := lists.Parse(test[0], test[1])
		assert.ErrorContains(t, err, says)
	}
}
