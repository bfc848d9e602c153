// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"testing"

	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

// tested is the built command.
var tested clitest.Program

func TestMain(m *testing.M) {
	os.Exit(clitest.Main(name, func(p clitest.Program) int {
		tested = p
		return m.Run()
	}))
}

func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	clitest.HelpFits(t, rootCommand())
}

func TestEveryFlagHasAUsageText(t *testing.T) {
	t.Parallel()
	clitest.FlagsHaveUsageTexts(t, rootCommand())
}
