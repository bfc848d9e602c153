// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// foreign is a plugin with its own type of errors. PJRT_Plugin_Initialize and PLUGIN_Profiler_Start
// always fail. It counts the errors that it has destroyed.
type foreign struct {
	api       capi.API
	node      capi.ProfilerExtension
	profiler  capi.ProfilerAPI
	error     [4]uintptr
	destroyed int
}

func newForeign(t testing.TB) (*foreign, *capi.Table) {
	t.Helper()
	x := new(foreign)
	x.api.StructSize = unsafe.Sizeof(x.api)
	x.api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MinorVersion: capi.APIMinor}
	x.api.ExtensionStart = &x.node.Base
	x.node = capi.ProfilerExtension{Base: capi.ExtensionBase{StructSize: capi.ProfilerExtensionSize, Type: capi.ExtensionTypeProfiler},
		ProfilerAPI: &x.profiler}
	x.profiler.StructSize = capi.ProfilerAPISize
	fail := purego.NewCallback(func(unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(&x.error) })
	x.api.PluginInitialize, x.profiler.Start = fail, fail
	mine := func(h unsafe.Pointer) { assert.Equal(t, unsafe.Pointer(&x.error), h, "an error of another plugin") }
	text := func(s string, message **byte, size *uintptr) { *message, *size = capi.StringData(s) }
	x.api.ErrorMessage = purego.NewCallback(func(a *capi.ErrorMessageArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		text("the plugin's own", &a.Message, &a.MessageSize)
		return 0
	})
	x.api.ErrorGetCode = purego.NewCallback(func(a *capi.ErrorGetCodeArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		a.Code = capi.ErrorCodeAborted
		return 0
	})
	x.api.ErrorDestroy = purego.NewCallback(func(a *capi.ErrorDestroyArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		x.destroyed++
		return 0
	})
	x.api.ErrorForEachPayload = purego.NewCallback(func(a *capi.ErrorForEachPayloadArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		key, keySize := capi.StringData("k")
		a.Visitor.Call(key, keySize, key, keySize, a.UserArg)
		return 0
	})
	x.profiler.ErrorMessage = purego.NewCallback(func(a *capi.ProfilerErrorMessageArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		text("the profiler's own", &a.Message, &a.MessageSize)
		return 0
	})
	x.profiler.ErrorGetCode = purego.NewCallback(func(a *capi.ProfilerErrorGetCodeArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		a.Code = int32(capi.ErrorCodeDataLoss)
		return 0
	})
	x.profiler.ErrorDestroy = purego.NewCallback(func(a *capi.ProfilerErrorDestroyArgs) uintptr {
		mine(unsafe.Pointer(a.Error))
		x.destroyed++
		return 0
	})
	tab, err := capi.NewTable(&x.api, capi.Reentrant())
	require.NoError(t, err)
	return x, tab
}

func TestErrorsOfTheWrappedPluginAreReadAndDestroyedByIt(t *testing.T) {
	x, real := newForeign(t)
	do := func(c *serve.Invocation) { c.Forward() }
	tab := wrap(t, real, pass(), serve.AroundAll(func(c *serve.Invocation) {
		if c.Function().Name == "PJRT_Plugin_Initialize" || c.Function().Name == "PLUGIN_Profiler_Start" {
			do(c)
			return
		}
		c.Forward()
	}))
	start := func() error { return new(capi.Call[capi.ProfilerStartArgs]).Do(tab) }
	assert.EqualError(t, initialize(tab), "PJRT_Plugin_Initialize: ABORTED: the plugin's own")
	assert.EqualError(t, start(), "PLUGIN_Profiler_Start: DATA_LOSS: the profiler's own")
	assert.Equal(t, 2, x.destroyed)

	do = func(c *serve.Invocation) {
		c.Forward()
		before := x.destroyed
		e := c.ReadErr()
		assert.Equal(t, before, x.destroyed, "reading does not change the error")
		assert.Same(t, (*capi.ErrorHandle)(unsafe.Pointer(&x.error)), c.Err())
		c.Fail(e.Code, "%s, and the hook's", e.Message)
		assert.Equal(t, before+1, x.destroyed)
		assert.Equal(t, c.Function().Section == capi.SectionCore, len(e.Payloads) == 1)
	}
	assert.EqualError(t, initialize(tab), "PJRT_Plugin_Initialize: ABORTED: the plugin's own, and the hook's")
	assert.EqualError(t, start(), "PLUGIN_Profiler_Start: DATA_LOSS: the profiler's own, and the hook's")
	assert.Equal(t, 4, x.destroyed)

	do = func(c *serve.Invocation) {
		c.Forward()
		assert.Equal(t, c.Size(), *(*uintptr)(c.Args()))
		c.Forward() // destroys the first error
		c.FailWith(nil)
		assert.Nil(t, c.ReadErr())
	}
	assert.NoError(t, initialize(tab))
	assert.NoError(t, start())
	assert.Equal(t, 8, x.destroyed)
	assert.Zero(t, serve.LiveErrors())
}
