// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheInstalledPluginIsListed(t *testing.T) {
	const child = "PUREPJRT_TEST_LISTS"
	if os.Getenv(child) == "" {
		_, err := plugins.Install(t.Context(), "cpu", plugins.InstallOptions{})
		require.NoError(t, err)
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), child+"=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	path, err := plugins.Install(t.Context(), "cpu", plugins.InstallOptions{})
	require.NoError(t, err)
	all, err := plugins.List(t.Context(), plugins.ListOptions{NoPython: true})
	require.NoError(t, err)
	var found []plugins.Candidate
	for _, c := range all {
		if c.Origin == plugins.OriginCache && c.Name == "cpu" {
			found = append(found, c)
		}
	}
	require.Len(t, found, 1)
	assert.Equal(t, path, found[0].Path)
	assert.True(t, found[0].Usable(), "%v", found[0].Err())
	ages := map[string]string{"0.0.1": "0.81", "0.11.2": "0.115"}
	require.Contains(t, ages, found[0].Version)
	assert.Equal(t, ages[found[0].Version], found[0].API)

	c, err := plugins.Find(t.Context(), path)
	require.NoError(t, err)
	assert.True(t, c.Usable(), "%v", c.Err())
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	assert.NotContains(t, string(maps), path, "listing loads nothing")
}

func TestFindWithoutANameObeysTheVariable(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	t.Setenv("PJRT_PLATFORMS", "host")
	c, err := plugins.Find(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "cpu", c.Platform)
	_, err = os.Stat(c.Path)
	require.NoError(t, err)
	t.Setenv("PJRT_PLATFORMS", "cpu,nothing")
	_, err = plugins.Find(t.Context(), "")
	require.ErrorContains(t, err, "PJRT_PLATFORMS=cpu,nothing: nothing is not usable")
	require.ErrorIs(t, err, plugins.ErrNotFound)
	t.Setenv("PJRT_PLATFORMS", "mine")
	t.Setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "mine:"+path)
	c, err = plugins.Find(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "mine", c.Name)
}
