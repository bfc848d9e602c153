// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// A check reports to a T. Its methods may be called from any goroutine, except those that end the
// check (Fatalf, the skips, and all methods that may call these), which only the check's own
// goroutine may call.
type T struct {
	env   *Env
	check *Check
	rule  *rules.Rule
	ctx   context.Context

	mu       sync.Mutex
	failures []string
	evidence []string // of each failure
	ends     ends
	notes    []string
	skew     []report.Skew
	cleanups []func()
	owned    []ownedHandle
	verdict  Verdict // if the check ended early
	skip     string
	needs    string // the rule that says why, if the check is blocked
	newer    string // the field that the plugin is too old for, if the check set one
	suite    string
	blocked  *Hang // the function that the check needs, and that does not return
	ending   bool  // the check itself is over, and cleanups run

	cancel context.CancelFunc // of ctx
}

// maxMessages limits the messages of a check that fails in a loop.
const maxMessages = 20

const leftOut = "further failures were left out"

func (t *T) run() {
	finished := false
	defer func() {
		// Cleanups run whatever happened; a failing one fails the check.
		t.mu.Lock()
		t.ending = true
		t.mu.Unlock()
		t.cleanup()
	}()
	defer func() {
		if v := recover(); v != nil {
			t.panicked("panic", v)
		} else if !finished {
			return // Goexit: the verdict is set
		}
	}()
	if !t.check.Library {
		if n, need := len(t.Client().Devices), t.check.Devices; n < need {
			t.SkipEnvf("the check needs %d addressable devices, but the client has %d", need, n)
		}
	}
	t.check.Run(t)
	finished = true
}

// cleanup runs the cleanups, last first, each even if another ended early.
func (t *T) cleanup() {
	for {
		t.mu.Lock()
		var f func()
		if n := len(t.cleanups); n > 0 {
			f, t.cleanups = t.cleanups[n-1], t.cleanups[:n-1]
		}
		t.mu.Unlock()
		if f == nil {
			break
		}
		t.guard(f)
	}
	t.guard(t.destroyOwned)
}

// guard runs f in a goroutine of its own, so that a Fatalf ends only f.
func (t *T) guard(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				t.panicked("panic in a cleanup", v)
			}
		}()
		f()
	}()
	<-done
}

// panicked notes a panic. An invalid address is the plugin's fault: the check followed a pointer
// that it was given. The runtime panics if the address is almost null, and ends the process for
// others.
func (t *T) panicked(what string, v any) {
	if err, ok := v.(runtime.Error); ok && strings.Contains(err.Error(), "invalid memory address") {
		t.Errorf("the plugin returned an invalid pointer: %v\n%s", err, debug.Stack())
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.suite = fmt.Sprintf("%s: %v\n%s", what, v, debug.Stack())
}

func (t *T) result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{
		Check: t.check.Name(), Rule: t.check.Rule, Verdict: Pass, Failures: t.failures, Evidence: t.evidence, Notes: t.notes, Skew: t.skew,
	}
	r.Worked, r.Compiles = t.env.worked.take()
	switch {
	case t.blocked != nil && len(t.failures) == 0:
		r.Verdict, r.Skip, r.Stopped = Blocked, t.blocked.words(), []string{t.blocked.Function}
	case t.suite != "":
		r.Verdict = BrokenCheck
		r.Failures = append(r.Failures, t.suite)
	case len(t.failures) > 0 && !t.rule.Severity.Binding():
		r.Verdict, r.Stopped = Warn, t.ends.list()
	case len(t.failures) > 0:
		r.Verdict, r.Stopped = Fail, t.ends.list()
	case t.verdict != "":
		r.Verdict, r.Skip, r.Stopped, r.Needs = t.verdict, t.skip, t.ends.list(), t.needs
	case t.newer != "":
		r.Verdict, r.Skip = SkipAbsent, t.newer
	}
	return r
}

// Context ends when the check's time is up.
func (t *T) Context() context.Context { return t.ctx }

// Table returns the plugin.
func (t *T) Table() *capi.Table { return t.env.Table }

// Minor returns the API minor that the plugin states.
func (t *T) Minor() int {
	_, minor := t.env.Table.Version()
	return minor
}

// Env returns the environment of the check.
func (t *T) Env() *Env { return t.env }

// Patience returns how long the check waits for what must happen soon, such as a callback: five
// seconds, or less if the plugin is known to be faulty.
func (t *T) Patience() time.Duration { return cmp.Or(t.env.Patience, 5*time.Second) }

// Rule returns the rule that is being checked.
func (t *T) Rule() *rules.Rule { return t.rule }

// Errorf fails the check, which continues. The message says what was expected and what was found.
// If an argument is the error of a call that Try did not make, the check is skipped instead,
// unless something else fails it.
func (t *T) Errorf(format string, args ...any) {
	if !t.asked(args...) {
		return
	}
	text := fmt.Sprintf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blocked != nil {
		return
	}
	t.ends.add(text, args)
	switch {
	case len(t.failures) < maxMessages:
		t.failures, t.evidence = append(t.failures, text), append(t.evidence, evidence(format, args))
	case len(t.failures) == maxMessages:
		t.failures, t.evidence = append(t.failures, leftOut), append(t.evidence, leftOut)
	}
}

// Fatalf is like Errorf and ends the check.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

// Failed reports whether the check has failed so far.
func (t *T) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}

// Notef adds an observation to the report, without deciding anything.
func (t *T) Notef(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.notes) < maxMessages {
		t.notes = append(t.notes, fmt.Sprintf(format, args...))
	}
}

// Skew adds a line to the report's matrix of struct sizes, and decides nothing: a check that
// finds an outcome wrong also calls Errorf. Of several outcomes for one size, the first that is
// not OK counts.
func (t *T) Skew(s report.Skew) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Check = t.check.Name()
	for i, x := range t.skew {
		if x.Struct == s.Struct && x.Size == s.Size {
			if x.OK {
				t.skew[i] = s
			}
			return
		}
	}
	t.skew = append(t.skew, s)
}

// Doing says what the check is about to do, for the case that the process dies of it: the report
// has the last lines of standard error.
func (t *T) Doing(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", t.check.Name(), fmt.Sprintf(format, args...))
}

// SkipEnvf ends the check: the machine or the plugin's devices lack what it needs. Earlier
// failures still count.
func (t *T) SkipEnvf(format string, args ...any) { t.skipf(SkipEnv, format, args...) }

// SkipUnimplf ends the check: the plugin does not offer the feature.
func (t *T) SkipUnimplf(format string, args ...any) { t.skipf(SkipUnimpl, format, args...) }

// SkipAbsentf ends the check: the plugin is older than the feature.
func (t *T) SkipAbsentf(format string, args ...any) { t.skipf(SkipAbsent, format, args...) }

func (t *T) skipf(v Verdict, format string, args ...any) {
	t.mu.Lock()
	t.verdict, t.skip = v, fmt.Sprintf(format, args...)
	t.ends.add(t.skip, args)
	t.mu.Unlock()
	runtime.Goexit()
}

// BlockedBy ends the check: it needs what the checks of another rule find missing. Earlier failures
// still count.
func (t *T) BlockedBy(rule, format string, args ...any) {
	t.mu.Lock()
	t.verdict, t.skip, t.needs = Blocked, fmt.Sprintf(format, args...), rule
	t.mu.Unlock()
	runtime.Goexit()
}

// SkipFor ends the check if err says that the plugin lacks something: a slot is missing, or the
// answer is UNIMPLEMENTED.
func (t *T) SkipFor(err error) {
	var e *capi.Error
	switch {
	case !errors.As(err, &e) || e.Code != capi.ErrorCodeUnimplemented:
	case e.Missing:
		t.SkipAbsentf("%v", err)
	default:
		t.SkipUnimplf("%v", err)
	}
}

// Cleanup runs f when the check is over, last added first, before the handles
// that the check owns are destroyed. f may call every method of T.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// NoError fails the check if err is not nil. what says what was done.
func (t *T) NoError(err error, what string, args ...any) bool {
	if err == nil {
		return true
	}
	if len(args) > 0 {
		what = fmt.Sprintf(what, args...)
	}
	t.Errorf("%s: expected success, got %v", what, err)
	return false
}

// Equal fails the check if got is not want. what names the value.
func Equal[V comparable](t *T, want, got V, what string, args ...any) bool {
	if got == want {
		return true
	}
	t.Errorf("%s: expected %v, got %v", fmt.Sprintf(what, args...), show(want), show(got))
	return false
}

// show returns a value as a finding has it: a string in quotes, and a handle as its address.
func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer {
		if p.IsNil() {
			return "null"
		}
		return fmt.Sprintf("%p", v)
	}
	return fmt.Sprint(v)
}

// ErrorCode fails the check unless err is an error from the plugin with one of the codes. what
// says what was done.
func (t *T) ErrorCode(err error, what string, codes ...capi.ErrorCode) bool {
	if !t.asked(err) {
		return false
	}
	var names []string
	for _, c := range codes {
		names = append(names, c.String())
		if err != nil && capi.CodeOf(err) == c {
			return true
		}
	}
	want := strings.Join(names, " or ")
	if want == "" {
		want = "an error"
	}
	switch {
	case err == nil:
		t.Errorf("%s: expected %s, got success", what, want)
	case len(codes) > 0:
		t.Errorf("%s: expected %s, got %s: %v", what, want, capi.CodeOf(err), err)
	default:
		return true
	}
	return false
}
