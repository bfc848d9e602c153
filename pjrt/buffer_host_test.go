// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// alignedMemory is memory for n numbers, for collect: the channel gets a text once the memory has
// been collected.
func alignedMemory(n int) (data []float32, gone chan string) {
	data, gone = pjrt.AlignedSlice[float32](n), make(chan string, 1)
	runtime.AddCleanup(&data[0], func(what string) { gone <- what }, "data")
	return data, gone
}

// memoryFor makes a buffer of alignedMemory.
func memoryFor(t testing.TB, client *pjrt.Client, semantics pjrt.HostBufferSemantics, values ...float32) (
	b *pjrt.Buffer, gone chan string) {
	t.Helper()
	data, gone := alignedMemory(len(values))
	copy(data, values)
	b, err := client.BufferFromHost(context.Background(), pjrt.ArrayOf(data, 2, 2), &pjrt.BufferOptions{Semantics: semantics})
	require.NoError(t, err)
	return b, gone
}

// isKept reports whether collections leave memory as it is.
func isKept(gone <-chan string) bool {
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	return len(gone) == 0
}

func TestZeroCopyMemoryIsFreedWhoeverAsks(t *testing.T) {
	client := newClient(t)
	for name, end := range map[string]func(b *pjrt.Buffer){
		"nobody asks":          func(b *pjrt.Buffer) { b.Close() },
		"the buffer is lost":   func(*pjrt.Buffer) {},
		"asked before Close":   func(b *pjrt.Buffer) { c := b.HostDone(); b.Close(); done(t, c) },
		"asked after Close":    func(b *pjrt.Buffer) { b.Close(); done(t, b.HostDone()) },
		"asked twice":          func(b *pjrt.Buffer) { c := b.HostDone(); b.Close(); done(t, b.HostDone()); done(t, c) },
		"asked, and then lost": func(b *pjrt.Buffer) { b.HostDone() },
		"deleted": func(b *pjrt.Buffer) {
			require.NoError(t, b.Delete())
			done(t, b.HostDone()) // without Close
			b.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, gone := memoryFor(t, client, pjrt.ImmutableZeroCopy, 1, 2, 3, 4)
			assert.True(t, isKept(gone), "the buffer is the memory")
			got, err := pjrt.ToSlice[float32](t.Context(), b)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 2, 3, 4}, got)
			end(b)
			b = nil
			collect(t, 1, gone)
		})
	}
}

// XLA's plugin for CPUs copies memory that is not aligned, and a few bytes at once.
func TestZeroCopyMemoryThatWasCopiedIsFreedAtOnce(t *testing.T) {
	data, gone := alignedMemory(5)
	b, err := newClient(t).BufferFromHost(t.Context(), pjrt.ArrayOf(data[1:], 2, 2), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	require.NoError(t, err)
	defer b.Close()
	collect(t, 1, gone)
	assert.True(t, isDone(b.HostDone()))
}

// C may use the memory longer than the buffer exists.
func TestZeroCopyMemoryOutlivesABufferThatIsUsed(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	for _, asked := range []string{"before Close", "after Close", "never"} {
		t.Run("asked "+asked, func(t *testing.T) {
			ctx := t.Context()
			b, gone := memoryFor(t, client, pjrt.ImmutableZeroCopy, 1, 2, 3, 4)
			late, promise := pending(t, client, pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}})
			outs, execution, err := exe.Start(ctx, []*pjrt.Buffer{b, late}, nil)
			require.NoError(t, err)
			if asked == "before Close" {
				assert.False(t, isDone(b.HostDone()))
			}
			require.NoError(t, b.Close())
			if asked != "never" {
				assert.False(t, isDone(b.HostDone()))
			}
			assert.True(t, isKept(gone), "the execution needs the memory")
			require.NoError(t, promise.Fulfill(upload(t, client, matrix(10, 20, 30, 40))))
			require.NoError(t, execution.Wait(ctx))
			got, err := pjrt.ToSlice[float32](ctx, outs[0])
			require.NoError(t, err)
			assert.Equal(t, []float32{11, 22, 33, 44}, got)
			require.NoError(t, execution.Close())
			require.NoError(t, outs[0].Close())
			if asked != "never" {
				done(t, b.HostDone())
			}
			collect(t, 1, gone)
		})
	}
}

// The memory of a transfer is free once the transfer is over, whether or not the buffer is closed,
// or somebody asks.
func TestMemoryOfATransferIsKeptUntilItIsOver(t *testing.T) {
	gpu := []pjrt.Attribute{{Name: "cuda_version", Value: int64(13000)}}
	for name, c := range map[string]struct {
		semantics  pjrt.HostBufferSemantics
		attributes []pjrt.Attribute
	}{
		"until the transfer completes": {pjrt.UntilTransferCompletes, nil},
		"zero copy on a GPU":           {pjrt.ImmutableZeroCopy, gpu}, // which has memory of its own
		"mutable zero copy on a GPU":   {pjrt.MutableZeroCopy, gpu},
	} {
		for _, closed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, closed: %v", name, closed), func(t *testing.T) {
				p := pjrttest.New(t, pjrttest.Options{NoLeaks: true, Attributes: c.attributes})
				client := p.Client()
				p.Hold()
				b, gone := memoryFor(t, client, c.semantics, 1, 2, 3, 4)
				if closed {
					require.NoError(t, b.Close())
				}
				assert.True(t, isKept(gone))
				p.Resume()
				collect(t, 1, gone)
				done(t, b.HostDone())
				require.NoError(t, b.Close())
			})
		}
	}
}

// A plugin need not say when it is done with the memory. It is once the buffer is destroyed.
func TestMemoryIsKeptForABufferWhosePluginDoesNotSayWhenItIsDone(t *testing.T) {
	for _, asked := range []bool{true, false} {
		for _, semantics := range pjrtSemantics[1:] {
			t.Run(fmt.Sprintf("%v, asked: %v", semantics, asked), func(t *testing.T) {
				ctx := t.Context()
				p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
				plugin := hooked(t, p, serve.Around(func(c *serve.Invocation, args *capi.ClientBufferFromHostBufferArgs) {
					c.Forward()
					var end capi.Call[capi.EventDestroyArgs]
					end.Args.Event, args.DoneWithHostBuffer = args.DoneWithHostBuffer, nil
					assert.NoError(t, end.Do(p.Table()))
				}))
				client, err := plugin.NewClient(ctx, nil)
				require.NoError(t, err)
				defer client.Close()
				b, gone := memoryFor(t, client, semantics, 1, 2, 3, 4)
				var ended <-chan struct{}
				if asked {
					ended = b.HostDone()
					assert.False(t, isDone(ended))
				}
				assert.True(t, isKept(gone))
				require.NoError(t, b.Close())
				done(t, b.HostDone())
				if asked {
					done(t, ended)
				}
				collect(t, 1, gone)
			})
		}
	}
}

// Buffers that follow each other share their state.
func TestABufferAfterAZeroCopyBufferUsesNoMemoryOfTheHost(t *testing.T) {
	client := newClient(t)
	for range 3 {
		b, _ := memoryFor(t, client, pjrt.ImmutableZeroCopy, 1, 2, 3, 4)
		require.NoError(t, b.Close())
		done(t, b.HostDone())
		next, err := pjrt.FromSlice(t.Context(), client, []float32{1})
		require.NoError(t, err)
		assert.True(t, isDone(next.HostDone()))
		require.NoError(t, next.Close())
	}
}
