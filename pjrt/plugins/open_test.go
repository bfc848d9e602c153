// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// configured writes a configuration file of the CPU plugin, and returns its path.
func configured(t *testing.T, options map[string]any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.json")
	content, err := json.Marshal(map[string]any{"library_path": plugintest.Chosen(t), "create_options": options})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func TestAClientIsOpenedByNameWithTheOptionsOfItsConfiguration(t *testing.T) {
	ctx := context.Background()
	config := configured(t, map[string]any{"cpu_device_count": 2})
	for _, c := range []struct {
		what, env string
		opts      *pjrt.ClientOptions
		want      int
	}{
		{"the configuration", "", nil, 2},
		{"the environment", "cpu_device_count:3", nil, 3},
		{"an option", "cpu_device_count:3",
			&pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(1)}}}, 1},
		{"an option of the platform", "", &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 5}}, 5},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Setenv(plugins.CreateOptionsVariable, c.env)
			client, err := plugins.Open(ctx, config, c.opts)
			require.NoError(t, err)
			defer client.Close()
			assert.Len(t, client.Devices(), c.want)
			assert.Equal(t, 1, plugins.ProcessCount(client))
		})
	}
}

func TestALibraryThatCannotBeLoadedIsUnusableByNameAndByPath(t *testing.T) {
	dir := t.TempDir()
	text, python := filepath.Join(dir, "pjrt_plugin_text.so"), filepath.Join(dir, "lib", "pjrt_plugin_other.so")
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Dir(python), 0o755))
	require.NoError(t, os.WriteFile(python, []byte("text"), 0o644))
	t.Setenv(plugins.NamesAndLibraryPaths, "broken:"+text+",none:/no/such/plugin.so")
	t.Setenv("LD_LIBRARY_PATH", filepath.Dir(python))
	for what, want := range map[string]struct{ unusable, notFound bool }{
		"broken":               {unusable: true},
		text:                   {unusable: true},
		"/etc/passwd":          {unusable: true},
		dir + "/":              {unusable: true},
		"other":                {unusable: true, notFound: true},
		"none":                 {notFound: true},
		"/no/such/plugin.so":   {notFound: true},
		"no-such-plugin":       {notFound: true},
		"/no/such/plugin.json": {notFound: true},
	} {
		_, err := plugins.Open(t.Context(), what, nil)
		assert.Equal(t, want.unusable, errors.Is(err, plugins.ErrUnusable), "%s: %v", what, err)
		assert.Equal(t, want.notFound, errors.Is(err, plugins.ErrNotFound), "%s: %v", what, err)
		_, err = plugins.Load(t.Context(), what)
		assert.Equal(t, want.unusable, errors.Is(err, plugins.ErrUnusable), "%s: %v", what, err)
		var open *capi.OpenError
		assert.Equal(t, what == text || what == "/etc/passwd", errors.As(err, &open), "%s: %v", what, err)
	}
}

func TestProcessesThatShareDevicesAreCounted(t *testing.T) {
	t.Parallel()
	for process := range 3 {
		p := pjrttest.New(t, pjrttest.Options{Devices: 2, Processes: 3, ProcessIndex: process})
		assert.Equal(t, 3, plugins.ProcessCount(p.Client()))
	}
}

func TestWithoutANameTheBestPluginIsOpened(t *testing.T) {
	t.Setenv(plugins.PlatformsVariable, "mine")
	t.Setenv(plugins.NamesAndLibraryPaths, "mine:"+configured(t, map[string]any{"cpu_device_count": 2}))
	client, err := plugins.Open(context.Background(), "", nil)
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 2)
	plugin, err := plugins.Load(context.Background(), "")
	require.NoError(t, err)
	assert.Same(t, client.Plugin(), plugin)
}

// A plugin that the user configured, and whose client cannot be made, does not keep others from
// being used.
func TestWithoutANameAPluginThatFailsIsPassedOver(t *testing.T) {
	for _, variable := range []string{plugins.PlatformsVariable, plugins.JAXPlatformsVariable, plugins.JAXPlatformNameVariable} {
		t.Setenv(variable, "")
	}
	var log bytes.Buffer
	pjrt.SetLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	defer pjrt.SetLogger(nil)
	bad := configured(t, map[string]any{"cpu_device_count": "many"})
	t.Setenv(plugins.NamesAndLibraryPaths, "mine:"+bad+",second:"+configured(t, map[string]any{"cpu_device_count": 3}))
	client, err := plugins.Open(context.Background(), "", nil)
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 3)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "is passed over")
	assert.Contains(t, log.String(), "plugin=mine")
	assert.Contains(t, log.String(), "next=second")

	log.Reset()
	t.Setenv(plugins.NamesAndLibraryPaths, "first:"+plugintest.Chosen(t)+",second:"+plugintest.Chosen(t))
	_, err = plugins.Open(context.Background(), "", &pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_cuont", Value: int64(1)}}})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "did you mean cpu_device_count?")
	_, err = plugins.Open(context.Background(), "", &pjrt.ClientOptions{NodeID: 3})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.Empty(t, log.String(), "no plugin is tried with other options than the caller's")
	assert.NotContains(t, err.Error(), "none of the plugins works")
}

func TestAnExperimentalPluginIsLogged(t *testing.T) {
	var log bytes.Buffer
	pjrt.SetLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	defer pjrt.SetLogger(nil)
	for _, experimental := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "mine.json")
		content, err := json.Marshal(map[string]any{"library_path": plugintest.Chosen(t), "experimental": experimental})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		client, err := plugins.Open(context.Background(), path, nil)
		require.NoError(t, err)
		client.Close()
		assert.Equal(t, experimental, strings.Contains(log.String(), "the PJRT plugin is experimental"), log.String())
	}
}

// XLA's plugins ignore the flag.
func TestTheFlagForTheNumberOfCPUDevicesIsObeyed(t *testing.T) {
	t.Setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=6")
	client, err := plugins.Open(context.Background(), plugintest.Chosen(t), nil)
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 6)
}

func TestASharedClientHasTheConfigurationOfOpen(t *testing.T) {
	ctx := context.Background()
	config := configured(t, map[string]any{"cpu_device_count": 3})
	t.Setenv("JAX_NUM_CPU_DEVICES", "7")
	a, err := plugins.Share(ctx, config, nil)
	require.NoError(t, err)
	defer a.Close()
	assert.Len(t, a.Client.Devices(), 7, "the variable wins over the configuration")
	b, err := plugins.Share(ctx, config, nil)
	require.NoError(t, err)
	assert.Same(t, a.Client, b.Client)
	b.Close()
	seven := &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 7}}
	b, err = plugins.Share(ctx, config, seven)
	require.NoError(t, err, "the same devices, asked for in another way")
	b.Close()
	t.Setenv("JAX_NUM_CPU_DEVICES", "2")
	b, err = plugins.Share(ctx, config, nil)
	require.NoError(t, err, "any client suits a caller without options")
	assert.Same(t, a.Client, b.Client)
	b.Close()
	_, err = plugins.Share(ctx, config, &pjrt.ClientOptions{})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.NoError(t, a.Close())

	t.Setenv("JAX_NUM_CPU_DEVICES", "")
	b, err = plugins.Share(ctx, config, nil)
	require.NoError(t, err)
	defer b.Close()
	assert.Len(t, b.Client.Devices(), 3, "the configuration alone")
}

func TestAClientWithoutDevicesIsAnError(t *testing.T) {
	t.Setenv("JAX_NUM_CPU_DEVICES", "0")
	before := pjrt.Live()["client"]
	client, err := plugins.Open(context.Background(), plugintest.Chosen(t), nil)
	require.ErrorContains(t, err, plugintest.Chosen(t)+") has no devices")
	assert.Nil(t, client)
	shared, err := plugins.Share(context.Background(), plugintest.Chosen(t), nil)
	require.ErrorContains(t, err, "has no devices")
	assert.Nil(t, shared)
	assert.Equal(t, before, pjrt.Live()["client"], "it is closed")
}

func TestErrorsOfOpenSayWhatToDo(t *testing.T) {
	ctx := context.Background()
	_, err := plugins.Open(ctx, "cup", nil)
	require.ErrorIs(t, err, plugins.ErrNotFound)
	assert.ErrorContains(t, err, "plugin not found: cup; did you mean cpu? the known plugins are ")
	_, err = plugins.Open(ctx, configured(t, map[string]any{"cpu_device_count": "many"}), nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("cup", nil, 0o600))
	_, err = plugins.Open(ctx, "cup", nil)
	assert.ErrorContains(t, err, "plugin not found: cup; for the file of this name, write ."+string(filepath.Separator)+"cup")
	t.Setenv(plugins.CreateOptionsVariable, "cpu_device_count:many")
	_, err = plugins.Open(ctx, plugintest.Chosen(t), nil)
	assert.ErrorContains(t, err, plugins.CreateOptionsVariable)
}

func TestAFileThatIsNoLibraryIsDescribed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"empty":   {"", "it is empty"},
		"text":    {"hello\n", "it is a text file, not a library"},
		"pointer": {"version https://git-lfs.github.com/spec/v1\n", "it is a Git LFS pointer, not a library: fetch the file itself"},
		"wheel":   {"PK\x03\x04\x00", "it is a zip archive, not a library: install or unpack the wheel"},
		"cut":     {"\x7fELF\x02\x01\x01", "it is a damaged or truncated ELF file: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".so")
			require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
			for do, open := range map[string]func() error{
				"Open": func() error { _, err := plugins.Open(t.Context(), path, nil); return err },
				"Load": func() error { _, err := plugins.Load(t.Context(), path); return err },
			} {
				err := open()
				require.ErrorIs(t, err, capi.ErrNotLibrary, do)
				var failure *capi.OpenError
				require.ErrorAs(t, err, &failure, do)
				assert.Equal(t, "plugin "+path+": not a shared library for this platform: "+c.want, err.Error(), do)
			}
		})
	}
}
