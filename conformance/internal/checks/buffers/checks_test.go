// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

var suite = &checktest.Suite{
	Checks:    checktest.UpTo(check.Core, Checks()),
	Mutants:   Mutants(),
	Tolerated: append(likeGPUs(), bystanders()...),
	Sharing:   true,
	Plugins:   []checktest.Plugin{checktest.CPU},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestPluginsMayDifferWhereNoRuleOrAnotherOneSaysHow(t *testing.T) { suite.RunTolerated(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	checktest.RunCoverage(t, Checks(), Unobservable, "EVT", "H2D", "STR", "BUF", "D2H", "RAW", "COPY", "REF", "VIEW", "UNI", "AH2D", "DMA")
}
