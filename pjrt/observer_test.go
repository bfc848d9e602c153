// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// markKey marks the contexts of one test, so that its observers can leave out
// what other tests do.
type markKey struct{}

// seen is what an observer was told.
type seen struct {
	end bool
	op  pjrt.Operation
}

// recorder notes what happens with the contexts of its test.
type recorder struct {
	t    *testing.T
	mu   sync.Mutex
	seen []seen // guarded by mu
}

// observe returns a recorder that observes, and the context to mark operations
// with.
func observe(t *testing.T) (*recorder, context.Context) {
	r := &recorder{t: t}
	t.Cleanup(pjrt.Observe(r))
	return r, context.WithValue(context.Background(), markKey{}, r)
}

type startedKey struct{}

func (r *recorder) Start(ctx context.Context, op pjrt.Operation) context.Context {
	r.note(ctx, seen{false, op})
	return context.WithValue(ctx, startedKey{}, op.ID)
}

func (r *recorder) End(ctx context.Context, op pjrt.Operation) {
	r.note(ctx, seen{true, op})
	assert.Equal(r.t, op.ID, ctx.Value(startedKey{}), "End gets the context that Start returned")
}

func TestAFunctionObservesTheEndsOfOperations(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ends []pjrt.Operation
	mark := context.WithValue(context.Background(), markKey{}, t)
	t.Cleanup(pjrt.Observe(pjrt.ObserverFunc(func(ctx context.Context, op pjrt.Operation) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Value(markKey{}) == t {
			ends = append(ends, op)
		}
	})))
	t.Cleanup(pjrt.Observe(pjrt.ObserverFunc(nil)))
	client := newClient(t)
	x, err := pjrt.FromSlice(mark, client, []float32{1, 2, 3, 4}, 2, 2)
	require.NoError(t, err)
	defer x.Close()
	outs, err := compile(t, client, add).Run(mark, x, x)
	require.NoError(t, err)
	defer outs[0].Close()
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, ends, 2)
	assert.Equal(t, pjrt.OperationUpload, ends[0].Kind)
	assert.Equal(t, pjrt.OperationExecute, ends[1].Kind)
	assert.Positive(t, ends[1].Duration)
}

func (r *recorder) note(ctx context.Context, s seen) {
	if ctx.Value(markKey{}) != r {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, s)
}

// take returns what was noted since the last time.
func (r *recorder) take() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen
	r.seen = nil
	return s
}

// one returns the start and the end of the only operation.
func (r *recorder) one() (start, end pjrt.Operation) {
	r.t.Helper()
	s := r.take()
	require.Len(r.t, s, 2)
	require.False(r.t, s[0].end)
	require.True(r.t, s[1].end)
	start, end = s[0].op, s[1].op
	assert.Equal(r.t, start.ID, end.ID)
	assert.Equal(r.t, start.Kind, end.Kind)
	assert.Equal(r.t, start.Start, end.Start)
	assert.Zero(r.t, start.Duration)
	assert.NoError(r.t, start.Err)
	assert.Positive(r.t, end.Duration)
	return start, end
}

func TestObserversSeeEachOperation(t *testing.T) {
	r, ctx := observe(t)
	plugin := plugintest.Plugin(t)

	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	start, end := r.one()
	assert.Equal(t, pjrt.OperationClient, end.Kind)
	assert.Equal(t, plugin.Path(), start.Plugin)
	assert.Empty(t, start.Platform)
	assert.Equal(t, "cpu", end.Platform)
	assert.Equal(t, client.Devices(), end.Devices)

	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{client.Devices()[2]}}})
	require.NoError(t, err)
	defer exe.Close()
	start, end = r.one()
	assert.Equal(t, pjrt.OperationCompile, end.Kind)
	assert.Equal(t, "cpu", start.Platform)
	assert.Empty(t, start.Program)
	assert.Equal(t, "add", end.Program)
	assert.EqualValues(t, len(add), start.Bytes)
	assert.Equal(t, client.Devices()[2:3], end.Devices)

	b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), &pjrt.BufferOptions{Device: client.Devices()[2]})
	require.NoError(t, err)
	defer b.Close()
	_, end = r.one()
	assert.Equal(t, pjrt.OperationUpload, end.Kind)
	assert.EqualValues(t, 16, end.Bytes)
	assert.Equal(t, client.Devices()[2:3], end.Devices)

	outs, err := exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	start, end = r.one()
	assert.Equal(t, pjrt.OperationExecute, end.Kind)
	assert.Equal(t, "add", start.Program)
	assert.Equal(t, client.Devices()[2:3], start.Devices)
	assert.Equal(t, plugin.Path(), start.Plugin)

	// Observers see the end of a started execution when it is over.
	xOuts, x, err := exe.Start(ctx, []*pjrt.Buffer{b, b}, nil)
	require.NoError(t, err)
	require.NoError(t, x.Wait(ctx))
	xOuts[0].Close()
	x.Close()
	assert.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.seen) == 2 }, time.Minute, time.Millisecond)
	_, end = r.one()
	assert.Equal(t, pjrt.OperationExecute, end.Kind)
	assert.NoError(t, end.Err)

	dst := make([]byte, 16)
	for name, download := range map[string]func() error{
		"ToHost":     func() error { _, err := outs[0].ToHost(ctx); return err },
		"ToHostInto": func() error { _, err := outs[0].ToHostInto(ctx, dst); return err },
		"CopyRaw":    func() error { return transfer.CopyRaw(ctx, outs[0], dst, 0) },
	} {
		require.NoError(t, download(), name)
		_, end = r.one()
		assert.Equal(t, pjrt.OperationDownload, end.Kind, name)
		assert.EqualValues(t, 16, end.Bytes, name)
		assert.Equal(t, "cpu", end.Platform, name)
	}

	moved, err := b.CopyToDevice(ctx, client.Devices()[1])
	require.NoError(t, err)
	defer moved.Close()
	_, end = r.one()
	assert.Equal(t, pjrt.OperationCopy, end.Kind)
	assert.EqualValues(t, 16, end.Bytes)
	assert.Equal(t, client.Devices()[1:2], end.Devices)
	moved, err = b.CopyToMemory(ctx, client.Memories()[0])
	require.NoError(t, err)
	defer moved.Close()
	_, end = r.one()
	assert.Equal(t, pjrt.OperationCopy, end.Kind)

	serialized, err := exe.Serialize(ctx)
	require.NoError(t, err)
	assert.Empty(t, r.take(), "no operation")
	loaded, err := client.DeserializeAndLoad(ctx, serialized, nil)
	require.NoError(t, err)
	defer loaded.Close()
	_, end = r.one()
	assert.Equal(t, pjrt.OperationLoad, end.Kind)
	assert.Equal(t, "add", end.Program)
	assert.EqualValues(t, len(serialized), end.Bytes)
	_, err = client.Load(ctx, nil, nil)
	require.Error(t, err)
	_, end = r.one()
	assert.Equal(t, pjrt.OperationLoad, end.Kind)
	assert.Equal(t, err, end.Err)
}

func TestObserversSeeWhyOperationsFail(t *testing.T) {
	r, ctx := observe(t)
	client := newClient(t)
	_, err := client.Compile(ctx, pjrt.Program{Code: []byte("module @x {")}, nil)
	require.Error(t, err)
	_, end := r.one()
	assert.Equal(t, err, end.Err)

	_, err = client.BufferFromHost(ctx, pjrt.HostArray{}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, end = r.one()
	assert.Equal(t, err, end.Err, "a mistake that was found before the plugin saw it")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.Compile(ended, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, end = r.one()
	assert.Equal(t, err, end.Err)
}

func TestOpeningAPluginIsAnOperation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.so")
	var ops []pjrt.Operation
	remove := pjrt.Observe(pjrt.ObserverFunc(func(_ context.Context, op pjrt.Operation) {
		if op.Plugin == path {
			ops = append(ops, op)
		}
	}))
	defer remove()
	_, err := pjrt.Open(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Len(t, ops, 1)
	assert.Equal(t, pjrt.OperationOpen, ops[0].Kind)
	assert.Equal(t, err, ops[0].Err)
}

// For observers, a long compilation that the caller no longer waits for ends with the
// caller's wait.
func TestAnAbandonedOperationEndsOnce(t *testing.T) {
	r, ctx := observe(t)
	client := standInClient(t, 1)
	ctx, cancel := context.WithCancel(ctx)
	gaveUp := make(chan struct{})
	on(t, func(a *capi.ClientCompileArgs, next func(*capi.ClientCompileArgs) uintptr) uintptr {
		cancel()
		<-gaveUp
		return next(a)
	})
	_, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	close(gaveUp)
	require.ErrorIs(t, err, context.Canceled)
	_, end := r.one()
	require.ErrorIs(t, end.Err, context.Canceled)
}

// starter is an observer that is only told of starts, and returns no context.
type starter func(context.Context, pjrt.Operation)

func (f starter) Start(ctx context.Context, op pjrt.Operation) context.Context {
	f(ctx, op)
	return nil
}

func (f starter) End(ctx context.Context, op pjrt.Operation) {
	if ctx == nil {
		panic("End has no context")
	}
}

func TestARemovedObserverIsNotCalled(t *testing.T) {
	r := &recorder{t: t}
	ctx := context.WithValue(context.Background(), markKey{}, r)
	client := newClient(t)
	remove := pjrt.Observe(r)
	again := pjrt.Observe(r) // the same observer a second time
	upload := func() {
		b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		b.Close()
	}
	upload()
	assert.Len(t, r.take(), 4)
	remove()
	remove()
	upload()
	assert.Len(t, r.take(), 2, "the other one stays")
	again()
	upload()
	assert.Empty(t, r.take())

	// An operation under way still gets its End.
	var late func()
	late = pjrt.Observe(r)
	stop := pjrt.Observe(starter(func(context.Context, pjrt.Operation) { late() }))
	defer stop()
	upload()
	r.one()

	pjrt.Observe(nil)()
}

type panicker struct{ value any }

func (p panicker) Start(context.Context, pjrt.Operation) context.Context { panic(p.value) }
func (p panicker) End(context.Context, pjrt.Operation)                   { panic(p.value) }

func TestAPanicOfAnObserverIsLoggedAndGoesNoFurther(t *testing.T) {
	log := bookOf(t, slog.LevelInfo)
	defer pjrt.Observe(panicker{"no good"})()
	defer pjrt.Observe((*recorder)(nil))()
	r, ctx := observe(t)
	b, err := newClient(t).BufferFromHost(context.WithValue(ctx, logKey{}, log), matrix(1, 2, 3, 4), nil)
	require.NoError(t, err)
	b.Close()
	r.one()
	text := log.String()
	assert.Equal(t, 2, strings.Count(text, `panic="no good"`), text)
	assert.Contains(t, text, "panicker.Start")
	assert.Contains(t, text, "panicker.End")
	assert.Contains(t, text, "nil pointer")
}

func TestObserversMayChangeWhileOperationsRun(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	b := upload(t, client, matrix(1, 2, 3, 4))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				outs, err := exe.Execute(context.Background(), []*pjrt.Buffer{b, b}, nil)
				if !assert.NoError(t, err) {
					return
				}
				outs[0].Close()
			}
		})
	}
	for range 3 {
		wg.Go(func() {
			for range 200 {
				r := &recorder{t: t}
				remove := pjrt.Observe(pairs{r, new(sync.Map)})
				time.Sleep(10 * time.Microsecond)
				remove()
			}
		})
	}
	time.AfterFunc(200*time.Millisecond, func() { close(stop) })
	wg.Wait()
}

// pairs checks that each End has its Start.
type pairs struct {
	*recorder
	open *sync.Map
}

func (p pairs) Start(ctx context.Context, op pjrt.Operation) context.Context {
	_, twice := p.open.LoadOrStore(op.ID, true)
	assert.False(p.t, twice)
	return ctx
}

func (p pairs) End(ctx context.Context, op pjrt.Operation) {
	_, begun := p.open.LoadAndDelete(op.ID)
	assert.True(p.t, begun)
}

// logKey holds, in a context, the log that records with the context go to.
type logKey struct{}

// logbook is a slog handler for one test: it drops records with other contexts.
type logbook struct {
	mu sync.Mutex
	bytes.Buffer
	slog.Handler
}

// bookOf makes the package log to a new log, as text.
func bookOf(t *testing.T, level slog.Level) *logbook {
	l := &logbook{}
	l.Handler = slog.NewTextHandler(&l.Buffer, &slog.HandlerOptions{Level: level, AddSource: true})
	pjrt.SetLogger(slog.New(l))
	t.Cleanup(func() { pjrt.SetLogger(nil) })
	return l
}

func (l *logbook) Handle(ctx context.Context, r slog.Record) error {
	if ctx.Value(logKey{}) != l {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Handler.Handle(ctx, r)
}

func (l *logbook) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSuffix(l.String(), "\n")
	l.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func TestTheLoggerRecordsOperations(t *testing.T) {
	l := bookOf(t, slog.LevelDebug)
	ctx := context.WithValue(context.Background(), logKey{}, l)
	plugin := plugintest.Plugin(t)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	lines := l.lines()
	require.Len(t, lines, 4)
	assert.Contains(t, lines[0], `level=DEBUG`)
	assert.Contains(t, lines[0], `msg="pjrt client begins"`)
	assert.Contains(t, lines[0], "plugin="+plugin.Path())
	assert.Contains(t, lines[1], `level=INFO`)
	assert.Regexp(t, `msg="pjrt client" operation=\d+ platform=cpu devices="\[0 1 2 3\]" duration=\d`, lines[1])
	assert.Contains(t, lines[2], `msg="pjrt compile begins"`)
	assert.Contains(t, lines[3], "level=INFO")
	assert.Regexp(t, `msg="pjrt compile" operation=\d+ platform=cpu program=add bytes=\d+ devices=\[0\] duration=\d`, lines[3])
	for _, line := range lines {
		assert.Contains(t, line, "observer_test.go:", "the source is the caller")
	}

	b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
	require.NoError(t, err)
	defer b.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	_, err = outs[0].ToHost(ctx)
	require.NoError(t, err)
	_, err = exe.Execute(ctx, nil, nil)
	require.Error(t, err)
	lines = l.lines()
	require.Len(t, lines, 4)
	for i, want := range []string{
		`msg="pjrt upload" operation=\d+ platform=cpu bytes=16 devices=\[0\] duration=\S+$`,
		`msg="pjrt execute" operation=\d+ platform=cpu program=add devices=\[0\] duration=\S+$`,
		`msg="pjrt download" operation=\d+ platform=cpu bytes=16 duration=\S+$`,
		`msg="pjrt execute" .* error=".*the program takes 2 arguments, not 0"$`,
	} {
		assert.Contains(t, lines[i], "level=DEBUG")
		assert.Regexp(t, want, lines[i])
	}
}

func TestTheLoggerRespectsItsLevel(t *testing.T) {
	l := bookOf(t, slog.LevelInfo)
	ctx := context.WithValue(context.Background(), logKey{}, l)
	client := newClient(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	b, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
	require.NoError(t, err)
	defer b.Close()
	lines := l.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `msg="pjrt compile"`)
	pjrt.SetLogger(nil)
	_, err = client.Compile(ctx, pjrt.Program{}, nil)
	require.Error(t, err)
	assert.Empty(t, l.lines())
}

// brokenHandler is a handler that panics.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic(errors.New("broken")) }

func TestAPanicOfALogHandlerGoesNoFurther(t *testing.T) {
	defer pjrt.SetLogger(nil)
	for _, h := range []slog.Handler{brokenHandler{}, (*logbook)(nil)} {
		pjrt.SetLogger(slog.New(h))
		b, err := newClient(t).BufferFromHost(context.Background(), matrix(1, 2, 3, 4), nil)
		require.NoError(t, err)
		b.Close()
	}
}
