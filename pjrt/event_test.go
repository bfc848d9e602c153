// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
)

func newEvent(t testing.TB, p *pjrt.Plugin) (*pjrt.Event, *pjrt.Promise) {
	t.Helper()
	e, promise, err := p.NewEvent()
	require.NoError(t, err)
	t.Cleanup(func() {
		e.Close()
		promise.Close()
	})
	return e, promise
}

// keep makes the event of the promise ready, with an error or without.
func keep(p *pjrt.Promise, err error) error {
	if err == nil {
		return p.Fulfill()
	}
	return p.Fail(err)
}

func TestAPromiseMakesItsEventReady(t *testing.T) {
	plugin := standInPlugin(t)
	ctx := context.Background()
	for name, c := range map[string]struct {
		set     error
		code    error // of the event's error
		message string
	}{
		"success":        {nil, nil, ""},
		"plain":          {errors.New("it broke"), pjrt.ErrUnknown, "it broke"},
		"with a code":    {&pjrt.Error{Code: pjrt.ErrDataLoss, Message: "gone"}, pjrt.ErrDataLoss, "gone"},
		"a context":      {context.DeadlineExceeded, pjrt.ErrDeadlineExceeded, "context deadline exceeded"},
		"the code OK":    {&pjrt.Error{Message: "none"}, pjrt.ErrUnknown, "none"},
		"without a text": {&pjrt.Error{Code: pjrt.ErrAborted}, pjrt.ErrAborted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, promise := newEvent(t, plugin)
			ready, err := e.Ready()
			require.NoError(t, err)
			assert.False(t, ready)
			require.NoError(t, e.Err(), "nothing yet")
			short, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			require.ErrorIs(t, e.Wait(short), context.DeadlineExceeded)
			ended, cancel := context.WithCancel(ctx)
			cancel()
			require.ErrorIs(t, e.Wait(ended), context.Canceled)
			called := make(chan error, 2)
			require.NoError(t, e.OnReady(func(err error) { called <- err }))
			waited := make(chan error, 2)
			go func() { waited <- e.Wait(ctx) }()
			go func() {
				cancellable, cancel := context.WithCancel(ctx)
				defer cancel()
				waited <- e.Wait(cancellable)
			}()
			done := e.Done()
			select {
			case <-done:
				t.Error("done before it was set")
			case <-time.After(time.Millisecond):
			}

			require.NoError(t, keep(promise, c.set))
			<-done
			require.NoError(t, e.OnReady(func(err error) { called <- err }), "when it is ready")
			all := []error{e.Err(), e.Wait(ctx), e.Wait(ended), <-waited, <-waited, <-called, <-called}
			for _, err := range all {
				if c.code == nil {
					require.NoError(t, err)
					continue
				}
				var perr *pjrt.Error
				require.ErrorAs(t, err, &perr)
				require.ErrorIs(t, err, c.code)
				assert.Equal(t, c.message, perr.Message)
			}
			<-e.Done()
			ready, err = e.Ready()
			require.NoError(t, err)
			assert.True(t, ready)
			for _, again := range []error{promise.Fulfill(), promise.Fail(errors.New("again"))} {
				require.ErrorIs(t, again, pjrt.ErrFailedPrecondition)
				assert.ErrorContains(t, again, "the promise was already kept")
			}

			require.NoError(t, e.Close())
			require.NoError(t, e.Close())
			require.ErrorIs(t, e.Wait(ctx), pjrt.ErrClosed)
			require.ErrorIs(t, e.Err(), pjrt.ErrClosed)
			require.NoError(t, promise.Close())
			require.ErrorIs(t, e.OnReady(func(error) {}), pjrt.ErrClosed)
			_, err = e.Ready()
			require.ErrorIs(t, err, pjrt.ErrClosed)
			<-e.Done()
		})
	}
	// The plugin may be done with an event after its Close has returned.
	require.Eventually(t, func() bool { return standInEvents() == 0 }, patience, time.Millisecond)
}

func TestAPromiseThatIsNotKeptFailsItsEvent(t *testing.T) {
	plugin := standInPlugin(t)
	t.Run("closed", func(t *testing.T) {
		e, promise := newEvent(t, plugin)
		waited := make(chan error, 3)
		require.NoError(t, e.OnReady(func(err error) { waited <- err }))
		started := make(chan struct{})
		for _, ctx := range []context.Context{context.Background(), t.Context()} {
			go func() { started <- struct{}{}; waited <- e.Wait(ctx) }()
			<-started
		}
		time.Sleep(10 * time.Millisecond) // let them wait
		require.NoError(t, promise.Close())
		require.NoError(t, promise.Close())
		for range 3 {
			require.ErrorIs(t, <-waited, pjrt.ErrCancelled)
		}
		require.ErrorIs(t, e.Wait(t.Context()), pjrt.ErrCancelled)
		require.ErrorIs(t, promise.Fulfill(), pjrt.ErrClosed)
	})
	t.Run("after its event was closed", func(t *testing.T) {
		e, promise := newEvent(t, plugin)
		called := make(chan error, 1)
		require.NoError(t, e.OnReady(func(err error) { called <- err }))
		require.NoError(t, e.Close())
		require.NoError(t, promise.Fulfill(), "the work goes on")
		require.NoError(t, <-called)
	})
	t.Run("forgotten", func(t *testing.T) {
		called := make(chan error, 1)
		func() {
			e, _, err := plugin.NewEvent()
			require.NoError(t, err)
			require.NoError(t, e.OnReady(func(err error) { called <- err }))
		}()
		var err error
		require.True(t, collecting.Until(func() bool {
			select {
			case err = <-called:
				return true
			default:
				return false
			}
		}))
		require.ErrorIs(t, err, pjrt.ErrCancelled)
	})
	require.True(t, collecting.Until(func() bool { return standInEvents() == 0 }))
}

func TestAWaitWhoseContextStoppedTheWorkHasTheErrorOfTheContext(t *testing.T) {
	e, promise := newEvent(t, standInPlugin(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, promise.Fail(context.Canceled))
	require.ErrorIs(t, e.Wait(t.Context()), pjrt.ErrCancelled)
	for range 2 {
		err := e.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, pjrt.ErrCancelled)
	}
	require.NotErrorIs(t, e.Err(), context.Canceled)
}

func TestNewEventNeedsANewPlugin(t *testing.T) {
	e, promise, err := olderClient(t).Plugin().NewEvent()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.Nil(t, e)
	assert.Nil(t, promise)
	assert.ErrorContains(t, err, "came with API 0.89, and the plugin has API 0.81")
}

func TestMisuseOfEventsIsRefused(t *testing.T) {
	ctx := context.Background()
	for name, e := range map[string]*pjrt.Event{"nil": nil, "empty": new(pjrt.Event)} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, e.Wait(ctx), "the event is nil")
			require.ErrorContains(t, e.Err(), "the event is nil")
			require.ErrorContains(t, e.OnReady(func(error) {}), "the event is nil")
			_, err := e.Ready()
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			<-e.Done()
			require.NoError(t, e.Close())
		})
	}
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	xOuts, x, err := exe.Start(ctx, []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	defer x.Close()
	defer xOuts[0].Close()
	require.ErrorContains(t, x.OnReady(nil), "the function is nil")
	require.NoError(t, x.Close())
	require.ErrorIs(t, x.Wait(ctx), pjrt.ErrClosed)
	require.ErrorIs(t, x.Err(), pjrt.ErrClosed)
	require.ErrorIs(t, x.OnReady(func(error) {}), pjrt.ErrClosed)
	_, err = x.Ready()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	<-x.Done()
	for name, none := range map[string]*pjrt.Promise{"nil": nil, "empty": new(pjrt.Promise)} {
		require.NoError(t, none.Close(), name)
		require.ErrorContains(t, none.Fulfill(), "the promise is nil", name)
		require.ErrorContains(t, none.Fail(errors.New("no")), "the promise is nil", name)
		require.ErrorContains(t, none.Fail(nil), "the error is nil", name)
	}
}

func TestAWaitLooksAgainBeforeItAsksForACallback(t *testing.T) {
	plugin := standInPlugin(t)
	for name, c := range map[string]struct {
		spinning  int
		readyAt   int // which look at the event finds it ready
		callbacks int
	}{
		"ready at once":              {1, 1, 0},
		"ready soon":                 {1, 2, 0},
		"too many threads look":      {0, 2, 1},
		"ready when the wait begins": {0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			defer pjrt.Spinning(c.spinning)()
			e, promise := newEvent(t, plugin)
			looks, callbacks := 0, 0
			on(t, func(a *capi.EventIsReadyArgs, next func(*capi.EventIsReadyArgs) uintptr) uintptr {
				if looks++; looks == c.readyAt {
					assert.NoError(t, promise.Fulfill())
				}
				return next(a)
			})
			on(t, func(a *capi.EventOnReadyArgs, next func(*capi.EventOnReadyArgs) uintptr) uintptr {
				callbacks++
				go promise.Fulfill()
				return next(a)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			require.NoError(t, e.Wait(ctx))
			assert.Equal(t, c.callbacks, callbacks)
		})
	}
}

func TestALookAgainEndsWithItsContext(t *testing.T) {
	plugin := standInPlugin(t)
	defer pjrt.Spinning(1)()
	e, _ := newEvent(t, plugin)
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	on(t, func(a *capi.EventIsReadyArgs, next func(*capi.EventIsReadyArgs) uintptr) uintptr {
		if looks++; looks == 2 {
			cancel()
		}
		return next(a)
	})
	require.ErrorIs(t, e.Wait(ctx), context.Canceled)
	assert.LessOrEqual(t, looks, 2)
}

func TestManyWaitersShareOneCallback(t *testing.T) {
	plugin := standInPlugin(t)
	registered := count[capi.EventOnReadyArgs](t)
	awaited := count[capi.EventAwaitArgs](t)
	e, promise := newEvent(t, plugin)
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			ctx := t.Context()
			switch i % 3 {
			case 0:
				assert.ErrorIs(t, e.Wait(ctx), pjrt.ErrAborted)
			case 1:
				<-e.Done()
				assert.ErrorIs(t, e.Err(), pjrt.ErrAborted)
			default:
				called := make(chan error)
				assert.NoError(t, e.OnReady(func(err error) { called <- err }))
				assert.ErrorIs(t, <-called, pjrt.ErrAborted)
			}
		})
	}
	time.Sleep(10 * time.Millisecond)
	require.NoError(t, promise.Fail(&pjrt.Error{Code: pjrt.ErrAborted}))
	wg.Wait()
	assert.LessOrEqual(t, registered(), 1)
	assert.LessOrEqual(t, awaited(), 1000)
}

func TestWaitersKeepWaitingAfterClose(t *testing.T) {
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	event := delayExecutions(t)
	for range 20 {
		xOuts, x, err := exe.Start(t.Context(), []*pjrt.Buffer{a, a}, nil)
		require.NoError(t, err)
		e, end := x, event()
		waited := make(chan error, 8)
		for i := range cap(waited) {
			go func() {
				if i%2 == 0 {
					waited <- e.Wait(t.Context())
				} else {
					<-e.Done()
					waited <- nil
				}
			}()
		}
		go e.Close()
		runtime.Gosched()
		end.set(capi.ErrorCodeOK, "")
		for range cap(waited) {
			if err := <-waited; err != nil { // the event was closed before the wait began
				require.ErrorIs(t, err, pjrt.ErrClosed)
			}
		}
		xOuts[0].Close()
		x.Close()
	}
	require.Eventually(t, func() bool { return standInEvents() == 0 }, patience, time.Millisecond)
}

func TestEventsWorkInAPluginWithoutCallbacks(t *testing.T) {
	plugin := standInPlugin(t)
	on(t, func(*capi.EventOnReadyArgs, func(*capi.EventOnReadyArgs) uintptr) uintptr {
		return failWith(pjrt.ErrUnimplemented, "no callbacks")
	})
	handles := capi.LiveHandles()
	e, promise := newEvent(t, plugin)
	called := make(chan error, 1)
	require.NoError(t, e.OnReady(func(err error) { called <- err }))
	done := e.Done()
	assert.Equal(t, handles, capi.LiveHandles())
	require.NoError(t, promise.Fail(&pjrt.Error{Code: pjrt.ErrDataLoss}))
	<-done
	require.ErrorIs(t, <-called, pjrt.ErrDataLoss)
	require.ErrorIs(t, e.Wait(t.Context()), pjrt.ErrDataLoss)
}

// threads returns the number of threads of the process, and how many were made.
func threads(t testing.TB) (now, made int) {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if n, ok := strings.CutPrefix(line, "Threads:"); ok {
				now, err = strconv.Atoi(strings.TrimSpace(n))
				require.NoError(t, err)
			}
		}
	}
	return now, pprof.Lookup("threadcreate").Count()
}

// This uses a plugin in C: one in Go would hold a thread for each call that waits.
func TestManyWaitersNeedFewThreads(t *testing.T) {
	// On a busy machine, a few hundred threads lose their processor in the middle of a short
	// call.
	const waiters, executions, reads, few = 100_000, 20, 5000, 1500
	client := newClient(t)
	exe := compile(t, client, add)
	arg, come := comingLater(t, client, matrix(1, 2, 3, 4))
	under := make([]*pjrt.Event, executions)
	for i := range under {
		xOuts, x, err := exe.Start(t.Context(), []*pjrt.Buffer{arg, arg}, nil)
		require.NoError(t, err)
		xOuts[0].Close()
		defer x.Close()
		under[i] = x
	}
	contents := make([]*pjrt.Event, reads)
	for i := range contents {
		var err error
		contents[i], err = arg.ReadyEvent()
		require.NoError(t, err)
		defer contents[i].Close()
	}
	var waiting, finished sync.WaitGroup
	for i := range waiters {
		waiting.Add(1)
		finished.Go(func() {
			ctx := t.Context()
			if i%2 == 0 {
				ctx = context.Background()
			}
			waiting.Done()
			x, e := under[i%executions], contents[i%reads]
			switch i % 5 {
			case 0:
				<-x.Done()
				assert.NoError(t, x.Err())
			case 1:
				assert.NoError(t, x.Wait(ctx))
			case 2:
				<-e.Done()
				assert.NoError(t, e.Err())
			default:
				assert.NoError(t, e.Wait(ctx))
			}
		})
	}
	waiting.Wait()
	now, made := threads(t)
	come()
	finished.Wait()
	after, madeAfter := threads(t)
	t.Logf("threads: %d (%d made by Go) while %d goroutines wait, %d (%d) after", now, made, waiters, after, madeAfter)
	assert.Less(t, max(now, after), few)
	assert.Less(t, max(made, madeAfter), few)
}
