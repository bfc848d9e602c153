// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

func TestDevicesAreFoundByTheirNumbers(t *testing.T) {
	cpu := newClient(t)
	for _, d := range cpu.Devices() {
		found, err := cpu.LookupDevice(d.ID())
		require.NoError(t, err)
		assert.Same(t, d, found)
		found, err = cpu.LookupAddressableDevice(d.LocalHardwareID())
		require.NoError(t, err)
		assert.Same(t, d, found)
	}
	far := systemClientOf(t, newSystem(t, capi.APIMinor))
	other, err := far.LookupDevice(2)
	require.NoError(t, err)
	assert.False(t, other.Addressable())
	_, err = far.LookupDevice(42)
	require.ErrorContains(t, err, "not among the client's devices")

	for _, id := range []int{-1, 4, 99, math.MaxInt32, math.MaxInt32 + 1, math.MinInt} {
		_, err := cpu.LookupDevice(id)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, id)
		_, err = cpu.LookupAddressableDevice(id)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, id)
	}
	cpu.Close()
	_, err = cpu.LookupDevice(0)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = cpu.LookupAddressableDevice(0)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestTheDefaultDeviceAssignment(t *testing.T) {
	client := newClient(t)
	for _, counts := range [][2]int{{1, 1}, {2, 2}, {4, 1}, {1, 4}, {1, 3}} {
		got, err := client.DefaultDeviceAssignment(counts[0], counts[1])
		require.NoError(t, err)
		require.Len(t, got, counts[0])
		seen := make(map[*pjrt.Device]bool)
		for _, row := range got {
			require.Len(t, row, counts[1])
			for _, d := range row {
				assert.Same(t, client, d.Client())
				assert.False(t, seen[d])
				seen[d] = true
			}
		}
		exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{
			Replicas: counts[0], Partitions: counts[1], SPMD: counts[1] > 1, Devices: got,
		})
		require.NoError(t, err)
		exe.Close()
	}
	for _, counts := range [][2]int{{0, 1}, {1, 0}, {-1, -1}, {5, 1}, {2, 3}, {math.MaxInt, math.MaxInt}, {65536, 65537}} {
		_, err := client.DefaultDeviceAssignment(counts[0], counts[1])
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, counts)
	}
	_, err := systemClientOf(t, newSystem(t, capi.APIMinor)).DefaultDeviceAssignment(3, 1)
	require.ErrorContains(t, err, "the plugin chose device 3, which does not exist")
	client.Close()
	_, err = client.DefaultDeviceAssignment(1, 1)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// systemClientOf makes a client of a stand-in.
func systemClientOf(t testing.TB, s *system) *pjrt.Client {
	t.Helper()
	c, err := s.plugin(t).NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestASharedClientIsClosedWithItsLastReference(t *testing.T) {
	ctx := context.Background()
	s := newSystem(t, capi.APIMinor)
	p := s.plugin(t)
	a, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	b, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	assert.Same(t, a.Client, b.Client)
	assert.Equal(t, 1, s.live())
	require.NoError(t, a.Close())
	require.NoError(t, a.Close(), "closing again takes nothing from the others")
	assert.Equal(t, 1, s.live())
	assert.Len(t, b.Devices(), 3)
	require.NoError(t, b.Close())
	assert.Zero(t, s.live())

	c, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	defer c.Close()
	assert.NotSame(t, a.Client, c.Client)
	c.Client.Close() // for everybody
	d, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	defer d.Close()
	assert.NotSame(t, c.Client, d.Client)
	require.NoError(t, c.Close())
	assert.Equal(t, 1, s.live(), "the older reference has nothing to do with the newer client")
}

func TestASharedClientHasTheOptionsOfItsFirstCaller(t *testing.T) {
	ctx := context.Background()
	p := newClient(t).Plugin()
	two := &pjrt.ClientOptions{Platform: pjrt.CPUOptions{DeviceCount: 2}}
	a, err := p.SharedClient(ctx, two)
	require.NoError(t, err)
	defer a.Close()
	assert.Len(t, a.Devices(), 2)
	for _, opts := range []*pjrt.ClientOptions{nil, two, {Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(2)}}}} {
		b, err := p.SharedClient(ctx, opts)
		require.NoError(t, err)
		assert.Same(t, a.Client, b.Client)
		b.Close()
	}
	_, err = p.SharedClient(ctx, &pjrt.ClientOptions{Platform: pjrt.CPUOptions{DeviceCount: 3}})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	_, err = p.SharedClient(ctx, &pjrt.ClientOptions{})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
}

func TestASharedClientOutlivesACallerThatGaveUp(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	s.startDelay = 100 * time.Millisecond
	p := s.plugin(t)
	hasty, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	gaveUp := make(chan struct{})
	wg.Go(func() {
		defer close(gaveUp)
		_, err := p.SharedClient(hasty, nil)
		assert.ErrorIs(t, err, context.Canceled)
	})
	clients := make([]*pjrt.SharedClient, 4)
	for i := range clients {
		wg.Go(func() {
			var err error
			clients[i], err = p.SharedClient(context.Background(), nil)
			assert.NoError(t, err)
		})
	}
	time.Sleep(20 * time.Millisecond)
	cancel()
	wg.Wait()
	for _, c := range clients {
		assert.Same(t, clients[0].Client, c.Client)
		c.Close()
	}
	assert.Eventually(t, func() bool { return s.live() == 0 }, 10*time.Second, time.Millisecond)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := p.SharedClient(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = p.SharedClient(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "ended already")
	assert.Eventually(t, func() bool { return s.everMade() > 1 && s.live() == 0 }, 10*time.Second, time.Millisecond, "the client that nobody waited for is closed")
}

func TestAForgottenSharedClientIsClosed(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	p := s.plugin(t)
	func() {
		_, err := p.SharedClient(context.Background(), nil)
		require.NoError(t, err)
	}()
	assert.Eventually(t, func() bool { runtime.GC(); return s.live() == 0 }, 10*time.Second, time.Millisecond)
}

func TestManyGoroutinesShareClients(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	p := s.plugin(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				c, err := p.SharedClient(context.Background(), nil)
				if !assert.NoError(t, err) {
					return
				}
				assert.Len(t, c.Devices(), 3)
				c.Close()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, s.live())
}

// logged runs fn and returns what it logs. Tests that use it are not parallel.
func logged(t testing.TB, fn func()) string {
	t.Helper()
	var b lockedBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	defer slog.SetDefault(before)
	fn()
	return b.String()
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestASlowStartIsReported(t *testing.T) {
	s := newSystem(t, capi.APIMinor)
	s.startDelay = 30 * time.Millisecond
	p := s.plugin(t)
	start := func(after time.Duration) func() {
		return func() {
			c, err := p.NewClient(context.Background(), &pjrt.ClientOptions{SlowStart: after})
			require.NoError(t, err)
			c.Close()
		}
	}
	assert.Contains(t, logged(t, start(time.Millisecond)), "the creation of a client is still under way")
	assert.Empty(t, logged(t, start(0)), "20 seconds are not over")
	assert.Empty(t, logged(t, start(-1)))
	assert.Empty(t, logged(t, start(time.Hour)))
}

func TestASecondClientThatPreallocatesIsReported(t *testing.T) {
	_, cuda := newGPU(t)
	cpu := newSystem(t, capi.APIMinor).plugin(t)
	start := func(p *pjrt.Plugin, opts pjrt.PlatformOptions) (warning string) {
		return logged(t, func() {
			c, err := p.NewClient(context.Background(), &pjrt.ClientOptions{Platform: opts})
			require.NoError(t, err)
			t.Cleanup(func() { c.Close() })
		})
	}
	const warning = "another client of a PJRT plugin preallocates device memory"
	assert.Empty(t, start(cuda, nil), "the first")
	assert.Contains(t, start(cuda, nil), warning)
	assert.Contains(t, start(cuda, pjrt.GPUOptions{Preallocate: pjrt.On}), warning)
	assert.Empty(t, start(cuda, pjrt.GPUOptions{Preallocate: pjrt.Off}))
	assert.Empty(t, start(cuda, pjrt.GPUOptions{Allocator: pjrt.AllocatorPlatform}))
	assert.Empty(t, start(cpu, nil))
	assert.Empty(t, start(cpu, nil), "not a GPU")

	_, again := newGPU(t)
	for range 2 {
		assert.Empty(t, logged(t, func() {
			c, err := again.NewClient(context.Background(), nil)
			require.NoError(t, err)
			c.Close()
		}), "one after the other")
	}
}

func TestProcessInfosReachThePlugin(t *testing.T) {
	require.NoError(t, newClient(t).UpdateGlobalProcessInfo([]pjrt.ProcessInfo{{State: pjrt.ProcessConnected}}), "a real plugin")
	s := newSystem(t, capi.APIMinor)
	client := systemClientOf(t, s)
	s.traces()
	require.NoError(t, client.UpdateGlobalProcessInfo(nil))
	require.NoError(t, client.UpdateGlobalProcessInfo([]pjrt.ProcessInfo{
		{ID: 0, Incarnation: math.MaxUint64, State: pjrt.ProcessConnected},
		{ID: 1, State: pjrt.ProcessFailed, Err: &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "gone"}},
		{ID: math.MaxInt32, State: pjrt.ProcessUnspecified},
	}))
	assert.Equal(t, []string{
		"process 0 incarnation 18446744073709551615 state 3 error 0 ",
		"process 1 incarnation 0 state 4 error 14 gone",
		"process 2147483647 incarnation 0 state 0 error 0 ",
	}, s.traces())

	someError := &pjrt.Error{Code: pjrt.ErrUnknown}
	for want, infos := range map[string][]pjrt.ProcessInfo{
		"process -1: the number goes from 0":          {{ID: -1}},
		"process 4294967296: the number goes from 0":  {{ID: 1 << 32}},
		"process 3 is given twice":                    {{ID: 3}, {ID: 3}},
		"process 0: the state 5 is unknown":           {{State: 5}},
		"process 0: the state -1 is unknown":          {{State: -1}},
		"process 0 failed, but Err is nil":            {{State: pjrt.ProcessFailed}},
		"but its state is not ProcessFailed":          {{State: pjrt.ProcessConnected, Err: someError}},
		"process 0: the error code 17 is unknown":     {{State: pjrt.ProcessFailed, Err: &pjrt.Error{Code: 17}}},
		"process 0: the error code 0 is unknown":      {{State: pjrt.ProcessFailed, Err: &pjrt.Error{}}},
		"process 0: the error code -5 is unknown":     {{State: pjrt.ProcessFailed, Err: &pjrt.Error{Code: -5}}},
		"process 2147483648: the number goes from 0 ": {{ID: math.MaxInt32 + 1}},
	} {
		err := client.UpdateGlobalProcessInfo(infos)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
	}
	assert.Empty(t, s.traces())
	for _, minor := range []int{72, 73, 74} {
		old := newSystem(t, minor)
		err := systemClientOf(t, old).UpdateGlobalProcessInfo(nil)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented, minor)
		assert.Equal(t, []string{"initialize"}, old.traces())
	}
	client.Close()
	require.ErrorIs(t, client.UpdateGlobalProcessInfo(nil), pjrt.ErrClosed)
}
