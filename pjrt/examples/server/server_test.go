// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

const execute = "PJRT_LoadedExecutable_Execute"

// loaded returns a batcher, which does not run yet, with a device in memory.
func loaded(t *testing.T) (*batcher, *pjrttest.Plugin) {
	p := pjrttest.New(t, pjrttest.Options{})
	p.Program("model", pjrttest.Signature{}, func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		w, err := pjrttest.Values[float32](args[0])
		if err != nil {
			return nil, err
		}
		x, err := pjrttest.Values[float32](args[2])
		if err != nil {
			return nil, err
		}
		y := make([]float32, rows)
		for i := range y {
			y[i] = x[2*i]*w[0] + x[2*i+1]*w[1] + 1
		}
		return []pjrt.HostArray{pjrt.ArrayOf(y, rows)}, nil
	})
	exe, weights, err := load(context.Background(), p.Client())
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, weights.Close())
		assert.NoError(t, exe.Close())
	})
	b, err := newBatcher(exe, weights, noop.Meter{})
	require.NoError(t, err)
	return b, p
}

// start runs the batches until the test ends.
func start(t *testing.T, b *batcher) {
	ctx, cancel := context.WithCancel(context.Background())
	go b.run(ctx)
	t.Cleanup(func() {
		cancel()
		<-b.stopped
	})
}

func ask(b *batcher, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler(b).ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

// enqueue asks n times at once, and returns when all requests are in the queue. The answers
// come from the channel.
func enqueue(t *testing.T, b *batcher, n int) <-chan *httptest.ResponseRecorder {
	answers := make(chan *httptest.ResponseRecorder, n)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { answers <- ask(b, http.MethodPost, "/predict", "[1, 2]") })
	}
	t.Cleanup(wg.Wait)
	require.Eventually(t, func() bool { return len(b.queue) == n }, patience, patience/10000)
	return answers
}

func TestRequestsThatWaitTogetherRunAsOneBatch(t *testing.T) {
	t.Parallel()
	b, p := loaded(t)
	answers := enqueue(t, b, 2*rows)
	start(t, b)
	for range 2 * rows {
		w := <-answers
		assert.Equal(t, http.StatusOK, w.Code, w.Body)
		assert.Equal(t, "-3\n", w.Body.String())
	}
	assert.Equal(t, 2, p.Calls(execute))
}

func TestASingleRequestDoesNotWaitForOthers(t *testing.T) {
	t.Parallel()
	b, p := loaded(t)
	start(t, b)
	assert.Equal(t, "-3\n", ask(b, http.MethodPost, "/predict", "[1, 2]").Body.String())
	assert.Equal(t, 1, p.Calls(execute))
}

func TestAFullQueueRefusesRequests(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	answers := enqueue(t, b, waiting)
	for _, w := range []*httptest.ResponseRecorder{ask(b, http.MethodPost, "/predict", "[1, 2]"), ask(b, http.MethodGet, "/healthz", "")} {
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
	}
	start(t, b)
	for range waiting {
		assert.Equal(t, http.StatusOK, (<-answers).Code, "those that were accepted")
	}
}

func TestHealthReflectsTheDevice(t *testing.T) {
	t.Parallel()
	b, p := loaded(t)
	start(t, b)
	assert.Equal(t, http.StatusOK, ask(b, http.MethodGet, "/healthz", "").Code)
	end := p.Fail(execute, pjrt.ErrUnavailable, "the device fell off the bus")
	w := ask(b, http.MethodGet, "/healthz", "")
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Contains(t, w.Body.String(), "the device fell off the bus")
	end()
	assert.Equal(t, http.StatusOK, ask(b, http.MethodGet, "/healthz", "").Code)
}

func TestRequestsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	b, p := loaded(t)
	for body, says := range map[string]string{
		"":          "not a JSON array",
		"{}":        "not a JSON array",
		`["a"]`:     "not a JSON array",
		"[1]":       "there are 1 numbers, not 2",
		"[1, 2, 3]": "there are 3 numbers, not 2",
		"[" + strings.Repeat(" ", 2000) + "1, 2]": "not a JSON array",
	} {
		w := ask(b, http.MethodPost, "/predict", body)
		assert.Equal(t, http.StatusBadRequest, w.Code, body)
		assert.Contains(t, w.Body.String(), says)
	}
	assert.Zero(t, p.Calls(execute))
}

func TestRequestsThatWaitWhenTheServerEndsGetAnError(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	answers := enqueue(t, b, 1)
	close(b.stopped)
	w := <-answers
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Contains(t, w.Body.String(), errStopped.Error())
}

func TestARequestUnderWayIsAnsweredBeforeTheServerEnds(t *testing.T) {
	t.Parallel()
	b, p := loaded(t)
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, b, handler(b)) }()

	p.Hold()
	status := make(chan int, 1)
	go func() {
		answer, err := http.Post("http://"+listener.Addr().String()+"/predict", "application/json", strings.NewReader("[1, 2]"))
		if !assert.NoError(t, err) {
			status <- 0
			return
		}
		assert.NoError(t, answer.Body.Close())
		status <- answer.StatusCode
	}()
	_, err = p.WaitHeld(context.Background(), 1)
	require.NoError(t, err)
	interrupt()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			return true
		}
		assert.NoError(t, c.Close())
		return false
	}, patience, patience/1000, "the server takes no more requests")
	p.Resume()
	assert.Equal(t, http.StatusOK, <-status)
	require.NoError(t, <-ended)
}
