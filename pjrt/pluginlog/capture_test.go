// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// scenarioVariable says what a child process does. The tests run their binary as a child, because
// standard error belongs to a whole process.
const scenarioVariable = "PLUGINLOG_TEST_SCENARIO"

func TestMain(m *testing.M) {
	if name := os.Getenv(scenarioVariable); name != "" {
		scenarios()[name]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// outcome holds the results of a child process.
type outcome struct {
	err     error
	records []map[string]any // from standard output
	stderr  string
}

// child runs a scenario, with additional environment variables.
func child(t *testing.T, scenario string, environment ...string) outcome {
	t.Helper()
	require.Contains(t, scenarios(), scenario)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), append(environment, scenarioVariable+"="+scenario)...)
	// A file, because its contents are complete when Wait returns.
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	// A pipe, because reading it ends only when no process can write to it, the guard included.
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	o := outcome{err: cmd.Run()}
	require.NoError(t, ctx.Err(), "the child process hangs; it wrote %s", stderr.String())
	o.stderr = stderr.String()
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var r map[string]any
		require.NoError(t, json.Unmarshal(line, &r), "%s", line)
		if r["msg"] != "standard error is captured" {
			o.records = append(o.records, r)
		}
	}
	return o
}

func (o outcome) messages() []string {
	list := make([]string, len(o.records))
	for i, r := range o.records {
		list[i] = r["msg"].(string)
	}
	return list
}

// say writes to file descriptor 2, as C does.
func say(text string) {
	if _, err := writeAll(stderr, []byte(text)); err != nil {
		panic(err)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// captured starts a capture that logs to standard output.
func captured() (restore func() error) {
	restore, err := Capture(slog.New(slog.NewJSONHandler(os.Stdout, nil)))
	must(err)
	return restore
}

// telling is a handler that tells which messages it has logged.
type telling struct {
	slog.Handler
	logged chan string
}

func (h telling) Handle(ctx context.Context, r slog.Record) error {
	defer func() { h.logged <- r.Message }()
	return h.Handler.Handle(ctx, r)
}

// scenarios has the programs of the child processes.
func scenarios() map[string]func() {
	return map[string]func(){
		"messages": func() {
			say("before\n")
			patience = time.Minute // the parts of a line may be late on a busy machine
			logged := make(chan string, 100)
			restore, err := Capture(slog.New(telling{slog.NewJSONHandler(os.Stdout, nil), logged}))
			must(err)
			say("W0000 00:00:1795224986.790253    5361 a.cc:7] one\n two\n")
			for <-logged != "one\n two" {
			}
			say("three\n")
			for _, part := range []string{"fo", "ur ", "five\n"} {
				say(part)
				time.Sleep(3 * time.Millisecond)
			}
			fmt.Fprintln(os.Stderr, "from Go")
			fmt.Fprint(Stderr, "not captured\n")
			say("no end of line")
			must(restore())
			say("after\n")
		},
		"messages without tee": func() {
			openSource = func(pipe *os.File, _ int) (source, error) { return newReadAhead(pipe), nil }
			scenarios()["messages"]()
		},
		"again": func() {
			var before, after syscall.Stat_t
			must(syscall.Fstat(stderr, &before))
			for i := range 3 {
				restore := captured()
				_, err := Capture(slog.Default())
				if !errors.Is(err, ErrCaptured) {
					panic(err)
				}
				say(fmt.Sprintf("inside %d\n", i))
				must(restore())
				must(restore())
			}
			must(syscall.Fstat(stderr, &after))
			if before.Dev != after.Dev || before.Ino != after.Ino {
				panic("standard error is another file")
			}
			fmt.Fprintln(Stderr, "restored")
		},
		"no leaks": func() {
			open := func() int {
				list, err := os.ReadDir("/dev/fd")
				must(err)
				return len(list)
			}
			must(captured()()) // opens descriptors that stay open
			time.Sleep(50 * time.Millisecond)
			descriptors, goroutines := open(), runtime.NumGoroutine()
			for range 10 {
				must(captured()())
			}
			for deadline := time.Now().Add(time.Minute); open() > descriptors || runtime.NumGoroutine() > goroutines; {
				if time.Now().After(deadline) {
					panic(fmt.Sprintf("%d descriptors, not %d; %d goroutines, not %d", open(), descriptors, runtime.NumGoroutine(), goroutines))
				}
				time.Sleep(time.Millisecond)
			}
		},
		"no leaks without tee": func() {
			openSource = func(pipe *os.File, _ int) (source, error) { return newReadAhead(pipe), nil }
			scenarios()["no leaks"]()
		},
		"logger writes in a circle": func() {
			_, err := Capture(slog.New(slog.NewTextHandler(os.Stderr, nil)))
			if err == nil || !strings.Contains(err.Error(), "pluginlog.Stderr") {
				panic(err)
			}
			must(captured()())
			restore, err := Capture(slog.New(slog.NewTextHandler(Stderr, nil)))
			must(err)
			say("round\n")
			must(restore())
		},
		"level": func() {
			restore, err := Capture(slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelWarn})))
			must(err)
			say("I0000 00:00:1.000000 1 a.cc:7] info\nE0000 00:00:1.000000 1 a.cc:7] error\n")
			must(restore())
		},
		"broken logger": func() {
			restore, err := Capture(slog.New(broken{}))
			must(err)
			say("W0000 00:00:1.000000 1 a.cc:7] panics\nE0000 00:00:1.000000 1 a.cc:7] fails\n")
			must(restore())
		},
		"flood": func() {
			restore := captured()
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					for i := range floodLines {
						say(fmt.Sprintf("I0000 00:00:1.000000 %d a.cc:%d] %s\n", g+1, i+1, strings.Repeat("x", 100)))
					}
				})
			}
			wg.Wait()
			must(restore())
		},
		"long line": func() {
			restore := captured()
			say(strings.Repeat("y", 3<<20) + "\n")
			must(restore())
		},
		"children": func() {
			goroutines := runtime.NumGoroutine()
			restore := captured()
			cmd := exec.Command("sh", "-c", "echo early >&2; echo said; read go; echo late >&2")
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			must(err)
			out, err := cmd.StdoutPipe()
			must(err)
			must(cmd.Start())
			_, err = io.ReadFull(out, make([]byte, len("said\n")))
			must(err)
			must(restore())
			say("restored\n")
			in.Close()
			must(cmd.Wait())
			// Text that is passed on in the last moment of the process may be lost.
			for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
		},
		"fatal": func() {
			restore := captured()
			say("F0000 00:00:1.000000 1 a.cc:7] end\n  of all\n")
			must(restore())
		},
		"no shell": func() {
			shell = filepath.Join(os.TempDir(), "no such shell")
			restore := captured()
			say("still works\n")
			must(restore())
		},
		// Ways for the process to end.
		"exit": func() {
			captured()
			say("E0000 00:00:1.000000 1 a.cc:7] last words\nF0000 00:00:1.000000 1 a.cc:8] no end of line")
			syscall.Exit(3)
		},
		"killed": func() {
			captured()
			say("last words\n")
			must(syscall.Kill(os.Getpid(), syscall.SIGKILL))
			select {}
		},
		"panic": func() {
			captured()
			panic("last words")
		},
		"slow shell": func() {
			startup = 0
			scenarios()["panic"]()
		},
		"signals": func() { // as systemd sends them to each process of a service
			captured()
			guard := current.capture.guard.cmd.Process.Pid
			for _, s := range []syscall.Signal{
				syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
			} {
				must(syscall.Kill(-guard, s))
			}
			panic("last words")
		},
		"abort": func() { // with a report that is longer than a pipe
			captured()
			for range 10000 {
				go func() { select {} }()
			}
			time.Sleep(10 * time.Millisecond)
			say("F0000 00:00:1.000000 1 a.cc:8] last words\n")
			must(syscall.Kill(os.Getpid(), syscall.SIGABRT))
			select {}
		},
		"crash after restore": func() {
			must(captured()())
			panic("last words")
		},
		"plugin": func() {
			restore := captured()
			plugin, err := pjrt.Open(os.Getenv("PLUGINLOG_TEST_PLUGIN"))
			must(err)
			client, err := plugin.NewClient(context.Background(), nil)
			must(err)
			must(client.Close())
			must(restore())
		},
		"quiet plugin": func() {
			must(Quiet(slog.LevelError))
			scenarios()["plugin"]()
		},
	}
}

const floodLines = 10000

// broken is a handler that cannot log.
type broken struct{ slog.Handler }

func (broken) Enabled(context.Context, slog.Level) bool { return true }

func (broken) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "panics" {
		panic("broken")
	}
	return io.ErrShortWrite
}

func TestMessagesBecomeRecords(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"messages", "messages without tee"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			o := child(t, scenario)
			require.NoError(t, o.err, o.stderr)
			assert.Equal(t, []string{"one\n two", "three", "four five", "from Go", "no end of line"}, o.messages())
			assert.Equal(t, "before\nnot captured\nafter\n", o.stderr)
			first := o.records[0]
			assert.Equal(t, "WARN", first["level"])
			assert.Equal(t, "a.cc", first["file"])
			assert.EqualValues(t, 7, first["line"])
			assert.EqualValues(t, 5361, first["thread"])
			when, err := time.Parse(time.RFC3339Nano, first["time"].(string))
			require.NoError(t, err)
			assert.True(t, time.Unix(1795224986, 790253000).Equal(when))
			assert.NotContains(t, o.records[1], "file")
		})
	}
}

func TestCaptureCanBeRepeated(t *testing.T) {
	t.Parallel()
	o := child(t, "again")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, []string{"inside 0", "inside 1", "inside 2"}, o.messages())
	assert.Equal(t, "restored\n", o.stderr)
}

func TestCaptureLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"no leaks", "no leaks without tee"} {
		o := child(t, scenario)
		require.NoError(t, o.err, o.stderr)
	}
}

func TestALoggerThatWritesToStandardErrorIsRefused(t *testing.T) {
	t.Parallel()
	o := child(t, "logger writes in a circle")
	require.NoError(t, o.err, o.stderr)
	assert.Contains(t, o.stderr, "msg=round")
	_, err := Capture(nil)
	require.Error(t, err)
}

func TestCaptureObeysTheLevelOfTheLogger(t *testing.T) {
	t.Parallel()
	o := child(t, "level")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, []string{"error"}, o.messages())
	assert.Empty(t, o.stderr)
}

func TestMessagesThatTheLoggerCannotTakeAreNotLost(t *testing.T) {
	t.Parallel()
	o := child(t, "broken logger")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, "W0000 00:00:1.000000 1 a.cc:7] panics\nE0000 00:00:1.000000 1 a.cc:7] fails\n", o.stderr)
}

func TestAFloodIsRecordedCompletely(t *testing.T) {
	t.Parallel()
	o := child(t, "flood")
	require.NoError(t, o.err, o.stderr)
	require.Len(t, o.records, 4*floodLines)
	next := map[float64]float64{1: 1, 2: 1, 3: 1, 4: 1}
	for _, r := range o.records {
		thread := r["thread"].(float64)
		require.Equal(t, next[thread], r["line"], "in order")
		next[thread]++
	}
}

func TestALineLongerThanThePipe(t *testing.T) {
	t.Parallel()
	o := child(t, "long line")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, strings.Repeat("y", 3<<20), strings.Join(o.messages(), ""))
}

func TestChildProcessesCanWriteAfterRestore(t *testing.T) {
	t.Parallel()
	o := child(t, "children")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, []string{"early"}, o.messages())
	assert.Equal(t, "restored\nlate\n", o.stderr)
}

func TestCaptureWithoutAShellWarns(t *testing.T) {
	t.Parallel()
	o := child(t, "no shell")
	require.NoError(t, o.err, o.stderr)
	require.Len(t, o.records, 2)
	assert.Equal(t, "WARN", o.records[0]["level"])
	assert.Equal(t, "still works", o.records[1]["msg"])
}

func TestAFatalMessageGoesBothWays(t *testing.T) {
	t.Parallel()
	o := child(t, "fatal")
	require.NoError(t, o.err, o.stderr)
	assert.Equal(t, []string{"end\n  of all"}, o.messages())
	assert.Equal(t, "ERROR+4", o.records[0]["level"])
	assert.Equal(t, "F0000 00:00:1.000000 1 a.cc:7] end\n  of all\n", o.stderr)
}

func TestLastMessagesReachStandardError(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]string{
		"exit":                "E0000 00:00:1.000000 1 a.cc:7] last words\nF0000 00:00:1.000000 1 a.cc:8] no end of line",
		"killed":              "last words\n",
		"panic":               "panic: last words\n",
		"slow shell":          "panic: last words\n",
		"signals":             "panic: last words\n",
		"abort":               "last words\n",
		"crash after restore": "panic: last words\n",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tries := 5
			if scenario == "abort" {
				tries = 1 // the report takes long
			}
			for range tries {
				o := child(t, scenario)
				require.Error(t, o.err)
				assert.Contains(t, o.stderr, want)
				if scenario == "abort" {
					assert.Contains(t, o.stderr, "SIGABRT")
				}
			}
		})
	}
}

func TestTheMessagesOfAPlugin(t *testing.T) {
	t.Parallel()
	path := "PLUGINLOG_TEST_PLUGIN=" + plugintest.Path(t, "cpu")
	o := child(t, "plugin", path, "TF_CPP_MAX_VLOG_LEVEL=1")
	require.NoError(t, o.err, o.stderr)
	assert.Empty(t, o.stderr)
	created := map[int]string{81: "PjRtCpuClient created.", 106: "PjRtCpuClient created.", 115: "CommonPjRtClient for CPU created."}
	assert.Contains(t, o.messages(), created[plugintest.Age(t)])
	for _, r := range o.records[1:] {
		assert.Contains(t, r, "file")
	}

	o = child(t, "quiet plugin", path, "TF_CPP_MAX_VLOG_LEVEL=1")
	require.NoError(t, o.err, o.stderr)
	assert.Empty(t, o.records)

	o = child(t, "plugin", path, "XLA_FLAGS=--xla_no_such_flag=1", "PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1")
	require.Error(t, o.err, "the plugin ends the process")
	assert.Contains(t, o.stderr, "Unknown flag in XLA_FLAGS: --xla_no_such_flag=1")
}
