// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

const noHardware = "the tests do not count on its hardware"

// cpuKnown is what the CPU plugin, of API 0.81, fails.
var cpuKnown = map[string]string{}

// tpuKnown is what libtpu 0.0.51 fails.
var tpuKnown = map[string]string{
	"XPH-03":   "running no phase succeeds",
	"XPROF-03": "stopping a profiler that was not started succeeds",
	"XTF-03":   "the code of a transformation's error becomes INTERNAL",
}

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{
		{Name: "cpu", Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}, Known: cpuKnown},
		{Name: checktest.Memory},
		{Name: "tpu", NoDevice: noHardware, Topology: "v5e:2x2x1", Known: tpuKnown},
		{Name: "cuda13", NoDevice: noHardware, Known: map[string]string{
			"XPROF-03": "stopping a profiler that was not started succeeds",
		}},
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	suite.RunCoverage(t, Unobservable, "XLAY", "XMEMD", "XFFI", "XGPU", "XPROF", "XSTR", "XCP", "XTRI", "XRAW", "XPH", "XCB", "XSH", "XABI", "XXHT", "XHMA", "XXMD", "XCOL", "XMS", "XTF", "XTPU", "XSPEC")
}
