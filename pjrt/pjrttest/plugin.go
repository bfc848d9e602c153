// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Plugin is a PJRT plugin in the memory of this process, and the means to control
// it. Its methods may be called from any goroutine.
type Plugin struct {
	opts       Options
	attributes *capi.NamedValues
	table      *serve.Table
	pjrt       *pjrt.Plugin
	functions  map[string]bool // by C name; those that can fail

	client func() *pjrt.Client // makes it the first time

	faults faults

	mu        sync.Mutex
	live      map[string]int     // guarded by mu; objects that callers own, by C type
	calls     map[string]int     // guarded by mu; by C name
	programs  []*Program         // guarded by mu
	created   []pjrt.Attribute   // guarded by mu; options of the last client
	processes []pjrt.ProcessInfo // guarded by mu; what a client was told last
	holding   bool               // guarded by mu
	held      []*Operation       // guarded by mu
	heldMore  chan struct{}      // guarded by mu; closed and replaced when held gets one more
	stray     []*contents        // guarded by mu; memory that callers may use for ever
	recording map[*profiler]bool // guarded by mu; the profilers that record
	started   *pjrt.Client       // guarded by mu; the one of Client, nil before
	closed    bool               // guarded by mu
}

// New starts a plugin for a test, which closes it at its end. The test fails if
// the options are wrong.
func New(t testing.TB, opts Options) *Plugin {
	t.Helper()
	p, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left := p.settle(); opts.NoLeaks && len(left) > 0 {
			t.Errorf("pjrttest: the test left objects in the plugin: %v", left)
		}
	})
	return p
}

// settleRounds is how many rounds of the garbage collector what was forgotten is
// given to go.
const settleRounds = 200

// settle returns what is left, if somebody asks for leaks, after what was
// forgotten has gone.
func (p *Plugin) settle() map[string]int {
	for round := 0; ; round++ {
		left := p.Live()
		if !p.opts.NoLeaks || len(left) == 0 || round == settleRounds {
			return left
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// Start starts a plugin, which must be closed. It is New for programs without a
// testing.TB.
func Start(opts Options) (*Plugin, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	p := &Plugin{
		opts: opts, functions: make(map[string]bool), heldMore: make(chan struct{}),
		live: make(map[string]int), calls: make(map[string]int), recording: make(map[*profiler]bool),
	}
	if p.attributes, err = capi.NewNamedValues(opts.pluginAttributes()); err != nil {
		return nil, fmt.Errorf("pjrttest: Options.Attributes: %w", err)
	}
	if opts.DeviceAttributes != nil {
		for id := range opts.Devices * opts.Processes {
			if _, err := capi.NewNamedValues(opts.DeviceAttributes(id)); err != nil {
				return nil, fmt.Errorf("pjrttest: Options.DeviceAttributes(%d): %w", id, err)
			}
		}
	}
	functions := p.functionTable()
	for _, name := range opts.Absent {
		if !p.functions[name] {
			return nil, fmt.Errorf("pjrttest: Options.Absent names %q, which is no function that this package has; the names are those of C, such as PJRT_Client_Compile", name)
		}
	}
	if p.table, err = serveTable(functions); err != nil {
		return nil, err
	}
	if p.pjrt, err = pjrt.FromTable(p.table.Capi()); err != nil {
		_ = p.table.Close()
		return nil, fmt.Errorf("pjrttest: %w", err)
	}
	p.client = sync.OnceValue(p.startClient)
	return p, nil
}

// retired are plugins that were closed while callers still had objects of theirs:
// their tables stay until those are gone, so that a late destroy does not reach
// another plugin.
var retired struct {
	mu      sync.Mutex
	plugins []*Plugin // guarded by mu
}

// tablePatience is how long Start waits for other tests to close their plugins,
// of which there can be only so many at a time.
const tablePatience = time.Minute

// serveTable makes a table. When there are too many, it waits for one to go.
func serveTable(functions *serve.Plugin) (*serve.Table, error) {
	for deadline := time.Now().Add(tablePatience); ; {
		table, err := functions.Serve()
		if !errors.Is(err, serve.ErrExhausted) {
			return table, err
		}
		runtime.GC() // runs the cleanups of what was forgotten
		left := reclaim()
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("pjrttest: %w: %d plugins at a time are too many; of those that were closed, some objects were not: %v", err, serve.MaxTables(), left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// reclaim closes the tables of retired plugins that nobody uses any more, and
// returns what holds the others up.
func reclaim() map[string]int {
	retired.mu.Lock()
	defer retired.mu.Unlock()
	left := make(map[string]int)
	retired.plugins = slices.DeleteFunc(retired.plugins, func(p *Plugin) bool {
		live := p.Live()
		for kind, n := range live {
			left[kind] += n
		}
		if len(live) > 0 {
			return false
		}
		p.end()
		return true
	})
	return left
}

// Close closes the client of Client, fails what is held with CANCELLED, and ends
// the plugin. Everything made with it should have been closed before; what has
// not is left alone, and the plugin with it. Closing again does nothing.
func (p *Plugin) Close() error {
	p.mu.Lock()
	was, client := p.closed, p.started
	p.closed, p.holding = true, false
	p.mu.Unlock()
	if was {
		return nil
	}
	for _, o := range p.Held() {
		o.Fail(failed(capi.ErrorCodeCancelled, "the plugin was closed"))
	}
	var err error
	if client != nil {
		err = client.Close()
	}
	if len(p.Live()) > 0 {
		retired.mu.Lock()
		retired.plugins = append(retired.plugins, p)
		retired.mu.Unlock()
		reclaim()
		return err
	}
	p.end()
	return err
}

// end gives back what the plugin has of the process.
func (p *Plugin) end() {
	_ = p.table.Close()
	forget(p)
}

// Plugin returns the plugin, opened.
func (p *Plugin) Plugin() *pjrt.Plugin { return p.pjrt }

// Client returns a client of the plugin, made with default options the first
// time. Close of p closes it. It panics when making the client fails, as a fault
// may want it to; tests of that use Plugin().NewClient.
func (p *Plugin) Client() *pjrt.Client { return p.client() }

func (p *Plugin) startClient() *pjrt.Client {
	c, err := p.pjrt.NewClient(context.Background(), nil)
	if err != nil {
		panic(fmt.Sprintf("pjrttest: making a client: %v", err))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = c
	return c
}

// Table returns the plugin's table, for calls below package pjrt.
func (p *Plugin) Table() *capi.Table { return p.table.Capi() }

// Address returns the address of the plugin's PJRT_Api, what GetPjrtApi of a
// library returns.
func (p *Plugin) Address() uintptr { return p.table.Address() }

// Live returns how many objects of each C type, such as PJRT_Buffer, callers were
// given and have not destroyed. Types of which there are none are left out; so
// are errors. The client of Client is one of them.
func (p *Plugin) Live() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.live)
}

// count counts objects.
func (p *Plugin) count(kind string, more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live[kind] += more; p.live[kind] == 0 {
		delete(p.live, kind)
	}
}

// Calls returns how often a function was called, given by its C name.
func (p *Plugin) Calls(function string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[function]
}

// CreateOptions returns the create options of the client that was made last.
func (p *Plugin) CreateOptions() []pjrt.Attribute {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.created)
}

// Processes returns what a client was told last of the processes of the program,
// with UpdateGlobalProcessInfo.
func (p *Plugin) Processes() []pjrt.ProcessInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.processes)
}

// newError makes an error that a callback of the caller gets.
func (p *Plugin) newError(err error) *capi.ErrorHandle { return serve.NewError(err) }

func (p *Plugin) pluginInitialize(*capi.PluginInitializeArgs) error { return nil }

func (p *Plugin) pluginAttributes(a *capi.PluginAttributesArgs) error {
	a.Attributes, a.NumAttributes = p.attributes.Data()
	return nil
}
