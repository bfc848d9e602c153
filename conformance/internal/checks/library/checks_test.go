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
	Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t, plugintest.Path(t, "cpu")) }
