// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestThePluginCanBeNamedInSeveralWays(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"/lib/plugin.so":      "/lib/plugin.so",
		"cpu:/lib/plugin.so":  "/lib/plugin.so",
		"./plugin.so":         "./plugin.so",
		"plugin.so":           "plugin.so",
		"/odd:name/plugin.so": "/odd:name/plugin.so",
		"name:dir/p:lugin.so": "dir/p:lugin.so",
	} {
		got, err := pluginPath(value)
		require.NoError(t, err, value)
		assert.Equal(t, want, got, value)
	}
	path := plugintest.Path(t, "cpu")
	configuration := filepath.Join(t.TempDir(), "mine.json")
	require.NoError(t, os.WriteFile(configuration, fmt.Appendf(nil, `{"library_path": %q}`, path), 0o600))
	for _, value := range []string{"cpu", path, configuration, "mine:" + configuration} {
		got, err := pluginPath(value)
		require.NoError(t, err, value)
		assert.Equal(t, path, got)
	}
	_, err := pluginPath("")
	assert.ErrorContains(t, err, "PJRT_SHIM_PLUGIN is not set")
	_, err = pluginPath("nonsense-plugin")
	assert.ErrorContains(t, err, "PJRT_SHIM_PLUGIN: ")
}

func TestTheReasonIsTheErrorOfTheFirstCalls(t *testing.T) {
	table := broken(errors.New("the reason")).Capi()
	for name, call := range map[string]func() error{
		"initialize": func() error { return new(capi.Call[capi.PluginInitializeArgs]).Do(table) },
		"attributes": func() error { return new(capi.Call[capi.PluginAttributesArgs]).Do(table) },
		"client":     func() error { return new(capi.Call[capi.ClientCreateArgs]).Do(table) },
		"topology":   func() error { return new(capi.Call[capi.TopologyDescriptionCreateArgs]).Do(table) },
	} {
		err := call()
		require.ErrorIs(t, err, capi.ErrorCodeFailedPrecondition, name)
		assert.ErrorContains(t, err, "pjrt shim: the reason", name)
	}
	old := &capi.Call[capi.ClientCreateArgs]{Args: capi.ClientCreateArgs{StructSize: 72}}
	h, err := old.Raw(table)
	require.NoError(t, err)
	assert.ErrorContains(t, table.TakeError(h), "the reason", "clients of any version get the reason")
}

func TestTheEnvironmentIsChecked(t *testing.T) {
	notPlugin := filepath.Join(t.TempDir(), "p.so")
	require.NoError(t, os.WriteFile(notPlugin, []byte("text"), 0o600))
	for name, c := range map[string]struct {
		environ []string
		want    string
	}{
		"no plugin":      {nil, "PJRT_SHIM_PLUGIN is not set"},
		"no such plugin": {[]string{"PJRT_SHIM_PLUGIN=/no/such/p.so"}, "/no/such/p.so"},
		"no library":     {[]string{"PJRT_SHIM_PLUGIN=" + notPlugin}, notPlugin},
		"a mistake":      {[]string{"PJRT_SHIM_PLUGIN=x.so", "PJRT_SHIM_TARCE=t"}, "there is no such variable: the variables are PJRT_SHIM_ABSENT"},
	} {
		_, err := open(c.environ)
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestTheShimStandsInFrontOfAPlugin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	table, err := open([]string{"PJRT_SHIM_PLUGIN=" + plugintest.Path(t, "cpu"), "PJRT_SHIM_TRACE=" + file})
	require.NoError(t, err)
	c := table.Capi()
	require.NoError(t, new(capi.Call[capi.PluginInitializeArgs]).Do(c))
	end()
	end()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "PJRT_Plugin_Initialize() -> ok")
	require.NoError(t, new(capi.Call[capi.PluginAttributesArgs]).Do(c), "calls still work, unwatched")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, text, after)
}
