// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package memories

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Description is a kind of memory that a device has.
type Description struct {
	// Kind is the plugin's name for the kind, such as device or pinned_host, and
	// KindID is its number; both are the same as in a [pjrt.Memory].
	Kind   string
	KindID int
	// Default means that the device uses this kind when a program asks for none.
	Default bool
}

// OfDevice returns the kinds of memory of a device
// (PJRT_DeviceDescription_MemoryDescriptions).
func OfDevice(d *pjrt.Device) ([]Description, error) {
	h, release, err := raw.AcquireDevice(d)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(d.Client())
	c, err := capi.Do(table, capi.DeviceGetDescriptionArgs{Device: h})
	if err != nil {
		return nil, err
	}
	return describe(table, c.DeviceDescription)
}

// OfTopology is like [OfDevice] for all devices of a topology, in the order of
// Topology.Devices.
func OfTopology(t *pjrt.Topology) ([][]Description, error) {
	h, release, err := raw.AcquireTopology(t)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(t)
	c, err := capi.Do(table, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: h})
	if err != nil {
		return nil, err
	}
	var all [][]Description
	for _, d := range capi.Slice(c.Descriptions, c.NumDescriptions) {
		list, err := describe(table, d)
		if err != nil {
			return nil, err
		}
		all = append(all, list)
	}
	return all, nil
}

func describe(table *capi.Table, h *capi.DeviceDescription) ([]Description, error) {
	c, err := capi.Do(table, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: h})
	if err != nil {
		return nil, err
	}
	var list []Description
	for i, m := range capi.Slice(c.MemoryDescriptions, c.NumMemoryDescriptions) {
		kind, err := capi.Do(table, capi.MemoryDescriptionKindArgs{MemoryDescription: m})
		if err != nil {
			return nil, err
		}
		list = append(list, Description{
			Kind: capi.String(kind.Kind, kind.KindSize), KindID: int(kind.KindID),
			Default: uintptr(i) == c.DefaultMemoryIndex,
		})
	}
	return list, nil
}
