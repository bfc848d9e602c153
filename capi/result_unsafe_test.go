// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// tableWith makes the table of a plugin with one function.
func tableWith[A any](t *testing.T, fn func(*A) uintptr) *capi.Table {
	t.Helper()
	api := &capi.API{StructSize: unsafe.Sizeof(capi.API{}), PJRTAPIVersion: capi.APIVersion{
		StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: capi.APIMinor,
	}}
	*(*uintptr)(unsafe.Add(unsafe.Pointer(api), new(capi.Call[A]).Function().Offset)) = purego.NewCallback(fn)
	table, err := capi.NewTable(api, capi.Reentrant())
	require.NoError(t, err)
	return table
}

// again makes a call twice and returns what the second one returned.
func again(t testing.TB, c interface{ Do(*capi.Table) error }, table *capi.Table) error {
	t.Helper()
	first := c.Do(table)
	second := c.Do(table)
	assert.Equal(t, first, second)
	return second
}

func TestACheckedTableRefusesResultsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	device := (*capi.Device)(unsafe.Pointer(new(uintptr)))
	whole, hole := [2]*capi.Device{device, device}, [2]*capi.Device{device, nil}
	devices := func(p **capi.Device, n uintptr) error {
		table := tableWith(t, func(a *capi.ClientDevicesArgs) uintptr { a.Devices, a.NumDevices = p, n; return 0 })
		require.NoError(t, again(t, new(capi.Call[capi.ClientDevicesArgs]), table), "without checks")
		return again(t, new(capi.Call[capi.ClientDevicesArgs]), table.Checked())
	}
	text := "text"
	textData, _ := capi.StringData(text)
	kinds := func(texts **byte, sizes *uintptr) error {
		table := tableWith(t, func(a *capi.ExecutableOutputMemoryKindsArgs) uintptr {
			a.MemoryKinds, a.MemoryKindSizes, a.NumOutputs = texts, sizes, 1
			return 0
		})
		return again(t, new(capi.Call[capi.ExecutableOutputMemoryKindsArgs]), table.Checked())
	}
	size, none, absurd := uintptr(len(text)), uintptr(0), uintptr(math.MaxInt64)
	var null *byte
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a handle": {
			again(t, new(capi.Call[capi.ClientCreateArgs]), tableWith(t, func(*capi.ClientCreateArgs) uintptr { return 0 }).Checked()),
			"PJRT_Client_Create: INTERNAL: the plugin reported success but left the result client null",
		},
		"a handle that may be null": {
			again(t, new(capi.Call[capi.DeviceDefaultMemoryArgs]), tableWith(t,
				func(*capi.DeviceDefaultMemoryArgs) uintptr { return 0 }).Checked()), "",
		},
		"an empty list":             {devices(nil, 0), ""},
		"a list":                    {devices(&whole[0], 2), ""},
		"no list":                   {devices(nil, 2), "reported success and 2 values in the result devices, but left it null"},
		"a hole":                    {devices(&hole[0], 2), "left element 1 of the 2 in the result devices null"},
		"an absurd number":          {devices(&whole[0], math.MaxInt64), "9223372036854775807 values in the result devices, more than memory can hold"},
		"a text":                    {kinds(&textData, &size), ""},
		"an empty text":             {kinds(&null, &none), ""},
		"no texts":                  {kinds(nil, &size), "1 values in the result memory_kinds, but left it null"},
		"no sizes":                  {kinds(&textData, nil), "1 texts in the result memory_kinds, but no list of their lengths"},
		"a null text with a length": {kinds(&null, &size), "a text of 4 bytes in the result memory_kinds, but left it null"},
		"a text too long":           {kinds(&textData, &absurd), "a text of 9223372036854775807 bytes in the result memory_kinds, more than memory can hold"},
	} {
		if c.want == "" {
			assert.NoError(t, c.err, name)
			continue
		}
		assert.ErrorIs(t, c.err, capi.ErrorCodeInternal, name)
		assert.ErrorContains(t, c.err, c.want, name)
	}
	assert.Nil(t, (*capi.Table)(nil).Checked())
}

func TestLengthsThatExceedAnyMemoryGiveNothing(t *testing.T) {
	t.Parallel()
	b, n := byte(1), int64(1)
	for _, size := range []uintptr{math.MaxInt64, math.MaxUint, 1 << 50} {
		assert.Empty(t, capi.String(&b, size))
		assert.Nil(t, capi.Bytes(&b, size))
		assert.Nil(t, capi.Slice(&n, size))
		assert.Nil(t, capi.Attributes(new(capi.NamedValue), size))
	}
	list := capi.NamedValue{StructSize: capi.NamedValueSize, NameSize: 5, Type: capi.NamedValueInt64List, ValueSize: 3}
	assert.Equal(t, []capi.Attribute{{Value: []int64{}}}, capi.Attributes(&list, 1))
}
