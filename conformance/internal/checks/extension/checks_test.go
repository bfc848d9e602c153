// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/reference"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
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

func TestMutants(t *testing.T) { suite.RunMutants(t, nil) }

// Without its fault every mutant's plugin passes the mutant's check.
func TestThePluginsOfMutantsAreSound(t *testing.T) {
	cpu, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	memory, err := reference.New()
	require.NoError(t, err)
	checks := Checks()
	for base, table := range map[mutant.Base]*capi.Table{mutant.CPU: cpu, mutant.Memory: memory} {
		real, err := sound(table)
		require.NoError(t, err)
		env := &check.Env{Table: real.Capi()}
		if base == mutant.CPU {
			env.Options = fourDevices
		}
		t.Cleanup(func() {
			require.NoError(t, env.Close())
			require.NoError(t, real.Close())
		})
		looked := make(map[string]bool)
		for _, m := range Mutants() {
			looked[m.Check] = looked[m.Check] || m.Sound != nil && m.Base == base
		}
		sample := checktest.NewSample(checks)
		for _, c := range checks {
			if !looked[c.Name()] || !sample.Takes(&c) {
				continue
			}
			t.Run(c.Name(), func(t *testing.T) {
				r := check.Run(t.Context(), &c, env)
				assert.Equal(t, check.Pass, r.Verdict, "%v", r)
			})
		}
	}
}

func TestEveryRuleHasACheck(t *testing.T) {
	suite.RunCoverage(t, Unobservable, "XLAY", "XMEMD", "XFFI", "XGPU", "XPROF", "XSTR", "XCP", "XTRI", "XRAW", "XPH", "XCB", "XSH", "XABI", "XXHT", "XHMA", "XXMD", "XCOL", "XMS", "XTF", "XTPU", "XSPEC")
}
