// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// Memory is a memory that devices can address. It belongs to its client and
// lives as long; what is known about it stays readable after that.
type Memory struct {
	client *Client
	handle *capi.Memory

	id        int
	kind      string
	kindID    int
	text      string
	debugText string
	devices   []*Device
}

func newMemory(c *Client, h *capi.Memory) (*Memory, error) {
	var id capi.Call[capi.MemoryIDArgs]
	id.Args.Memory = h
	if err := id.Do(c.table); err != nil {
		return nil, err
	}
	var kind capi.Call[capi.MemoryKindArgs]
	kind.Args.Memory = h
	if err := kind.Do(c.table); err != nil {
		return nil, err
	}
	kindID := -1
	var number capi.Call[capi.MemoryKindIDArgs]
	number.Args.Memory = h
	switch err := number.Do(c.table); {
	case err == nil:
		kindID = int(number.Args.KindID)
	case optional(err) != nil:
		return nil, err
	}
	var text capi.Call[capi.MemoryToStringArgs]
	text.Args.Memory = h
	if err := optional(text.Do(c.table)); err != nil {
		return nil, err
	}
	var debug capi.Call[capi.MemoryDebugStringArgs]
	debug.Args.Memory = h
	if err := optional(debug.Do(c.table)); err != nil {
		return nil, err
	}
	return &Memory{
		client: c, handle: h, id: int(id.Args.ID), kindID: kindID,
		kind:      capi.String(kind.Args.Kind, kind.Args.KindSize),
		text:      capi.String(text.Args.ToString, text.Args.ToStringSize),
		debugText: capi.String(debug.Args.DebugString, debug.Args.DebugStringSize),
	}, nil
}

// listMemories asks for the memories of this process.
func (c *Client) listMemories(h *capi.Client) error {
	c.memoryByHandle = make(map[*capi.Memory]*Memory)
	var m capi.Call[capi.ClientAddressableMemoriesArgs]
	m.Args.Client = h
	if err := optional(m.Do(c.table)); err != nil {
		return err
	}
	for _, h := range capi.Slice(m.Args.AddressableMemories, m.Args.NumAddressableMemories) {
		memory, err := c.memory(h)
		if err != nil {
			return err
		}
		c.memories = append(c.memories, memory)
	}
	return nil
}

// connectMemories asks which devices use which memories.
func (c *Client) connectMemories() error {
	for _, d := range c.addressable {
		var all capi.Call[capi.DeviceAddressableMemoriesArgs]
		all.Args.Device = d.handle
		if err := optional(all.Do(c.table)); err != nil {
			return err
		}
		for _, h := range capi.Slice(all.Args.Memories, all.Args.NumMemories) {
			m, err := c.memory(h)
			if err != nil {
				return err
			}
			d.memories = append(d.memories, m)
		}
		var usual capi.Call[capi.DeviceDefaultMemoryArgs]
		usual.Args.Device = d.handle
		if err := optional(usual.Do(c.table)); err != nil {
			return err
		}
		if h := usual.Args.Memory; h != nil {
			m, err := c.memory(h)
			if err != nil {
				return err
			}
			d.defaultMemory = m
		}
	}
	for _, m := range c.memoryByHandle {
		var devices capi.Call[capi.MemoryAddressableByDevicesArgs]
		devices.Args.Memory = m.handle
		if err := optional(devices.Do(c.table)); err != nil {
			return err
		}
		m.devices = c.devicesOf(devices.Args.Devices, devices.Args.NumDevices)
	}
	return nil
}

// memory returns the memory of a C object, which is made on first sight. It is
// for the making of a client only, which one goroutine does.
func (c *Client) memory(h *capi.Memory) (*Memory, error) {
	if m := c.memoryByHandle[h]; m != nil {
		return m, nil
	}
	m, err := newMemory(c, h)
	if err != nil {
		return nil, err
	}
	c.memoryByHandle[h] = m
	return m, nil
}

// Client returns the client of the memory.
func (m *Memory) Client() *Client { return m.client }

// ID returns the number of the memory, unique within the client (PJRT_Memory_Id).
func (m *Memory) ID() int { return m.id }

// Kind returns the plugin's name of the kind, such as device or pinned_host
// (PJRT_Memory_Kind).
func (m *Memory) Kind() string { return m.kind }

// KindID returns the number of the kind, the same for all memories of a kind
// (PJRT_Memory_Kind_Id). It is -1 when the plugin does not tell.
func (m *Memory) KindID() int { return m.kindID }

// DebugString returns the plugin's long description (PJRT_Memory_DebugString).
func (m *Memory) DebugString() string { return m.debugText }

// Devices returns the devices that can use the memory
// (PJRT_Memory_AddressableByDevices). There are none when the plugin does not
// tell.
func (m *Memory) Devices() []*Device { return slices.Clone(m.devices) }

// String returns the plugin's short description (PJRT_Memory_ToString).
func (m *Memory) String() string {
	if m == nil {
		return "no memory"
	}
	return m.text
}

// nameList names things in an error.
func nameList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
