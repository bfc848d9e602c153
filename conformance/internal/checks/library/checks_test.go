// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
)

const noHardware = "the tests do not count on its hardware"

var fourDevices = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}

// cpuKnown is what the CPU plugin, of API 0.81, fails.
var cpuKnown = map[string]string{
	"LOAD-14/closed":                              "what it leaves for the exit of the process is called after dlclose",
	"SKEW-02/functions=executable":                "PJRT_Executable_GetCompiledMemoryStats writes all its fields into the shorter structs of older callers",
	"SKEW-03/functions=executable":                "PJRT_Executable_GetCompiledMemoryStats takes a struct of 56 bytes, which no version had",
	"SKEW-03/memory=guarded,functions=executable": "PJRT_Executable_GetCompiledMemoryStats takes a struct of 56 bytes and writes 112",
	"SKEW-06":                            "PJRT_Client_CreateViewOfDeviceBuffer does not look at struct_size",
	"SKEW-08":                            "PJRT_Executable_GetCompiledMemoryStats writes all its fields into the shorter structs of older callers",
	"SKEW-13/struct=memory_layout":       "the struct_size of layouts is not looked at",
	"SKEW-13/struct=named_value":         "the struct_size of named values is not looked at",
	"SKEW-13/struct=shape_spec":          "the struct_size of shape specs is not looked at",
	"SKEW-18/enum=buffer_type":           "unknown element types crash it",
	"SKEW-18/enum=error_code":            "unknown error codes are taken",
	"SKEW-18/enum=host_buffer_semantics": "unknown semantics are taken",
	"SKEW-18/enum=named_value_type":      "unknown types of named values abort it",
}

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{
		{Name: "cpu", Options: fourDevices, Known: cpuKnown},
		{Name: checktest.Memory},
		{Name: "tpu", NoDevice: noHardware, Topology: "v5e:2x2x1"},
		{Name: "tpu@0.0.11", NoDevice: noHardware, Topology: "v5e:2x2x1", Races: map[string]string{
			"ATTR-03": "initializations at the same time end the process",
		}},
		{Name: "cuda13", NoDevice: noHardware, TopologyOptions: []capi.Attribute{{Name: "target_config", Value: `platform_name: "CUDA" device_description_str: "some GPU"`}, {Name: "topology", Value: "1x2x4"}}, Known: map[string]string{
			"LOAD-14/closed": "what it leaves for the exit of the process is called after dlclose",
		}},
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) {
	suite.RunMutants(t, nil)
}

func TestEveryRuleHasACheck(t *testing.T) {
	suite.RunCoverage(t, Unobservable, "LOAD", "SKEW", "ERR", "ATTR", "XCH")
}
