// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

var sawPlatformName struct {
	structSize uintptr
	outs       [2]uintptr
	client     *capi.Client
}

var platformName = entryOf(func(a *capi.ClientPlatformNameArgs) uintptr {
	sawPlatformName.structSize = a.StructSize
	sawPlatformName.outs = [2]uintptr{uintptr(unsafe.Pointer(a.PlatformName)), a.PlatformNameSize}
	sawPlatformName.client = a.Client
	a.PlatformName, a.PlatformNameSize = capi.StringData("stub")
	return 0
})

var entryReturningZero = entryOf(func(*uintptr) uintptr { return 0 })

func TestDoSetsTheSizeClearsTheOutFieldsAndCalls(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).set(function[capi.ClientPlatformNameArgs](), platformName()).table(t)
	var c capi.Call[capi.ClientPlatformNameArgs]
	client := new(capi.Client)
	for range 3 {
		c.Args.StructSize = 3
		c.Args.Client = client
		c.Args.PlatformName, c.Args.PlatformNameSize = capi.StringData("left over from an earlier call")
		require.NoError(t, c.Do(table))
		assert.Equal(t, capi.ClientPlatformNameArgsSize, int(sawPlatformName.structSize))
		assert.Equal(t, [2]uintptr{}, sawPlatformName.outs)
		assert.Same(t, client, sawPlatformName.client)
		assert.Equal(t, "stub", capi.String(c.Args.PlatformName, c.Args.PlatformNameSize))
	}
}

func TestACallThatIsMadeOnceReturnsItsArgsAlsoBesideAnError(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).withErrors().set(function[capi.ClientPlatformNameArgs](), platformName()).
		set(function[capi.ClientProcessIndexArgs](), failingEntry()).table(t)
	client := new(capi.Client)
	name, err := capi.Do(table, capi.ClientPlatformNameArgs{StructSize: 3, Client: client, PlatformNameSize: 77})
	require.NoError(t, err)
	assert.Equal(t, capi.ClientPlatformNameArgsSize, int(sawPlatformName.structSize))
	assert.Equal(t, [2]uintptr{}, sawPlatformName.outs)
	assert.Same(t, client, sawPlatformName.client)
	assert.Equal(t, "stub", capi.String(name.PlatformName, name.PlatformNameSize))

	failed, err := capi.Do(table, capi.ClientProcessIndexArgs{Client: client})
	require.ErrorIs(t, err, capi.ErrorCodeNotFound)
	assert.Same(t, client, failed.Client)
	missing, err := capi.Do(table, capi.BufferDeleteArgs{})
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	assert.NotNil(t, missing)
}

func TestRawSendsTheArgumentsUntouched(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).set(function[capi.ClientPlatformNameArgs](), platformName()).table(t)
	var c capi.Call[capi.ClientPlatformNameArgs]
	c.Args.StructSize = 3
	c.Args.PlatformNameSize = 77
	h, err := c.Raw(table)
	require.NoError(t, err)
	assert.Nil(t, h)
	assert.EqualValues(t, 3, sawPlatformName.structSize)
	assert.Equal(t, [2]uintptr{0, 77}, sawPlatformName.outs)
}

// Whatever a call remembers of its last use must not show with another table, in Raw, or with other
// arguments.
func TestACallServesSeveralTables(t *testing.T) {
	f := function[capi.ClientCreateArgs]()
	fake := newFake(t, capi.APIMinor, 138).set(f, entryReturningZero())
	table, old := fake.table(t), newFake(t, 57, 90).set(f, entryReturningZero()).table(t)
	empty := newFake(t, capi.APIMinor, 138).table(t)
	var c capi.Call[capi.ClientCreateArgs]
	for range 2 {
		require.NoError(t, c.Do(table))
		require.ErrorContains(t, c.Do(table.Checked()), "left the result client null")
		require.ErrorIs(t, c.Do(empty), capi.ErrorCodeUnimplemented)
		require.NoError(t, c.Do(table))

		c.Args.KVTryGetCallback = 1
		require.ErrorContains(t, c.Do(old), "the field kv_try_get_callback is set, which came with API")
		require.NoError(t, c.Do(table), "the newer plugin knows the field")
		c.Args = capi.ClientCreateArgs{Client: new(capi.Client)}
		require.NoError(t, c.Do(old))
		assert.Equal(t, capi.ClientCreateArgsSize, int(c.Args.StructSize), "of arguments that replaced the others")
		assert.Nil(t, c.Args.Client)

		c.Args.StructSize = 3
		_, err := c.Raw(empty)
		require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
		h, err := c.Raw(table)
		require.NoError(t, err)
		assert.Nil(t, h)
		assert.EqualValues(t, 3, c.Args.StructSize)
		require.ErrorIs(t, c.Do(nil), capi.ErrorCodeInvalidArgument)
	}
}

var entryMakingAClient = entryOf(func(a *capi.ClientCreateArgs) uintptr { a.Client = new(capi.Client); return 0 })

func TestACallOfOneTableAfterARawCallOfAnotherReachesTheFirst(t *testing.T) {
	f := function[capi.ClientCreateArgs]()
	table := newFake(t, capi.APIMinor, 138).set(f, entryReturningZero()).table(t)
	other := newFake(t, capi.APIMinor, 138).set(f, entryMakingAClient()).table(t)
	var c capi.Call[capi.ClientCreateArgs]
	require.NoError(t, c.Do(table))
	_, err := c.Raw(other)
	require.NoError(t, err)
	assert.NotNil(t, c.Args.Client)
	require.NoError(t, c.Do(table))
	assert.Nil(t, c.Args.Client)
	require.NoError(t, c.Do(other))
	assert.NotNil(t, c.Args.Client)
}

// wideArgs has more than one span of out fields, and a long one.
type wideArgs struct {
	StructSize uintptr
	First      [3]byte // out
	In         [5]byte
	Long       [300]byte // out
}

func (*wideArgs) Function() *capi.Function { return &wideFunction }

var wideFunction = capi.Function{
	Name: "Wide", Offset: slotsStart, Size: unsafe.Sizeof(wideArgs{}), Zero: []capi.Span{
		{Offset: unsafe.Offsetof(wideArgs{}.First), Size: 3}, {Offset: unsafe.Offsetof(wideArgs{}.Long), Size: 300},
	},
}

func TestOutFieldsAreClearedWhereverTheyAre(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).set(&wideFunction, entryReturningZero()).table(t)
	var c capi.Call[wideArgs]
	for range 2 {
		c.Args.StructSize = 3
		c.Args.First, c.Args.In = [3]byte{1, 2, 3}, [5]byte{1, 2, 3, 4, 5}
		c.Args.Long[0], c.Args.Long[299] = 1, 1
		require.NoError(t, c.Do(table))
		assert.Equal(t, wideArgs{StructSize: unsafe.Sizeof(wideArgs{}), In: [5]byte{1, 2, 3, 4, 5}}, c.Args)
	}
}

func TestBeforeIsCalledAheadOfEachCall(t *testing.T) {
	api := newFake(t, capi.APIMinor, 138).set(function[capi.ClientPlatformNameArgs](), platformName()).table(t).API()
	var told []string
	table, err := capi.NewTable(api, capi.Reentrant(), capi.Before(func(f *capi.Function) {
		told = append(told, f.Name)
		sawPlatformName.structSize = 0
	}))
	require.NoError(t, err)
	var c capi.Call[capi.ClientPlatformNameArgs]
	for range 2 {
		require.NoError(t, c.Do(table))
		assert.NotZero(t, sawPlatformName.structSize, "the function is called after the hook")
	}
	_, err = c.Raw(table)
	require.NoError(t, err)
	assert.Equal(t, []string{"PJRT_Client_PlatformName", "PJRT_Client_PlatformName", "PJRT_Client_PlatformName"}, told)
	var missing capi.Call[capi.ClientCreateArgs]
	assert.Error(t, missing.Do(table))
	assert.Len(t, told, 3, "a function that the plugin lacks is not called")
}

var failing fakeError

var failingEntry = entryOf(func(a *capi.ClientProcessIndexArgs) uintptr {
	failing = fakeError{code: capi.ErrorCodeNotFound, message: "no such client\n"}
	return uintptr(unsafe.Pointer(&failing))
})

func TestAPluginsErrorBecomesAGoErrorAndIsDestroyedOnce(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).withErrors().set(function[capi.ClientProcessIndexArgs](), failingEntry()).table(t)
	var c capi.Call[capi.ClientProcessIndexArgs]
	for range 2 {
		err := c.Do(table)
		var e *capi.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, capi.Error{Code: capi.ErrorCodeNotFound, Message: "no such client\n", Func: "PJRT_Client_ProcessIndex"}, *e)
		assert.EqualError(t, err, "PJRT_Client_ProcessIndex: NOT_FOUND: no such client")
		assert.ErrorIs(t, err, capi.ErrorCodeNotFound)
		assert.False(t, errors.Is(err, capi.ErrorCodeInternal))
		assert.Equal(t, 1, failing.destroyed)
	}
}

func TestTheResultOfAFunctionThatReturnsNothingIsNotRead(t *testing.T) {
	table := newFake(t, capi.APIMinor, 138).withErrors().table(t)
	var c capi.Call[capi.ErrorDestroyArgs]
	c.Args.Error = (&fakeError{}).handle()
	for range 2 {
		assert.NoError(t, c.Do(table), "the result register holds garbage after a void function")
	}
	h, err := c.Raw(table)
	assert.NoError(t, err)
	assert.Nil(t, h)
}

func TestAFunctionThePluginLacksIsANamedError(t *testing.T) {
	old := newFake(t, 60, 103).table(t)
	// Memory after the end of the plugin's table must not be read.
	old.API().BufferBitcast = 0xbad
	cases := map[string]struct {
		table *capi.Table
		call  interface{ Do(*capi.Table) error }
		want  string
	}{
		"beyond the table": {old, new(capi.Call[capi.BufferBitcastArgs]),
			"PJRT_Buffer_Bitcast: UNIMPLEMENTED: the plugin does not have this function: it came with API 0.9"},
		"null slot": {old, new(capi.Call[capi.ClientDevicesArgs]),
			"PJRT_Client_Devices: UNIMPLEMENTED: the plugin does not have this function, which every version of the API has"},
		"absent extension": {old, new(capi.Call[capi.LayoutsMemoryLayoutDestroyArgs]),
			"PJRT_Layouts_MemoryLayout_Destroy: UNIMPLEMENTED: the plugin (API 0.60) does not offer the extension Layouts"},
		"absent profiler": {old, new(capi.Call[capi.ProfilerCreateArgs]),
			"PLUGIN_Profiler_Create: UNIMPLEMENTED: the plugin (API 0.60) does not offer the extension Profiler"},
		"nil table": {nil, new(capi.Call[capi.ClientDevicesArgs]),
			"PJRT_Client_Devices: INVALID_ARGUMENT: no plugin: the table is nil"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.call.Do(c.table)
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "got %q", err)
			var e *capi.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.table != nil, e.Missing)
		})
	}
	assert.ErrorContains(t, new(capi.Call[capi.BufferBitcastArgs]).Do(old), "and the plugin has API 0.60")
}

var executeCalled int

var execute = entryOf(func(a *capi.LoadedExecutableExecuteArgs) uintptr { executeCalled++; return 0 })

func TestAnInputFieldThatThePluginDoesNotKnowIsRefusedWhenSet(t *testing.T) {
	old := newFake(t, 60, 103).set(function[capi.LoadedExecutableExecuteArgs](), execute()).table(t)
	options := &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	var c capi.Call[capi.LoadedExecutableExecuteArgs]
	c.Args.Options = options
	executeCalled = 0
	require.NoError(t, c.Do(old), "newer fields may be unset")
	options.NumHLOOutputCallbacks = 1
	err := c.Do(old)
	require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
	assert.ErrorContains(t, err, "PJRT_LoadedExecutable_Execute: UNIMPLEMENTED: the field PJRT_ExecuteOptions.num_hlo_output_callbacks is set, which came with API 0.")
	assert.ErrorContains(t, err, "the plugin has API 0.60")
	assert.Equal(t, 1, executeCalled)
	options.NumHLOOutputCallbacks = 0
	require.NoError(t, c.Do(old))
	assert.Equal(t, 2, executeCalled)
	options.NumHLOOutputCallbacks = 1
	newest := newFake(t, capi.APIMinor, 138).set(function[capi.LoadedExecutableExecuteArgs](), execute()).table(t)
	require.NoError(t, c.Do(newest))
	assert.Equal(t, 3, executeCalled)
}

// A sequence that is used again knows which fields to look at. Each byte of each of them counts.
func TestEachNewerFieldIsRefusedAgain(t *testing.T) {
	f := function[capi.LoadedExecutableExecuteArgs]()
	c := new(capi.Call[capi.LoadedExecutableExecuteArgs])
	s := new(capi.Sequence)
	s.Add(c)
	for _, minor := range []int{57, 77, capi.APIMinor - 1} {
		old := newFake(t, minor, 138).set(f, execute()).table(t)
		do := func() error {
			err := c.Do(old)
			_, err2 := s.Do(old)
			require.Equal(t, err, err2)
			return err
		}
		options := &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
		refuses := func(args unsafe.Pointer, g capi.Gate) {
			for at := range g.Size {
				b := (*byte)(unsafe.Add(args, g.Offset+at))
				was := *b
				*b = 1
				err := do()
				*b = was
				if g.Since > minor {
					require.ErrorContains(t, err, g.Name+" is set, which came with API", "byte %d, API 0.%d", at, minor)
				} else {
					require.NoError(t, err, g.Name)
				}
				require.NoError(t, do())
			}
		}
		c.Args.Options = nil
		require.NoError(t, do(), "without options")
		c.Args.Options = options
		require.NoError(t, do())
		for _, g := range f.Gated {
			refuses(unsafe.Pointer(&c.Args), g)
		}
		require.NotEmpty(t, f.Nested)
		for _, g := range f.Nested[0].Gated {
			refuses(unsafe.Pointer(options), g)
		}
	}
}

func TestACallWithoutAnArgsStructPanicsWithItsType(t *testing.T) {
	assert.PanicsWithValue(t, "capi: int is not the args struct of a PJRT function", func() {
		new(capi.Call[int]).Function()
	})
}
