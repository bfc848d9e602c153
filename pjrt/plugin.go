// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/threads"
)

// Plugin is a loaded and initialized PJRT plugin. There is one Plugin for each function
// table in a process, and it stays until the process ends.
type Plugin struct {
	path       string
	name       string // the first name that it was registered by, or ""
	library    string // whose functions do the work in the end, or ""
	opened     pluginFile
	table      *capi.Table
	attributes []Attribute
	kind       atomic.Pointer[string] // nil as long as nothing has told it

	readIdentity sync.Once
	identityText string // set by readIdentity
	readDigest   sync.Once
	digest       [sha256.Size]byte // set by readDigest

	creating chan struct{} // has a token while a client is created
	clients  *atomic.Int64 // clients that exist in the plugin; apart from it, for the cleanups of clients
	large    *threads.Pool // makes calls that take much memory; has the clients as its users
	follows  atomic.Bool   // handlers of custom calls ask for the executions that call them
	shared   sharing
}

// Attribute is a name and a value: a string, int64, []int64, float32 or bool.
type Attribute = capi.Attribute

// Path returns the absolute path or the bare name that Open loaded, or "".
func (p *Plugin) Path() string {
	if p == nil {
		return ""
	}
	return p.path
}

// String returns the path or the name by which the plugin was opened.
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

// Version returns the version of the PJRT API that the plugin was built with.
func (p *Plugin) Version() (major, minor int) {
	if p == nil || p.table == nil {
		return 0, 0
	}
	return p.table.Version()
}

// Attributes returns the attributes of the plugin, such as xla_version
// (PJRT_Plugin_Attributes).
func (p *Plugin) Attributes() []Attribute {
	if p == nil {
		return nil
	}
	return cloneAttributes(p.attributes)
}

// Supports reports whether the plugin, or one of its extensions, has the function with the
// given C name, such as PJRT_Client_Create. A function that it has may still return
// ErrUnimplemented when it is called.
func (p *Plugin) Supports(function string) bool {
	f := functions()[function]
	return f != nil && p != nil && p.table != nil && p.table.Has(f)
}

// functions maps C names to all functions of the API.
var functions = sync.OnceValue(func() map[string]*capi.Function {
	m := make(map[string]*capi.Function)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			m[f.Name] = f
		}
	}
	return m
})

// cloneAttributes copies attributes and their lists.
func cloneAttributes(list []Attribute) []Attribute {
	c := slices.Clone(list)
	for i, a := range c {
		if v, ok := a.Value.([]int64); ok {
			c[i].Value = slices.Clone(v)
		}
	}
	return c
}

// knowsType returns an error for a type that is newer than the plugin, which would end
// the process.
func knowsType(table *capi.Table, t dtype.Type) error {
	if _, minor := table.Version(); t.Since() > minor {
		return tooOld(table, fmt.Sprintf("type %v", t), t.Since())
	}
	return nil
}

var errNilPlugin = invalid("the plugin is nil")

// slowStart is the default of ClientOptions.SlowStart.
const slowStart = 20 * time.Second

// warnWhenSlow logs a warning unless stop is called within the time after. 0 means
// slowStart, and a negative time means no warning.
func (p *Plugin) warnWhenSlow(what string, after time.Duration) (stop func()) {
	if after < 0 {
		return func() {}
	}
	if after == 0 {
		after = slowStart
	}
	plugin := p.String()
	timer := time.AfterFunc(after, func() {
		notices().Warn("slow start of a PJRT plugin: "+what+" is still under way", "plugin", plugin, "after", after)
	})
	return func() { timer.Stop() }
}

// doLarge makes a call that takes much memory.
func doLarge[A any](p *Plugin, c *capi.Call[A]) error {
	return p.large.Do(func() error { return c.Do(p.table) })
}
