// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package serve_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// libc returns the address of a function of the C library.
func libc(t testing.TB, name string) uintptr {
	t.Helper()
	p, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	require.NoError(t, err)
	return p
}

// TestThreadsOfCCallServedFunctions starts C threads whose start routine is an entry point, because
// a start routine has the same signature as a function of PJRT.
func TestThreadsOfCCallServedFunctions(t *testing.T) {
	create, join := libc(t, "pthread_create"), libc(t, "pthread_join")
	served := table(t, numbered(9))
	for name, tab := range map[string]*capi.Table{"served": served, "wrapped": wrap(t, served, pass(), pass())} {
		index, devices := (*capi.ClientProcessIndexArgs)(nil).Function(), (*capi.ClientDevicesArgs)(nil).Function()
		type thread struct {
			id, result uintptr
			index      capi.ClientProcessIndexArgs
			devices    capi.ClientDevicesArgs
		}
		run := func(th *thread, code uintptr, args unsafe.Pointer) {
			r, _, _ := purego.SyscallN(create, uintptr(unsafe.Pointer(&th.id)), 0, code, uintptr(args))
			assert.Zero(t, r)
			r, _, _ = purego.SyscallN(join, th.id, uintptr(unsafe.Pointer(&th.result)))
			assert.Zero(t, r)
		}
		indexCode, devicesCode := slotOf(t, tab, index), slotOf(t, tab, devices)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 25 {
					th := new(thread)
					th.index.StructSize, th.devices.StructSize = capi.ClientProcessIndexArgsSize, capi.ClientDevicesArgsSize
					run(th, indexCode, unsafe.Pointer(&th.index))
					assert.Zero(t, th.result, name)
					assert.EqualValues(t, 9, th.index.ProcessIndex, name)
					run(th, devicesCode, unsafe.Pointer(&th.devices))
					h := *(**capi.ErrorHandle)(unsafe.Pointer(&th.result))
					if assert.NotNil(t, h, name) {
						assert.Equal(t, capi.ErrorCodeUnimplemented, serve.ReadError(h).Code, name)
						serve.DestroyError(h)
					}
				}
			})
		}
		all.Wait()
		assert.Zero(t, serve.LiveErrors())
	}
}
