// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}},
	Known: map[string]string{
		"SKEW-02/functions=executable":       "PJRT_Executable_GetCompiledMemoryStats writes all its fields into the shorter structs of older callers",
		"SKEW-03/functions=executable":       "PJRT_Executable_GetCompiledMemoryStats takes a struct of 56 bytes, which no version had",
		"SKEW-06":                            "PJRT_Client_CreateViewOfDeviceBuffer does not look at struct_size",
		"SKEW-08":                            "PJRT_Executable_GetCompiledMemoryStats writes all its fields into the shorter structs of older callers",
		"SKEW-13/struct=memory_layout":       "the struct_size of layouts is not looked at",
		"SKEW-13/struct=named_value":         "the struct_size of named values is not looked at",
		"SKEW-13/struct=shape_spec":          "the struct_size of shape specs is not looked at",
		"SKEW-18/enum=buffer_type":           "unknown element types crash it",
		"SKEW-18/enum=error_code":            "unknown error codes are taken",
		"SKEW-18/enum=host_buffer_semantics": "unknown semantics are taken",
		"SKEW-18/enum=named_value_type":      "unknown types of named values abort it",
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t, plugintest.Path(t, "cpu")) }

func TestMutants(t *testing.T) {
	suite.RunMutants(t, plugintest.Path(t, "cpu"), map[string]string{
		"LOAD-01": "TestFaultsOfTheFile has its faults",
		"LOAD-02": "TestFaultsOfTheFile has its faults",
		"LOAD-03": "TestFaultsOfTheFile has its faults",
		"LOAD-11": "TestFaultsOfTheFile has its faults",
		"SKEW-21": "it is for plugins that are newer than the suite, and none is in the repository",
	})
}
