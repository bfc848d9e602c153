// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var suite = &checktest.Suite{
	Checks:  Checks(),
	Mutants: Mutants(),
	Plugins: []checktest.Plugin{checktest.CPU, checktest.InMemory, checktest.TPU, checktest.OlderTPU, checktest.SomeGPU},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestChecksOnRealPlugins(t *testing.T) { suite.RunChecks(t) }

func TestMutants(t *testing.T) { suite.RunMutants(t) }

func TestThePluginsOfMutantsAreSound(t *testing.T) { suite.RunSound(t) }

// wrapped returns an environment on the CPU plugin with hooks.
func wrapped(t *testing.T, hooks ...serve.Hook) *check.Env {
	t.Helper()
	base, err := capi.Open(plugintest.Path(t, trial.CPU))
	require.NoError(t, err)
	table, err := serve.Wrap(base, hooks...)
	require.NoError(t, err)
	env := &check.Env{Table: table.Capi(), Options: checktest.CPU.Options}
	t.Cleanup(func() {
		require.NoError(t, env.Close())
		require.NoError(t, table.Close())
	})
	return env
}

func run(env *check.Env, name string) check.Result {
	for i := range suite.Checks {
		if suite.Checks[i].Name() == name {
			return check.Run(context.Background(), &suite.Checks[i], env)
		}
	}
	return check.Result{Skip: "there is no check " + name}
}

// The CPU plugin does not use the key-value store, so the checks of the store are tried
// on a plugin that does.
func TestStoreChecksPassOnAPluginThatUsesTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("a check waits for what must not come: make test-all")
	}
	for _, c := range storeChecks {
		m := &meeting{}
		r := run(wrapped(t, m.hooks()...), c.Name())
		assert.Equal(t, check.Pass, r.Verdict, "%+v", r)
	}
}

func TestEveryRuleHasACheck(t *testing.T) {
	checktest.RunCoverage(t, Checks(), Unobservable, "CLI", "KV", "DDESC", "DEV", "MEM", "TOPO")
}
