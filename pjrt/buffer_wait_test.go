// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// A server may wait for the same contents for every request, and give up each time.
func TestWaitsThatAreGivenUpLeaveNothingBehind(t *testing.T) {
	for name, host := range map[string]bool{"device": false, "host": true} {
		t.Run(name, func(t *testing.T) {
			p := pjrttest.New(t, pjrttest.Options{HostDevices: host, NoLeaks: true})
			p.Client()
			p.Hold()
			b, err := p.Client().BufferFromHost(t.Context(), vectorOf(1, 2), nil)
			require.NoError(t, err)
			defer b.Close()
			require.Len(t, p.Held(), 1)
			for range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() { done <- b.Wait(ctx) }()
				go func() {
					_, err := b.ToHost(ctx)
					done <- err
				}()
				runtime.Gosched()
				cancel()
				for range 2 {
					require.ErrorIs(t, <-done, context.Canceled)
				}
			}
			assert.Len(t, p.Held(), 1, "no transfer waits for the contents")
			assert.LessOrEqual(t, p.Calls("PJRT_Event_OnReady"), 1)
			// What was given up ends on its own goroutine.
			require.Eventually(t, func() bool { return p.Live()["PJRT_Event"] <= 1 }, patience, time.Millisecond)
			waited := make(chan error)
			go func() { waited <- b.Wait(t.Context()) }()
			p.Resume()
			require.NoError(t, <-waited)
			got, err := pjrt.ToSlice[float32](t.Context(), b)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 2}, got)
		})
	}
}

// slowly gives its bytes one by one. It tells the test that it is asked for one, and waits for the
// test before it gives it.
type slowly struct{ asked, next chan struct{} }

func (s slowly) Read(p []byte) (int, error) {
	s.asked <- struct{}{}
	<-s.next
	p[0] = 1
	return 1, nil
}

func TestAReaderIsLeftWhenTheContextEnds(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	shape := vector2
	ctx, cancel := context.WithCancel(t.Context())
	r := slowly{make(chan struct{}), make(chan struct{})}
	done := make(chan error)
	go func() {
		_, err := p.Client().BufferFromReader(ctx, r, shape, nil)
		done <- err
	}()
	<-r.asked
	r.next <- struct{}{}
	<-r.asked // it waits for its second byte
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	r.next <- struct{}{}
	select {
	case <-r.asked:
		t.Error("it goes on to read")
	case <-time.After(10 * time.Millisecond):
	}
}

// readings gives what a list says, one after another.
type readings []struct {
	n   int
	err error
}

func (r *readings) Read([]byte) (int, error) {
	if len(*r) == 0 {
		return 0, nil
	}
	x := (*r)[0]
	*r = (*r)[1:]
	return x.n, x.err
}

func TestReadersMayMisbehave(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	for name, c := range map[string]struct {
		r    io.Reader
		want string
	}{
		"gives nothing":        {&readings{{n: 3}}, io.ErrNoProgress.Error()},
		"gives too much":       {&readings{{n: 9}}, "the reader says that it read 9 bytes where there was room for 8"},
		"takes bytes back":     {&readings{{n: -1}}, "the reader says that it read -1 bytes"},
		"ends":                 {&readings{{n: 3}, {0, io.EOF}}, "the data ends after 3 of 8 bytes"},
		"fails":                {&readings{{n: 3}, {0, io.ErrClosedPipe}}, io.ErrClosedPipe.Error()},
		"ends with the data":   {&readings{{8, io.EOF}}, ""},
		"fails after the data": {&readings{{8, io.ErrClosedPipe}}, ""},
		"rests":                {&readings{{}, {n: 4}, {}, {n: 4}}, ""},
		"has more":             {bytes.NewReader(make([]byte, 9)), ""},
	} {
		b, err := p.Client().BufferFromReader(t.Context(), c.r, vector2, nil)
		if c.want == "" {
			if assert.NoError(t, err, name) {
				b.Close()
			}
			continue
		}
		assert.ErrorContains(t, err, c.want, name)
	}
}
