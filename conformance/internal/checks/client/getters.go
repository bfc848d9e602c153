// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// The objects of this group, and the functions that return texts about them.
var (
	theClient = check.Objects[capi.Client]{
		All: func(t *check.T) []*capi.Client { return []*capi.Client{t.Client().Handle} }, Churn: churn,
	}
	nameText    = check.TextOf[capi.ClientPlatformNameArgs, capi.Client]()
	versionText = check.TextOf[capi.ClientPlatformVersionArgs, capi.Client]()

	theTopology = check.Objects[capi.TopologyDescription]{
		All: func(t *check.T) []*capi.TopologyDescription { return []*capi.TopologyDescription{t.Topology()} }, Churn: churn,
	}
	topologyName    = check.TextOf[capi.TopologyDescriptionPlatformNameArgs, capi.TopologyDescription]()
	topologyVersion = check.TextOf[capi.TopologyDescriptionPlatformVersionArgs, capi.TopologyDescription]()

	allDescriptions = check.Objects[capi.DeviceDescription]{One: "device", Many: "devices", All: descriptions, Churn: churn}
	kindText        = check.TextOf[capi.DeviceDescriptionKindArgs, capi.DeviceDescription]()
	debugText       = check.TextOf[capi.DeviceDescriptionDebugStringArgs, capi.DeviceDescription]()
	shortText       = check.TextOf[capi.DeviceDescriptionToStringArgs, capi.DeviceDescription]()

	allMemories = check.Objects[capi.Memory]{
		One: "memory", Many: "memories", All: func(t *check.T) []*capi.Memory { return memories(t, t.Client()) }, Churn: churn,
	}
	memoryKind  = check.TextOf[capi.MemoryKindArgs, capi.Memory]()
	memoryText  = check.TextOf[capi.MemoryToStringArgs, capi.Memory]()
	memoryDebug = check.TextOf[capi.MemoryDebugStringArgs, capi.Memory]()
)

// churn makes the plugin allocate memory, so that freed memory is overwritten.
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
