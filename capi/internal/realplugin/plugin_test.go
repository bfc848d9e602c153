// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// plugin is a table that records which of its functions were called.
type plugin struct {
	table   *capi.Table
	mu      sync.Mutex
	reached map[string]bool // guarded by mu; by C name
}

func newPlugin(table *capi.Table) *plugin {
	return &plugin{table: table, reached: make(map[string]bool)}
}

// functions returns the sorted names of the functions that were called and reached C.
func (p *plugin) functions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.reached))
}

// forget clears the list of functions.
func (p *plugin) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.reached)
}

func (p *plugin) note(f *capi.Function) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reached[f.Name] = true
}

// try calls the function that takes an A and returns the struct as C left it.
func try[A any](p *plugin, args A) (*A, error) {
	c := new(capi.Call[A])
	c.Args = args
	err := c.Do(p.table)
	var e *capi.Error
	if !errors.As(err, &e) || !e.Missing {
		p.note(c.Function())
	}
	return &c.Args, err
}

// do is try for calls that succeed.
func do[A any](t testing.TB, p *plugin, args A) *A {
	t.Helper()
	out, err := try(p, args)
	require.NoError(t, err)
	return out
}

// fails is try for calls to which the plugin returns an error with the code, whose message contains
// the text.
func fails[A any](t testing.TB, p *plugin, args A, code capi.ErrorCode, text string) {
	t.Helper()
	_, err := try(p, args)
	var e *capi.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Code, "%v", err)
	assert.Equal(t, new(capi.Call[A]).Function().Name, e.Func)
	assert.Contains(t, e.Message, text)
	assert.False(t, e.Missing, "the error must be the plugin's own")
}

// open loads and initializes a plugin.
func open(t testing.TB, path string) *plugin {
	t.Helper()
	table, err := capi.Open(path)
	require.NoError(t, err)
	p := newPlugin(table)
	do(t, p, capi.PluginInitializeArgs{})
	return p
}

var cpuOnce struct {
	sync.Once
	plugin *plugin
}

// cpu returns the CPU plugin, loaded once.
func cpu(t testing.TB) *plugin {
	t.Helper()
	cpuOnce.Do(func() { cpuOnce.plugin = open(t, plugintest.Path(t, "cpu")) })
	require.NotNil(t, cpuOnce.plugin, "the CPU plugin did not load")
	return cpuOnce.plugin
}

// attributes copies named values into a map.
func attributes(p *capi.NamedValue, n uintptr) map[string]any {
	m := make(map[string]any)
	for _, a := range capi.Attributes(p, n) {
		m[a.Name] = a.Value
	}
	return m
}
