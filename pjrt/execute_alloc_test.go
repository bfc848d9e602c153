// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !race

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestARepeatedCallAllocatesOnlyItsResults(t *testing.T) {
	client := newClient(t)
	a, b := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opts := &pjrt.ExecuteOptions{Keep: []int{0}, LaunchID: 3}
	var allocs [3]float64 // by the number of results
	for n := range allocs {
		exe := compile(t, client, copies(n))
		bound, err := exe.Bind(ctx, argument(a))
		require.NoError(t, err)
		defer bound.Close()
		withBound := with(bound)
		outs, args, open := make([]*pjrt.Buffer, n), []*pjrt.Buffer{a, b}, []*pjrt.Buffer{b}
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{"plain", func() error { return exe.ExecuteInto(context.Background(), outs, args, nil) }},
			{"cancellable", func() error { return exe.ExecuteInto(ctx, outs, args, opts) }},
			{"bound", func() error { return exe.ExecuteInto(ctx, outs, open, withBound) }},
		} {
			got := testing.AllocsPerRun(200, func() {
				if err := c.run(); err != nil {
					t.Error(err)
				}
				for _, o := range outs {
					o.Close()
				}
			})
			if c.name == "plain" {
				allocs[n] = got
			}
			assert.InDelta(t, allocs[1]*float64(n), got, 0.5*float64(n)+0.01, "%s, %d results", c.name, n)
		}
	}
	t.Logf("%v allocations for each result", allocs[1])
}

func TestARepeatedCallThatReusesItsResultsAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	a, b := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
	opts := &pjrt.ExecuteOptions{ReuseResults: true}
	for n := range 3 {
		exe := compile(t, client, copies(n))
		outs, args := make([]*pjrt.Buffer, n), []*pjrt.Buffer{a, b}
		call := func() {
			for _, o := range outs {
				o.Close()
			}
			if err := exe.ExecuteInto(ctx, outs, args, opts); err != nil {
				t.Error(err)
			}
		}
		call()
		before := append([]*pjrt.Buffer(nil), outs...)
		assert.InDelta(t, 0, testing.AllocsPerRun(200, call), 0.01, "%d results", n)
		for i, o := range outs {
			assert.Same(t, before[i], o)
			sum := float32(i)
			assert.Equal(t, []float32{11 + sum, 22 + sum, 33 + sum, 44 + sum}, read(t, o))
			o.Close()
		}
	}
}

// This is how to serve: bound weights, results in place, no allocation, with and without a
// context that can end.
func TestServingWithBoundWeightsAllocatesNothing(t *testing.T) {
	client := newClient(t)
	weights, input := upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))
	exe := compile(t, client, copies(2))
	bound, err := exe.Bind(context.Background(), argument(weights))
	require.NoError(t, err)
	defer bound.Close()
	opts := &pjrt.ExecuteOptions{Bound: bound, ReuseResults: true}
	outs, args := make([]*pjrt.Buffer, 2), []*pjrt.Buffer{input}
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), ending} {
		call := func() {
			if err := exe.ExecuteInto(ctx, outs, args, opts); err != nil {
				t.Error(err)
			}
			for _, o := range outs {
				o.Close()
			}
		}
		call()
		assert.InDelta(t, 0, testing.AllocsPerRun(200, call), 0.01)
	}
}

func TestExecuteAllocatesOneObjectForOneResult(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, copies(1))
	args := []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))}
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), ending} {
		assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
			outs, err := exe.Execute(ctx, args, nil)
			if err != nil {
				t.Error(err)
				return
			}
			outs[0].Close()
		}), 1.0)
	}
}

// A Buffer that the program may forget alone is an object of its own. All else of a result is
// used again.
func TestManyResultsAllocateOneObjectEach(t *testing.T) {
	const results = 50
	client := newClient(t)
	exe := compile(t, client, copies(results))
	args := []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))}
	outs := make([]*pjrt.Buffer, results)
	assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		if err := exe.ExecuteInto(context.Background(), outs, args, nil); err != nil {
			t.Error(err)
			return
		}
		for _, o := range outs {
			o.Close()
		}
	}), results+0.5)
}

func TestStartAllocatesTwoObjects(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, copies(1))
	args := []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))}
	const underWay = 20
	assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		var outs [underWay][]*pjrt.Buffer
		var done [underWay]*pjrt.Event
		for i := range underWay {
			var err error
			if outs[i], done[i], err = exe.Start(context.Background(), args, nil); err != nil {
				t.Error(err)
				return
			}
		}
		for i, e := range done {
			if err := e.Wait(context.Background()); err != nil {
				t.Error(err)
			}
			e.Close()
			outs[i][0].Close()
		}
	}), 2.5*underWay, "the result with its list, and the event")
}

// BenchmarkExecute is what one execution of a trivial program costs, with its
// result closed.
func BenchmarkExecute(b *testing.B) {
	ctx := context.Background()
	client := newClient(b)
	exe := compile(b, client, copies(1))
	x := upload(b, client, floats(1, 2, 3, 4))
	bound, err := exe.Bind(ctx, argument(x))
	require.NoError(b, err)
	defer bound.Close()
	withBound, serving := with(bound), &pjrt.ExecuteOptions{Bound: bound, ReuseResults: true}
	args, open := []*pjrt.Buffer{x, x}, []*pjrt.Buffer{x}
	outs := make([]*pjrt.Buffer, 1)
	for name, run := range map[string]func() error{
		"execute": func() (err error) { outs, err = exe.Execute(ctx, args, nil); return err },
		"into":    func() error { return exe.ExecuteInto(ctx, outs, args, nil) },
		"reused":  func() error { return exe.ExecuteInto(ctx, outs, args, reuse) },
		"bound":   func() error { return exe.ExecuteInto(ctx, outs, open, withBound) },
		"serving": func() error { return exe.ExecuteInto(ctx, outs, open, serving) },
		"start": func() error {
			eOuts, e, err := exe.Start(ctx, args, nil)
			if err != nil {
				return err
			}
			defer e.Close()
			outs[0] = eOuts[0]
			return e.Wait(ctx)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
				if name != "serving" { // the next call closes it
					outs[0].Close()
				}
			}
		})
	}
}
