// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

// Longer checks do the same, only for longer.
var suite = &checktest.Suite{
	Checks:  checktest.UpTo(check.Quick, Checks()),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{checktest.CPU, checktest.InMemory},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestThePluginsOfMutantsAreSound(t *testing.T) { suite.RunSound(t) }
