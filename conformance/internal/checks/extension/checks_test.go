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
var tpuKnown = map[string]string{}

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{
		{Name: "cpu", Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}, Known: cpuKnown},
		{Name: checktest.Memory},
		{Name: "tpu", NoDevice: noHardware, Topology: "v5e:2x2x1", Known: tpuKnown},
		{Name: "cuda13", NoDevice: noHardware, TopologyOptions: []capi.Attribute{{Name: "target_config", Value: `platform_name: "CUDA" device_description_str: "some GPU"`}, {Name: "topology", Value: "1x2x4"}}},
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	suite.RunCoverage(t, Unobservable, "XLAY", "XMEMD", "XFFI", "XGPU", "XPROF", "XSTR", "XCP", "XTRI", "XRAW", "XPH", "XCB", "XSH", "XABI", "XXHT", "XHMA", "XXMD", "XCOL", "XMS", "XTF", "XTPU", "XSPEC")
}
