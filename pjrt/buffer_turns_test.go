// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// searching reports whether a test that looks for what happens only when calls meet goes
// on: for a while, and until all counts are positive.
func searching(begin time.Time, counts ...*atomic.Int64) bool {
	usual := 2 * time.Second
	if testing.Short() {
		usual = time.Second / 2
	}
	past := time.Since(begin)
	missing := slices.ContainsFunc(counts, func(n *atomic.Int64) bool { return n.Load() == 0 })
	return past < usual || missing && past < usual+patience
}

// The CPU plugin crashes when a reference to a buffer is asked for while its
// contents are taken away. For two seconds, goroutines read buffers and refer to
// them while others donate and delete them.
func TestReferencesAndConsumersTakeTurns(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, `func.func @main(%a: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {
  %0 = stablehlo.add %a, %a : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}`)
	array := pjrt.ArrayOf(make([]float32, 1024), 1024)
	var rounds, reads, taken atomic.Int64
	expected := func(err error) bool {
		return err == nil || errors.Is(err, pjrt.ErrInvalidArgument) || errors.Is(err, pjrt.ErrClosed)
	}
	begin := time.Now()
	var pairs sync.WaitGroup
	for range 4 {
		pairs.Go(func() {
			for searching(begin, &reads, &taken) {
				b, err := client.BufferFromHost(ctx, array, nil)
				if !assert.NoError(t, err) {
					return
				}
				var all sync.WaitGroup
				for i := range 3 {
					all.Go(func() {
						for range 4 {
							var err error
							if i == 0 {
								err = b.ReadInPlace(ctx, func(data []byte) error {
									reads.Add(int64(1 + data[len(data)-1]))
									return nil
								})
							} else {
								var r *pjrt.Reference
								if r, err = b.Reference(ctx); err == nil {
									_, err = r.Address()
									r.Close()
								}
							}
							if !expected(err) {
								t.Error(err)
							}
						}
					})
				}
				all.Go(func() {
					n := rounds.Add(1)
					for range n % 16 {
						runtime.Gosched() // lets other goroutines run before or during the call
					}
					var err error
					switch n % 3 {
					case 0:
						err = b.Delete()
					case 1:
						err = b.Close()
					default:
						var outs []*pjrt.Buffer
						if outs, err = exe.Execute(ctx, []*pjrt.Buffer{b}, nil); err == nil {
							outs[0].Close()
						}
					}
					if err == nil {
						taken.Add(1)
					} else if !expected(err) {
						t.Error(err)
					}
				})
				all.Wait()
				b.Close()
			}
		})
	}
	pairs.Wait()
	require.Positive(t, reads.Load())
	require.Positive(t, taken.Load())
	t.Logf("%d rounds, %d reads, %d times taken", rounds.Load(), reads.Load(), taken.Load())
}

// Plugins crash when a buffer is taken over while something uses it, or by two at once.
func TestABufferThatIsUsedIsNotTakenOver(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	r, err := b.Reference(ctx)
	require.NoError(t, err)
	_, _, err = raw.AcquireToConsume(b)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "has 1 external references: close them first")
	require.NoError(t, b.ReadInPlace(ctx, func([]byte) error {
		_, _, err := raw.AcquireToConsume(b)
		assert.ErrorContains(t, err, "has 2 external references")
		return nil
	}))
	require.NoError(t, r.Close())
	_, release, err := raw.AcquireToConsume(b)
	require.NoError(t, err)
	_, _, err = raw.AcquireToConsume(b)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "is being used by another call")
	release()
	require.NoError(t, b.Delete())
	_, _, err = raw.AcquireToConsume(b)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "was deleted, or donated to an earlier execution")
}

// Aliases, executions and deletions race for the same buffers. Each of them gets the buffer or an
// error.
func TestOnlyOneConsumerTakesABuffer(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	begin := time.Now()
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for searching(begin, &taken) {
				b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
				if !assert.NoError(t, err) {
					return
				}
				var group sync.WaitGroup
				for range 3 {
					group.Go(func() {
						alias, promise, err := transfer.NewAlias(ctx, client, b.Shape(), nil)
						if !assert.NoError(t, err) {
							return
						}
						if promise.Fulfill(b) == nil {
							taken.Add(1)
						}
						promise.Close()
						alias.Close()
					})
				}
				group.Go(func() {
					if outs, err := exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil); err == nil {
						outs[0].Close()
					}
				})
				group.Go(func() {
					if r, err := b.Reference(ctx); err == nil {
						r.Close()
					}
					_, _ = raw.UnsafePointer(ctx, b)
				})
				group.Go(func() { _ = b.Delete() })
				group.Wait()
				b.Close()
			}
		})
	}
	all.Wait()
	assert.Positive(t, taken.Load())
}
