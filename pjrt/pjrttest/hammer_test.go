// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// TestManyGoroutines runs many operations at once, with faults and holds in between. It
// requires that each result is right or an error, and that nothing is left.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Devices: 2, Memories: []pjrttest.MemoryOptions{{Kind: "device", Bytes: 4096}, {Kind: "pinned_host"}}})
	double := w.compile(t, "double", "(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32>", nil)
	devices := w.c.AddressableDevices()
	pinned, err := devices[1].Memory("pinned_host")
	require.NoError(t, err)
	var right, wrong atomic.Int64

	// one chain of operations, any of which may fail
	chain := func(r *rand.Rand, ctx context.Context) error {
		data := make([]float32, 8)
		for i := range data {
			data[i] = float32(r.IntN(1000))
		}
		b, err := w.c.BufferFromHost(ctx, pjrt.ArrayOf(data, 8), &pjrt.BufferOptions{Semantics: pjrt.HostBufferSemantics(r.IntN(4))})
		if err != nil {
			return err
		}
		defer func() { _ = b.Close() }()
		factor := float32(1)
		for range r.IntN(4) {
			var next *pjrt.Buffer
			switch r.IntN(4) {
			case 0, 1:
				out, err := double.Execute(ctx, []*pjrt.Buffer{b}, &pjrt.ExecuteOptions{LaunchID: r.IntN(5)})
				if err != nil {
					return err
				}
				next, factor = out[0], 2*factor
			case 2:
				there, err := b.CopyToDevice(ctx, devices[1])
				if err != nil {
					return err
				}
				next, err = there.CopyToMemory(ctx, pinned)
				_ = there.Close()
				if err != nil {
					return err
				}
				there = next
				next, err = there.CopyToDevice(ctx, devices[0])
				_ = there.Close()
				if err != nil {
					return err
				}
			case 3:
				m, err := transfer.NewManager(ctx, w.c, []pjrt.Shape{b.Shape()}, nil)
				if err != nil {
					return err
				}
				a, err := b.ToHost(ctx)
				if err == nil {
					next, err = m.Buffer(0)
				}
				if err == nil {
					var e *pjrt.Event
					if e, err = m.Send(0, a.Data, 0, true); err == nil {
						err = e.Wait(ctx)
						_ = e.Close()
					}
				}
				_ = m.Close()
				if err != nil {
					if next != nil {
						_ = next.Close()
					}
					return err
				}
			}
			_ = b.Close()
			b = next
		}
		got, err := pjrt.ToSlice[float32](ctx, b)
		if err != nil {
			return err
		}
		for i := range data {
			data[i] *= factor
		}
		assert.Equal(t, data, got)
		return nil
	}

	begun := time.Now()
	going := func() bool {
		// On a busy machine it takes longer until some chains have succeeded.
		both := right.Load() > 0 && wrong.Load() > 0
		return time.Since(begun) < 400*time.Millisecond || !both && time.Since(begun) < patience
	}
	var group sync.WaitGroup
	for seed := range uint64(6) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for going() {
				// Some chains must succeed on a slow machine too: the longer it takes, the
				// more time they get.
				unit := max(time.Millisecond, time.Since(begun)/100)
				ctx, cancel := context.WithTimeout(w.ctx, time.Duration(1+r.IntN(20))*unit)
				if err := chain(r, ctx); err == nil {
					right.Add(1)
				} else {
					wrong.Add(1)
				}
				cancel()
			}
		})
	}
	group.Go(func() {
		r := rand.New(rand.NewPCG(9, 9))
		functions := []string{
			"PJRT_LoadedExecutable_Execute", "PJRT_Client_BufferFromHostBuffer", "PJRT_Buffer_CopyToMemory", "PJRT_Buffer_ToHostBuffer",
		}
		for going() {
			switch r.IntN(6) {
			case 0:
				w.p.Hold()
			case 1:
				w.p.Release(r.IntN(3))
			case 2:
				for _, o := range w.p.Held() {
					if r.IntN(2) == 0 {
						o.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "at random"})
					} else {
						o.Release()
					}
				}
			case 3:
				options := []pjrttest.FaultOption{pjrttest.Times(1 + r.IntN(2)), pjrttest.After(r.IntN(3))}
				if r.IntN(2) == 0 {
					options = append(options, pjrttest.Async())
				}
				w.p.Fail(functions[r.IntN(len(functions))], pjrt.ErrUnavailable, "at random", options...)
			case 4:
				_, err := distributed.PoisonExecution(devices[0], r.IntN(5), &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "at random"})
				assert.NoError(t, err)
			default:
				w.p.Resume()
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	group.Wait()
	w.p.Resume()
	require.NoError(t, double.Close())
	settled(t, w.p)
	for _, d := range devices {
		released(t, d)
	}
	assert.Positive(t, right.Load())
	assert.Positive(t, wrong.Load())
	t.Logf("%d chains succeeded, %d failed", right.Load(), wrong.Load())
}
