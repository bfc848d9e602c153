// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/purepjrt/purepjrt/pjrt"
)

const (
	rows    = 8 // of a batch, as the program has it
	inputs  = 2 // of a row
	waiting = 4 * rows
	linger  = 2 * time.Millisecond
)

// errBusy refuses a request because too many others are waiting.
var errBusy = errors.New("too many requests are waiting: try again later")

// errStopped says that the server is about to stop.
var errStopped = errors.New("the server is shutting down")

// A batcher answers rows, several at a time.
type batcher struct {
	exe     *pjrt.LoadedExecutable
	weights *pjrt.Bound
	queue   chan request
	stopped chan struct{}
	sizes   metric.Int64Histogram
}

// request is a row that waits for its answer.
type request struct {
	ctx    context.Context
	row    [inputs]float32
	answer chan<- answer // buffered, so that the batcher never waits for a request that was given up
}

type answer struct {
	value float32
	err   error
}

// newBatcher returns a batcher that does not run yet. The meter counts how many requests wait, and
// how full batches are: small batches beside a full queue mean that linger is too short, or the
// device too slow.
func newBatcher(exe *pjrt.LoadedExecutable, weights *pjrt.Bound, meter metric.Meter) (*batcher, error) {
	b := &batcher{exe: exe, weights: weights, queue: make(chan request, waiting), stopped: make(chan struct{})}
	var err error
	b.sizes, err = meter.Int64Histogram("server.batch.rows", metric.WithUnit("{row}"),
		metric.WithDescription("Requests that ran together."), metric.WithExplicitBucketBoundaries(1, 2, 4, rows))
	if err != nil {
		return nil, err
	}
	_, err = meter.Int64ObservableGauge("server.waiting", metric.WithUnit("{request}"),
		metric.WithDescription("Requests in the queue."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(len(b.queue)))
			return nil
		}))
	return b, err
}

// predict waits for the answer to a row, or until the context ends. It returns errBusy at once
// if the queue is full.
func (b *batcher) predict(ctx context.Context, row [inputs]float32) (float32, error) {
	result := make(chan answer, 1)
	select {
	case b.queue <- request{ctx, row, result}:
	default:
		return 0, errBusy
	}
	select {
	case a := <-result:
		return a.value, a.err
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-b.stopped:
		return 0, errStopped
	}
}

// run runs batches until the context ends. A batch runs when it is full, or when linger has
// passed since its first row arrived.
func (b *batcher) run(ctx context.Context) {
	defer close(b.stopped)
	for {
		var batch []request
		select {
		case r := <-b.queue:
			batch = append(batch, r)
		case <-ctx.Done():
			return
		}
		deadline := time.NewTimer(linger)
	fill:
		for len(batch) < rows {
			select {
			case r := <-b.queue:
				batch = append(batch, r)
			case <-deadline.C:
				break fill
			}
		}
		deadline.Stop()
		b.serve(ctx, batch)
	}
}

// serve answers the requests of a batch whose clients still wait.
func (b *batcher) serve(ctx context.Context, batch []request) {
	var wanted []request
	for _, r := range batch {
		if r.ctx.Err() == nil {
			wanted = append(wanted, r)
		}
	}
	if len(wanted) == 0 {
		return
	}
	b.sizes.Record(ctx, int64(len(wanted)))
	values, err := b.execute(ctx, wanted)
	for i, r := range wanted {
		if err != nil {
			r.answer <- answer{err: err}
			continue
		}
		r.answer <- answer{value: values[i]}
	}
}

// execute runs the program on a batch. Missing rows are zero, since the program has one
// shape; their results are ignored.
func (b *batcher) execute(ctx context.Context, batch []request) ([]float32, error) {
	data := make([]float32, rows*inputs)
	for i, r := range batch {
		copy(data[i*inputs:], r.row[:])
	}
	x, err := pjrt.FromSlice(ctx, b.exe.Client(), data, rows, inputs)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	outs, err := b.exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{Bound: b.weights})
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}
