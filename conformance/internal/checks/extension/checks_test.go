// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

const noHardware = "the tests do not count on its hardware"

var fourDevices = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{
		{Name: "cpu", Options: fourDevices},
		{Name: checktest.Memory},
		{Name: "tpu", NoDevice: noHardware, Topology: "v5e:2x2x1"},
		{Name: "cuda13", NoDevice: noHardware},
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestThePluginsOfMutantsAreSound(t *testing.T) { suite.RunSound(t) }

func TestEveryRuleHasACheck(t *testing.T) {
	checktest.RunCoverage(t, Checks(), Unobservable, "XLAY", "XMEMD", "XFFI", "XGPU", "XPROF", "XSTR", "XCP", "XTRI", "XRAW", "XPH", "XCB", "XSH", "XABI", "XXHT", "XHMA", "XXMD", "XCOL", "XMS", "XTF", "XTPU", "XSPEC")
}
