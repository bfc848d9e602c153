// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// record returns the profile of work, and checks that each method fails if called at
// the wrong time.
func record(t *testing.T, plugin *pjrt.Plugin, work func()) []byte {
	t.Helper()
	p, err := profiler.New(plugin, nil)
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Data()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.ErrorIs(t, p.Stop(), pjrt.ErrFailedPrecondition)
	require.NoError(t, p.Start())
	require.ErrorIs(t, p.Start(), pjrt.ErrFailedPrecondition)
	_, err = p.Data()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	work()
	require.NoError(t, p.Stop())
	data, err := p.Data()
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	_, err = p.Data()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	return data
}

func TestAProfileNamesThePrograms(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	require.True(t, extensions.Supported(p.Plugin(), capi.ExtensionTypeProfiler))
	p.Program("nothing", pjrttest.Signature{}, pjrttest.Identity)
	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(`module @nothing { func.func @main() { return } }`)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	data := record(t, p.Plugin(), func() {
		_, err := exe.Execute(ctx, nil, nil)
		require.NoError(t, err)
	})
	assert.Contains(t, string(data), "/device:PJRTTEST:0")
	assert.Contains(t, string(data), "nothing")
}

func TestAProfileIsTaken(t *testing.T) {
	plugin := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	taken(t, plugin.Plugin())
	old := pjrttest.New(t, pjrttest.Options{NoLeaks: true, Minor: 112})
	p, err := profiler.New(old.Plugin(), nil)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Start())
	require.NoError(t, p.Stop())
	_, err = p.Take()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = p.Data()
	require.NoError(t, err, "nothing was taken")
}

// taken returns a profile that was taken out of its profiler.
func taken(t *testing.T, plugin *pjrt.Plugin) []byte {
	t.Helper()
	p, err := profiler.New(plugin, nil)
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Take()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.NoError(t, p.Start())
	require.NoError(t, p.Stop())
	data, err := p.Take()
	require.NoError(t, err)
	_, err = p.Take()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	_, err = p.Data()
	require.ErrorContains(t, err, "already taken")
	return data
}

// handOutOnce returns the plugin with profilers that hand out their data only once, as those of
// TPUs and GPUs do.
func handOutOnce(t *testing.T, p *pjrttest.Plugin) *pjrt.Plugin {
	t.Helper()
	gone := make(map[*capi.Profiler]bool)
	wrapped, err := serve.Wrap(p.Table(), serve.Around(func(c *serve.Invocation, a *capi.ProfilerCollectDataArgs) {
		if gone[a.Profiler] {
			a.BufferSizeInBytes = 0
			return
		}
		gone[a.Profiler] = a.Buffer != nil // the first call asks for the size
		c.Forward()
		gone[a.Profiler] = gone[a.Profiler] || a.Buffer != nil
	}), serve.Around(func(c *serve.Invocation, a *capi.ProfilerSerializeArgs) {
		c.Forward()
		if len(gone) > 0 {
			a.SerializedSize = 0
		}
	}))
	require.NoError(t, err)
	t.Cleanup(func() { wrapped.Close() })
	plugin, err := raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
	return plugin
}

func TestDataThatAPluginHandsOutOnceIsKept(t *testing.T) {
	p, err := profiler.New(handOutOnce(t, pjrttest.New(t, pjrttest.Options{NoLeaks: true})), nil)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Start())
	require.NoError(t, p.Stop())
	first, err := p.Data()
	require.NoError(t, err)
	require.NotEmpty(t, first)
	want := string(first)
	clear(first)
	for range 2 {
		again, err := p.Data()
		require.NoError(t, err)
		assert.Equal(t, want, string(again), "the caller owns each result")
	}
	taken, err := p.Take()
	require.NoError(t, err)
	assert.Equal(t, want, string(taken))
	_, err = p.Data()
	require.ErrorContains(t, err, "already taken")
}

func TestARecordingProfilerIsStoppedByClose(t *testing.T) {
	plugin := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	p, err := profiler.New(plugin.Plugin(), nil)
	require.NoError(t, err)
	require.NoError(t, p.Start())
	require.NoError(t, p.Close())
	assert.Equal(t, 1, plugin.Calls("PLUGIN_Profiler_Stop"))
	assert.Equal(t, 1, plugin.Calls("PLUGIN_Profiler_Destroy"))
}

func TestNoProfiler(t *testing.T) {
	_, err := profiler.New(nil, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	cpu := plugintest.Plugin(t)
	require.False(t, extensions.Supported(cpu, capi.ExtensionTypeProfiler))
	_, err = profiler.New(cpu, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	without := pjrttest.New(t, pjrttest.Options{Extensions: []capi.ExtensionType{}})
	_, err = profiler.New(without.Plugin(), nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	for _, p := range []*profiler.Profiler{nil, {}} {
		require.ErrorIs(t, p.Start(), pjrt.ErrInvalidArgument)
		require.ErrorIs(t, p.Stop(), pjrt.ErrInvalidArgument)
		_, err = p.Data()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, err = p.Take()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.NoError(t, p.Close())
	}
}

func TestWithoutOptionsEverythingIsRecorded(t *testing.T) {
	var got string
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	wrapped, err := serve.Wrap(p.Table(), serve.Around(func(c *serve.Invocation, a *capi.ProfilerCreateArgs) {
		got = string(capi.Bytes(a.Options, a.OptionsSize))
		c.Forward()
	}))
	require.NoError(t, err)
	defer wrapped.Close()
	plugin, err := raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
	// host_tracer_level 2, device_tracer_level 1, version 1, enable_hlo_proto
	const usual = "\x10\x02\x18\x01\x28\x01\x38\x01"
	for name, c := range map[string]struct {
		opts *profiler.Options
		want string
	}{
		"nil":   {nil, usual},
		"zero":  {&profiler.Options{}, usual},
		"empty": {&profiler.Options{Profile: []byte{}}, ""},
		"own":   {&profiler.Options{Profile: []byte("\x28\x01")}, "\x28\x01"},
	} {
		x, err := profiler.New(plugin, c.opts)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		require.NoError(t, x.Close(), name)
	}
}
