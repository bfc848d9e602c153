// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux

package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

func TestMain(m *testing.M) {
	if token, ok := worker.Asked(); ok {
		if token == "mute" {
			fmt.Println("I shall not serve")
			os.Exit(3)
		}
		worker.Serve(handle)
	}
	os.Exit(m.Run())
}

func handle(task string, params json.RawMessage) (any, error) {
	switch task {
	case "echo":
		return params, nil
	case "fail":
		return nil, errors.New("as asked")
	case "exit":
		var code uintptr
		_ = json.Unmarshal(params, &code)
		mutant.LibC("exit", code)
	case "abort":
		mutant.LibC("abort")
	case "raise":
		var signal uintptr
		_ = json.Unmarshal(params, &signal)
		mutant.LibC("raise", signal)
	case "strlen":
		mutant.LibC("strlen", 1)
	case "hang":
		mutant.LibC("pause")
		time.Sleep(time.Hour)
	case "panic":
		done := make(chan bool)
		go func() { panic("the suite is broken") }()
		<-done
	case "print":
		line := append(bytes.Repeat([]byte("x"), 1023), '\n')
		for range 1 << 15 {
			os.Stdout.Write(line)
			os.Stderr.Write(line)
		}
		fmt.Fprintln(os.Stderr, "the last line")
		return "printed", nil
	case "close":
		os.Stdout.Close()
		os.Stderr.Close()
		mutant.LibC("close", 1)
		mutant.LibC("close", 2)
		mutant.LibC("abort")
	case "closefiles": // whoever owns them
		for fd := range uintptr(256) {
			if fd > 2 {
				mutant.LibC("close", fd)
			}
		}
	case "scribble": // whoever owns the files
		words := []byte("stray\n") // too short for an eventfd
		for fd := range uintptr(256) {
			mutant.WriteTo(fd+3, words)
		}
	case "fork": // the child keeps the pipes
		var parent uintptr
		_ = json.Unmarshal(params, &parent)
		if forked := mutant.LibC("fork"); forked == 0 {
			mutant.LibC("sleep", 30)
			mutant.LibC("_exit", 0)
		}
		if parent > 0 {
			mutant.LibC("_exit", parent)
		}
	case "note":
		for n := range uint16(100) {
			worker.Note(n)
			worker.Note(n)
		}
		mutant.LibC("abort")
	case "environment":
		_, asked := worker.Asked()
		return asked, nil
	}
	return "done", nil
}

func start(t *testing.T) *worker.Process {
	t.Helper()
	p, err := worker.Start(t.Context(), worker.Command{}, time.Minute)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func TestAWorkerAnswers(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, want := range []string{"one", strings.Repeat("long ", 1<<18), ""} {
		var got string
		d, err := p.Do(t.Context(), "echo", want, time.Minute, &got)
		require.NoError(t, err)
		require.Nil(t, d)
		assert.Equal(t, want, got)
	}
	_, err := p.Do(t.Context(), "fail", nil, time.Minute, nil)
	assert.EqualError(t, err, "as asked")
	asked := true
	_, err = p.Do(t.Context(), "environment", nil, time.Minute, &asked)
	require.NoError(t, err)
	assert.False(t, asked, "a process that a worker starts is not a worker")
	assert.Nil(t, p.Close())
	_, err = p.Do(t.Context(), "echo", "x", time.Minute, nil)
	assert.EqualError(t, err, "the worker is gone")
}

// What a plugin writes to one of the suite's descriptors is not an answer, and is
// noticed.
func TestStrayBytesAreNotAnswers(t *testing.T) {
	t.Parallel()
	p := start(t)
	for range 2 {
		var got string
		d, err := p.Do(t.Context(), "scribble", nil, time.Minute, &got)
		require.NoError(t, err)
		require.Nil(t, d)
		assert.Equal(t, "done", got)
		assert.Equal(t, worker.Stray{Bytes: 6, Head: []byte("stray\n")}, p.Stray())
		assert.Zero(t, p.Stray())
	}
	assert.Nil(t, p.Close())
}

func TestADeathSaysHow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		task   string
		params any
		want   worker.Kind
		says   string
	}{
		{"exit", 0, worker.Exited, "the process was ended by exit(0)"},
		{"exit", 3, worker.Exited, "the process was ended by exit(3)"},
		{"exit", 2, worker.Exited, "the process was ended by exit(2), or by the Go runtime, which uses this status, because its file descriptors were closed"},
		{"fork", 5, worker.Exited, "the process was ended by exit(5)"},
		{"closefiles", nil, worker.Exited, "the process lost its pipes to the suite: the plugin closed file descriptors that are not its own"},
		{"raise", 19, worker.Silent, "no answer within 500ms: the process was stopped, as by SIGSTOP, and was then killed"},
		{"abort", nil, worker.Crashed, "the process died of SIGABRT"},
		{"strlen", nil, worker.Crashed, "the process died of SIGSEGV"},
		{"raise", 9, worker.Crashed, "the process died of SIGKILL: the plugin killed it, or something else did, such as the system when it was out of memory"},
		{"raise", 8, worker.Crashed, "the process died of SIGFPE"},
		{"hang", nil, worker.Silent, "no answer within 500ms; the process was killed"},
		{"panic", nil, worker.Panicked, "the suite failed: panic: the suite is broken"},
		{"close", nil, worker.Crashed, "the process died of SIGABRT"},
	} {
		t.Run(fmt.Sprintf("%s %v", test.task, test.params), func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if test.want == worker.Silent {
				limit = 500 * time.Millisecond
			}
			for ; ; limit *= 2 {
				p := start(t)
				d, err := p.Do(t.Context(), test.task, test.params, limit, nil)
				require.NoError(t, err)
				require.NotNil(t, d)
				assert.Nil(t, p.Close(), "it is already dead")
				says := strings.ReplaceAll(test.says, "500ms", limit.String())
				const place = ".handle (worker_test.go:"
				frames := d.Frames("conformance/internal/worker_test")
				arrived := d.String() == says && (test.task != "hang" || strings.Contains(strings.Join(frames, "\n"), place))
				if test.want == worker.Silent && !arrived && limit < time.Minute {
					continue // on a busy machine the time may be up before the worker has come to its task
				}
				assert.Equal(t, test.want, d.Kind, "%+v", d)
				assert.Equal(t, says, d.String())
				if test.task == "hang" || test.task == "strlen" {
					require.NotEmpty(t, frames, d.Trace)
					assert.Contains(t, frames[0], place)
				}
				break
			}
		})
	}
}

func TestAForkedChildIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	p := start(t)
	began := time.Now()
	var got string
	for _, task := range []string{"fork", "echo"} {
		d, err := p.Do(t.Context(), task, 0, time.Minute, new(any))
		require.NoError(t, err)
		require.Nil(t, d)
	}
	d, err := p.Do(t.Context(), "echo", "still here", time.Minute, &got)
	require.NoError(t, err)
	require.Nil(t, d)
	assert.Equal(t, "still here", got)
	assert.Nil(t, p.Close())
	assert.Less(t, time.Since(began), 25*time.Second, "the child lives for 30 seconds")
}

func TestNotesOutliveTheWorker(t *testing.T) {
	t.Parallel()
	p := start(t)
	d, err := p.Do(t.Context(), "note", nil, time.Minute, nil)
	require.NoError(t, err)
	assert.Equal(t, []uint16{99, 98, 97, 96, 95, 94, 93, 92}, d.Notes)
}

func TestPrintingAGigabyteIsHarmless(t *testing.T) {
	t.Parallel()
	p := start(t)
	var got string
	d, err := p.Do(t.Context(), "print", nil, time.Minute, &got)
	require.NoError(t, err)
	require.Nil(t, d)
	d, err = p.Do(t.Context(), "exit", 7, time.Minute, nil)
	require.NoError(t, err)
	assert.Equal(t, 7, d.ExitCode)
	assert.Len(t, d.Output, 64<<10)
	assert.True(t, strings.HasSuffix(d.Output, "xxx\nthe last line\n"))
	assert.EqualValues(t, 2<<25+len("the last line\n"), d.Written)
}

func TestAnEndedContextKillsTheWorker(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := worker.Start(ctx, worker.Command{}, time.Minute)
	require.NoError(t, err)
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = p.Do(ctx, "hang", nil, time.Minute, nil)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = os.Stat(fmt.Sprintf("/proc/%d", p.Pid()))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestAProgramThatIsNotAWorkerIsAnError(t *testing.T) {
	t.Parallel()
	_, err := worker.Start(t.Context(), worker.Command{Token: "mute"}, time.Minute)
	assert.ErrorContains(t, err, "did not start: the process was ended by exit(3); it printed: I shall not serve")
	_, err = worker.Start(t.Context(), worker.Command{Path: "/nowhere/program"}, time.Minute)
	assert.ErrorContains(t, err, "start a worker: ")
}
