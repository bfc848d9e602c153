// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package check has the parts of a conformance check: the check as data, the T to which it
// reports, and calls of the raw API in which a check may pass wrong values. It does not
// use package pjrt, which would hide the faults that checks look for.
package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Profile says how thorough a run is. Each profile includes the checks of the smaller
// ones.
type Profile int

// The profiles. A check belongs to Quick unless it says otherwise.
const (
	Smoke Profile = iota - 1 // seconds: does it work at all
	Quick                    // every rule once
	Core                     // more programs and types, stress of seconds
	Full                     // everything, stress of minutes
)

// String returns the name that the command line uses.
func (p Profile) String() string {
	switch p {
	case Smoke:
		return "smoke"
	case Quick:
		return "quick"
	case Core:
		return "core"
	case Full:
		return "full"
	}
	return fmt.Sprintf("Profile(%d)", int(p))
}

// ParseProfile is the reverse of String.
func ParseProfile(s string) (Profile, error) {
	for p := Smoke; p <= Full; p++ {
		if p.String() == s {
			return p, nil
		}
	}
	return 0, fmt.Errorf("there is no profile %q: use smoke, quick, core or full", s)
}

// DefaultTimeout is the time limit of a check that sets none.
const DefaultTimeout = 30 * time.Second

// AnyNumber is the Devices of a check that needs a client and none of its devices.
const AnyNumber = -1

// Stage is how far a process has got with a plugin.
type Stage int

// The stages.
const (
	Initialized Stage = iota // PJRT_Plugin_Initialize was called
	Loaded                   // there is a table, and no function was called yet
	Unloaded                 // there is at most a file; see T.Load
)

// Check is one check of one rule. Its name is the rule's id, followed by a slash and a
// text that tells it from the rule's other checks: H2D-04 or H2D-02/type=f32. Lists of checks
// are literals that name the fields, in this order.
type Check struct {
	Rule    string        // id of the rule
	Variant string        // empty when the rule has one check
	Profile Profile       // the smallest profile that runs it
	Timeout time.Duration // 0 means DefaultTimeout
	// Library says that the check needs no client and no device.
	Library bool
	// Devices is how many addressable devices the client must have; 0 means 1, and AnyNumber that
	// it may have none.
	Devices int
	// Hostile says that in this check a faulty plugin is likely to end the process, or to
	// be left in a state that would spoil later checks. The check gets a process of its
	// own.
	Hostile bool
	// Begins says how far the process has got with the plugin when the check begins. A
	// check that begins before initialization is hostile.
	Begins Stage
	// Exits says that the end of the process is part of the check: it must end without a
	// crash. Such a check is hostile.
	Exits bool
	Run   func(*T)
	// Helper does the steps of the check that run in a child process, which T.Spawn
	// starts.
	Helper func(t *T, step string)
}

// Name returns the name of the check.
func (c *Check) Name() string {
	if c.Variant == "" {
		return c.Rule
	}
	return c.Rule + "/" + c.Variant
}

// Limit returns how long the check may run.
func (c *Check) Limit() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

// Find returns the check with a name.
func Find(checks []Check, name string) (*Check, error) {
	for i := range checks {
		if checks[i].Name() == name {
			return &checks[i], nil
		}
	}
	return nil, fmt.Errorf("there is no check %q", name)
}

// Validate says what is wrong with the check's fields.
func (c *Check) Validate() error {
	switch {
	case rules.ByID(c.Rule) == nil:
		return fmt.Errorf("check %s: there is no such rule", c.Name())
	case c.Run == nil:
		return fmt.Errorf("check %s has no function", c.Name())
	case c.Library && c.Devices != 0:
		return fmt.Errorf("check %s needs devices but no client", c.Name())
	case (c.Begins != Initialized || c.Exits) && !c.Hostile:
		return fmt.Errorf("check %s is about the beginning or the end of its process, but is not Hostile", c.Name())
	}
	return nil
}

// Verdict is the outcome of a check.
type Verdict = report.Verdict

// The verdicts; the report adds some that a check alone cannot reach.
const (
	Pass           = report.Pass
	Fail           = report.Fail
	Crash          = report.Crash
	Abort          = report.Abort
	Timeout        = report.Timeout
	Warn           = report.Warn
	SkipAbsent     = report.SkipAbsent
	SkipUnimpl     = report.SkipUnimpl
	SkipEnv        = report.SkipEnv
	Waived         = report.Waived
	UnexpectedPass = report.UnexpectedPass
	Flaky          = report.Flaky
	Blocked        = report.Blocked
	BrokenCheck    = report.BrokenCheck
)

// Result is the result of a check.
type Result struct {
	Check    string        `json:"check"`
	Rule     string        `json:"rule"`
	Verdict  Verdict       `json:"verdict"`
	Failures []string      `json:"failures,omitempty"` // what was expected and what was found
	Evidence []string      `json:"evidence,omitempty"` // what distinguishes each of the first failures, see Mismatch
	Notes    []string      `json:"notes,omitempty"`    // observations that decide nothing
	Skip     string        `json:"skip,omitempty"`     // why it was skipped
	Skew     []report.Skew `json:"skew,omitempty"`     // outcomes for other struct sizes
	Calls    []string      `json:"calls,omitempty"`    // of a check that hangs: the last calls, the newest first
	Duration time.Duration `json:"duration_ns"`
	// Stopped are the functions whose errors alone made the check fail, or whose absence
	// made it end early.
	Stopped []string `json:"stopped,omitempty"`
	// Worked are the functions that have succeeded in this process and that no earlier
	// check reported.
	Worked []string `json:"worked,omitempty"`
	// Compiles is how many programs were given to a compiler.
	Compiles int `json:"compiles,omitempty"`
	// Needs is the rule whose failure blocks the check, if the check itself found that.
	Needs string `json:"needs,omitempty"`
	// Hung are the functions that have not returned when a check that failed is over.
	Hung []string `json:"hung,omitempty"`
}

// Run runs the check and returns its result. It also returns when ctx ends, the check's limit has
// passed, or a function of Env.Hangs does not return. Then the check's goroutine may hang in the
// plugin for ever, and the process should not be used for other checks: the result has a function
// in Hung or the verdict Timeout.
func Run(ctx context.Context, c *Check, env *Env) Result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &T{env: env, check: c, rule: rules.ByID(c.Rule), ctx: ctx, cancel: cancel}
	start := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.run()
	}()
	limit := func() time.Duration { return allowed(c.Limit(), env.Earned) }
	if !t.inTime(done, start, limit) {
		cancel()
		// A check that honours its context ends by itself, and reports more.
		select {
		case <-done:
		case <-time.After(time.Second):
			env.forget()
			return t.unfinished(start, limit())
		}
	}
	r := t.result()
	if r.Verdict.Failed() || r.Verdict == Blocked {
		r.Hung = env.calling.since(hangAge)
	}
	r.Duration = time.Since(start)
	return r
}

// hangAge is how long a call must have taken at the end of its check to count as one that does not
// return. What checks wait for themselves takes longer.
const hangAge = time.Second

// unfinished returns the result of a check that does not end.
func (t *T) unfinished(start time.Time, limit time.Duration) Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{Check: t.check.Name(), Rule: t.check.Rule, Verdict: Timeout, Failures: slices.Clone(t.failures),
		Evidence: slices.Clone(t.evidence), Notes: slices.Clone(t.notes), Duration: time.Since(start),
		Hung: t.env.calling.since(limit / 2)}
	r.Worked, r.Compiles = t.env.worked.take()
	if t.blocked != nil && len(r.Failures) == 0 {
		r.Verdict, r.Skip, r.Stopped = Blocked, t.blocked.words(), []string{t.blocked.Function}
		return r
	}
	r.Failures = append(r.Failures, fmt.Sprintf("it did not end within %v", limit.Round(time.Millisecond)))
	return r
}

func allowed(limit time.Duration, earned func() time.Duration) time.Duration {
	if earned == nil {
		return limit
	}
	return limit + earned()
}

// watchPause is the time between two looks at the calls that must not take long.
const watchPause = 50 * time.Millisecond

// inTime waits until done is closed and reports that. Before, it ends when t's context does, when
// the limit has passed, or when a function that is known not to return does not return once more.
func (t *T) inTime(done <-chan struct{}, start time.Time, limit func() time.Duration) bool {
	watched := slices.ContainsFunc(t.env.Hangs, func(h Hang) bool { return h.Limit > 0 })
	for {
		left := limit() - time.Since(start)
		if left <= 0 {
			return false
		}
		if watched {
			left = min(left, watchPause)
		}
		timer := time.NewTimer(left)
		select {
		case <-done:
			timer.Stop()
			return true
		case <-t.ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
			if h := t.env.overdue(); h != nil {
				t.block(h)
			}
		}
	}
}
