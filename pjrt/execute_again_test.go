// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// repeating returns a program that adds, and arguments with which its next execution would be
// run as the last one was.
func repeating(t testing.TB, client *pjrt.Client) (*pjrt.LoadedExecutable, []*pjrt.Buffer) {
	t.Helper()
	exe := compile(t, client, add)
	args := []*pjrt.Buffer{upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(10, 20, 30, 40))}
	repeat(t, exe, args, nil)
	return exe, args
}

// repeat executes until an execution is run as the one before.
func repeat(t testing.TB, exe *pjrt.LoadedExecutable, args []*pjrt.Buffer, opts *pjrt.ExecuteOptions) {
	t.Helper()
	outs := make([]*pjrt.Buffer, 1)
	executeAgain(t, exe, outs, args, opts)
	require.NoError(t, outs[0].Close())
}

// An execution that can be run as the one before makes the checks of any other.
func TestARepeatedExecutionIsCheckedLikeTheFirst(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	exe, args := repeating(t, client)
	filled := func(t *testing.T, c *pjrt.Client, a pjrt.HostArray) *pjrt.Buffer {
		b := upload(t, c, a)
		require.NoError(t, b.Wait(ctx)) // otherwise its contents are a reason not to repeat
		return b
	}
	fresh := func(t *testing.T) *pjrt.Buffer { return filled(t, client, matrix(5, 6, 7, 8)) }
	typed := pjrt.HostArray{Type: dtype.S32, Dims: []int64{2, 2}, Data: make([]byte, 16)}
	for name, c := range map[string]struct {
		args func(t *testing.T) []*pjrt.Buffer
		opts *pjrt.ExecuteOptions
		want []float32
		err  string
	}{
		"the same":    {func(*testing.T) []*pjrt.Buffer { return args }, nil, []float32{11, 22, 33, 44}, ""},
		"in turn":     {func(*testing.T) []*pjrt.Buffer { return []*pjrt.Buffer{args[1], args[1]} }, nil, []float32{20, 40, 60, 80}, ""},
		"a fresh one": {func(t *testing.T) []*pjrt.Buffer { return []*pjrt.Buffer{args[0], fresh(t)} }, nil, []float32{6, 8, 10, 12}, ""},
		"too few":     {func(*testing.T) []*pjrt.Buffer { return args[:1] }, nil, nil, "the program takes 2 arguments, not 1"},
		"none":        {func(*testing.T) []*pjrt.Buffer { return nil }, nil, nil, "the program takes 2 arguments, not 0"},
		"nil":         {func(*testing.T) []*pjrt.Buffer { return []*pjrt.Buffer{args[0], nil} }, nil, nil, "argument 1 is nil"},
		"a zero":      {func(*testing.T) []*pjrt.Buffer { return []*pjrt.Buffer{args[0], {}} }, nil, nil, "argument 1 belongs to another client"},
		"another's": {func(t *testing.T) []*pjrt.Buffer {
			return []*pjrt.Buffer{filled(t, other, matrix(1, 2, 3, 4)), args[1]}
		}, nil, nil, "argument 0 belongs to another client"},
		"another type": {func(t *testing.T) []*pjrt.Buffer { return []*pjrt.Buffer{args[0], filled(t, client, typed)} }, nil, nil, "argument 1 is i32[2,2]"},
		"closed": {func(t *testing.T) []*pjrt.Buffer {
			b := fresh(t)
			b.Close()
			return []*pjrt.Buffer{args[0], b}
		}, nil, nil, "argument 1: buffer is closed"},
		"deleted": {func(t *testing.T) []*pjrt.Buffer {
			b := fresh(t)
			require.NoError(t, b.Delete())
			return []*pjrt.Buffer{args[0], b}
		}, nil, nil, "argument 1 was deleted"},
		"a wrong number to keep": {func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{Keep: []int{2}}, nil, "the option Keep names parameter 2"},
		"all kept":               {func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{KeepAll: true}, []float32{11, 22, 33, 44}, ""},
		"a launch id":            {func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{LaunchID: 1 << 40}, nil, "does not fit into 32 bits"},
		"its device":             {func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{Device: exe.Devices()[0]}, []float32{11, 22, 33, 44}, ""},
		"another client's device": {
			func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{Device: other.Devices()[0]}, nil, "belongs to another client",
		},
		"an extension": {
			func(*testing.T) []*pjrt.Buffer { return args }, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{nil}}, nil, "extension 0 of the execution is nil",
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := c.args(t)
			before := pjrt.Live()
			outs, err := exe.Execute(ctx, list, c.opts)
			if c.err == "" {
				require.NoError(t, err)
				assert.Equal(t, c.want, read(t, outs[0]))
				outs[0].Close()
			} else {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				require.ErrorContains(t, err, c.err)
			}
			assert.True(t, noMoreThan(before, pjrt.Live()), "something is left")
			assert.Zero(t, client.InFlight())
		})
		repeat(t, exe, args, nil)
	}
	// Nothing that a repeated execution took is kept.
	for _, a := range args {
		require.NoError(t, a.Delete())
		gone, err := a.IsDeleted()
		require.NoError(t, err)
		assert.True(t, gone, "the end of the last turn deletes the contents")
	}
	exe.Close()
	_, err := exe.Execute(ctx, args, nil)
	assert.ErrorIs(t, err, pjrt.ErrClosed)
}

// The handles of bound arguments stay in the memory of a launch, for the next execution.
func TestRepeatedExecutionsUseTheArgumentsOfTheirOwnBound(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, args := repeating(t, client)
	options := []*pjrt.ExecuteOptions{nil}
	open := [][]*pjrt.Buffer{args}
	want := []float32{11}
	for i := range 4 {
		weight := upload(t, client, matrix(float32(i), 0, 0, 0))
		var b *pjrt.Bound
		switch i % 3 {
		case 0:
			b, open, want = bind(t, exe, argument(weight)), append(open, args[1:]), append(want, float32(i)+10)
		case 1:
			b, open, want = bind(t, exe, argument(), argument(weight)), append(open, args[:1]), append(want, float32(i)+1)
		case 2:
			b, open, want = bind(t, exe, argument(weight), argument(weight)), append(open, nil), append(want, 2*float32(i))
		}
		options = append(options, with(b))
		repeat(t, exe, open[i+1], options[i+1])
	}
	used, enough := pjrt.Repeated(exe), 100
	// On a busy machine few executions are short enough to be repeated.
	begin := time.Now()
	for round := 0; round < 20 || pjrt.Repeated(exe) <= used+enough && time.Since(begin) < patience; round++ {
		for i := range options {
			for _, j := range []int{i, 0, i, (i + round) % len(options)} {
				outs, err := exe.Execute(ctx, open[j], options[j])
				require.NoError(t, err)
				require.InDelta(t, want[j], read(t, outs[0])[0], 0, "round %d, options %d", round, j)
				outs[0].Close()
			}
		}
	}
	assert.Greater(t, pjrt.Repeated(exe), used+enough, "executions are repeated")

	closed := bind(t, exe, argument(args[0]))
	repeat(t, exe, args[1:], with(closed))
	closed.Close()
	_, err := exe.Execute(ctx, args[1:], with(closed))
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = exe.Execute(ctx, args[1:], with(bind(t, compile(t, client, add), argument(args[0]))))
	require.ErrorContains(t, err, "the bound arguments belong to another executable")
}

// A repeated execution keeps neither what it was given nor what it made.
func TestRepeatedExecutionsKeepNothingReachable(t *testing.T) {
	client := newClient(t)
	exe, args := repeating(t, client)
	gone := make(chan string, 2)
	func() {
		b := upload(new(testing.B), client, matrix(1, 2, 3, 4))
		options := &pjrt.ExecuteOptions{ReuseResults: true}
		repeat(t, exe, []*pjrt.Buffer{args[0], b}, options)
		runtime.AddCleanup(options, func(what string) { gone <- what }, "options")
		runtime.AddCleanup(b, func(what string) { gone <- what }, "argument")
	}()
	collect(t, 2, gone)
	runtime.KeepAlive(exe)
}

// collect collects garbage until n cleanups have sent something to gone.
func collect(t testing.TB, n int, gone <-chan string) {
	t.Helper()
	var collected []string
	for range n {
		require.True(t, collecting.Until(func() bool {
			select {
			case what := <-gone:
				collected = append(collected, what)
				return true
			default:
				return false
			}
		}), "%d are to be collected, and these were: %q", n, collected)
	}
}

// With other executions under way, with a limit or with an observer, an execution is not
// repeated, and its results are the same.
func TestExecutionsBesideOthersAreRight(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, args := repeating(t, client)
	numbers := make([]*pjrt.Buffer, 8)
	for i := range numbers {
		numbers[i] = upload(t, client, matrix(float32(i), 0, 0, 0))
	}
	var all sync.WaitGroup
	errs := make(chan error, len(numbers))
	for i, b := range numbers {
		all.Go(func() {
			for range 300 {
				outs, err := exe.Execute(ctx, []*pjrt.Buffer{b, args[1]}, nil)
				if err == nil {
					var got []float32
					if got, err = pjrt.ToSlice[float32](ctx, outs[0]); err == nil && got[0] != float32(i)+10 {
						err = fmt.Errorf("%d + 10 is %v", i, got[0])
					}
					outs[0].Close()
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	assert.Zero(t, client.InFlight())

	repeat(t, exe, args, nil)
	for name, set := range map[string]func() (undo func()){
		"a limit of the program": func() func() { exe.LimitInFlight(1); return func() { exe.LimitInFlight(0) } },
		"a limit of the client":  func() func() { client.LimitInFlight(1); return func() { client.LimitInFlight(0) } },
	} {
		undo := set()
		used := pjrt.Repeated(exe)
		outs, err := exe.Execute(ctx, args, nil)
		require.NoError(t, err)
		assert.Equal(t, []float32{11, 22, 33, 44}, read(t, outs[0]))
		outs[0].Close()
		assert.Equal(t, used, pjrt.Repeated(exe), name)
		undo()
	}
	repeat(t, exe, args, nil)
}
