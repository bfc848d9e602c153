// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

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
	end := time.Now().Add(2 * time.Second)
	var pairs sync.WaitGroup
	for range 4 {
		pairs.Go(func() {
			for time.Now().Before(end) {
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
						runtime.Gosched() // let the others come first, or halfway
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
