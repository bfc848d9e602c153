// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

var reuse = &pjrt.ExecuteOptions{ReuseResults: true}

// executeAgain executes, and closes the results before, until an execution is run as the one
// before, in one crossing into C.
func executeAgain(t testing.TB, exe *pjrt.LoadedExecutable, outs, args []*pjrt.Buffer, opts *pjrt.ExecuteOptions) {
	t.Helper()
	before := pjrt.Repeated(exe)
	require.Eventually(t, func() bool {
		closeAll(outs)
		require.NoError(t, exe.ExecuteInto(context.Background(), outs, args, opts))
		return pjrt.Repeated(exe) > before
	}, patience, time.Microsecond)
}

// As many results as one crossing into C destroys, more, and none.
func TestResultsTakeThePlaceOfThoseBefore(t *testing.T) {
	ctx := context.Background()
	nothingAlive(t)
	keepGarbage(t)
	client := standInClient(t, 1)
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	for n := range 8 {
		exe := compile(t, client, copies(n))
		ones, tens := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
		outs := make([]*pjrt.Buffer, n)
		run := func(ctx context.Context, a, b *pjrt.Buffer) {
			require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{a, b}, reuse))
		}
		if n%2 == 1 {
			executeAgain(t, exe, outs, []*pjrt.Buffer{ones, tens}, nil)
			closeAll(outs)
		}
		executeAgain(t, exe, outs, []*pjrt.Buffer{ones, tens}, reuse)
		live := pjrt.Live()
		first := slices.Clone(outs)
		destroyed := count[capi.BufferDestroyArgs](t)
		for i := range 10 {
			a, ctx := ones, ctx
			if i%2 == 1 {
				a, ctx = tens, ending
			}
			run(ctx, a, tens)
			for k, o := range outs {
				require.Same(t, first[k], o)
				require.Equal(t, read(t, a)[0]+10+float32(k), read(t, o)[0])
			}
		}
		assert.Equal(t, 10*n, destroyed(), "the results before")
		assert.Equal(t, live, pjrt.Live())
		for _, o := range outs {
			require.NoError(t, o.Close())
		}
		assert.Equal(t, 11*n, destroyed())
		assert.Equal(t, live["buffer"]-n, pjrt.Live()["buffer"])
		run(ctx, ones, tens)
		assert.Equal(t, first, outs, "closed ones are used too")
		exe.Close()
	}
}

// outs may have anything. What the program still uses keeps its contents, and nothing is closed
// that no execution with ReuseResults made.
func TestResultsReplaceOnlyWhatNobodyUses(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, copies(2))
	ones, tens := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
	args := []*pjrt.Buffer{ones, tens}
	steady := func(t *testing.T) []*pjrt.Buffer {
		outs := make([]*pjrt.Buffer, 2)
		executeAgain(t, exe, outs, args, reuse)
		return outs
	}
	again := func(t *testing.T, outs []*pjrt.Buffer) {
		for range 2 {
			require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{tens, tens}, reuse))
			require.Equal(t, []float32{20, 40, 60, 80}, read(t, outs[0]))
			require.Equal(t, []float32{21, 41, 61, 81}, read(t, outs[1]))
		}
	}

	t.Run("a reference", func(t *testing.T) {
		outs := steady(t)
		old := outs[0]
		r, err := old.Reference(ctx)
		require.NoError(t, err)
		again(t, outs)
		assert.NotSame(t, old, outs[0])
		address, err := r.Address()
		require.NoError(t, err)
		assert.Equal(t, [4]float32{11, 22, 33, 44}, **(**[4]float32)(unsafe.Pointer(&address)))
		_, err = old.IsDeleted()
		require.ErrorIs(t, err, pjrt.ErrClosed)
		require.NoError(t, r.Close())
	})
	t.Run("a bound one", func(t *testing.T) {
		outs := steady(t)
		old := outs[1] // 12, 23, 34, 45
		bound := bind(t, exe, argument(old))
		again(t, outs)
		assert.NotSame(t, old, outs[1])
		sum, err := exe.Execute(ctx, args[:1], with(bound))
		require.NoError(t, err)
		assert.Equal(t, []float32{13, 25, 37, 49}, read(t, sum[0]))
		closeAll(sum)
	})
	t.Run("one that is an argument", func(t *testing.T) {
		outs := steady(t)
		for i := range 5 {
			require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{outs[0], ones}, reuse))
			assert.InDelta(t, 12+i, read(t, outs[0])[0], 0)
		}
	})
	t.Run("one twice", func(t *testing.T) {
		outs := steady(t)
		outs[1].Close()
		outs[1] = outs[0]
		again(t, outs)
		assert.NotSame(t, outs[0], outs[1])
	})
	t.Run("a deleted one", func(t *testing.T) {
		outs := steady(t)
		require.NoError(t, outs[0].Delete())
		again(t, outs)
		gone, err := outs[0].IsDeleted()
		require.NoError(t, err)
		assert.False(t, gone)
	})
	t.Run("one of another program", func(t *testing.T) {
		outs, others := steady(t), make([]*pjrt.Buffer, 1)
		require.NoError(t, compile(t, client, add).ExecuteInto(ctx, others,
			[]*pjrt.Buffer{upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(1, 2, 3, 4))}, reuse))
		outs[0].Close()
		outs[0] = others[0]
		again(t, outs)
		assert.NotSame(t, others[0], outs[0], "its shape differs")
		_, err := others[0].IsDeleted()
		require.ErrorIs(t, err, pjrt.ErrClosed)
	})
	t.Run("what others made", func(t *testing.T) {
		outs := steady(t)
		closeAll(outs)
		plain, err := exe.Execute(ctx, args, nil)
		require.NoError(t, err)
		fives := upload(t, client, floats(5, 5, 5, 5))
		outs[0], outs[1] = plain[0], fives
		again(t, outs)
		assert.Equal(t, []float32{11, 22, 33, 44}, read(t, plain[0]))
		assert.Equal(t, []float32{5, 5, 5, 5}, read(t, fives))
		closeAll(plain)
	})
	t.Run("recorded ones", func(t *testing.T) {
		defer lifetimes.Track(lifetimes.Track(true))
		outs := steady(t)
		old := slices.Clone(outs)
		again(t, outs)
		assert.Equal(t, old, outs)
		closeAll(outs)
	})
	t.Run("none without the option", func(t *testing.T) {
		outs := steady(t)
		old := slices.Clone(outs)
		require.NoError(t, exe.ExecuteInto(ctx, outs, args, nil))
		assert.NotSame(t, old[0], outs[0])
		assert.Equal(t, []float32{11, 22, 33, 44}, read(t, old[0]))
		closeAll(outs)
		closeAll(old)
	})
	require.NoError(t, client.Close())
}

func closeAll(list []*pjrt.Buffer) {
	for _, b := range list {
		b.Close()
	}
}

// Whatever fails, what outs had before is still there, and is destroyed once.
func TestAFailedExecutionReplacesNothing(t *testing.T) {
	ctx := context.Background()
	nothingAlive(t)
	keepGarbage(t)
	client := standInClient(t, 1)
	for name, c := range map[string]struct {
		fault  func(t *testing.T)
		want   error
		closed bool // the plugin noticed too late
	}{
		"the call": {func(t *testing.T) {
			on(t, func(*capi.LoadedExecutableExecuteArgs, func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
				return failWith(pjrt.ErrAborted, "never started")
			})
		}, pjrt.ErrAborted, false},
		"the work": {func(t *testing.T) { exhausted(t, 1, pjrt.ErrDataLoss, false, nil) }, pjrt.ErrDataLoss, false},
		"the wait": {func(t *testing.T) {
			on(t, func(*capi.EventAwaitArgs, func(*capi.EventAwaitArgs) uintptr) uintptr {
				return failWith(pjrt.ErrUnavailable, "no wait")
			})
		}, pjrt.ErrUnavailable, false},
		"the end of the event": {func(t *testing.T) {
			on(t, func(a *capi.EventDestroyArgs, next func(*capi.EventDestroyArgs) uintptr) uintptr {
				next(a)
				return failWith(pjrt.ErrInternal, "no end")
			})
		}, nil, false},
		"the end of the first result": {func(t *testing.T) {
			failed := false
			on(t, func(a *capi.BufferDestroyArgs, next func(*capi.BufferDestroyArgs) uintptr) uintptr {
				next(a)
				if failed {
					return 0
				}
				failed = true
				return failWith(pjrt.ErrInternal, "no end")
			})
		}, nil, false},
		"out of memory once": {func(t *testing.T) { exhausted(t, 1, pjrt.ErrResourceExhausted, true, nil) }, nil, false},
		"no result": {func(t *testing.T) {
			on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
				if failure := next(a); failure != 0 {
					return failure
				}
				for i, h := range unsafe.Slice(*a.OutputLists, 2) {
					d := new(capi.Call[capi.BufferDestroyArgs])
					d.Args.Buffer = h
					_ = d.Do(standIn.real)
					unsafe.Slice(*a.OutputLists, 2)[i] = nil
				}
				return 0
			})
		}, pjrt.ErrInternal, true},
	} {
		t.Run(name, func(t *testing.T) {
			exe := compile(t, client, copies(2))
			a := upload(t, client, floats(1, 2, 3, 4))
			outs, args := make([]*pjrt.Buffer, 2), []*pjrt.Buffer{a, a}
			executeAgain(t, exe, outs, args, reuse)
			before := pjrt.Live()
			old := slices.Clone(outs)
			t.Run("", func(t *testing.T) {
				c.fault(t)
				require.ErrorIs(t, exe.ExecuteInto(ctx, outs, args, reuse), c.want)
			})
			require.Equal(t, old, outs)
			if c.closed {
				for _, o := range old {
					_, err := o.IsDeleted()
					require.ErrorIs(t, err, pjrt.ErrClosed)
				}
				assert.Equal(t, before["buffer"]-2, pjrt.Live()["buffer"])
			} else {
				assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
				assert.Equal(t, []float32{3, 5, 7, 9}, read(t, outs[1]))
				assert.Equal(t, before["buffer"], pjrt.Live()["buffer"])
			}
			for range 5 {
				require.NoError(t, exe.ExecuteInto(ctx, outs, args, reuse))
				require.Equal(t, old, outs)
				require.Equal(t, []float32{3, 5, 7, 9}, read(t, outs[1]))
			}
			assert.Equal(t, before["buffer"], pjrt.Live()["buffer"])
			closeAll(outs)
			assert.Equal(t, before["buffer"]-2, pjrt.Live()["buffer"])
		})
	}
}

// Goroutines use, close and pass on a result while it is replaced.
func TestResultsAreReplacedWhileOthersUseThem(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, copies(1))
	ones, tens := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
	outs := make([]*pjrt.Buffer, 1)
	require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{ones, ones}, reuse))
	var shared sync.Map // the Buffers that were in outs
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				shared.Range(func(b, _ any) bool {
					switch i {
					case 0:
						if got, err := pjrt.ToSlice[float32](ctx, b.(*pjrt.Buffer)); err == nil && got[0] != 2 && got[0] != 20 {
							t.Errorf("1 + 1 or 10 + 10 is %v", got[0])
						}
					case 1:
						if r, err := b.(*pjrt.Buffer).Reference(ctx); err == nil {
							r.Close()
						}
					case 2:
						b.(*pjrt.Buffer).Close()
					}
					return true
				})
			}
		})
	}
	for i := range 3000 {
		x := ones
		if i%2 == 0 {
			x = tens
		}
		require.NoError(t, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{x, x}, reuse))
		shared.Store(outs[0], true)
	}
	close(stop)
	wg.Wait()
	closeAll(outs)
	shared.Range(func(b, _ any) bool { b.(*pjrt.Buffer).Close(); return true })
	closeAll([]*pjrt.Buffer{ones, tens})
	exe.Close()
	require.NoError(t, client.Close())
}
