// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// Plugin is a loaded and initialized PJRT plugin. There is one Plugin for each
// library of a process, and it stays until the process ends. Its methods may be
// called from any goroutine.
type Plugin struct {
	path       string
	table      *capi.Table
	attributes []Attribute
}

// Attribute is a name and its value: a string, int64, []int64, float32 or bool.
type Attribute = capi.Attribute

// plugins are those that are open, by the path with links resolved.
var plugins struct {
	mu   sync.Mutex
	open map[string]*Plugin // guarded by mu
}

// Open loads the plugin in the shared library at path and initializes it
// (PJRT_Plugin_Initialize). Opening a library again returns the same Plugin.
//
// A file that is no plugin, or one of an unsupported API version, gives a
// *capi.OpenError.
func Open(path string) (_ *Plugin, err error) {
	key := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if real, err = filepath.Abs(real); err == nil {
			key = real
		}
	}
	plugins.mu.Lock()
	defer plugins.mu.Unlock()
	if p, ok := plugins.open[key]; ok {
		return p, nil
	}
	op := begin(context.Background(), OperationOpen, subject{path: path})
	defer op.end(&err)
	table, err := capi.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := newPlugin(path, table)
	if err != nil {
		return nil, err
	}
	if plugins.open == nil {
		plugins.open = make(map[string]*Plugin)
	}
	plugins.open[key] = p
	return p, nil
}

// FromTable makes a Plugin of a table that is in the process already, such as
// one of a plugin written in Go, and initializes it. The caller sees to it that
// a table becomes only one Plugin.
func FromTable(table *capi.Table) (*Plugin, error) {
	if table == nil {
		return nil, invalid("the table is nil")
	}
	return newPlugin("", table)
}

func newPlugin(path string, table *capi.Table) (*Plugin, error) {
	p := &Plugin{path: path, table: table}
	// Neither function is in the tables of all supported versions.
	if init := new(capi.Call[capi.PluginInitializeArgs]); table.Has(init.Function()) {
		if err := init.Do(table); err != nil {
			return nil, err
		}
	}
	if c := new(capi.Call[capi.PluginAttributesArgs]); table.Has(c.Function()) {
		if err := c.Do(table); err != nil {
			return nil, err
		}
		p.attributes = capi.Attributes(c.Args.Attributes, c.Args.NumAttributes)
	}
	return p, nil
}

// Path returns the path that the plugin was opened by, or "".
func (p *Plugin) Path() string { return p.path }

// Table returns the plugin's table for calls that this package does not make.
func (p *Plugin) Table() *capi.Table { return p.table }

// Version returns the version of the PJRT API that the plugin was built with.
func (p *Plugin) Version() (major, minor int) { return p.table.Version() }

// Attributes returns what the plugin says of itself, such as xla_version and
// stablehlo_current_version.
func (p *Plugin) Attributes() []Attribute { return append([]Attribute(nil), p.attributes...) }

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
