// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func chosenNames(list []Candidate) (all []string) {
	for _, c := range list {
		all = append(all, c.Name)
	}
	return all
}

var everyPlatform = []string{
	"ld/pjrt_plugin_cuda12.so", "ld/pjrt_plugin_cuda13.so", "ld/pjrt_plugin_rocm.so", "ld/libtpu.so", "ld/pjrt_plugin_cpu.so",
	"ld/pjrt_plugin_mine.so", "ld/pjrt_plugin_metal_14.so",
}

func TestSelectWithoutAVariable(t *testing.T) {
	t.Parallel()
	env := map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_PLATFORMS": "", "JAX_PLATFORMS": ""}
	f, dir := scene(t, env, everyPlatform...)
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu", "mine"}, chosenNames(got), "the others have no devices")

	put(t, nil, dir, "dev", "kfd")
	put(t, nil, dir, "dev", "accel0")
	put(t, nil, dir, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), dir, "usr", "lib", "libcuda.so.1")
	f.images = nil
	got, err = f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cuda12", "cuda13", "rocm", "tpu", "cpu", "mine"}, chosenNames(got), "all that work, in order")
}

func TestACPUInPlaceOfDevicesWithoutAPluginIsLogged(t *testing.T) {
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_cpu.so")
	var log bytes.Buffer
	pjrt.SetLogger(slog.New(slog.NewTextHandler(&log, nil)))
	defer pjrt.SetLogger(nil)
	use := func(Candidate) error { return nil }
	require.NoError(t, f.try(t.Context(), "", use))
	assert.Empty(t, log.String(), "there is nothing better")

	put(t, nil, dir, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), dir, "usr", "lib", "libcuda.so.1")
	f.images = nil
	require.NoError(t, f.try(t.Context(), "cpu", use))
	assert.Empty(t, log.String(), "the user asked for a CPU")
	require.NoError(t, f.try(t.Context(), "", use))
	assert.Contains(t, log.String(), `level=WARN msg="a CPU is used, though there are devices for cuda, but no plugin that can be loaded"`)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
}

func TestSelectSkipsBrokenPluginsUnlessConfigured(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_cpu.so", "ld/pjrt_plugin_mine.so")
	put(t, []byte("text"), dir, "ld", "pjrt_plugin_mine.so")
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))

	f, dir = scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_NAMES_AND_LIBRARY_PATHS": "mine:DIR/mine.json"}, "ld/pjrt_plugin_cpu.so")
	put(t, []byte(`{"library_path": "gone.so"}`), dir, "mine.json")
	_, err = f.selectPlugins(t.Context())
	require.ErrorContains(t, err, "PJRT_NAMES_AND_LIBRARY_PATHS: plugin mine is not usable")
	put(t, []byte(`{"library_path": "gone.so", "fail_quietly": true}`), dir, "mine.json")
	got, err = f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))
}

func TestSelectLeavesOutExperimentalPlugins(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_NAMES_AND_LIBRARY_PATHS": "mine:DIR/mine.json"}, "ld/pjrt_plugin_cpu.so", "mine.so")
	put(t, []byte(`{"library_path": "mine.so", "experimental": true}`), dir, "mine.json")
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))
	asked, err := f.lookupPlugin(t.Context(), "mine")
	require.NoError(t, err, "an experimental plugin is there for those who ask for it")
	assert.True(t, asked.Usable())
}

func TestSelectFailsLoudlyOnAVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want []string
		err  string
	}{
		{env: map[string]string{"PJRT_PLATFORMS": "cpu"}, want: []string{"cpu"}},
		{env: map[string]string{"PJRT_PLATFORMS": "host, mine"}, want: []string{"cpu", "mine"}},
		{env: map[string]string{"JAX_PLATFORMS": "mine,cpu"}, want: []string{"mine", "cpu"}},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu", "JAX_PLATFORMS": "cuda"}, want: []string{"cpu"}},
		{env: map[string]string{"JAX_PLATFORM_NAME": "mine"}, want: []string{"mine"}},
		{env: map[string]string{"JAX_PLATFORMS": "cpu", "JAX_PLATFORM_NAME": "mine"}, want: []string{"cpu"}},
		{env: map[string]string{"JAX_PLATFORM_NAME": "cuda"}, err: "JAX_PLATFORM_NAME=cuda: cuda is not usable"},
		{env: map[string]string{"JAX_PLATFORMS": "metal_14,cpu"}, err: "JAX_PLATFORMS=metal_14,cpu: metal_14 is not usable: Metal exists on macOS only"},
		{env: map[string]string{"JAX_PLATFORMS": "cuda,cpu"}, err: "JAX_PLATFORMS=cuda,cpu: cuda is not usable: no NVIDIA GPU"},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu,gpu"}, err: "gpu is not usable: no NVIDIA GPU"},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu,absent"}, err: "PJRT_PLATFORMS=cpu,absent: absent is not usable: plugin not found"},
		{env: map[string]string{"PJRT_PLATFORMS": "broken"}, err: "it is a text file"},
		{env: map[string]string{"PJRT_PLATFORMS": " , "}, err: "names no platform"},
	} {
		c.env["LD_LIBRARY_PATH"] = "DIR/ld"
		f, dir := scene(t, c.env, everyPlatform...)
		put(t, []byte("text"), dir, "ld", "pjrt_plugin_broken.so")
		got, err := f.selectPlugins(t.Context())
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, chosenNames(got))
	}
}

func TestSelectSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_rocm.so")
	f.table = packages
	put(t, nil, dir, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), dir, "usr", "lib", "libcuda.so.1")
	_, err := f.selectPlugins(t.Context())
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "plugin not found; there are devices for cuda, but no plugin that can be loaded; run: pjrt install cuda13; "+
		"run: pjrt install cpu; not usable: rocm (LD_LIBRARY_PATH: no AMD GPU: there is no /dev/kfd (the amdgpu driver creates it))")
	assert.Equal(t, []string{"there are devices for cuda, but no plugin that can be loaded; run: pjrt install cuda13"}, f.hints(nil))
	plugin(t, dir, filepath.FromSlash("ld/pjrt_plugin_cuda.so"))
	all, err := f.list(t.Context())
	require.NoError(t, err)
	assert.Empty(t, f.hints(all))
}

func TestThePluginToInstallFitsTheDriver(t *testing.T) {
	t.Parallel()
	for driver, want := range map[string]string{
		"580.65.06": "cuda13", "575.57.08": "cuda12", "535.104.05": "cuda12",
		"470.1": "cuda13", // no plugin fits
	} {
		f, _ := scene(t, nil)
		f.table = packages
		withDriver(t, f, driver)
		assert.Equal(t, []string{"there are devices for cuda, but no plugin that can be loaded; run: pjrt install " + want}, f.hints(nil), driver)
		for _, name := range []string{"cuda", "gpu"} {
			_, err := f.lookupPlugin(t.Context(), name)
			require.ErrorContains(t, err, "; run: pjrt install "+want, driver)
		}
		p, err := known(f.suited(), "cuda")
		require.NoError(t, err)
		assert.Equal(t, want, p.Name, driver)
		for _, p := range packages {
			got, err := known(f.suited(), p.Name)
			require.NoError(t, err)
			assert.Equal(t, p.Name, got.Name, driver)
		}
	}
}

func TestPluginsThatNobodyAskedForComeLast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   map[string]string
		files []string
		want  []string
	}{
		"in a Python package":      {nil, []string{"site/jax_plugins/mine/pjrt_plugin_mine.so", "usr/lib/pjrt_plugin_cpu.so"}, []string{"cpu", "mine"}},
		"of the system":            {nil, []string{"usr/lib/pjrt_plugin_mine.so", "site/xla_plugins/a/pjrt_plugin_cpu.so"}, []string{"cpu", "mine"}},
		"installed":                {nil, []string{toyInCache, "usr/lib/pjrt_plugin_cpu.so"}, []string{"toy", "cpu"}},
		"in a directory of a user": {map[string]string{"PJRT_PLUGIN_PATH": "DIR/p"}, []string{"p/pjrt_plugin_mine.so", "p/pjrt_plugin_cpu.so"}, []string{"mine", "cpu"}},
		"named":                    {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "mine:DIR/x.so"}, []string{"x.so", "usr/lib/pjrt_plugin_cpu.so"}, []string{"mine", "cpu"}},
		"with a device":            {nil, []string{"dev/tenstorrent/0", "site/jax_plugins/libtt/libtt.so", "usr/lib/pjrt_plugin_cpu.so"}, []string{"tt", "cpu"}},
		"without a device":         {nil, []string{"site/jax_plugins/libtt/libtt.so", "usr/lib/pjrt_plugin_cpu.so"}, []string{"cpu"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := scene(t, c.env, c.files...)
			got, err := f.selectPlugins(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.want, chosenNames(got))
		})
	}
}

func TestWithoutANamePluginsAreTriedInTurn(t *testing.T) {
	var log bytes.Buffer
	pjrt.SetLogger(slog.New(slog.NewTextHandler(&log, nil)))
	defer pjrt.SetLogger(nil)
	files := []string{"p/pjrt_plugin_mine.so", "p/pjrt_plugin_other.so", "p/pjrt_plugin_cpu.so"}
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p"}, files...)
	var tried []string
	fail := func(working string, err error) func(Candidate) error {
		tried = nil
		return func(c Candidate) error {
			tried = append(tried, c.Name)
			if c.Name == working {
				return nil
			}
			return err
		}
	}
	broken := pjrt.ErrInternal.Errorf("no chip\nin %s", strings.Repeat("x", 5000))

	require.NoError(t, f.try(t.Context(), "", fail("cpu", broken)))
	assert.Equal(t, []string{"mine", "other", "cpu"}, tried)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2, log.String())
	assert.Contains(t, lines[0], `level=WARN msg="a PJRT plugin does not work and is passed over" plugin=mine path=`+
		filepath.Join(dir, "p", "pjrt_plugin_mine.so")+` error="INTERNAL: no chip ..." next=other`)

	err := f.try(t.Context(), "", fail("", broken))
	require.EqualError(t, err, "none of the plugins works: mine (INTERNAL: no chip ...), other (INTERNAL: no chip ...), cpu (INTERNAL: no chip ...)")
	require.ErrorIs(t, err, pjrt.ErrInternal)

	require.ErrorIs(t, f.try(t.Context(), "mine", fail("cpu", broken)), broken, "it was asked for")
	assert.Equal(t, []string{"mine"}, tried)
	require.ErrorIs(t, f.try(t.Context(), "", fail("cpu", mistake{broken})), broken, "another plugin does not repair it")
	assert.Equal(t, []string{"mine"}, tried)
	ended, end := context.WithCancel(t.Context())
	require.ErrorIs(t, f.try(ended, "", func(Candidate) error { end(); return broken }), broken)

	for _, variable := range []string{PlatformsVariable, JAXPlatformsVariable, JAXPlatformNameVariable} {
		f, _ := scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p", variable: "other,cpu"}, files...)
		require.ErrorIs(t, f.try(t.Context(), "", fail("cpu", broken)), broken, "the user chose")
		assert.Equal(t, []string{"other"}, tried)
	}
	f, _ = scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p"}, "p/pjrt_plugin_mine.so")
	require.Equal(t, broken, f.try(t.Context(), "", fail("", broken)), "the only one")
}

func TestAVariableThatCannotBeParsedKeepsAnyPluginFromBeingChosen(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"nonsense", "mine:DIR/mine.so,nonsense"} {
		f, _ := scene(t, map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": value, "LD_LIBRARY_PATH": "DIR/ld"}, "mine.so", "ld/pjrt_plugin_cpu.so")
		for _, name := range []string{"", "cpu"} {
			_, err := f.find(t.Context(), name)
			require.EqualError(t, err, `PJRT_NAMES_AND_LIBRARY_PATHS: "nonsense" is not name:path`, name)
		}
	}
}
