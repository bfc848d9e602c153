// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// DeviceDescription is what is known of a device without using it: one of a
// client, or one of a topology whose devices may be elsewhere. It is a copy, and
// stays valid after the client or topology is closed.
type DeviceDescription struct {
	id           int
	processIndex int
	kind         string
	text         string
	debugText    string
	attributes   []Attribute
}

// describeDevice reads a description. Texts and attributes are empty when the
// plugin does not implement them.
func describeDevice(table *capi.Table, h *capi.DeviceDescription) (*DeviceDescription, error) {
	var id capi.Call[capi.DeviceDescriptionIDArgs]
	id.Args.DeviceDescription = h
	if err := id.Do(table); err != nil {
		return nil, err
	}
	var process capi.Call[capi.DeviceDescriptionProcessIndexArgs]
	process.Args.DeviceDescription = h
	if err := process.Do(table); err != nil {
		return nil, err
	}
	var kind capi.Call[capi.DeviceDescriptionKindArgs]
	kind.Args.DeviceDescription = h
	if err := optional(kind.Do(table)); err != nil {
		return nil, err
	}
	var text capi.Call[capi.DeviceDescriptionToStringArgs]
	text.Args.DeviceDescription = h
	if err := optional(text.Do(table)); err != nil {
		return nil, err
	}
	var debug capi.Call[capi.DeviceDescriptionDebugStringArgs]
	debug.Args.DeviceDescription = h
	if err := optional(debug.Do(table)); err != nil {
		return nil, err
	}
	var attributes capi.Call[capi.DeviceDescriptionAttributesArgs]
	attributes.Args.DeviceDescription = h
	if err := optional(attributes.Do(table)); err != nil {
		return nil, err
	}
	return &DeviceDescription{
		id:           int(id.Args.ID),
		processIndex: int(process.Args.ProcessIndex),
		kind:         capi.String(kind.Args.DeviceKind, kind.Args.DeviceKindSize),
		text:         capi.String(text.Args.ToString, text.Args.ToStringSize),
		debugText:    capi.String(debug.Args.DebugString, debug.Args.DebugStringSize),
		attributes:   byName(capi.Attributes(attributes.Args.Attributes, attributes.Args.NumAttributes)),
	}, nil
}

// byName sorts attributes, which plugins list in any order, a new one each time.
func byName(list []Attribute) []Attribute {
	slices.SortStableFunc(list, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// optional drops the error of a plugin that does not implement what is not
// needed.
func optional(err error) error {
	if errors.Is(err, ErrUnimplemented) {
		return nil
	}
	return err
}

// ID returns the number of the device, which is unique among all processes
// (PJRT_DeviceDescription_Id).
func (d *DeviceDescription) ID() int { return d.id }

// ProcessIndex returns the number of the process that can use the device
// (PJRT_DeviceDescription_ProcessIndex).
func (d *DeviceDescription) ProcessIndex() int { return d.processIndex }

// Kind returns the vendor's name of the device model
// (PJRT_DeviceDescription_Kind).
func (d *DeviceDescription) Kind() string { return d.kind }

// DebugString returns the plugin's long description
// (PJRT_DeviceDescription_DebugString).
func (d *DeviceDescription) DebugString() string { return d.debugText }

// Attributes returns what the plugin says of the device, such as coords, by name
// (PJRT_DeviceDescription_Attributes).
func (d *DeviceDescription) Attributes() []Attribute { return cloneAttributes(d.attributes) }

// String returns the plugin's short description
// (PJRT_DeviceDescription_ToString).
func (d *DeviceDescription) String() string {
	if d == nil {
		return "no device"
	}
	return d.text
}
