// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/raw"
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
	far := startClient(t, hooked(t, pjrttest.New(t, pjrttest.Options{Devices: 2, Processes: 2}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientLookupDeviceArgs) {
			if a.ID == 42 {
				a.Device = new(capi.Device)
				return
			}
			c.Forward()
		})))
	other, err := far.LookupDevice(2)
	require.NoError(t, err)
	assert.False(t, other.Addressable())
	_, err = far.LookupDevice(42)
	require.ErrorContains(t, err, "not one of the client's")

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

func TestTheDefaultDeviceAssignmentCoversReplicasAndPartitions(t *testing.T) {
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
	// The plugin does not list its device 3, but runs programs on it.
	wrong := startClient(t, hooked(t, pjrttest.New(t, pjrttest.Options{Devices: 2, Processes: 2, ProcessIndex: 1}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientDevicesArgs) { c.Forward(); a.NumDevices-- }),
		serve.Around(func(c *serve.Invocation, a *capi.ClientAddressableDevicesArgs) {
			c.Forward()
			a.NumAddressableDevices--
		})))
	_, err := wrong.DefaultDeviceAssignment(2, 1)
	require.ErrorContains(t, err, "the plugin chose device 3, which does not exist")
	client.Close()
	_, err = client.DefaultDeviceAssignment(1, 1)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// hooked opens a stand-in behind hooks.
func hooked(t testing.TB, p *pjrttest.Plugin, hooks ...serve.Hook) *pjrt.Plugin {
	t.Helper()
	return behind(t, p.Table(), hooks...)
}

// behind opens the plugin of a table behind hooks.
func behind(t testing.TB, table *capi.Table, hooks ...serve.Hook) *pjrt.Plugin {
	t.Helper()
	wrapped, err := serve.Wrap(table, hooks...)
	require.NoError(t, err)
	t.Cleanup(func() { wrapped.Close() })
	plugin, err := raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
	return plugin
}

// edited opens a plugin whose table is a changed copy of a stand-in's.
func edited(t testing.TB, p *pjrttest.Plugin, change func(api *capi.API)) *pjrt.Plugin {
	t.Helper()
	api := *p.Table().API()
	change(&api)
	table, err := capi.NewTable(&api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	return plugin
}

// startClient makes a client of a plugin for the time of the test.
func startClient(t testing.TB, p *pjrt.Plugin) *pjrt.Client {
	t.Helper()
	c, err := p.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// liveClients returns the number of clients that exist in a stand-in.
func liveClients(p *pjrttest.Plugin) int { return p.Live()["PJRT_Client"] }

func TestASharedClientIsClosedWithItsLastReference(t *testing.T) {
	ctx := context.Background()
	s := pjrttest.New(t, pjrttest.Options{Devices: 3})
	p := s.Plugin()
	a, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	b, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	assert.Same(t, a.Client, b.Client)
	assert.Equal(t, 1, liveClients(s))
	require.NoError(t, a.Close())
	require.NoError(t, a.Close(), "closing again takes nothing from the others")
	assert.Equal(t, 1, liveClients(s))
	assert.Len(t, b.Client.Devices(), 3)
	require.NoError(t, b.Close())
	assert.Zero(t, liveClients(s))

	c, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	defer c.Close()
	assert.NotSame(t, a.Client, c.Client)
	c.Client.Close() // closes the client for all who share it
	d, err := p.SharedClient(ctx, nil)
	require.NoError(t, err)
	defer d.Close()
	assert.NotSame(t, c.Client, d.Client)
	require.NoError(t, c.Close())
	assert.Equal(t, 1, liveClients(s), "the older reference has nothing to do with the newer client")
}

func TestASharedClientHasTheOptionsOfItsFirstCaller(t *testing.T) {
	ctx := context.Background()
	p := newClient(t).Plugin()
	two := &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 2}}
	a, err := p.SharedClient(ctx, two)
	require.NoError(t, err)
	defer a.Close()
	assert.Len(t, a.Client.Devices(), 2)
	for _, opts := range []*pjrt.ClientOptions{nil, two, {Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(2)}}}} {
		b, err := p.SharedClient(ctx, opts)
		require.NoError(t, err)
		assert.Same(t, a.Client, b.Client)
		b.Close()
	}
	_, err = p.SharedClient(ctx, &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 3}})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	_, err = p.SharedClient(ctx, &pjrt.ClientOptions{})
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
}

func TestASharedClientIsMadeEvenIfOneCallerGivesUp(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{})
	unblock := s.Block(clientCreate)
	p := s.Plugin()
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
	require.Eventually(t, func() bool { return s.Calls(clientCreate) > 0 }, patience, time.Millisecond)
	cancel()
	<-gaveUp
	unblock()
	wg.Wait()
	for _, c := range clients {
		assert.Same(t, clients[0].Client, c.Client)
		c.Close()
	}
	require.Eventually(t, func() bool { return liveClients(s) == 0 }, patience, time.Millisecond)

	unblock = s.Block(clientCreate)
	created, destroyed := s.Calls(clientCreate), s.Calls("PJRT_Client_Destroy")
	ctx := endsOnce(t, func() bool { return s.Calls(clientCreate) > created })
	_, err := p.SharedClient(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.SharedClient(ctx, nil)
	require.ErrorIs(t, err, context.Canceled, "ended already")
	unblock()
	assert.Eventually(t, func() bool { return s.Calls("PJRT_Client_Destroy") > destroyed && liveClients(s) == 0 }, patience, time.Millisecond,
		"the client that nobody waited for is closed")
}

func TestAForgottenSharedClientIsClosed(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{Devices: 3})
	p := s.Plugin()
	func() {
		_, err := p.SharedClient(context.Background(), nil)
		require.NoError(t, err)
	}()
	assert.True(t, collecting.Until(func() bool { return liveClients(s) == 0 }))
}

func TestManyGoroutinesShareClients(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{Devices: 3})
	p := s.Plugin()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				c, err := p.SharedClient(context.Background(), nil)
				if !assert.NoError(t, err) {
					return
				}
				assert.Len(t, c.Client.Devices(), 3)
				c.Close()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, liveClients(s))
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
	s := pjrttest.New(t, pjrttest.Options{})
	unblock := s.Block(clientCreate)
	p := s.Plugin()
	start := func(after time.Duration) func() {
		return func() {
			c, err := p.NewClient(context.Background(), &pjrt.ClientOptions{SlowStart: after})
			require.NoError(t, err)
			c.Close()
		}
	}
	var log lockedBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	go func() {
		defer unblock()
		assert.Eventually(t, func() bool {
			return strings.Contains(log.String(), "the creation of a client is still under way")
		}, patience, time.Millisecond)
	}()
	start(time.Millisecond)()
	assert.Empty(t, logged(t, start(0)), "20 seconds are not over")
	assert.Empty(t, logged(t, start(-1)))
	assert.Empty(t, logged(t, start(time.Hour)))
}

func TestASecondClientPreallocatesOnlyOnRequestAndIsReported(t *testing.T) {
	var preallocates []any // what the option says for each client of cuda
	stand := newGPU(t, pjrt.Attribute{Name: "preallocate", Value: false}, pjrt.Attribute{Name: "allocator", Value: ""})
	cuda := hooked(t, stand, serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
		var said any
		for _, o := range capi.Attributes(a.CreateOptions, a.NumOptions) {
			if o.Name == "preallocate" {
				said = o.Value
			}
		}
		preallocates = append(preallocates, said)
		c.Forward()
	}))
	cpu := pjrttest.New(t, pjrttest.Options{}).Plugin()
	start := func(p *pjrt.Plugin, opts pjrt.PlatformOptions) (warning string) {
		return logged(t, func() {
			c, err := p.NewClient(context.Background(), &pjrt.ClientOptions{Platform: opts})
			require.NoError(t, err)
			t.Cleanup(func() { c.Close() })
		})
	}
	const warning = "another client of a PJRT plugin preallocates device memory"
	assert.Empty(t, start(cuda, nil), "the first")
	assert.Empty(t, start(cuda, nil))
	assert.Contains(t, start(cuda, platform.GPU{Preallocate: platform.On}), warning)
	assert.Empty(t, start(cuda, platform.GPU{Preallocate: platform.Off}))
	assert.Empty(t, start(cuda, platform.GPU{Allocator: platform.AllocatorPlatform}))
	assert.Equal(t, []any{nil, false, true, false, nil}, preallocates)
	assert.Empty(t, start(cpu, nil))
	assert.Empty(t, start(cpu, nil), "not a GPU")

	again := newGPU(t).Plugin()
	for range 2 {
		assert.Empty(t, logged(t, func() {
			c, err := again.NewClient(context.Background(), nil)
			require.NoError(t, err)
			c.Close()
		}), "one after the other")
	}
}

// Until another collection, which may be far off, a closed client keeps what the program
// forgot, and the memory of its devices.
func TestAClosedClientDestroysWhatTheProgramForgot(t *testing.T) {
	if !inChild(t, "GOGC=off") {
		return
	}
	func() {
		for range 3 {
			client := newClient(t)
			exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(add)}, nil)
			require.NoError(t, err)
			x, err := client.BufferFromHost(t.Context(), matrix(1, 2, 3, 4), nil)
			require.NoError(t, err)
			_, err = exe.Execute(t.Context(), []*pjrt.Buffer{x, x}, nil)
			require.NoError(t, err)
			require.NoError(t, client.Close())
			require.NoError(t, client.Close())
		}
	}()
	require.Eventually(t, func() bool { return len(pjrt.Live()) == 0 }, patience, time.Millisecond, "the garbage collector did not run")
}
