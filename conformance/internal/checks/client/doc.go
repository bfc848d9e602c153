// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package client holds the checks of what a plugin says of itself before there
// are buffers: clients, devices, memories and topologies.
package client

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Checks returns the checks of the groups CLI, KV, DDESC, DEV, MEM and TOPO.
func Checks() []check.Check {
	var all []check.Check
	for _, list := range [][]check.Check{clientChecks, lifeChecks, exitChecks, lookupChecks, storeChecks, descriptionChecks,
		deviceChecks, statsChecks, memoryChecks, topologyChecks, serializedChecks, shapeChecks} {
		all = append(all, list...)
	}
	return all
}

// Unobservable are the rules that no check of this package looks at, with the
// reasons.
var Unobservable = map[string]string{}

// ids returns the id of each device.
func id(t *check.T, d *capi.Device) int32 {
	return check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: description(t, d)}).ID
}

func description(t *check.T, d *capi.Device) *capi.DeviceDescription {
	p := check.Call(t, capi.DeviceGetDescriptionArgs{Device: d}).DeviceDescription
	if p == nil {
		t.Fatalf("PJRT_Device_GetDescription: success without a description")
	}
	return p
}

// allDevices returns every device of a client.
func allDevices(t *check.T, c *check.Client) []*capi.Device {
	out := check.Call(t, capi.ClientDevicesArgs{Client: c.Handle})
	return capi.Slice(out.Devices, out.NumDevices)
}

// text is a text that the plugin owns.
type text struct {
	p *byte
	n uintptr
}

func (s text) String() string { return capi.String(s.p, s.n) }

// stableText reads a text twice. It must have something in it, and stand where
// it stood. Between the two reads other is called.
func stableText(t *check.T, what string, read func() text, other func()) string {
	first := read()
	before := first.String()
	switch {
	case first.n == 0:
		t.Errorf("%s: expected a text, got an empty one", what)
	case first.p == nil:
		t.Errorf("%s: a text of %d bytes at null", what, first.n)
	case strings.Contains(before, "\x00"):
		t.Errorf("%s: expected a text without a zero byte, got %q", what, before)
	}
	if other != nil {
		other()
	}
	check.Equal(t, before, first.String(), "%s: the bytes at the same address later", what)
	again := read()
	check.Equal(t, before, again.String(), "%s: the text from a second call", what)
	check.Equal(t, first.p, again.p, "%s: the address of the text from a second call", what)
	return strings.Clone(before)
}

// churn makes the plugin allocate, so that freed texts are overwritten.
func churn(t *check.T) {
	for range 20 {
		_, _ = check.Try(t, capi.PluginAttributesArgs{})
	}
	c := t.Made()
	if c == nil {
		return
	}
	for range 20 {
		_, _ = check.Try(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: -1})
		_, _ = check.Try(t, capi.ClientPlatformVersionArgs{Client: c.Handle})
		_, _ = check.Try(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle})
	}
}

// contains reports whether a list holds an element.
func contains[E comparable](list []E, e E) bool {
	for _, x := range list {
		if x == e {
			return true
		}
	}
	return false
}
