// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/trace"
)

// Whatever way a program comes to a plugin, the same is known of it.
func TestEveryWayToAPluginTellsItsKind(t *testing.T) {
	opened := func(t *testing.T, path string) *capi.Table {
		table, err := capi.Open(path)
		require.NoError(t, err)
		return table
	}
	plugin := func(p *pjrt.Plugin, err error) func(*testing.T) *pjrt.Plugin {
		return func(t *testing.T) *pjrt.Plugin {
			require.NoError(t, err)
			return p
		}
	}
	for name, way := range map[string]struct {
		open func(t *testing.T, path string) *pjrt.Plugin
		late bool // only the platform tells the kind
		path bool // other processes can open the plugin
	}{
		"Open": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin { return plugin(pjrt.Open(path))(t) }},
		"a table": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			return plugin(raw.Plugin(opened(t, path)))(t)
		}},
		"a table before Open": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			first := plugin(raw.Plugin(opened(t, path)))(t)
			second := plugin(pjrt.Open(path))(t)
			if !raw.Table(second).Reentrant() { // as one behind hooks is
				assert.Same(t, first, second)
			}
			return second
		}},
		"a table of the same functions": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			table, err := capi.NewTable(opened(t, path).API())
			require.NoError(t, err)
			return plugin(raw.Plugin(table))(t)
		}},
		"a name": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			plugin(raw.Register("accelerator", uintptr(unsafe.Pointer(opened(t, path).API()))))(t)
			return plugin(pjrt.Open("accelerator"))(t)
		}},
		"a table in front": {open: func(t *testing.T, path string) *pjrt.Plugin {
			served, err := serve.Wrap(opened(t, path))
			require.NoError(t, err)
			again, err := serve.Wrap(served.Capi())
			require.NoError(t, err)
			return plugin(raw.Plugin(again.Capi()))(t)
		}},
		"a trace": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			require.NoError(t, trace.Start(trace.Config{Summary: filepath.Join(t.TempDir(), "summary")}))
			return plugin(pjrt.Open(path))(t)
		}},
		"a link": {path: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			link := filepath.Join(t.TempDir(), "plugin.so")
			require.NoError(t, os.Symlink(path, link))
			return plugin(pjrt.Open(link))(t)
		}},
		"another file name": {path: true, late: true, open: func(t *testing.T, path string) *pjrt.Plugin {
			copied := filepath.Join(t.TempDir(), "plugin.so")
			if err := os.Link(path, copied); err != nil { // to another file system
				require.NoError(t, copyFile(copied, path))
			}
			return plugin(pjrt.Open(copied))(t)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			plugintest.Each(t, func(t *testing.T, cpu plugintest.CPU) {
				t.Setenv("XLA_FLAGS", "")
				ctx := context.Background()
				p := way.open(t, cpu.Path)
				compiler := new(recordingCompiler)
				kind := p.Kind()
				if way.late && !raw.Table(plugintest.Plugin(t)).Reentrant() {
					assert.Empty(t, kind)
				} else {
					assert.Equal(t, "cpu", p.Kind())
					_, err := p.NewClient(ctx, &pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_cuont", Value: int64(2)}}})
					require.ErrorContains(t, err, "cpu_device_cuont", "options are checked")
				}
				client, err := p.NewClient(ctx, &pjrt.ClientOptions{Compiler: compiler})
				require.NoError(t, err)
				defer client.Close()
				assert.Equal(t, "cpu", p.Kind())

				_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
				require.ErrorIs(t, err, errRecorded)
				assert.Equal(t, "cpu", compiler.job.Kind)
				if way.path {
					assert.NotEmpty(t, compiler.job.Plugin)
				}
				o, err := pjrt.DecodeCompileOptions(compiler.job.Options)
				require.NoError(t, err)
				assert.Equal(t, false, o.Flags["xla_cpu_enable_fast_min_max"])
				if _, minor := p.Version(); minor == 81 {
					assert.Equal(t, false, o.Flags["xla_cpu_use_xnnpack"])
				}
			})
		})
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

var errRecorded = errors.New("recorded")

// recordingCompiler compiles nothing.
type recordingCompiler struct{ job *saved.Job }

func (c *recordingCompiler) Compile(_ context.Context, job *saved.Job) (*saved.Result, error) {
	c.job = job
	return nil, errRecorded
}

// A vendor's plugin for the same platform has behaviours of its own.
func TestThePlatformTellsNothingAboutOtherPlugins(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{PlatformName: "cpu"})
	client := p.Client()
	assert.Equal(t, "cpu", client.PlatformName())
	assert.Empty(t, client.Plugin().Kind())
}
