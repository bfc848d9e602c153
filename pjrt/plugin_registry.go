// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/threads"
)

// registry holds the plugins of the process.
var registry struct {
	mu      sync.Mutex
	paths   map[string]*slot     // guarded by mu; by the path with links resolved
	tables  map[*capi.API]*slot  // guarded by mu
	names   map[string]*capi.API // guarded by mu; see raw.Register
	openers []*opener            // guarded by mu
}

// slot holds one plugin, which is made once. While one caller makes it, others that
// need this plugin wait, and those that need another one do not.
type slot struct {
	mu     sync.Mutex
	plugin *Plugin // guarded by mu; nil until it is made
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

// get returns the plugin of the slot, and makes it first if necessary.
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

// fromTable implements raw.Plugin.
func fromTable(table *capi.Table) (*Plugin, error) {
	if table == nil {
		return nil, invalid("the table is nil")
	}
	return pluginOf(table, "", pluginFile{})
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

// register implements raw.Register, which has checked the table.
func register(name string, table *capi.Table) (*Plugin, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return nil, invalid("a plugin cannot be registered as %q: the name must not be empty or look like a path", name)
	}
	api := table.API()
	if err := claim(name, api, false); err != nil {
		return nil, err
	}
	p, err := pluginOf(table, name, pluginFile{})
	if err != nil {
		return nil, err
	}
	if err := claim(name, api, true); err != nil {
		return nil, err
	}
	return p, nil
}

// claim fails if the name belongs to another table. Otherwise, if keep is set, it gives
// the name to this one.
func claim(name string, api *capi.API, keep bool) error {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if old := registry.names[name]; old != nil && old != api {
		return failed(ErrAlreadyExists, "another plugin is registered as %s: choose another name", name)
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
func pluginOf(table *capi.Table, name string, file pluginFile) (*Plugin, error) {
	if table.API() == nil {
		return nil, invalid("the table has no PJRT_Api: make it with capi.Open or capi.NewTable")
	}
	return slotOf(&registry.tables, table.API()).get(func() (*Plugin, error) {
		p, err := newPlugin(table, name, file)
		if err != nil {
			return nil, err
		}
		registry.mu.Lock()
		openers := slices.Clone(registry.openers)
		registry.mu.Unlock()
		for _, o := range openers {
			if err := o.open(p); err != nil {
				return nil, err
			}
		}
		return p, nil
	})
}

// opener is a function that is called once for each plugin.
type opener struct {
	fn func(*Plugin) error

	mu     sync.Mutex
	opened map[*Plugin]bool // guarded by mu
}

func (o *opener) open(p *Plugin) error {
	o.mu.Lock()
	again := o.opened[p]
	o.opened[p] = true
	o.mu.Unlock()
	if again {
		return nil
	}
	return o.fn(p)
}

// onOpen implements raw.OnOpen.
func onOpen(fn func(*Plugin) error) {
	registry.mu.Lock()
	o := &opener{fn: fn, opened: make(map[*Plugin]bool)}
	registry.openers = append(registry.openers, o)
	slots := slices.Collect(maps.Values(registry.tables))
	registry.mu.Unlock()
	for _, s := range slots {
		s.mu.Lock()
		p := s.plugin
		s.mu.Unlock()
		if p != nil {
			if err := o.open(p); err != nil {
				notices().Warn("a PJRT plugin that was open already could not be prepared", "plugin", p.String(), "error", err)
			}
		}
	}
}

func newPlugin(table *capi.Table, name string, file pluginFile) (*Plugin, error) {
	path, library := file.path, absolute(table.Library())
	if path == "" && name == "" && !table.Reentrant() {
		path = library
	}
	table, err := bridge.Interposed(table)
	if err != nil {
		return nil, err
	}
	p := &Plugin{
		path: path, name: name, library: library, opened: file, table: table.Checked(),
		creating: make(chan struct{}, 1), clients: new(atomic.Int64), large: new(threads.Pool),
	}
	if p.opened.info == nil {
		p.opened = fileAt(p.file())
	}
	table = p.table
	// Neither function is in the tables of all supported versions.
	if init := new(capi.Call[capi.PluginInitializeArgs]); table.Has(init.Function()) {
		stop := p.warnWhenSlow("the initialization", 0)
		err := optional(init.Do(table))
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
	p.setKind(detectKind(p))
	return p, nil
}
