// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
)

// findings runs a client and returns what the validator reports. The hooks are between the shim and
// the plugin.
func findings(t *testing.T, client func(t *testing.T, f *fake, table *capi.Table), hooks ...serve.Hook) []string {
	t.Helper()
	f, path := &fake{}, filepath.Join(t.TempDir(), "findings")
	served, err := serve.Wrap(serveFake(t, f), hooks...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = served.Close() })
	s, table := watch(t, shim.Config{Validate: path}, served.Capi())
	client(t, f, table)
	require.NoError(t, s.Close())
	lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
	last := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	switch n := s.Findings(); n {
	case 0:
		assert.Contains(t, last, "nothing found")
	case 1:
		assert.Contains(t, last, "1 finding")
	default:
		assert.Contains(t, last, fmt.Sprint(n, " findings"))
	}
	return lines
}

func TestACorrectClientHasNoFindings(t *testing.T) {
	t.Parallel()
	assert.Empty(t, findings(t, func(t *testing.T, f *fake, table *capi.Table) {
		for range 3 {
			session(t, f, table)
		}
		err := (&capi.Call[capi.BufferDimensionsArgs]{Args: capi.BufferDimensionsArgs{Buffer: nil}}).Do(nil)
		require.Error(t, err)
	}))
}

func TestMisuseIsFound(t *testing.T) {
	t.Parallel()
	const during = capi.HostBufferSemanticsImmutableOnlyDuringCall
	for name, c := range map[string]struct {
		client func(t *testing.T, f *fake, c *client) // the client and the plugin are opened and closed elsewhere
		want   []string                               // regular expressions, one for each finding
	}{
		"use after destroy": {func(t *testing.T, f *fake, c *client) {
			b, e := c.upload([]float32{1}, during)
			c.destroyEvent(e)
			c.destroyBuffer(b)
			do(t, c.table, capi.BufferElementTypeArgs{Buffer: b})
		}, []string{`^pjrt validate: use after destroy: call #7 PJRT_Buffer_ElementType: PJRT_Buffer 0x[0-9a-f]+ was destroyed by call #6 PJRT_Buffer_Destroy; it was made by call #4 PJRT_Client_BufferFromHostBuffer$`}},
		"double destroy": {func(t *testing.T, f *fake, c *client) {
			_, e := c.upload([]float32{1}, during)
			c.destroyEvent(e)
			c.destroyEvent(e)
		}, []string{
			`double destroy: call #6 PJRT_Event_Destroy: PJRT_Event 0x[0-9a-f]+ was destroyed by call #5 PJRT_Event_Destroy`,
			`client destroyed too early: call #7 PJRT_Client_Destroy: PJRT_Client 0x[0-9a-f]+ still has PJRT_Buffer 0x[0-9a-f]+ \(made by call #4`,
		}},
		"device of a client that is gone": {func(t *testing.T, f *fake, c *client) {
			other := do(t, c.table, capi.ClientCreateArgs{}).Client
			do(t, c.table, capi.ClientDestroyArgs{Client: other})
			(&client{t, c.table, other, c.device}).upload([]float32{1}, during)
		}, []string{`use after destroy: call #6 PJRT_Client_BufferFromHostBuffer: PJRT_Client 0x[0-9a-f]+ was destroyed by call #5`,
			`client destroyed too early`, `leak: never destroyed: PJRT_Event`}},
		"another client's device": {func(t *testing.T, f *fake, c *client) {
			other := do(t, c.table, capi.ClientCreateArgs{}).Client
			b, e := (&client{t, c.table, other, c.device}).upload([]float32{1}, during)
			c.destroyEvent(e)
			c.destroyBuffer(b)
			do(t, c.table, capi.ClientDestroyArgs{Client: other})
		}, []string{`wrong owner: call #5 PJRT_Client_BufferFromHostBuffer: device is PJRT_Device 0x[0-9a-f]+ of PJRT_Client 0x[0-9a-f]+ \(made by call #3 PJRT_Client_AddressableDevices\), but client is of PJRT_Client 0x`}},
		"made up": {func(t *testing.T, f *fake, c *client) {
			do(t, c.table, capi.BufferElementTypeArgs{Buffer: describe.PointerOf[capi.Buffer](0x77770)})
		}, []string{`unknown handle: call #4 PJRT_Buffer_ElementType: buffer is PJRT_Buffer 0x77770, which the plugin never returned`}},
		"null": {func(t *testing.T, f *fake, c *client) {
			do(t, c.table, capi.BufferElementTypeArgs{})
			do(t, c.table, capi.BufferDestroyArgs{}) // which is allowed
		}, []string{`null handle: call #4 PJRT_Buffer_ElementType: buffer is null`}},
		"leak": {func(t *testing.T, f *fake, c *client) {
			for range 10 {
				b, _ := c.upload([]float32{1}, during)
				c.destroyBuffer(b)
			}
		}, []string{`leak: never destroyed: PJRT_Event 0x[0-9a-f]+ \(made by call #4 PJRT_Client_BufferFromHostBuffer\), .* and 2 more$`}},
		"error not read": {func(t *testing.T, f *fake, c *client) {
			call := &capi.Call[capi.BufferDimensionsArgs]{Args: capi.BufferDimensionsArgs{StructSize: capi.BufferDimensionsArgsSize}}
			h, err := call.Raw(c.table)
			require.NoError(t, err)
			require.NotNil(t, h)
			do(t, c.table, capi.ErrorDestroyArgs{Error: h})
		}, []string{`null handle`, `error not read: call #5 PJRT_Error_Destroy: the message of PJRT_Error 0x[0-9a-f]+ was never read; it was made by call #4 PJRT_Buffer_Dimensions`}},
		"error not destroyed": {func(t *testing.T, f *fake, c *client) {
			call := &capi.Call[capi.BufferDimensionsArgs]{Args: capi.BufferDimensionsArgs{StructSize: capi.BufferDimensionsArgsSize}}
			h, err := call.Raw(c.table)
			require.NoError(t, err)
			do(t, c.table, capi.ErrorGetCodeArgs{Error: h})
		}, []string{`null handle`, `leak: never destroyed: PJRT_Error 0x[0-9a-f]+ \(made by call #4 PJRT_Buffer_Dimensions\)`}},
		"struct size": {func(t *testing.T, f *fake, c *client) {
			call := &capi.Call[capi.ClientDestroyArgs]{Args: capi.ClientDestroyArgs{StructSize: 19}}
			h, err := call.Raw(c.table)
			require.NoError(t, err)
			require.ErrorContains(t, c.table.TakeError(h), "19")
		}, []string{`struct size: call #4 PJRT_Client_Destroy: struct_size 19 is not a size that PJRT_Client_Destroy_Args ever had: now it is 24`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := findings(t, func(t *testing.T, f *fake, table *capi.Table) {
				client := newClient(t, table)
				c.client(t, f, client)
				client.close()
			})
			require.Len(t, lines, len(c.want), "%s", strings.Join(lines, "\n"))
			for i, want := range c.want {
				assert.Regexp(t, want, lines[i])
			}
		})
	}
}

// The plugin is to blame for what it leaves null, in the call in which it does so, and not the
// client that takes it for an object.
func TestWhatAPluginLeavesNullIsItsOwnFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave serve.Hook
		want  []string // regular expressions, one for each finding
	}{
		"nothing": {serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) { c.Forward() }), nil},
		"an event of an upload": {
			null(func(a *capi.ClientBufferFromHostBufferArgs) { a.DoneWithHostBuffer = nil }),
			[]string{
				`null result: call #4 PJRT_Client_BufferFromHostBuffer: the plugin reported success but left 1 of 1 handles in done_with_host_buffer null`,
				`null handle: call #5 PJRT_Event_Await: event is null; call #4 PJRT_Client_BufferFromHostBuffer left one null`,
			},
		},
		"an event of a download": {
			null(func(a *capi.BufferToHostBufferArgs) { a.Event = nil }),
			[]string{
				`null result: call #8 PJRT_Buffer_ToHostBuffer: the plugin reported success but left 1 of 1 handles in event null`,
				`null handle: call #9 PJRT_Event_Await: event is null; call #8 PJRT_Buffer_ToHostBuffer left one null`,
			},
		},
		"a list": {
			null(func(a *capi.BufferDimensionsArgs) { a.Dims = nil }),
			[]string{`null result: call #7 PJRT_Buffer_Dimensions: the plugin reported success and 1 values in the result dims, but left it null`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := findings(t, func(t *testing.T, f *fake, table *capi.Table) { session(t, f, table) }, c.leave)
			require.Len(t, lines, len(c.want), "%s", strings.Join(lines, "\n"))
			for i, want := range c.want {
				assert.Regexp(t, want, lines[i])
			}
		})
	}
}

// null makes a hook that loses a result of calls that succeed.
func null[A any](lose func(*A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil {
			lose(a)
		}
	})
}

func TestMemoryThatChangesTooEarlyIsFound(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no safe way to read memory that may have been freed
	}
	t.Parallel()
	for name, c := range map[string]struct {
		semantics capi.HostBufferSemantics
		early     bool
		want      int
	}{
		"in time":          {capi.HostBufferSemanticsImmutableUntilTransferCompletes, false, 0},
		"too early":        {capi.HostBufferSemanticsImmutableUntilTransferCompletes, true, 1},
		"zero copy":        {capi.HostBufferSemanticsImmutableZeroCopy, true, 1},
		"only during call": {capi.HostBufferSemanticsImmutableOnlyDuringCall, true, 0},
		"mutable":          {capi.HostBufferSemanticsMutableZeroCopy, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := findings(t, func(t *testing.T, f *fake, table *capi.Table) {
				client := newClient(t, table)
				data := []float32{1, 2, 3}
				b, done := client.upload(data, c.semantics)
				if c.early {
					data[1] = 9
				}
				f.release()
				data[1] = 7
				do(t, table, capi.EventAwaitArgs{Event: done})
				client.destroyEvent(done)
				client.destroyBuffer(b)
				client.close()
			})
			assert.Len(t, lines, c.want)
			if c.want > 0 {
				assert.Regexp(t, `host memory: call #4 PJRT_Client_BufferFromHostBuffer lent 12 bytes at 0x[0-9a-f]+, which were changed or freed before`, lines[0])
			}
		})
	}
}

func TestTheValidatorChecksBeforeTheClientKnows(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	t.Parallel()
	assert.Empty(t, findings(t, func(t *testing.T, f *fake, table *capi.Table) {
		client := newClient(t, table)
		data := []float32{1, 2, 3}
		b, done := client.upload(data, capi.HostBufferSemanticsImmutableZeroCopy)
		callback, handle := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) { data[0] = 9 })
		do(t, table, capi.EventOnReadyArgs{Event: done, Callback: callback, UserArg: uintptr(handle)})
		f.release()
		assert.EqualValues(t, 9, data[0], "the client's callback ran")
		client.destroyEvent(done)
		client.destroyBuffer(b)
		client.close()
	}))
}

func TestALiveClientAtTheEndIsNotAFinding(t *testing.T) {
	t.Parallel()
	lines := findings(t, func(t *testing.T, f *fake, table *capi.Table) {
		c := newClient(t, table)
		c.upload([]float32{1}, capi.HostBufferSemanticsImmutableOnlyDuringCall)
	})
	assert.Equal(t, []string{"pjrt validate: the process ended before it destroyed its client; still alive were 1 PJRT_Buffer, 1 PJRT_Client, 1 PJRT_Event"}, lines)
}

func TestRefusedCallsDoNotReachThePlugin(t *testing.T) {
	t.Parallel()
	f, path := &fake{}, filepath.Join(t.TempDir(), "v")
	s, table := watch(t, shim.Config{Validate: path, Refuse: true}, serveFake(t, f))
	c := newClient(t, table)
	b, e := c.upload([]float32{1}, capi.HostBufferSemanticsImmutableOnlyDuringCall)
	c.destroyEvent(e)
	c.destroyBuffer(b)
	err := (&capi.Call[capi.BufferElementTypeArgs]{Args: capi.BufferElementTypeArgs{Buffer: b}}).Do(table)
	require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
	assert.ErrorContains(t, err, "refused")
	assert.Equal(t, 1, s.Findings())
}

func TestTheSameFindingIsWrittenALimitedNumberOfTimes(t *testing.T) {
	t.Parallel()
	lines := findings(t, func(t *testing.T, f *fake, table *capi.Table) {
		c := newClient(t, table)
		for range 100 {
			do(t, table, capi.BufferElementTypeArgs{})
		}
		c.close()
	})
	assert.Len(t, lines, 21)
	assert.Contains(t, lines[20], "further ones are only counted")
}

func TestAnObjectThatIsReturnedTwiceIsDestroyedTwice(t *testing.T) {
	t.Parallel()
	assert.Empty(t, findings(t, func(t *testing.T, f *fake, table *capi.Table) {
		c := newClient(t, table)
		f.mu.Lock()
		f.next -= 16 // the next one is the same
		f.mu.Unlock()
		again := newClient(t, table)
		require.Equal(t, describe.HandleOf(c.client), describe.HandleOf(again.client))
		c.close()
		again.close()
	}))
}
