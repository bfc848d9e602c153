// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operate stands for a function of the hot path.
//
//go:noinline
func operate(ctx context.Context, e *LoadedExecutable) (_ []*Buffer, err error) {
	op := begin(ctx, OperationExecute, subject{client: e.client, program: e.name, devices: e.devices})
	defer op.end(&err)
	op.on(nil)
	return nil, nil
}

func TestUnwatchedOperationsAllocateNothing(t *testing.T) {
	require.Nil(t, watching.Load(), "no other test watches now")
	e := &LoadedExecutable{client: &Client{}, Executable: &Executable{name: "name"}}
	ctx := context.Background()
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = operate(ctx, e) }))

	SetLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer SetLogger(nil)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = operate(ctx, e) }), "the logger does not log executions")

	SetLogger(nil)
	Observe(idle{})()
	assert.Nil(t, watching.Load())
}

func BenchmarkUnwatchedOperation(b *testing.B) {
	e := &LoadedExecutable{client: &Client{}, Executable: &Executable{name: "name"}}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = operate(ctx, e)
	}
}

// idle is an Observer that does nothing.
type idle struct{}

func (idle) Start(ctx context.Context, _ Operation) context.Context { return ctx }

func (idle) End(context.Context, Operation) {}
