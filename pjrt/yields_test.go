// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Go takes the processor after ten milliseconds.
func TestGoroutinesYieldBeforeGoTakesTheProcessor(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{100e3, 1e6, 2800e3, 4e6, 4999e3, 6e6, 9e6} {
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			due := pjrt.YieldsDue()
			last := 20 * time.Millisecond
			require.True(t, due(last), "at first")
			assert.False(t, due(last), "another goroutine")
			for at := last + takes; at < time.Second; at += takes {
				assert.LessOrEqual(t, at-last, 10*time.Millisecond)
				if due(at) {
					assert.Greater(t, at-last, 5*time.Millisecond, "more often than necessary")
					last = at
				}
			}
		})
	}
}

// A loop of executions that never yields loses its processor in the middle of calls.
func TestEachKindOfExecutionYields(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	args := []*pjrt.Buffer{b, b}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type outcome struct {
		all  [][]*pjrt.Buffer
		done *pjrt.Event // nil if nothing is under way
		err  error
	}
	for name, execute := range map[string]func(context.Context, *pjrt.LoadedExecutable) outcome{
		"Execute": func(ctx context.Context, exe *pjrt.LoadedExecutable) outcome {
			outs, err := exe.Execute(ctx, args, nil)
			return outcome{all: [][]*pjrt.Buffer{outs}, err: err}
		},
		"ExecuteInto": func(ctx context.Context, exe *pjrt.LoadedExecutable) outcome {
			outs := make([]*pjrt.Buffer, 1)
			err := exe.ExecuteInto(ctx, outs, args, nil)
			return outcome{all: [][]*pjrt.Buffer{outs}, err: err}
		},
		"ExecuteAll": func(ctx context.Context, exe *pjrt.LoadedExecutable) outcome {
			all, err := exe.ExecuteAll(ctx, [][]*pjrt.Buffer{args}, nil)
			return outcome{all: all, err: err}
		},
		"Start": func(ctx context.Context, exe *pjrt.LoadedExecutable) outcome {
			outs, done, err := exe.Start(ctx, args, nil)
			return outcome{[][]*pjrt.Buffer{outs}, done, err}
		},
		"StartAll": func(ctx context.Context, exe *pjrt.LoadedExecutable) outcome {
			all, done, err := exe.StartAll(ctx, [][]*pjrt.Buffer{args}, nil)
			return outcome{all, done, err}
		},
	} {
		for kind, ctx := range map[string]context.Context{"": context.Background(), " with a context that can end": ctx} {
			t.Run(name+kind, func(t *testing.T) {
				exe := compile(t, client, add)
				for turn := range 5 { // the later ones are repeated in one crossing
					pjrt.YieldLongAgo(exe)
					for range 64 { // of repeated executions, some look at the time
						x := execute(ctx, exe)
						require.NoError(t, x.err)
						if x.done != nil {
							require.NoError(t, x.done.Wait(ctx))
							x.done.Close()
						}
						for _, outs := range x.all {
							closeAll(outs)
						}
					}
					assert.True(t, pjrt.Yielded(exe), "turn %d", turn)
				}
			})
		}
	}
}
