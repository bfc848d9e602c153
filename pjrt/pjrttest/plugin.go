// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"cmp"
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
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Plugin is a PJRT plugin in the memory of this process; its methods control the plugin,
// and may be called from any goroutine.
type Plugin struct {
	opts       Options
	attributes *capi.NamedValues
	table      *serve.Table
	odd        *serve.Table // what callers use in place of table if the plugin is odd, otherwise nil
	pjrt       *pjrt.Plugin
	cancel     capi.CrossHostCancel // what receivers of transfers may cancel with
	functions  map[string]bool      // by C name; those that can fail

	client func() *pjrt.Client // makes the client on the first call

	faults faults

	mu          sync.Mutex
	live        map[string]int        // guarded by mu; objects that callers own, by C type
	calls       map[string]int        // guarded by mu; by C name
	programs    []*Program            // guarded by mu
	created     []pjrt.Attribute      // guarded by mu; options of the last client
	processes   []distributed.Process // guarded by mu; as a client was last told
	holding     bool                  // guarded by mu
	held        []*Operation          // guarded by mu
	heldMore    chan struct{}         // guarded by mu; closed and replaced when held gets one more
	stray       []*contents           // guarded by mu; memory that callers may use for ever
	recording   map[*profiler]bool    // guarded by mu; the profilers that record
	kernels     [][]byte              // guarded by mu; code that callers may use as long as the plugin lives
	customCalls map[string]customCall // guarded by mu; by name
	started     *pjrt.Client          // guarded by mu; what Client returned, nil before
	closed      bool                  // guarded by mu
}

// New starts a plugin for a test, and closes it at the end of the test. The test fails if
// the options are wrong.
func New(t testing.TB, opts Options) *Plugin {
	t.Helper()
	p, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		waiting := p.Live()[pendingTransfer] // Close ends them
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		left := p.Live()
		if opts.NoLeaks {
			left = remaining(p.Live)
		}
		if waiting > 0 {
			left[pendingTransfer] = waiting
		}
		if opts.NoLeaks && len(left) > 0 {
			t.Errorf("pjrttest: the test left objects in the plugin: %v", left)
		}
	})
	return p
}

// Start is like [New] for programs without a testing.TB. The caller closes the plugin.
func Start(opts Options) (*Plugin, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	p := &Plugin{
		opts: opts, functions: make(map[string]bool), heldMore: make(chan struct{}),
		live: make(map[string]int), calls: make(map[string]int), recording: make(map[*profiler]bool),
		customCalls: make(map[string]customCall),
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
			return nil, fmt.Errorf("pjrttest: Options.Absent names %q, which is not a function of this plugin; "+
				"give C names, such as PJRT_Client_Compile", name)
		}
	}
	if p.table, err = serveTable(functions); err != nil {
		return nil, err
	}
	if err = p.makeOdd(); err == nil {
		p.pjrt, err = raw.Plugin(p.Table())
	}
	if err != nil {
		p.closeTables()
		return nil, fmt.Errorf("pjrttest: %w", err)
	}
	p.client = sync.OnceValue(p.startClient)
	if opts.Network != nil {
		call, h := capi.NewCrossHostSendCancelNotifier(p.cancelReceive)
		p.cancel = capi.CrossHostCancel{Notifier: call, UserArg: uintptr(h)}
	}
	return p, nil
}

// makeOdd puts the oddities of the options in front of the table.
func (p *Plugin) makeOdd() error {
	if len(p.opts.Odd) == 0 {
		return nil
	}
	s, err := shim.New(shim.Config{Odd: p.opts.Odd})
	if err != nil {
		return err
	}
	p.odd, err = s.Wrap(p.table.Capi())
	return err
}

func (p *Plugin) closeTables() {
	if p.odd != nil {
		_ = p.odd.Close()
	}
	_ = p.table.Close()
}

// front returns the table that callers use.
func (p *Plugin) front() *serve.Table { return cmp.Or(p.odd, p.table) }

// retired holds the plugins that were closed while callers still had objects from them.
// Their tables stay until those objects are gone, so that a late destroy does not reach
// another plugin.
var retired struct {
	mu      sync.Mutex
	plugins []*Plugin // guarded by mu
}

// tablePatience is how long Start waits for other tests to close their plugins, whose
// number is limited.
const tablePatience = time.Minute

// serveTable makes a table. If there are too many, it waits until one is closed.
func serveTable(functions *serve.Plugin) (*serve.Table, error) {
	for deadline := time.Now().Add(tablePatience); ; {
		table, err := functions.Serve()
		if !errors.Is(err, serve.ErrExhausted) {
			return table, err
		}
		runtime.GC() // runs the cleanups of forgotten objects
		left := reclaim()
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("pjrttest: %w: at most %d plugins can exist at a time; these objects keep closed plugins alive: %v",
				err, serve.MaxTables(), left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// reclaim closes the tables of retired plugins that are no longer used, and returns the
// objects that keep the others alive.
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

// Close closes the client of Client, makes held operations, blocked calls and transfers
// that wait for another process fail with CANCELLED, and ends the plugin. First close
// everything made with the plugin: objects that are still open stay as they are, and keep
// the plugin alive. Closing again does nothing.
func (p *Plugin) Close() error {
	p.mu.Lock()
	was, client := p.closed, p.started
	p.closed, p.holding = true, false
	p.mu.Unlock()
	if was {
		return nil
	}
	cancelled := capi.ErrorCodeCancelled.Errorf("the plugin was closed")
	p.faults.unblock(cancelled, func(*block) bool { return true })
	p.opts.Network.close(p)
	for _, o := range p.Held() {
		o.Fail(cancelled)
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

// end frees the resources of the process that the plugin holds.
func (p *Plugin) end() {
	p.closeTables()
	capi.Handle(p.cancel.UserArg).Delete()
	forget(p)
}

// Plugin returns the opened plugin.
func (p *Plugin) Plugin() *pjrt.Plugin { return p.pjrt }

// Client returns the plugin's client. The first call makes it, with default options;
// Close of p closes it. Client panics if the client cannot be made; to test such a
// failure, use Plugin().NewClient.
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
func (p *Plugin) Table() *capi.Table { return p.front().Capi() }

// Address returns the address of the plugin's PJRT_Api, which is what a library's
// GetPjrtApi returns.
func (p *Plugin) Address() uintptr { return p.front().Address() }

// Live returns, for each C type such as PJRT_Buffer, how many objects callers got and have
// not destroyed. It leaves out types without objects, and errors. It counts the client
// that Client returns. As "PJRT_Transfers transfer" it counts the buffers that are on their
// way to another process or from one, even if the caller has destroyed them.
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

// Calls returns how often the function with the C name was called.
func (p *Plugin) Calls(function string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[function]
}

// CreateOptions returns the create options of the latest client.
func (p *Plugin) CreateOptions() []pjrt.Attribute {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.created)
}

// Processes returns the states of the processes that distributed.UpdateProcesses last
// passed to a client.
func (p *Plugin) Processes() []distributed.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.processes)
}

// newError makes an error to pass to the caller's callback.
func (p *Plugin) newError(err error) *capi.ErrorHandle { return serve.NewError(err) }

func (p *Plugin) pluginInitialize(*capi.PluginInitializeArgs) error { return nil }

func (p *Plugin) pluginAttributes(a *capi.PluginAttributesArgs) error {
	a.Attributes, a.NumAttributes = p.attributes.Data()
	return nil
}
