// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

var suite = &checktest.Suite{
	Checks:  checktest.UpTo(check.Quick, Checks()),
	Mutants: Mutants(),
	Sharing: true, Tolerated: bystanders(),
	Plugins: []checktest.Plugin{checktest.CPU},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestThePluginsOfMutantsAreSound(t *testing.T) { suite.RunSound(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	checktest.RunCoverage(t, Checks(), Unobservable, "CMP", "COPT", "EXE", "LEX", "SER", "RUN", "XOPT", "CDS", "CTX", "DON", "MULTI")
}
