// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// NewClient creates a client (PJRT_Client_Create), which can take long. If ctx ends first, the
// plugin's calls to the key-value store fail, too. opts may be nil. Unless a KeyValueStore is set,
// NewClient waits until no other client of the plugin is being created.
//
// A plugin may end the process where others return an error: XLA's does if something that it needs
// is missing, and Tenstorrent's if there is no device. Try a plugin that is not known to work on a
// machine in another process first, as the command pjrt info does.
//
// Unless the options say otherwise, the first client of a GPU plugin takes most of the devices'
// free memory at once, and others take it as they need it. [Plugin.SharedClient] gives all parts of
// a program the same.
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
	own, create := *opts, cloneAttributes(create) // the caller may change opts after ctx ends
	return abandon.CallOn(ctx, p, func() (*Client, error) {
		if own.KeyValueStore == nil { // otherwise the creation may wait for that of another node
			if err := p.enterCreation(ctx); err != nil {
				return nil, err
			}
			defer p.leaveCreation()
		}
		options, err := capi.NewNamedValues(p.besideOthers(create))
		if err != nil {
			return nil, invalid("create options: %v", err)
		}
		stop := p.warnWhenSlow("the creation of a client", own.SlowStart)
		defer stop()
		var c capi.Call[capi.ClientCreateArgs]
		c.Args.CreateOptions, c.Args.NumOptions = options.Data()
		peers := newPeers(ctx, p.table, &own, &c.Args)
		err = c.Do(p.table)
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
		client.create, client.compiler = create, own.Compiler
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
		return abandon.Err(ctx, p, "another client of the plugin that is being created")
	}
}

func (p *Plugin) leaveCreation() { <-p.creating }

// besideOthers returns the create options for a client beside those that the process has. Unless
// they say otherwise, it does not take most of the memory of its devices at once: XLA's plugin for
// CUDA ends the process if the others have left too little.
func (p *Plugin) besideOthers(create []Attribute) []Attribute {
	n := p.clients.Load()
	if n == 0 || !createoptions.Preallocates(p.Kind(), create) {
		return create
	}
	if slices.ContainsFunc(create, func(a Attribute) bool { return a.Name == createoptions.Preallocate }) {
		notices().Warn("another client of a PJRT plugin preallocates device memory, which may be used up: "+
			"share one client, or switch preallocation off", "plugin", p.String(), "clients", n)
		return create
	}
	return append(slices.Clip(create), Attribute{Name: createoptions.Preallocate, Value: false})
}

// newClient takes ownership of h and peers.
func newClient(p *Plugin, h *capi.Client, peers *peers) (*Client, error) {
	table := p.table
	c := &Client{plugin: p, table: table}
	clients, large := p.clients, p.large // p leads to the shared client, which must not keep itself
	clients.Add(1)
	large.Join()
	c.ref = lifetimes.New("client", h, nil, func(h *capi.Client) {
		_, _ = capi.Do(table, capi.ClientDestroyArgs{Client: h})
		peers.close()
		clients.Add(-1)
		large.Leave()
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
	name, err := capi.Do(c.table, capi.ClientPlatformNameArgs{Client: h})
	if err = optional(err); err != nil {
		return err
	}
	c.platformName = capi.String(name.PlatformName, name.PlatformNameSize)

	version, err := capi.Do(c.table, capi.ClientPlatformVersionArgs{Client: h})
	if err = optional(err); err != nil {
		return err
	}
	c.platformVersion = capi.String(version.PlatformVersion, version.PlatformVersionSize)

	process, err := capi.Do(c.table, capi.ClientProcessIndexArgs{Client: h})
	if err = optional(err); err != nil {
		return err
	}
	c.processIndex = int(process.ProcessIndex)

	if err := c.listDevices(h); err != nil {
		return err
	}
	if err := c.listMemories(h); err != nil {
		return err
	}
	return c.connectMemories()
}

func (c *Client) listDevices(h *capi.Client) error {
	all, err := capi.Do(c.table, capi.ClientDevicesArgs{Client: h})
	if err = optional(err); err != nil {
		return err
	}
	var mine capi.Call[capi.ClientAddressableDevicesArgs]
	mine.Args.Client = h
	mineErr := mine.Do(c.table)
	if optional(mineErr) != nil {
		return mineErr
	}
	handles := capi.Slice(all.Devices, all.NumDevices)
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
