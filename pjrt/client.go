// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Client is one use of a plugin and of its devices. Its methods may be called
// from any goroutine.
type Client struct {
	plugin *Plugin
	table  *capi.Table
	ref    *lifetime.Ref[capi.Client]

	platformName, platformVersion string
	processIndex                  int
	devices                       []*Device // of all processes, in the plugin's order
	addressable                   []*Device // of this process
	memories                      []*Memory // addressable from this process
	deviceByHandle                map[*capi.Device]*Device
	memoryByHandle                map[*capi.Memory]*Memory

	mu       sync.Mutex
	topology *Topology // guarded by mu; nil until it is asked for
	mapped   []span    // guarded by mu; host memory mapped for DMA

	destroyBuffer func(*capi.Buffer)
	limit         inFlight
	flight        flight
}

// ClientOptions are the options of NewClient. The zero value asks for the
// plugin's defaults.
type ClientOptions struct {
	// Platform are the options of the plugin's family: CPUOptions, GPUOptions or
	// TPUOptions. Nil leaves them to the plugin.
	Platform PlatformOptions
	// Create are more options, by the plugin's own names, such as
	// cpu_device_count (int64). Plugins end the process when a value has another
	// type than they expect; the types of the options of XLA's plugins are checked.
	Create []Attribute
	// AllowUnknown passes options on that are not known to be the plugin's.
	// Without it they are an error, if the plugin is of a known kind.
	AllowUnknown bool
	// SlowStart is the time after which a client that is still not there is
	// reported as a warning, see SetLogger. 0 means 20 seconds; a negative time
	// means never.
	SlowStart time.Duration

	// KeyValueStore is where the processes of one program find each other; nil
	// is for a single process. The plugin may use it, from several threads, until
	// the client is destroyed. It says how long a Get may wait; a TryGet or Put
	// gets two minutes. The store's errors and panics become errors of what the
	// plugin was doing. A program that runs again needs other keys: see kv.Prefix.
	KeyValueStore kv.Store
	// NumNodes is the number of processes, 0 for the plugin's default, and NodeID
	// the number of this one, from 0. They are the create options num_nodes and
	// node_id, which XLA's GPU plugins know. More than one node need a
	// KeyValueStore. A plugin that ignores them, as XLA's CPU plugin does, makes
	// every process number 0: NewClient fails on all nodes but the first.
	NodeID, NumNodes int
}

// encode checks the options for a plugin and returns the create options.
func (o *ClientOptions) encode(p *Plugin) ([]Attribute, error) {
	var list []Attribute
	if o.Platform != nil {
		family := p.kind.family()
		if want := o.Platform.family(); family != "" && family != want {
			return nil, invalid("the options are for %s plugins; this is the %s plugin", want, p.kind)
		}
		var err error
		if list, err = o.Platform.attributes(); err != nil {
			return nil, err
		}
	}
	more, err := o.withNodes()
	if err != nil {
		return nil, err
	}
	list = append(list, more...)
	return list, checkCreateOptions(p.kind, list, o.AllowUnknown)
}

// NewClient creates a client (PJRT_Client_Create). It can take long, and cannot
// be called off: when ctx ends first, NewClient returns its error and the client
// is closed once it exists; a plugin that waits for other processes then gets an
// error from the key-value store. opts may be nil.
//
// A GPU plugin takes most of the memory of the devices for each client, unless
// the options say otherwise; a second client gets what the first one left, and is
// reported as a warning. [Plugin.SharedClient] gives all parts of a program the
// same client.
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
	own := *opts // the caller may change his while the client is made
	return abandonable(ctx, func() (*Client, error) {
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
		return client, nil
	}, (*Client).Close)
}

var errNilPlugin = invalid("the plugin is nil")

// newClient takes over h and peers.
func newClient(p *Plugin, h *capi.Client, peers *peers) (*Client, error) {
	table := p.table
	c := &Client{plugin: p, table: table, destroyBuffer: bufferDestroyer(table), flight: newFlight()}
	p.clients.Add(1)
	c.ref = lifetime.New("client", h, nil, func(h *capi.Client) {
		var d capi.Call[capi.ClientDestroyArgs]
		d.Args.Client = h
		_ = d.Do(table) // there is nobody to tell
		peers.close()
		p.clients.Add(-1)
	})
	if err := c.describe(h); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// describe asks for what cannot change.
func (c *Client) describe(h *capi.Client) error {
	var name capi.Call[capi.ClientPlatformNameArgs]
	name.Args.Client = h
	if err := name.Do(c.table); err != nil {
		return err
	}
	c.platformName = capi.String(name.Args.PlatformName, name.Args.PlatformNameSize)

	var version capi.Call[capi.ClientPlatformVersionArgs]
	version.Args.Client = h
	if err := version.Do(c.table); err != nil {
		return err
	}
	c.platformVersion = capi.String(version.Args.PlatformVersion, version.Args.PlatformVersionSize)

	var process capi.Call[capi.ClientProcessIndexArgs]
	process.Args.Client = h
	if err := process.Do(c.table); err != nil {
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
	if err := all.Do(c.table); err != nil {
		return err
	}
	c.deviceByHandle = make(map[*capi.Device]*Device)
	for _, d := range capi.Slice(all.Args.Devices, all.Args.NumDevices) {
		device, err := newDevice(c, d)
		if err != nil {
			return err
		}
		c.deviceByHandle[d] = device
		c.devices = append(c.devices, device)
	}
	var mine capi.Call[capi.ClientAddressableDevicesArgs]
	mine.Args.Client = h
	if err := mine.Do(c.table); err != nil {
		return err
	}
	c.addressable = c.devicesOf(mine.Args.AddressableDevices, mine.Args.NumAddressableDevices)
	return nil
}

// devicesOf returns the devices of an array of the plugin's; those that are not
// the client's are left out.
func (c *Client) devicesOf(p **capi.Device, n uintptr) []*Device {
	var list []*Device
	for _, h := range capi.Slice(p, n) {
		if d := c.deviceByHandle[h]; d != nil {
			list = append(list, d)
		}
	}
	return list
}

// Close gives the client up (PJRT_Client_Destroy). The plugin keeps it until
// everything made from it is closed too.
func (c *Client) Close() error { return c.ref.Close() }

// Plugin returns the plugin of the client.
func (c *Client) Plugin() *Plugin { return c.plugin }

// PlatformName returns the plugin's name for its kind of device, such as cpu.
func (c *Client) PlatformName() string { return c.platformName }

// PlatformVersion returns the plugin's version text.
func (c *Client) PlatformVersion() string { return c.platformVersion }

// ProcessIndex returns the number of this process among those that share the
// devices.
func (c *Client) ProcessIndex() int { return c.processIndex }

// Devices returns the devices of all processes.
func (c *Client) Devices() []*Device { return slices.Clone(c.devices) }

// AddressableDevices returns the devices that this process can use.
func (c *Client) AddressableDevices() []*Device { return slices.Clone(c.addressable) }

// Memories returns the memories that this process can use.
func (c *Client) Memories() []*Memory { return slices.Clone(c.memories) }

// abandonable runs make, which cannot be called off, and returns its result.
// When ctx ends first it returns ctx's error, and the result is closed when it
// comes.
func abandonable[T any](ctx context.Context, make func() (T, error), close func(T) error) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if ctx.Done() == nil {
		return make()
	}
	type result struct {
		value T
		err   error
		panic any
	}
	done := newResult[result]()
	go func() {
		var r result
		defer func() {
			// A panic is for the caller, as without the goroutine.
			r.panic = recover()
			switch wanted := done.offer(r); {
			case wanted:
			case r.panic != nil:
				panic(r.panic)
			case r.err == nil:
				_ = close(r.value)
			}
		}()
		r.value, r.err = make()
	}()
	select {
	case <-done.ready:
	case <-ctx.Done():
		if done.abandon() {
			return none, ctx.Err()
		}
	}
	r := done.value
	if r.panic != nil {
		panic(r.panic)
	}
	return r.value, r.err
}
