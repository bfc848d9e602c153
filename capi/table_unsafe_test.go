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
		"other order":             {version(24, 0, 56), capi.ErrTooOld, "it has API 0.56, whose functions are in a different order"},
		"no version yet":          {version(0x7f0012345678, 0, 0), capi.ErrTooOld, "has no API version"},
		"no version, no function": {version(0, 0x12345678, 0x7f00), capi.ErrTooOld, "has no API version"},
		"no functions at all":     {version(0, 0, 0), capi.ErrTooOld, "has no API version"},
		"pointers after null":     {version(0, 0, 0x7f00), capi.ErrTooOld, "has no API version"},
		"too small for a version": {tiny, capi.ErrTableSize, "its table of 24 bytes has no API version"},
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
		for _, size := range []uintptr{24, 0, 8} { // some plugins leave it 0, and other clients do not look
			table, err := capi.NewTable(version(size, 0, minor))
			require.NoError(t, err)
			_, got := table.Version()
			assert.EqualValues(t, minor, got)
		}
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
		}, 2, "is circular: node 2 occurred before"},
		"self": {func() *capi.ExtensionBase { a := node(50, 40); a.Next = a; return a }, 1, "is circular"},
		"too long": {func() *capi.ExtensionBase {
			var head *capi.ExtensionBase
			for range 300 {
				n := node(50, 40)
				n.Next = head
				head = n
			}
			return head
		}, 256, "more than 256 nodes"},
		"short":       {func() *capi.ExtensionBase { return node(50, 8) }, 0, "has the impossible size 8"},
		"absurd size": {func() *capi.ExtensionBase { a := node(50, 40); a.Next = node(51, 1<<40); return a }, 1, "node 1 of the extension chain has the impossible size 1099511627776"},
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

// A plugin that leaves the size of a node 0 works with clients that do not look at it.
func TestANodeWithoutASizeIsOneOfThePluginsVersion(t *testing.T) {
	x := &capi.LayoutsExtension{}
	x.Base = *node(capi.ExtensionTypeLayouts, 0)
	s := &capi.StreamExtension{GetStream: stream()}
	s.Base = *node(capi.ExtensionTypeStream, 0)
	u := node(55, 0)
	x.Base.Next, s.Base.Next, u.Next = &s.Base, u, node(56, 40)
	f := newFake(t, 81, 118)
	f.api.ExtensionStart = &x.Base
	table := f.table(t)
	require.ErrorContains(t, table.ExtensionsErr(), "node 0 of the extension chain has the impossible size 0; it counts as 72 bytes")
	var sizes []uintptr
	for _, x := range table.Extensions() {
		sizes = append(sizes, x.Size)
	}
	assert.Equal(t, []uintptr{72, capi.StreamExtensionSize, capi.ExtensionBaseSize, 40}, sizes, "API 0.81 had six functions of Layouts")
	var c capi.Call[capi.GetStreamForExternalReadyEventsArgs]
	require.NoError(t, c.Do(table))
	assert.EqualValues(t, 42, c.Args.Stream)
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

// vendorArgs are the arguments of a function of an unknown extension.
type vendorArgs struct {
	StructSize uintptr
	In         int64
	Out        int64 // out
}

func (*vendorArgs) Function() *capi.Function { return &vendorFunction }

var vendorFunction = capi.Function{
	Name: "Vendor_Double", Section: capi.SectionNode, Offset: unsafe.Sizeof(capi.ExtensionBase{}),
	Size: unsafe.Sizeof(vendorArgs{}), Zero: []capi.Span{{Offset: unsafe.Offsetof(vendorArgs{}.Out), Size: 8}},
}

var vendorFailure = &fakeError{code: capi.ErrorCodeOutOfRange, message: "too large"}

var vendorDouble = entryOf(func(a *vendorArgs) uintptr {
	if a.In > 100 {
		return uintptr(unsafe.Pointer(vendorFailure))
	}
	a.Out += 2 * a.In
	return 0
})

func TestUnknownExtensionsCanBeCalled(t *testing.T) {
	type vendorNode struct {
		capi.ExtensionBase
		double uintptr
	}
	for _, x := range []capi.ExtensionType{57, 4000} {
		whole := &vendorNode{ExtensionBase: *node(x, unsafe.Sizeof(vendorNode{})), double: vendorDouble()}
		table := newFake(t, 81, 118).withErrors().extend(&whole.ExtensionBase).table(t)
		vendor, err := table.ExtensionTable(x)
		require.NoError(t, err)
		major, minor := vendor.Version()
		assert.Equal(t, [2]int{0, 81}, [2]int{major, minor})
		c := capi.Call[vendorArgs]{Args: vendorArgs{In: 21, Out: 5}}
		require.NoError(t, c.Do(vendor))
		assert.EqualValues(t, 42, c.Args.Out, "the out field is cleared before the call")
		assert.Equal(t, vendorFunction.Size, c.Args.StructSize)

		c.Args.In = 101
		before := vendorFailure.destroyed
		err = c.Do(vendor)
		require.ErrorIs(t, err, capi.ErrorCodeOutOfRange)
		assert.EqualError(t, err, "Vendor_Double: OUT_OF_RANGE: too large")
		assert.Equal(t, before+1, vendorFailure.destroyed)

		before = vendorFailure.destroyed
		h, err := c.Raw(vendor)
		require.NoError(t, err)
		require.ErrorIs(t, vendor.TakeError(h), capi.ErrorCodeOutOfRange, "the plugin's own functions read the error")
		assert.Equal(t, before+1, vendorFailure.destroyed)

		err = c.Do(table)
		require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
		assert.ErrorContains(t, err, "is called with the table that Table.ExtensionTable returns", "no slot of the core table")
		assert.False(t, table.HasSection(capi.SectionNode))

		_, err = table.ExtensionTable(58)
		require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
		assert.ErrorContains(t, err, "does not offer the extension ExtensionType(58)")

		short := &vendorNode{ExtensionBase: *node(x, unsafe.Sizeof(capi.ExtensionBase{})), double: vendorDouble()}
		vendor, err = newFake(t, 81, 118).extend(&short.ExtensionBase).table(t).ExtensionTable(x)
		require.NoError(t, err)
		err = c.Do(vendor)
		require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
		assert.ErrorContains(t, err, "without this function", "memory after the node is not a slot")
	}
	_, err := (*capi.Table)(nil).ExtensionTable(57)
	require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
	assert.False(t, (*capi.Table)(nil).HasSection(capi.SectionCore))
}
