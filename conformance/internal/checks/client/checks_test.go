// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var suite = &checktest.Suite{
	Checks:  Checks(),
	Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}},
	Known: map[string]string{
		"CLI-04":          "unknown create options are ignored",
		"CLI-05":          "a create option of the wrong type aborts it",
		"CLI-08":          "a null array of options counts as none",
		"CLI-09":          "it makes clients without devices",
		"CLI-13/then=use": "buffers and executables crash it when their client is gone",
		"CLI-31":          "0 replicas or partitions abort it",
		"CLI-32":          "it makes the whole assignment before it looks at the array's size, and runs out of memory",
		"CLI-33":          "the default assignment names devices that there are not",
		"CLI-34":          "the default assignment names devices that there are not",
		"TOPO-12":         "it refuses the serialized topologies that it makes, with NOT_FOUND",
	},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t, plugintest.Path(t, "cpu")) }
