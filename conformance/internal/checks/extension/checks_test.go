// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{checktest.CPU, checktest.InMemory, checktest.TPU, checktest.CUDA},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestThePluginsOfMutantsAreSound(t *testing.T) { suite.RunSound(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	checktest.RunCoverage(t, Checks(), Unobservable, "XLAY", "XMEMD", "XFFI", "XGPU", "XPROF", "XSTR", "XCP", "XTRI", "XRAW", "XPH", "XCB", "XSH", "XABI", "XXHT", "XHMA", "XXMD", "XCOL", "XMS", "XTF", "XTPU", "XSPEC")
}
