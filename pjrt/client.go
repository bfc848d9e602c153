// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// Client is one instance of a plugin, with its devices.
type Client struct {
	plugin *Plugin
	table  *capi.Table
	ref    *lifetimes.Ref[capi.Client]

	platformName, platformVersion string
	processIndex                  int
	devices                       []*Device // of all processes, in the plugin's order
	addressable                   []*Device // of this process
	memories                      []*Memory // addressable from this process
	deviceByHandle                map[*capi.Device]*Device
	memoryByHandle                map[*capi.Memory]*Memory

	create   []Attribute      // what the client was created with
	peers    bool             // other processes belong to the client
	compiler compile.Compiler // nil: the plugin compiles

	mu       sync.Mutex
	topology *Topology // guarded by mu; nil until it is asked for

	describeSystem sync.Once
	described      compile.System // set by describeSystem

	buffers    *bufferFamily
	events     *eventFamily
	forms      forms
	uploading  atomic.Pointer[upload] // to be used again, which most programs need only one of at a time
	usual      placement              // of buffers, if the caller has no wish; zero without devices
	traffic    traffic
	copiesKept bool        // see behaviour
	copiesMore bool        // see behaviour.copiesAfterKept
	inOrder    bool        // see behaviour
	permuted   atomic.Bool // there may be buffers whose layout is not row-major
	ordering   ordering

	devicesKey atomic.Pointer[[]byte] // see describeDevices
}

// ClientOptions are the options of NewClient. Zero values mean the plugin's defaults.
type ClientOptions struct {
	Platform PlatformOptions // such as a platform.GPU; nil means the plugin's defaults
	// Create has more options under the plugin's own names, such as cpu_device_count
	// (int64). A value of the wrong type makes a plugin end the process, so NewClient
	// checks the options of XLA's plugins.
	Create []Attribute
	// AllowUnknown passes on options that plugins of this kind are not known to have.
	// Without it they are an error. Plugins of an unknown kind get any option.
	AllowUnknown bool
	// SlowStart is how long NewClient may take before it logs a warning, see SetLogger.
	// 0 means 20 seconds, and a negative time means no warning.
	SlowStart time.Duration

	// KeyValueStore is where the processes of one program find each other; nil is for a
	// single process. The plugin uses it, from several threads, until the client is
	// destroyed. The plugin sets how long a Get waits; a TryGet or Put has two minutes.
	// An error or panic in the store fails the operation that met it. Each run of the
	// program needs its own keys: see kv.Prefix.
	KeyValueStore kv.Store
	// NumNodes is the number of processes, 0 for the plugin's default, and NodeID the
	// number of this one, from 0. They are the create options num_nodes and node_id of
	// XLA's GPU plugins. Several nodes need a KeyValueStore. XLA's CPU plugin ignores both
	// and numbers every process 0: NewClient then fails on all nodes but the first.
	NodeID, NumNodes int

	// Compiler compiles all programs of the client in place of the plugin in this process,
	// such as an isolate.Compiler. Nil means the plugin itself.
	Compiler compile.Compiler
}

// PlatformOptions are the options of one family of plugins: see package platform.
type PlatformOptions interface {
	// Family returns the family of plugins that the options are for: "CPU", "GPU" or
	// "TPU". NewClient refuses them for a plugin of another known family.
	Family() string
	// CreateOptions returns the options that differ from the plugin's defaults.
	CreateOptions() ([]Attribute, error)
}

// encode checks the options for a plugin and returns the create options.
func (o *ClientOptions) encode(p *Plugin) ([]Attribute, error) {
	var list []Attribute
	if o.Platform != nil {
		if v := reflect.ValueOf(o.Platform); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, invalid("the platform options are a nil %T", o.Platform)
		}
		family := createoptions.Family(p.Kind())
		if want := o.Platform.Family(); family != "" && family != want {
			return nil, invalid("the options are for %s plugins; this is the %s plugin", want, p.Kind())
		}
		var err error
		if list, err = o.Platform.CreateOptions(); err != nil {
			return nil, err
		}
	}
	more, err := o.withNodes()
	if err != nil {
		return nil, err
	}
	list = append(list, more...)
	if err := createoptions.Check(p.Kind(), list, o.AllowUnknown); err != nil {
		return nil, invalid("%v", err)
	}
	return list, nil
}

// NewClient creates a client (PJRT_Client_Create), which can take long. If ctx ends
// first, NewClient returns its error, the plugin's calls to the key-value store fail, and
// the client is closed once it exists. opts may be nil.
//
// A plugin creates one client at a time, unless a KeyValueStore is set; NewClient waits for its
// turn.
//
// A plugin may end the process where others return an error: XLA's does if something that it
// needs is missing, and Tenstorrent's throws an exception of C++ if there is no device, which
// no frame of a Go program can catch. To try a plugin that is not known to work on a machine,
// make a client in another process first, as the command pjrt info does.
//
// Each client of a GPU plugin takes most of the devices' free memory, unless the
// options say otherwise, so a second one is logged as a warning.
// [Plugin.SharedClient] gives all parts of a program the same client.
func (p *Plugin) NewClient(ctx context.Context, opts *ClientOptions) (client *Client, err error) {
	op := begin(ctx, OperationClient, subject{plugin: p})
	defer op.endClient(&client, &err)
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	if opts == nil {
		opts = &ClientOptions{}
	}
	create, err := opts.encode(p)
	if err != nil {
		return nil, err
	}
	options, err := capi.NewNamedValues(create)
	if err != nil {
		return nil, invalid("create options: %v", err)
	}
	own := *opts // the caller may change opts after ctx ends
	return abandon.Call(ctx, func() (*Client, error) {
		if own.KeyValueStore == nil { // otherwise the creation may wait for that of another node
			if err := p.enterCreation(ctx); err != nil {
				return nil, err
			}
			defer p.leaveCreation()
		}
		p.warnOfSecond(create)
		stop := p.warnWhenSlow("the creation of a client", own.SlowStart)
		defer stop()
		var c capi.Call[capi.ClientCreateArgs]
		c.Args.CreateOptions, c.Args.NumOptions = options.Data()
		peers := newPeers(ctx, p.table, &own, &c.Args)
		err := c.Do(p.table)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, peers.failed(err)
		}
		client, err := newClient(p, c.Args.Client, peers)
		if err != nil {
			return nil, err
		}
		if err := peers.created(client); err != nil {
			client.Close()
			return nil, err
		}
		client.create, client.compiler = cloneAttributes(create), own.Compiler
		client.peers = own.KeyValueStore != nil || own.NumNodes > 1
		return client, nil
	}, (*Client).Close)
}

// enterCreation waits until no other client of the plugin is being created: some plugins crash
// otherwise.
func (p *Plugin) enterCreation(ctx context.Context) error {
	select {
	case p.creating <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Plugin) leaveCreation() { <-p.creating }

// newClient takes ownership of h and peers.
func newClient(p *Plugin, h *capi.Client, peers *peers) (*Client, error) {
	table := p.table
	c := &Client{plugin: p, table: table}
	clients := p.clients // p leads to the shared client, which must not keep itself
	clients.Add(1)
	c.ref = lifetimes.New("client", h, nil, func(h *capi.Client) {
		var d capi.Call[capi.ClientDestroyArgs]
		d.Args.Client = h
		_ = d.Do(table)
		peers.close()
		clients.Add(-1)
	})
	c.buffers = lifetimes.NewFamily("buffer", c.ref, bufferDestroyer(table))
	c.events = newEventFamily(table, c.ref)
	if err := c.describe(h); err != nil {
		c.Close()
		return nil, err
	}
	p.learnKind(c.platformName)
	quirks := p.quirks()
	c.permuted.Store(!p.rowMajor())
	c.traffic, c.inOrder = newTraffic(quirks.executionsInFlight), quirks.inOrder
	c.copiesKept, c.copiesMore = quirks.copiesKept, quirks.copiesAfterKept
	return c, nil
}

// describe asks the plugin once for everything about the client that never changes. What
// the plugin does not implement stays empty.
func (c *Client) describe(h *capi.Client) error {
	var name capi.Call[capi.ClientPlatformNameArgs]
	name.Args.Client = h
	if err := optional(name.Do(c.table)); err != nil {
		return err
	}
	c.platformName = capi.String(name.Args.PlatformName, name.Args.PlatformNameSize)

	var version capi.Call[capi.ClientPlatformVersionArgs]
	version.Args.Client = h
	if err := optional(version.Do(c.table)); err != nil {
		return err
	}
	c.platformVersion = capi.String(version.Args.PlatformVersion, version.Args.PlatformVersionSize)

	var process capi.Call[capi.ClientProcessIndexArgs]
	process.Args.Client = h
	if err := optional(process.Do(c.table)); err != nil {
		return err
	}
	c.processIndex = int(process.Args.ProcessIndex)

	if err := c.listDevices(h); err != nil {
		return err
	}
	if err := c.listMemories(h); err != nil {
		return err
	}
	return c.connectMemories()
}

func (c *Client) listDevices(h *capi.Client) error {
	var all capi.Call[capi.ClientDevicesArgs]
	all.Args.Client = h
	if err := optional(all.Do(c.table)); err != nil {
		return err
	}
	var mine capi.Call[capi.ClientAddressableDevicesArgs]
	mine.Args.Client = h
	mineErr := mine.Do(c.table)
	if optional(mineErr) != nil {
		return mineErr
	}
	handles := capi.Slice(all.Args.Devices, all.Args.NumDevices)
	if len(handles) == 0 { // either list will do if the plugin lacks the other
		if mineErr != nil {
			return mineErr
		}
		handles = capi.Slice(mine.Args.AddressableDevices, mine.Args.NumAddressableDevices)
	}
	c.deviceByHandle = make(map[*capi.Device]*Device)
	for _, d := range handles {
		device, err := newDevice(c, d)
		if err != nil {
			return err
		}
		c.deviceByHandle[d] = device
		c.devices = append(c.devices, device)
	}
	c.addressable = c.devicesOf(mine.Args.AddressableDevices, mine.Args.NumAddressableDevices)
	if n := int(mine.Args.NumAddressableDevices); len(c.addressable) != n {
		return misbehaved(mine.Function(), "listed %d devices, of which %s lists %d", n, all.Function().Name, len(c.addressable))
	}
	if len(c.addressable) == 0 {
		for _, d := range c.devices {
			if d.addressable && mineErr != nil {
				c.addressable = append(c.addressable, d)
			} else if d.addressable {
				return misbehaved(mine.Function(), "listed no device, although this process can use %v", d)
			}
		}
	}
	c.usual, _ = c.place(nil, nil) // which fails later, for who wants a device where there is none
	for _, d := range c.addressable {
		if err := d.addLocal(); err != nil {
			return err
		}
	}
	return nil
}

// devicesOf returns the devices of a C array that belong to the client.
func (c *Client) devicesOf(p **capi.Device, n uintptr) []*Device {
	var list []*Device
	for _, h := range capi.Slice(p, n) {
		if d := c.deviceByHandle[h]; d != nil {
			list = append(list, d)
		}
	}
	return list
}

var errNilClient = invalid("the client is nil")

// acquire returns the C object, valid until c.ref.Release.
func (c *Client) acquire() (*capi.Client, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	return c.ref.Acquire()
}

// Close closes the client (PJRT_Client_Destroy). It stays alive in the plugin until
// everything made from it is closed too. If something is still open a moment later, Close
// runs the garbage collector, because an object that the program forgot would hold device
// memory until the next collection.
func (c *Client) Close() error {
	if c == nil || c.ref == nil {
		return nil
	}
	err := c.ref.Close()
	collectUnlessDestroyed(c.ref)
	return err
}

// Plugin returns the plugin of the client.
func (c *Client) Plugin() *Plugin {
	if c == nil {
		return nil
	}
	return c.plugin
}

// PlatformName returns the plugin's name for its kind of device, such as cpu.
func (c *Client) PlatformName() string {
	if c == nil {
		return ""
	}
	return c.platformName
}

// PlatformVersion returns the plugin's version text.
func (c *Client) PlatformVersion() string {
	if c == nil {
		return ""
	}
	return c.platformVersion
}

// ProcessIndex returns the number of this process among those that share the devices.
func (c *Client) ProcessIndex() int {
	if c == nil {
		return 0
	}
	return c.processIndex
}

// Devices returns the devices of all processes.
func (c *Client) Devices() []*Device {
	if c == nil {
		return nil
	}
	return slices.Clone(c.devices)
}

// AddressableDevices returns the devices that this process can use.
func (c *Client) AddressableDevices() []*Device {
	if c == nil {
		return nil
	}
	return slices.Clone(c.addressable)
}

// Memories returns the memories that this process can use.
func (c *Client) Memories() []*Memory {
	if c == nil {
		return nil
	}
	return slices.Clone(c.memories)
}

// String names the platform and counts the devices.
func (c *Client) String() string {
	if c == nil || c.plugin == nil {
		return "no client"
	}
	return fmt.Sprintf("%s client of %d devices", c.platformName, len(c.devices))
}

// warnOfSecond logs a warning when a new client will preallocate device memory that
// another client of the process may hold.
func (p *Plugin) warnOfSecond(create []Attribute) {
	if n := p.clients.Load(); n > 0 && createoptions.Preallocates(p.Kind(), create) {
		notices().Warn("another client of a PJRT plugin preallocates device memory, which may be used up: "+
			"share one client, or switch preallocation off", "plugin", p.String(), "clients", n)
	}
}
