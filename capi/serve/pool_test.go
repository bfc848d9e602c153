// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// numbered returns a plugin whose process index is n.
func numbered(n int32) *serve.Plugin {
	p := everything()
	p.ClientProcessIndex = func(a *capi.ClientProcessIndexArgs) error {
		a.ProcessIndex = n
		return nil
	}
	p.HostMemoryAllocator.Allocate = func(a *capi.HostMemoryAllocatorAllocateArgs) error {
		a.Size += uintptr(n)
		return nil
	}
	return p
}

// askNumber returns the number of such a plugin, by the first and the last of
// its functions.
func askNumber(t testing.TB, tab *capi.Table) int32 {
	t.Helper()
	var c capi.Call[capi.ClientProcessIndexArgs]
	require.NoError(t, c.Do(tab))
	var last capi.Call[capi.HostMemoryAllocatorAllocateArgs]
	require.NoError(t, last.Do(tab))
	require.EqualValues(t, c.Args.ProcessIndex, last.Args.Size)
	return c.Args.ProcessIndex
}

func TestOneTableTooManyIsAnError(t *testing.T) {
	require.GreaterOrEqual(t, serve.MaxTables(), 5)
	var live []*serve.Table
	for n := range serve.MaxTables() {
		s, err := numbered(int32(n)).Serve()
		require.NoError(t, err)
		live = append(live, s)
	}
	_, err := new(serve.Plugin).Serve()
	assert.ErrorIs(t, err, serve.ErrExhausted)
	_, err = serve.Wrap(live[0].Capi())
	assert.ErrorIs(t, err, serve.ErrExhausted)
	for n, s := range live {
		assert.EqualValues(t, n, askNumber(t, s.Capi()))
	}
	require.NoError(t, live[3].Close())
	s, err := numbered(1000).Serve()
	require.NoError(t, err)
	live[3] = s
	assert.EqualValues(t, 1000, askNumber(t, s.Capi()))
	for _, s := range live {
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "closing again does nothing")
	}
	for range serve.MaxTables() + 1 { // if the second Close had returned the entry points again, two tables would share them
		s, err := numbered(5).Serve()
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
}

func TestTenThousandTablesInSequence(t *testing.T) {
	for n := range int32(10000) {
		s, err := numbered(n).Serve()
		require.NoError(t, err)
		require.Equal(t, n, askNumber(t, s.Capi()))
		require.NoError(t, s.Close())
	}
}

func TestManyTablesAtOnceFromManyGoroutines(t *testing.T) {
	var all sync.WaitGroup
	for g := range int32(8) {
		all.Go(func() {
			for i := range int32(30) {
				n := g*1000 + i
				s, err := numbered(n).Serve()
				if !assert.NoError(t, err) {
					return
				}
				var callers sync.WaitGroup
				for range 4 {
					callers.Go(func() {
						for range 20 {
							var c capi.Call[capi.ClientProcessIndexArgs]
							assert.NoError(t, c.Do(s.Capi()))
							assert.Equal(t, n, c.Args.ProcessIndex)
							assert.ErrorIs(t, new(capi.Call[capi.ClientDevicesArgs]).Do(s.Capi()), capi.ErrorCodeUnimplemented)
						}
					})
				}
				callers.Wait()
				assert.NoError(t, s.Close())
			}
		})
	}
	all.Wait()
	assert.Zero(t, serve.LiveErrors())
}

func TestATableMayBeClosedDuringACall(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	s, err := (&serve.Plugin{PluginInitialize: func(*capi.PluginInitializeArgs) error {
		close(began)
		<-end
		return capi.ErrorCodeAborted
	}}).Serve()
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- initialize(s.Capi()) }()
	<-began
	require.NoError(t, s.Close())
	err = initialize(s.Capi())
	assert.ErrorIs(t, err, capi.ErrorCodeFailedPrecondition)
	assert.ErrorContains(t, err, "PJRT_Plugin_Initialize was called through a table that has been closed")
	close(end)
	assert.ErrorIs(t, <-done, capi.ErrorCodeAborted)
}

func TestATableHasAnAddressOfItsOwn(t *testing.T) {
	first, err := new(serve.Plugin).Serve()
	require.NoError(t, err)
	require.NoError(t, first.Close())
	second, err := new(serve.Plugin).Serve()
	require.NoError(t, err)
	defer second.Close()
	assert.NotEqual(t, first.Address(), second.Address(), "package pjrt knows plugins by the address")
	assert.True(t, second.Capi().Reentrant())
	assert.Same(t, second.API(), second.Capi().API())
}

func TestAFuncMayEndTheGoroutineThatCalledIt(t *testing.T) {
	served := table(t, &serve.Plugin{PluginInitialize: func(*capi.PluginInitializeArgs) error {
		runtime.Goexit() // as t.FailNow does
		return nil
	}})
	tab := wrap(t, served, pass())
	for range 100 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = initialize(tab)
			assert.Fail(t, "the call returned")
		}()
		<-done
	}
	assert.EqualValues(t, 3, askNumber(t, table(t, numbered(3))))
	assert.ErrorIs(t, new(capi.Call[capi.ClientDevicesArgs]).Do(tab), capi.ErrorCodeUnimplemented)
}
