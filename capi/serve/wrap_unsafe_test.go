// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// wrap wraps real until the test ends.
func wrap(t testing.TB, real *capi.Table, hooks ...serve.Hook) *capi.Table {
	t.Helper()
	s, err := serve.Wrap(real, hooks...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.Capi()
}

// pass returns a hook that only forwards.
func pass() serve.Hook { return serve.AroundAll(func(c *serve.Invocation) { c.Forward() }) }

func TestHooksRunInTheirOrderAroundTheCall(t *testing.T) {
	var order []string
	real := table(t, &serve.Plugin{ClientProcessIndex: func(a *capi.ClientProcessIndexArgs) error {
		order = append(order, "plugin")
		a.ProcessIndex = 1
		return nil
	}})
	around := func(name string) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *capi.ClientProcessIndexArgs) {
			order = append(order, name)
			c.Forward()
			order = append(order, name+" after")
			a.ProcessIndex *= 10
		})
	}
	tab := wrap(t, real, around("a"), around("b"), serve.AroundAll(func(c *serve.Invocation) {
		order = append(order, c.Function().Name)
		assert.Equal(t, capi.ClientProcessIndexArgsSize, int(c.Size()))
		assert.Same(t, real, c.Table())
		c.Forward()
	}))
	var c capi.Call[capi.ClientProcessIndexArgs]
	require.NoError(t, c.Do(tab))
	assert.EqualValues(t, 100, c.Args.ProcessIndex)
	assert.Equal(t, []string{"a", "b", "PJRT_Client_ProcessIndex", "plugin", "b after", "a after"}, order)
}

func TestAHookMayAnswerOrFailInstead(t *testing.T) {
	real := table(t, &serve.Plugin{PluginInitialize: func(*capi.PluginInitializeArgs) error {
		return &capi.Error{Code: capi.ErrorCodeAborted, Message: "the plugin's", Payloads: []capi.Payload{{Key: "k", Value: []byte("v")}}}
	}})
	var do func(c *serve.Invocation)
	tab := wrap(t, real, serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) { do(c) }))
	for name, step := range map[string]struct {
		do   func(c *serve.Invocation)
		want string // "" for success
	}{
		"forward": {func(c *serve.Invocation) { c.Forward() }, "PJRT_Plugin_Initialize: ABORTED: the plugin's"},
		"nothing": {func(*serve.Invocation) {}, ""},
		"fail":    {func(c *serve.Invocation) { c.Fail(capi.ErrorCodeDataLoss, "lost %d", 3) }, "PJRT_Plugin_Initialize: DATA_LOSS: lost 3"},
		"fail after": {func(c *serve.Invocation) {
			c.Forward()
			c.Fail(capi.ErrorCodeDataLoss, "lost")
		}, "PJRT_Plugin_Initialize: DATA_LOSS: lost"},
		"succeed after": {func(c *serve.Invocation) {
			c.Forward()
			c.FailWith(nil)
		}, ""},
		"again": {func(c *serve.Invocation) {
			c.Forward()
			c.Forward()
		}, "PJRT_Plugin_Initialize: ABORTED: the plugin's"},
		"own error": {func(c *serve.Invocation) { c.SetErr(serve.NewError(capi.ErrorCodeNotFound)) }, "PJRT_Plugin_Initialize: NOT_FOUND: NOT_FOUND"},
		"read and keep": {func(c *serve.Invocation) {
			c.Forward()
			e := c.ReadErr()
			assert.Equal(t, "the plugin's", e.Message)
			assert.Equal(t, capi.ErrorCodeAborted, e.Code)
			assert.Equal(t, "PJRT_Plugin_Initialize", e.Func)
			assert.Equal(t, []capi.Payload{{Key: "k", Value: []byte("v")}}, e.Payloads)
		}, "PJRT_Plugin_Initialize: ABORTED: the plugin's"},
		"panic": {func(c *serve.Invocation) {
			c.Forward()
			panic("a hook broke")
		}, "PJRT_Plugin_Initialize: INTERNAL: panic in PJRT_Plugin_Initialize: a hook broke"},
	} {
		do = step.do
		err := initialize(tab)
		if step.want == "" {
			assert.NoError(t, err, name)
		} else {
			require.Error(t, err, name)
			assert.Equal(t, step.want, err.Error()[:min(len(err.Error()), len(step.want))], name)
		}
		assert.Zero(t, serve.LiveErrors(), name)
	}
}

func TestFunctionsWithoutHooksAreCalledDirectly(t *testing.T) {
	real := table(t, everything())
	tab := wrap(t, real, serve.Around(func(c *serve.Invocation, _ *capi.ClientDevicesArgs) { c.Forward() }),
		serve.Around(func(c *serve.Invocation, _ *capi.TritonCompileArgs) { c.Forward() }))
	var changed []string
	for _, f := range allFunctions() {
		if slotOf(t, tab, f) != slotOf(t, real, f) {
			changed = append(changed, f.Name)
		}
	}
	assert.Equal(t, []string{
		"PJRT_Error_Destroy", "PJRT_Error_Message", "PJRT_Error_GetCode", "PJRT_Client_Devices", "PJRT_Error_ForEachPayload",
		"PLUGIN_Profiler_Error_Destroy", "PLUGIN_Profiler_Error_Message", "PLUGIN_Profiler_Error_GetCode", "PJRT_Triton_Compile",
	}, changed)
	none := wrap(t, real)
	for _, f := range allFunctions() {
		assert.Equal(t, slotOf(t, real, f), slotOf(t, none, f), f.Name)
	}
}

func TestEveryFunctionOfEachAgePassesThroughAllHooks(t *testing.T) {
	for _, minor := range minors() {
		t.Run(fmt.Sprint(minor), func(t *testing.T) {
			p := everything()
			p.Minor = minor
			real := table(t, p)
			var seen []*capi.Function
			tab := wrap(t, real, pass(), serve.AroundAll(func(c *serve.Invocation) {
				seen = append(seen, c.Function())
				c.Forward()
			}))
			assert.Equal(t, real.API().StructSize, tab.API().StructSize)
			assert.Equal(t, real.API().PJRTAPIVersion, tab.API().PJRTAPIVersion)
			require.Len(t, tab.Extensions(), len(real.Extensions()))
			var want []*capi.Function
			for _, f := range allFunctions() {
				require.Equal(t, real.Has(f), tab.Has(f), f.Name)
				if !real.Has(f) {
					continue
				}
				want = append(want, f)
				if h := rawCall(t, tab, f, (&words{f.Size}).args()); h != nil {
					refused(t, h)
				}
			}
			assert.Equal(t, want, seen)
		})
	}
}

// newer is a table that is newer than this package, with a slot after the last known one and with
// unknown nodes.
type newer struct {
	api  capi.API
	slot uintptr
	node struct {
		capi.ExtensionBase
		data [5]uintptr
	}
}

func TestWhatIsNewerThanThisPackagePassesUntouched(t *testing.T) {
	base := table(t, new(serve.Plugin))
	n := &newer{api: *base.API(), slot: 0x1234}
	n.api.StructSize = unsafe.Offsetof(n.slot) + 8
	n.api.PJRTAPIVersion.MinorVersion = capi.APIMinor + 5
	n.node.StructSize, n.node.Type, n.node.data = unsafe.Sizeof(n.node), 4711, [5]uintptr{1, 2, 3, 4, 5}
	second := capi.LayoutsExtension{Base: capi.ExtensionBase{StructSize: capi.LayoutsExtensionSize, Type: capi.ExtensionTypeLayouts},
		LayoutsMemoryLayoutDestroy: 0x99}
	n.api.ExtensionStart, n.node.Next = &n.node.ExtensionBase, &second.Base
	real, err := capi.NewTable(&n.api, capi.Reentrant())
	require.NoError(t, err)

	tab := wrap(t, real, pass())
	_, minor := tab.Version()
	assert.Equal(t, capi.APIMinor+5, minor)
	api := (*newer)(unsafe.Pointer(tab.API()))
	assert.Equal(t, n.api.StructSize, api.api.StructSize)
	assert.EqualValues(t, 0x1234, *(*uintptr)(unsafe.Add(unsafe.Pointer(tab.API()), unsafe.Offsetof(n.slot))))
	require.Len(t, tab.Extensions(), 2)
	node := tab.Extension(4711)
	require.NotNil(t, node)
	assert.NotSame(t, &n.node.ExtensionBase, node.Node, "its link must not be that of the real chain")
	assert.Equal(t, n.node.data, *(*[5]uintptr)(unsafe.Add(unsafe.Pointer(node.Node), unsafe.Sizeof(capi.ExtensionBase{}))))
	layouts := tab.Extension(capi.ExtensionTypeLayouts)
	assert.NotEqual(t, second.LayoutsMemoryLayoutDestroy, (*capi.LayoutsExtension)(unsafe.Pointer(layouts.Node)).LayoutsMemoryLayoutDestroy)
	assert.Zero(t, (*capi.LayoutsExtension)(unsafe.Pointer(layouts.Node)).LayoutsClientGetDefaultLayout, "a null slot stays null")
	assert.Same(t, &second.Base, n.node.Next, "the real chain is unchanged")
}

func TestARepeatedNodeIsNotWrapped(t *testing.T) {
	node := func(slot uintptr) *capi.TritonExtension {
		return &capi.TritonExtension{Base: capi.ExtensionBase{StructSize: capi.TritonExtensionSize, Type: capi.ExtensionTypeTriton},
			Compile: slot}
	}
	first, second := node(0x10), node(0x20)
	real := table(t, &serve.Plugin{Nodes: []*capi.ExtensionBase{&first.Base, &second.Base}})
	tab := wrap(t, real, pass())
	require.Len(t, tab.Extensions(), 2)
	slot := func(i int) uintptr { return (*capi.TritonExtension)(unsafe.Pointer(tab.Extensions()[i].Node)).Compile }
	assert.NotEqual(t, uintptr(0x10), slot(0))
	assert.Equal(t, uintptr(0x20), slot(1))
}

func TestAnUnknownNodeIsNotTakenForAKnownOne(t *testing.T) {
	for _, unknown := range []capi.ExtensionType{-5, 60, 62, 64, 256, 4711} {
		n := &capi.GPUCustomCall{Base: capi.ExtensionBase{StructSize: capi.GPUCustomCallSize, Type: unknown}, CustomCall: 0x77}
		real := table(t, &serve.Plugin{GPU: new(serve.GPUCustomCall), Nodes: []*capi.ExtensionBase{&n.Base}})
		tab := wrap(t, real, pass())
		x := tab.Extension(unknown)
		require.NotNil(t, x, unknown)
		assert.EqualValues(t, 0x77, (*capi.GPUCustomCall)(unsafe.Pointer(x.Node)).CustomCall, unknown)
	}
}

func TestABrokenChainEndsWhereItBreaks(t *testing.T) {
	a := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize, Type: 5000}
	b := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize, Type: 5001}
	real := table(t, &serve.Plugin{Nodes: []*capi.ExtensionBase{a, b}})
	b.Next = a
	circle, err := capi.NewTable(real.API(), capi.Reentrant())
	require.NoError(t, err)
	require.Error(t, circle.ExtensionsErr())
	tab := wrap(t, circle, pass())
	assert.NoError(t, tab.ExtensionsErr())
	assert.Len(t, tab.Extensions(), 2)
}

func TestATypedHookOfAnOlderCallerGetsAWholeStruct(t *testing.T) {
	real := table(t, &serve.Plugin{Minor: 112, DeviceMemoryStats: func(a *capi.DeviceMemoryStatsArgs) error {
		a.BytesInUse += 100
		return nil
	}})
	tab := wrap(t, real, serve.Around(func(c *serve.Invocation, a *capi.DeviceMemoryStatsArgs) {
		assert.EqualValues(t, 185, a.StructSize)
		assert.EqualValues(t, 185, c.Size())
		assert.Zero(t, a.PeakAllocatedBytes)
		a.BytesInUse, a.PeakAllocatedBytes = 1, 2
		c.Forward()
		assert.EqualValues(t, 101, a.BytesInUse, "the plugin saw the change, and the hook sees the result")
		a.BytesInUse = 55
	}))
	w := new(words)
	for i := range w {
		w[i] = ^uintptr(0)
	}
	w[0], w[1] = 185, 0
	require.Nil(t, rawCall(t, tab, (*capi.DeviceMemoryStatsArgs)(nil).Function(), w.args()))
	assert.EqualValues(t, 55, (*capi.DeviceMemoryStatsArgs)(w.args()).BytesInUse)
	assert.Equal(t, ^uintptr(0), w[24], "after the caller's struct")
}

func TestATypedHookDoesNotSeeNullArgs(t *testing.T) {
	tab := wrap(t, table(t, new(serve.Plugin)), serve.Around(func(*serve.Invocation, *capi.PluginInitializeArgs) {
		assert.Fail(t, "the hook was called")
	}))
	e := refused(t, rawCall(t, tab, (*capi.PluginInitializeArgs)(nil).Function(), nil))
	assert.Contains(t, e.Message, "the args of PJRT_Plugin_Initialize are null")
}

func TestAFunctionThatReturnsNothingDoesNotFail(t *testing.T) {
	tab := wrap(t, table(t, &serve.Plugin{PhaseCompile: new(serve.PhaseCompileExtension)}),
		serve.Around(func(c *serve.Invocation, _ *capi.PhaseCompileDestroyCompilerArgs) {
			c.Fail(capi.ErrorCodeInternal, "cannot be reported")
			c.SetErr(new(capi.ErrorHandle))
			assert.Nil(t, c.Err())
			c.Forward()
		}))
	require.NoError(t, new(capi.Call[capi.PhaseCompileDestroyCompilerArgs]).Do(tab))
	assert.Zero(t, serve.LiveErrors())
}

func TestTheProfilersErrorsComeFromWhoMadeThem(t *testing.T) {
	real := table(t, &serve.Plugin{Profiler: &serve.ProfilerAPI{Start: func(*capi.ProfilerStartArgs) error {
		return &capi.Error{Code: capi.ErrorCodeAborted, Message: "the plugin's"}
	}}})
	tab := wrap(t, real, serve.Around(func(c *serve.Invocation, _ *capi.ProfilerStopArgs) { c.Fail(capi.ErrorCodeDataLoss, "the hook's") }),
		serve.Around(func(c *serve.Invocation, _ *capi.ProfilerStartArgs) {
			c.Forward()
			assert.Equal(t, "the plugin's", c.ReadErr().Message)
			c.Forward()
		}))
	assert.EqualError(t, new(capi.Call[capi.ProfilerStopArgs]).Do(tab), "PLUGIN_Profiler_Stop: DATA_LOSS: the hook's")
	assert.EqualError(t, new(capi.Call[capi.ProfilerStartArgs]).Do(tab), "PLUGIN_Profiler_Start: ABORTED: the plugin's")
	assert.Zero(t, serve.LiveErrors())
}

func TestWrapRefusesWhatItCannotWrap(t *testing.T) {
	real := table(t, new(serve.Plugin))
	_, err := serve.Wrap(nil)
	assert.ErrorContains(t, err, "needs the table of a PJRT plugin")
	_, err = serve.Wrap(capi.NewForeignTable(nil, 0, nil))
	assert.ErrorContains(t, err, "needs the table of a PJRT plugin")
	_, err = serve.Wrap(real, pass(), serve.Around(func(*serve.Invocation, *int) {}))
	assert.ErrorContains(t, err, "hook 1: int is not the args struct of a PJRT function")
	_, err = serve.Wrap(real, serve.AroundAll(nil))
	assert.ErrorContains(t, err, "hook 0: its func is nil")
	_, err = serve.Wrap(real, serve.Around[capi.ClientDevicesArgs](nil))
	assert.ErrorContains(t, err, "hook 0: its func is nil")
	_, err = serve.Wrap(real, serve.Hook{})
	assert.ErrorContains(t, err, "hook 0: its func is nil")
	huge := *real.API()
	huge.StructSize = 1 << 40
	tab, err := capi.NewTable(&huge)
	require.NoError(t, err)
	_, err = serve.Wrap(tab)
	assert.ErrorContains(t, err, "1099511627776 bytes")
}

func TestATableMayBeWrappedTwice(t *testing.T) {
	real := table(t, numbered(3))
	for range 5 {
		real = wrap(t, real, serve.Around(func(c *serve.Invocation, a *capi.ClientProcessIndexArgs) {
			c.Forward()
			a.ProcessIndex++
		}), pass())
	}
	var c capi.Call[capi.ClientProcessIndexArgs]
	require.NoError(t, c.Do(real))
	assert.EqualValues(t, 8, c.Args.ProcessIndex)
	assert.ErrorIs(t, new(capi.Call[capi.ClientDevicesArgs]).Do(real), capi.ErrorCodeUnimplemented)
	assert.Zero(t, serve.LiveErrors())
}

func TestHooksCanGrowTheirStackDuringACallFromC(t *testing.T) {
	var deep func(n int) int
	deep = func(n int) int {
		var pad [512]byte
		if n == 0 {
			return int(pad[0])
		}
		return deep(n-1) + int(pad[n%512])
	}
	tab := wrap(t, table(t, numbered(3)), serve.AroundAll(func(c *serve.Invocation) {
		deep(200)
		c.Forward()
		deep(400)
	}))
	done := make(chan int32)
	go func() { done <- askNumber(t, tab) }() // a fresh, small stack
	assert.EqualValues(t, 3, <-done)
}

func TestServedCallsAllocateNothing(t *testing.T) {
	real := table(t, numbered(3))
	for name, tab := range map[string]*capi.Table{"served": real, "wrapped": wrap(t, real, pass(), pass())} {
		c := new(capi.Call[capi.ClientProcessIndexArgs])
		allocs := testing.AllocsPerRun(500, func() { _ = c.Do(tab) })
		assert.Zero(t, allocs, name)
	}
}

func TestWrappingAddsNoSlotToTheTable(t *testing.T) {
	old := table(t, &serve.Plugin{Minor: 57})
	tab := wrap(t, old, serve.Around(func(c *serve.Invocation, _ *capi.ClientLoadArgs) { c.Forward() }))
	assert.False(t, tab.Has((*capi.ClientLoadArgs)(nil).Function()))
	assert.Empty(t, tab.Extensions())
}
