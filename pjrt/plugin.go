// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/interpose"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// Plugin is a loaded and initialized PJRT plugin. There is one Plugin for each
// function table of a process, and it stays until the process ends. Its methods
// may be called from any goroutine.
type Plugin struct {
	path       string
	name       string // that it was registered by first, or ""
	table      *capi.Table
	kind       Kind
	attributes []Attribute

	clients atomic.Int64 // that exist in the plugin
	shared  sharing
}

// Attribute is a name and its value: a string, int64, []int64, float32 or bool.
type Attribute = capi.Attribute

// registry has the plugins of the process.
var registry struct {
	mu     sync.Mutex
	paths  map[string]*slot     // guarded by mu; by the path with links resolved
	tables map[*capi.API]*slot  // guarded by mu
	names  map[string]*capi.API // guarded by mu; see Register
}

// slot is the place of one plugin. It is made at most once, and others that want
// it wait meanwhile; the wait for one plugin holds nobody up who wants another.
type slot struct {
	mu     sync.Mutex
	plugin *Plugin // guarded by mu; nil until there is one
}

func slotOf[K comparable](m *map[K]*slot, key K) *slot {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if *m == nil {
		*m = make(map[K]*slot)
	}
	s := (*m)[key]
	if s == nil {
		s = new(slot)
		(*m)[key] = s
	}
	return s
}

// get returns the plugin of the slot, and makes it if there is none.
func (s *slot) get(make func() (*Plugin, error)) (*Plugin, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plugin != nil {
		return s.plugin, nil
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	s.plugin = p
	return p, nil
}

// Open loads the plugin in the shared library at path and initializes it
// (PJRT_Plugin_Initialize). Opening a library again returns the same Plugin. In
// place of a path, a name that [Register] was given returns that plugin.
//
// Some libraries read their environment when they are loaded, and want it
// prepared: without plugins.Prepare, libtpu waits for minutes on a machine
// without a TPU.
//
// A file that is no plugin, or one of an unsupported API version, gives a
// *capi.OpenError. A plugin of XLA's ends the process at its first compilation when
// the environment variable XLA_FLAGS has a flag that it does not know, so that is
// an error, too; PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 lets it pass.
func Open(path string) (*Plugin, error) {
	if p, ok := registered(path); ok {
		return p, nil
	}
	key := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if real, err = filepath.Abs(real); err == nil {
			key = real
		}
	}
	return slotOf(&registry.paths, key).get(func() (_ *Plugin, err error) {
		op := begin(context.Background(), OperationOpen, subject{path: path})
		defer op.end(&err)
		if err := xlaflags.CheckLibrary(path); err != nil {
			return nil, invalid("%v", err)
		}
		table, err := capi.Open(path)
		if err != nil {
			return nil, err
		}
		return pluginOf(table, "", path)
	})
}

// FromTable returns the Plugin of a table that is in the process already, such as
// one of a plugin written in Go. The first time, it initializes the plugin.
// Tables of the same PJRT_Api share a Plugin.
func FromTable(table *capi.Table) (*Plugin, error) {
	if table == nil {
		return nil, invalid("the table is nil")
	}
	return pluginOf(table, "", "")
}

// registered returns the plugin that was registered by name.
func registered(name string) (*Plugin, bool) {
	registry.mu.Lock()
	api := registry.names[name]
	s := registry.tables[api]
	registry.mu.Unlock()
	if api == nil || s == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plugin, s.plugin != nil
}

// register takes in a table under a name.
func register(name string, table *capi.Table) (*Plugin, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return nil, invalid("the name %q is none for a plugin: it must not be empty, nor look like a path", name)
	}
	api := table.API()
	if err := claim(name, api, false); err != nil {
		return nil, err
	}
	p, err := pluginOf(table, name, "")
	if err != nil {
		return nil, err
	}
	if err := claim(name, api, true); err != nil {
		return nil, err
	}
	return p, nil
}

// claim returns an error when the name is another table's, and else, if keep is
// set, makes it this one's.
func claim(name string, api *capi.API, keep bool) error {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if old := registry.names[name]; old != nil && old != api {
		return &Error{Code: ErrAlreadyExists, Message: "another plugin is registered as " + name + ": choose another name"}
	}
	if !keep {
		return nil
	}
	if registry.names == nil {
		registry.names = make(map[string]*capi.API)
	}
	registry.names[name] = api
	return nil
}

// pluginOf returns the one plugin of a table.
func pluginOf(table *capi.Table, name, path string) (*Plugin, error) {
	if table.API() == nil {
		return nil, invalid("the table is none of a PJRT plugin")
	}
	return slotOf(&registry.tables, table.API()).get(func() (*Plugin, error) {
		return newPlugin(table, name, path)
	})
}

func newPlugin(table *capi.Table, name, path string) (*Plugin, error) {
	table, err := interpose.Table(table)
	if err != nil {
		return nil, err
	}
	p := &Plugin{path: path, name: name, table: table}
	// Neither function is in the tables of all supported versions.
	if init := new(capi.Call[capi.PluginInitializeArgs]); table.Has(init.Function()) {
		stop := p.warnWhenSlow("the initialization", 0)
		err := init.Do(table)
		stop()
		if err != nil {
			return nil, err
		}
	}
	if c := new(capi.Call[capi.PluginAttributesArgs]); table.Has(c.Function()) {
		if err := optional(c.Do(table)); err != nil {
			return nil, err
		}
		p.attributes = capi.Attributes(c.Args.Attributes, c.Args.NumAttributes)
	}
	p.kind = detectKind(p)
	return p, nil
}

// Path returns the path that the plugin was opened by, or "".
func (p *Plugin) Path() string { return p.path }

// String returns what the plugin was opened or registered by.
func (p *Plugin) String() string {
	switch {
	case p == nil:
		return "no plugin"
	case p.path != "":
		return p.path
	case p.name != "":
		return p.name
	}
	return "a plugin without a name"
}

// Table returns the plugin's table for calls that this package does not make.
func (p *Plugin) Table() *capi.Table { return p.table }

// Version returns the version of the PJRT API that the plugin was built with.
func (p *Plugin) Version() (major, minor int) { return p.table.Version() }

// Attributes returns what the plugin says of itself, such as xla_version and
// stablehlo_current_version.
func (p *Plugin) Attributes() []Attribute { return cloneAttributes(p.attributes) }

// Supports reports whether the plugin has a function, given by its C name such
// as PJRT_Client_Create, in its core table or in one of its extensions. It
// reports false for names that are of no function. A plugin may have a function
// only to answer ErrUnimplemented; that shows when it is called.
func (p *Plugin) Supports(function string) bool {
	f := functions()[function]
	return f != nil && p.table.Has(f)
}

// functions has all functions of the API by their C names.
var functions = sync.OnceValue(func() map[string]*capi.Function {
	m := make(map[string]*capi.Function)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			m[f.Name] = f
		}
	}
	return m
})

// FunctionInfo says whether a plugin has a function of the API.
type FunctionInfo struct {
	Name    string // C name
	Section string // core, profiler, or the name of an extension
	Since   int    // API minor that introduced it
	Present bool
}

// Functions returns all functions of the core table, and those of the
// extensions that the plugin offers, in the order of their tables.
func (p *Plugin) Functions() []FunctionInfo {
	var list []FunctionInfo
	for _, s := range capi.Sections() {
		if !p.table.HasSection(s) {
			continue
		}
		for _, f := range capi.Functions(s) {
			list = append(list, FunctionInfo{f.Name, s.String(), f.Since, p.table.Has(f)})
		}
	}
	return list
}

// ExtensionInfo is one node of a plugin's extension chain.
type ExtensionInfo struct {
	Type capi.ExtensionType
	Name string
	Size int // bytes that the node states
}

// Extensions returns the plugin's extension chain in its order. The error says
// why the chain could not be followed to its end.
func (p *Plugin) Extensions() ([]ExtensionInfo, error) {
	var list []ExtensionInfo
	for _, x := range p.table.Extensions() {
		list = append(list, ExtensionInfo{x.Type, x.Type.String(), int(x.Size)})
	}
	return list, p.table.ExtensionsErr()
}

// cloneAttributes copies attributes and the lists in them.
func cloneAttributes(list []Attribute) []Attribute {
	c := slices.Clone(list)
	for i, a := range c {
		if v, ok := a.Value.([]int64); ok {
			c[i].Value = slices.Clone(v)
		}
	}
	return c
}
