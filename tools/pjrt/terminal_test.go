// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

func TestASummaryOfCallsFitsTheTerminal(t *testing.T) {
	t.Parallel()
	const text = "  calls  errors     total      mean   longest  function\n" +
		"      2       1   98.68ms   49.34ms   98.68ms  PJRT_Client_Compile\n" +
		"      1       0  425.25µs  425.25µs  425.25µs  PJRT_LoadedExecutable_Destroy\n" +
		"      3       1     99.1ms                     all"
	assert.Equal(t, text, narrowSummary(text, 80))
	assert.Equal(t, "  calls  errors      total  function\n      2       1    98.68ms  PJRT_Client_Compile\n"+
		"      1       0   425.25µs  PJRT_LoadedExecutable_Destroy\n      3       1     99.1ms  all", narrowSummary(text, 60))
	assert.Equal(t, "  calls      total  function\n      2    98.68ms  Client_Compile\n"+
		"      1   425.25µs  LoadedExecutable_Destroy\n      3     99.1ms  all", narrowSummary(text, 45))
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 575_300_000: "575 MB", 2_662_000_000: "2.66 GB", 999_600: "1 MB"} {
		assert.Equal(t, want, size(n))
	}
	for text, want := range map[string]int64{"0": 0, "12": 12, "500MB": 5e8, "2 GB": 2e9, "1.5k": 1500, "1KiB": 1024, "3GiB": 3 << 30} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "MB", "-1", "1XB", "1e99", "many"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}

func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	clitest.HelpFits(t, rootCommand())
}

func TestEveryFlagHasAUsageText(t *testing.T) {
	t.Parallel()
	clitest.FlagsHaveUsageTexts(t, rootCommand())
}
