// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// Option changes how Test and TestPlugin run.
type Option func(*Options)

// With sets any options except Plugin, WorkerArgs, Command and Progress, which are not
// for tests.
func With(set func(*Options)) Option { return set }

// Test checks a plugin that the test makes. Each check is a subtest of the same name, so
// go test -run 'TestConformance/EVT-03' runs one.
//
// The checks run in processes of their own. In these the test binary runs the same test
// again up to its call of Test, which calls open; the test's own process does not call
// it. Up to that point the test must do the same each time. The functions in the table
// may be written in Go.
func Test(t *testing.T, open func(testing.TB) *capi.API, opts ...Option) {
	t.Helper()
	test(t, opts, func(session.Setup) (*capi.Table, error) {
		tb := &recorder{TB: t}
		var api *capi.API
		done := make(chan bool)
		go func() { // where Fatal may end the goroutine
			defer close(done)
			api = open(tb)
		}()
		<-done
		if said := tb.said(); said != "" {
			return nil, errors.New(said)
		}
		return capi.NewTable(api, capi.Reentrant())
	})
}

// TestPlugin is like [Test] for a library. The test's own process does not load it.
func TestPlugin(t *testing.T, path string, opts ...Option) {
	t.Helper()
	if path == "" {
		t.Fatal("conformance: no plugin was named")
	}
	test(t, append([]Option{func(o *Options) { o.Plugin = path }}, opts...), nil)
}

// calls counts the calls of Test by each run of a test.
var calls struct {
	mu sync.Mutex
	of map[*testing.T]int
}

// token identifies a call of Test within one run of a test: go test -count=2 makes a call
// twice, and a worker makes it once.
func token(t *testing.T) string {
	calls.mu.Lock()
	defer calls.mu.Unlock()
	if calls.of == nil {
		calls.of = make(map[*testing.T]int)
	}
	if calls.of[t] == 0 {
		t.Cleanup(func() {
			calls.mu.Lock()
			defer calls.mu.Unlock()
			delete(calls.of, t)
		})
	}
	calls.of[t]++
	return fmt.Sprintf("%s#%d", t.Name(), calls.of[t])
}

// onlyTest returns the pattern that makes a test binary run one test.
func onlyTest(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

func test(t *testing.T, opts []Option, open func(session.Setup) (*capi.Table, error)) {
	t.Helper()
	var o Options
	for _, set := range opts {
		set(&o)
	}
	o.token = token(t)
	if asked, ok := worker.Asked(); ok {
		if asked == o.token {
			session.Serve(session.Program{Check: o.find, Open: open})
		}
		if o.Suite != nil {
			o.Suite.ServePeer(asked, o.token)
		}
		return // this is a worker for a later call
	}
	name := t.Name()
	o.WorkerArgs = []string{"-test.run=" + onlyTest(name), "-test.timeout=0", "-test.count=1"}
	o.test = name
	config, err := o.config()
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	r := &testRun{config: config, out: o.Reports, wanted: make(map[string]bool)}
	if deadline, ok := t.Deadline(); ok {
		// Go's own limit would end the test without a report.
		r.deadline = deadline.Add(-min(10*time.Second, time.Until(deadline)/10))
	}
	for _, c := range driver.Choose(config) {
		t.Run(c.Name(), func(t *testing.T) {
			r.wanted[c.Name()] = true
			t.Parallel()
			r.tell(t, c.Name())
		})
	}
	t.Cleanup(func() { r.end(t) })
}

// testRun is one call of Test. Its checks run when the first subtest continues after
// t.Parallel: by then all subtests that the flag -run selects have started.
type testRun struct {
	config   *driver.Config
	out      string
	deadline time.Time
	wanted   map[string]bool
	once     sync.Once
	report   *report.Report
	err      error
}

func (r *testRun) run() {
	ctx := context.Background()
	if !r.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.deadline)
		defer cancel()
	}
	r.config.Wanted = r.wanted
	if r.out != "" {
		var k report.Keeper
		r.config.Progress = func(p driver.Progress) {
			if p.Report != nil && p.Result != nil {
				_ = k.Keep(p.Report, func(x *report.Report) error { return x.WriteAll(r.out) }) // end fails if it cannot be written
			}
		}
	}
	r.report, r.err = driver.Run(ctx, *r.config)
}

// tell makes a check's result the result of its subtest.
func (r *testRun) tell(t *testing.T, name string) {
	r.once.Do(r.run)
	if r.err != nil {
		t.Fatalf("conformance: %v", r.err)
	}
	switch x := r.report.Result(name); {
	case x == nil && r.report.Run.Interrupted:
		t.Fatal("the check did not run: the time for the test was up")
	case x == nil:
		t.Skip("the check did not run: the plugin could not be opened")
	case x.Broken() || r.report.Programs != nil && x.Verdict.Failed():
		t.Error(x.Details()) // a difference between plugins is what such a test looks for
	case x.Verdict == report.Blocked:
		t.Skip(x.Details())
	case x.Verdict.Skipped():
		t.Skip(x.Skip)
	case x.Verdict != report.Pass:
		t.Log(x.Details())
	}
}

// end reports what does not belong to any subtest, and writes the reports.
func (r *testRun) end(t *testing.T) {
	if r.report == nil {
		return
	}
	chosen := make(map[string]bool)
	for _, c := range driver.Choose(r.config) {
		chosen[c.Name()] = true
	}
	for i := range r.report.Results {
		if x := &r.report.Results[i]; x.Broken() && !chosen[x.Check] {
			t.Error(x.Details()) // what the probe found
		}
	}
	var summary strings.Builder
	if err := (report.Text{}).WriteSummary(r.report, &summary); err != nil {
		t.Errorf("conformance: %v", err)
	}
	t.Log("\n" + summary.String())
	if r.out == "" {
		return
	}
	if err := r.report.WriteAll(r.out); err != nil {
		t.Errorf("conformance: %v", err)
	}
}

// recorder records what open logs when it fails, for the driver.
type recorder struct {
	testing.TB
	mu    sync.Mutex
	lines []string
	bad   bool
}

func (r *recorder) note(bad bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, strings.TrimSpace(text))
	r.bad = r.bad || bad
}

// said returns what open logged, or "" if it did not fail.
func (r *recorder) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.bad {
		return ""
	}
	return strings.Join(r.lines, "; ")
}

func (r *recorder) Helper()                      {}
func (r *recorder) Log(args ...any)              { r.note(false, fmt.Sprintln(args...)) }
func (r *recorder) Logf(f string, args ...any)   { r.note(false, fmt.Sprintf(f, args...)) }
func (r *recorder) Error(args ...any)            { r.note(true, fmt.Sprintln(args...)) }
func (r *recorder) Errorf(f string, args ...any) { r.note(true, fmt.Sprintf(f, args...)) }
func (r *recorder) Fail()                        { r.note(true, "the test failed") }
func (r *recorder) FailNow()                     { r.note(true, "the test failed"); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)            { r.note(true, fmt.Sprintln(args...)); runtime.Goexit() }
func (r *recorder) Fatalf(f string, args ...any) {
	r.note(true, fmt.Sprintf(f, args...))
	runtime.Goexit()
}
func (r *recorder) Failed() bool                { return r.said() != "" }
func (r *recorder) Skip(args ...any)            { r.Fatal(append([]any{"the test was skipped:"}, args...)...) }
func (r *recorder) Skipf(f string, args ...any) { r.Fatalf("the test was skipped: "+f, args...) }
func (r *recorder) SkipNow()                    { r.Fatal("the test was skipped") }
