// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestTablesOfUnknownLayoutAreRefused(t *testing.T) {
	version := func(size uintptr, major, minor int32) *capi.API {
		api := new(capi.API)
		api.StructSize = 984
		api.PJRTAPIVersion = capi.APIVersion{StructSize: size, MajorVersion: major, MinorVersion: minor}
		return api
	}
	tiny := version(capi.APIVersionSize, 0, 81)
	tiny.StructSize = 24
	cases := map[string]struct {
		api  *capi.API
		want error
		text string
	}{
		"null":                    {nil, capi.ErrNullTable, "the plugin's GetPjrtApi returned null"},
		"other major":             {version(24, 1, 3), capi.ErrMajorVersion, "it has API 1.3; API 0.45 and later are supported, except 0.56"},
		"before struct_size":      {version(24, 0, 44), capi.ErrTooOld, "it has API 0.44"},
		"other order":             {version(24, 0, 56), capi.ErrTooOld, "it has API 0.56, whose functions stand in another order"},
		"no version yet":          {version(0x7f0012345678, 0, 0), capi.ErrTooOld, "states no API version"},
		"too small for a version": {tiny, capi.ErrTableSize, "its table of 24 bytes states no API version"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			table, err := capi.NewTable(c.api)
			assert.Nil(t, table)
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
		})
	}
	for _, minor := range []int32{45, 55, 57, 114, 200} {
		table, err := capi.NewTable(version(24, 0, minor))
		require.NoError(t, err)
		_, got := table.Version()
		assert.EqualValues(t, minor, got)
	}
}

func node(x capi.ExtensionType, size uintptr) *capi.ExtensionBase {
	return &capi.ExtensionBase{StructSize: size, Type: x}
}

func TestTheExtensionChainIsListedInItsOrder(t *testing.T) {
	f := newFake(t, 81, 118)
	unknown := node(57, 24)
	beyond := node(4000, 24)
	first := node(capi.ExtensionTypeStream, 40)
	again := node(capi.ExtensionTypeStream, 48)
	f.extend(again, beyond, unknown, first)
	table := f.table(t)
	require.NoError(t, table.ExtensionsErr())
	assert.Equal(t, []capi.Extension{
		{Type: capi.ExtensionTypeStream, Size: 40, Node: first},
		{Type: 57, Size: 24, Node: unknown},
		{Type: 4000, Size: 24, Node: beyond},
		{Type: capi.ExtensionTypeStream, Size: 48, Node: again},
	}, table.Extensions())
	assert.Same(t, first, table.Extension(capi.ExtensionTypeStream).Node)
	assert.Nil(t, table.Extension(capi.ExtensionTypeFFI))
}

func TestABrokenExtensionChainEndsWhereItBreaks(t *testing.T) {
	cases := map[string]struct {
		chain func() *capi.ExtensionBase
		nodes int
		want  string
	}{
		"circle": {func() *capi.ExtensionBase {
			a, b := node(50, 40), node(51, 40)
			a.Next, b.Next = b, a
			return a
		}, 2, "runs in a circle: node 2 was there before"},
		"self": {func() *capi.ExtensionBase { a := node(50, 40); a.Next = a; return a }, 1, "runs in a circle"},
		"too long": {func() *capi.ExtensionBase {
			var head *capi.ExtensionBase
			for range 300 {
				n := node(50, 40)
				n.Next = head
				head = n
			}
			return head
		}, 256, "more than 256 nodes"},
		"no size":     {func() *capi.ExtensionBase { return node(50, 0) }, 0, "states the size 0"},
		"absurd size": {func() *capi.ExtensionBase { a := node(50, 40); a.Next = node(51, 1<<40); return a }, 1, "node 1 of the extension chain states the size 1099511627776"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, 81, 118)
			f.api.ExtensionStart = c.chain()
			table := f.table(t)
			assert.Len(t, table.Extensions(), c.nodes)
			assert.ErrorContains(t, table.ExtensionsErr(), c.want)
		})
	}
}

var stream = entryOf(func(a *capi.GetStreamForExternalReadyEventsArgs) uintptr { a.Stream = 42; return 0 })

func TestFunctionsOfAnExtensionAreFoundByTheirArguments(t *testing.T) {
	x := &capi.StreamExtension{GetStream: stream()}
	x.Base = *node(capi.ExtensionTypeStream, unsafe.Sizeof(*x))
	table := newFake(t, 81, 118).extend(&x.Base).table(t)
	var c capi.Call[capi.GetStreamForExternalReadyEventsArgs]
	require.NoError(t, c.Do(table))
	assert.EqualValues(t, 42, c.Args.Stream)

	short := &capi.StreamExtension{GetStream: stream()}
	short.Base = *node(capi.ExtensionTypeStream, 24)
	table = newFake(t, 81, 118).extend(&short.Base).table(t)
	assert.ErrorContains(t, c.Do(table), "offers the extension Stream without this function")
}
