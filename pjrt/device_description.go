// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// DeviceDescription is a plugin's description of a device of a client or topology. It is a
// copy, and stays valid after they are closed.
type DeviceDescription struct {
	id           int
	processIndex int
	kind         string
	text         string
	debugText    string
	attributes   []Attribute
}

// describeDevice reads a description. Texts and attributes that the plugin does not
// implement are empty.
func describeDevice(table *capi.Table, h *capi.DeviceDescription) (*DeviceDescription, error) {
	id, err := capi.Do(table, capi.DeviceDescriptionIDArgs{DeviceDescription: h})
	if err != nil {
		return nil, err
	}
	process, err := capi.Do(table, capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	kind, err := capi.Do(table, capi.DeviceDescriptionKindArgs{DeviceDescription: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	text, err := capi.Do(table, capi.DeviceDescriptionToStringArgs{DeviceDescription: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	debug, err := capi.Do(table, capi.DeviceDescriptionDebugStringArgs{DeviceDescription: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	attributes, err := capi.Do(table, capi.DeviceDescriptionAttributesArgs{DeviceDescription: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	return &DeviceDescription{
		id:           int(id.ID),
		processIndex: int(process.ProcessIndex),
		kind:         capi.String(kind.DeviceKind, kind.DeviceKindSize),
		text:         capi.String(text.ToString, text.ToStringSize),
		debugText:    capi.String(debug.DebugString, debug.DebugStringSize),
		attributes:   byName(capi.Attributes(attributes.Attributes, attributes.NumAttributes)),
	}, nil
}

// byName sorts attributes: plugins list them in an order that changes from call to call.
func byName(list []Attribute) []Attribute {
	slices.SortStableFunc(list, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// ID returns the number of the device, which is unique among all processes
// (PJRT_DeviceDescription_Id).
func (d *DeviceDescription) ID() int {
	if d == nil {
		return 0
	}
	return d.id
}

// ProcessIndex returns the number of the process that can use the device
// (PJRT_DeviceDescription_ProcessIndex).
func (d *DeviceDescription) ProcessIndex() int {
	if d == nil {
		return 0
	}
	return d.processIndex
}

// Kind returns the vendor's name of the device model (PJRT_DeviceDescription_Kind).
func (d *DeviceDescription) Kind() string {
	if d == nil {
		return ""
	}
	return d.kind
}

// DebugString returns the plugin's long description
// (PJRT_DeviceDescription_DebugString).
func (d *DeviceDescription) DebugString() string {
	if d == nil {
		return ""
	}
	return d.debugText
}

// Attributes returns the attributes of the device, such as coords, sorted by name
// (PJRT_DeviceDescription_Attributes).
func (d *DeviceDescription) Attributes() []Attribute {
	if d == nil {
		return nil
	}
	return cloneAttributes(d.attributes)
}

// String returns the plugin's short description (PJRT_DeviceDescription_ToString).
func (d *DeviceDescription) String() string {
	if d == nil {
		return "no device"
	}
	return d.text
}
