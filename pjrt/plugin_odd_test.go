// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// lacking makes a hook that answers UNIMPLEMENTED.
func lacking[A any]() serve.Hook {
	return serve.Around(func(c *serve.Invocation, _ *A) { c.Fail(capi.ErrorCodeUnimplemented, "not implemented") })
}

// altered makes a hook that changes the results of a call.
func altered[A any](change func(*A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		c.Forward()
		change(a)
	})
}

// What JAX's client works with is no reason to refuse a plugin.
func TestOddPluginsAreUsed(t *testing.T) {
	t.Parallel()
	odd := make([]capi.NamedValue, 4)
	odd[0].Type = 99 // a type of the future
	name, size := capi.StringData("odd")
	odd[0].Name, odd[0].NameSize = name, size
	odd[1].Type = capi.NamedValueInt64List // an empty list, without a name
	odd[2].Type = capi.NamedValueString    // an empty text
	odd[3].Type = capi.NamedValueInt64     // without a struct_size or value_size, as all of them
	odd[3].SetInt64Value(7)
	for name, hooks := range map[string][]serve.Hook{
		"attributes without values": {altered(func(a *capi.PluginAttributesArgs) { a.Attributes, a.NumAttributes = nil, 0 })},
		"odd attributes":            {altered(func(a *capi.PluginAttributesArgs) { a.Attributes, a.NumAttributes = &odd[0], 4 })},
		"odd attributes of devices": {altered(func(a *capi.DeviceDescriptionAttributesArgs) { a.Attributes, a.NumAttributes = &odd[0], 4 })},
		"no attributes":             {lacking[capi.PluginAttributesArgs]()},
		"no initialization":         {lacking[capi.PluginInitializeArgs]()},
		"no platform": {
			altered(func(a *capi.ClientPlatformNameArgs) { a.PlatformName, a.PlatformNameSize = nil, 0 }),
			altered(func(a *capi.ClientPlatformVersionArgs) { a.PlatformVersion, a.PlatformVersionSize = nil, 0 }),
		},
		"no versions":        {lacking[capi.ClientPlatformVersionArgs](), lacking[capi.ClientPlatformNameArgs]()},
		"no process":         {lacking[capi.ClientProcessIndexArgs]()},
		"no memories":        {lacking[capi.ClientAddressableMemoriesArgs](), lacking[capi.DeviceAddressableMemoriesArgs](), lacking[capi.DeviceDefaultMemoryArgs]()},
		"an empty list":      {altered(func(a *capi.ClientAddressableMemoriesArgs) { a.AddressableMemories, a.NumAddressableMemories = nil, 0 })},
		"no default memory":  {lacking[capi.DeviceDefaultMemoryArgs]()},
		"no topology":        {lacking[capi.ClientTopologyDescriptionArgs]()},
		"no texts":           {lacking[capi.DeviceDescriptionToStringArgs](), lacking[capi.DeviceDescriptionDebugStringArgs](), lacking[capi.DeviceDescriptionKindArgs]()},
		"no memory texts":    {lacking[capi.MemoryToStringArgs](), lacking[capi.MemoryDebugStringArgs](), lacking[capi.MemoryKindArgs]()},
		"no ids":             {lacking[capi.DeviceLocalHardwareIDArgs](), lacking[capi.DeviceDescriptionProcessIndexArgs]()},
		"no addressability":  {lacking[capi.DeviceIsAddressableArgs]()},
		"no list of devices": {lacking[capi.ClientDevicesArgs]()},
		"no local devices":   {lacking[capi.ClientAddressableDevicesArgs]()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pjrttest.New(t, pjrttest.Options{})
			wrapped, err := serve.Wrap(raw.Table(p.Plugin()), hooks...)
			require.NoError(t, err)
			plugin, err := raw.Plugin(wrapped.Capi())
			require.NoError(t, err)
			_ = plugin.Attributes()
			client, err := plugin.NewClient(t.Context(), nil)
			require.NoError(t, err)
			defer client.Close()
			require.Len(t, client.Devices(), 1)
			_ = client.Devices()[0].Description().Attributes()
			b, err := pjrt.FromSlice(t.Context(), client, []float32{1, 2})
			require.NoError(t, err)
			got, err := pjrt.ToSlice[float32](t.Context(), b)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 2}, got)
			require.NoError(t, b.Close())
		})
	}
}
