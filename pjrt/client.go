// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
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

	buffers     *bufferFamily
	events      *eventFamily
	knownShapes knownShapes
	uploading   atomic.Bool // someone uses uploads
	uploads     *upload     // for one at a time, which is all that most programs need; nil before the first
	usual       placement   // of buffers, if the caller has no wish; zero without devices
	onHosts     sync.Map    // placement to bool: whether the host can read it
	traffic     traffic
	copiesKept  bool        // see behaviour
	copiesMore  bool        // see behaviour.copiesAfterKept
	inOrder     bool        // see behaviour
	permuted    atomic.Bool // there may be buffers whose layout is not row-major
	ordering    ordering

	devicesKey atomic.Pointer[[]byte] // see describeDevices
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

// placement is where a buffer goes: a device or a memory; the other is nil.
type placement struct {
	device *capi.Device
	memory *capi.Memory
}

var errNilClient = invalid("the client is nil")

// acquire returns the C object, valid until c.ref.Release.
func (c *Client) acquire() (*capi.Client, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	return c.ref.Acquire()
}

// Close closes the client (PJRT_Client_Destroy). It stays alive in the plugin until everything made
// from it is closed too. If something still is a moment later, Close runs the garbage collector,
// because an object that the program forgot would hold device memory until the next collection.
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

// ProcessIndex returns the number of this process among all of the program.
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
