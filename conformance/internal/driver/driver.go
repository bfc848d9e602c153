// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package driver runs the checks of the conformance suite on a plugin, without
// ever loading it: workers do that, processes that may die of it.
package driver

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Config describes a run.
type Config struct {
	// Setup is what workers are told. The driver fills in NoDevice, NoText and Uninitialized
	// from the probe.
	Setup   session.Setup
	Command worker.Command
	Checks  []check.Check // the whole suite
	Profile check.Profile
	List    *lists.List    // of the binding checks; nil: those of binding rules
	Levels  []string       // empty: all
	Filter  *regexp.Regexp // of the checks' names; nil: all
	// Shard says which of Shards parts of the chosen checks runs, from 1; if Shards is 0, all
	// run.
	Shard, Shards int
	// Journal, if not empty, is a file that keeps results as they arrive, and from which
	// another run continues. It is removed at the end of a complete run.
	Journal string
	// Only is how many checks of Wanted the options chose by name.
	Only int
	// Wanted, if not nil, leaves out all checks that it does not name.
	Wanted map[string]bool
	// Jobs is how many workers there are at a time; 0 leaves it to the driver.
	Jobs int
	// Hardware, if not empty, says that the plugin's devices are not on this machine. Then no
	// client is tried.
	Hardware string
	// Usual, if not nil, is the topology that is used if there is no client and Setup names
	// none.
	Usual *session.Topology
	// Waivers returns the waivers for the plugin.
	Waivers func(*report.Plugin) []*report.WaiverFile
	// Programs, if not nil, says what the results mean if the checks are programs.
	Programs func([]report.Result) *report.Programs
	// Reproduce returns the command that runs just one check.
	Reproduce func(*check.Check) string
	// ReproduceAll returns the command that runs several checks in one process.
	ReproduceAll func([]*check.Check) string
	// Progress is called after each check, by one goroutine at a time.
	Progress func(Progress)
	Reruns   int // of a check that failed; negative: none, 0: two
	// Bound is how long the checks may take; 0 leaves it to the driver.
	Bound time.Duration
}

// Progress is how far a run is.
type Progress struct {
	Phase   string         // probe, plan, check or rerun
	Done    int            // of this phase
	Failed  int            // without those that a waiver excuses; in a rerun, those that differ
	Waived  int            // failed as a waiver says
	Blocked int            // blocked by another failure
	Total   int            // of this phase
	Result  *report.Result // the newest; nil at the start of a phase
	Plan    *Plan          // in the phase plan, before the checks
	Elapsed time.Duration  // since the run began
	Began   time.Duration  // when this phase began, since the run began
	// Report makes the report of what has run so far. It may only be called while Progress is; in
	// the phase probe it is nil.
	Report func() *report.Report
}

// OpenError says that there was nothing to check: the plugin could not be loaded, for a reason
// that no rule covers.
type OpenError struct{ Problem string }

// Error returns the reason.
func (e *OpenError) Error() string { return e.Problem }

const (
	startLimit   = time.Minute      // for a worker's program to start
	openLimit    = time.Minute      // for loading the library
	clientLimit  = time.Minute      // for making a client
	compileLimit = time.Minute      // for the first program
	stepLimit    = 15 * time.Second // for a step of the probe
	graceLimit   = 10 * time.Second // beyond a check's own limit
	leastGrace   = 3 * time.Second  // whatever the factor
)

// driver is the state of a run.
type driver struct {
	Config
	report  *report.Report
	start   time.Time
	results []*report.Result // of the chosen checks, in order; nil: not run
	chosen  []*check.Check
	causes  map[int]string   // of the failed checks, by their place in results; see byCause
	forced  []*report.Result // what the probe itself found

	mu       sync.Mutex
	before   map[*report.Result][]*check.Check // what had run in the process of a check that failed
	skew     map[string][]report.Skew          // by check
	worked   map[string]bool                   // functions that succeeded
	lacking  map[string]bool                   // functions whose errors made a check fail
	waited   map[string]*waits                 // functions that did not return
	problems []string
	journal  *journal

	firstCompile time.Duration // of a small program; 0: not known
	trials       bool          // the checks are about different plugins
}

// Run runs the checks that the configuration chooses. When ctx ends, the report covers what
// ran until then. The error is an *OpenError, or says why workers do not start.
func Run(ctx context.Context, c Config) (*report.Report, error) {
	d := newDriver(c)
	if err := d.probe(ctx); err != nil {
		return nil, err
	}
	d.chosen = Choose(&d.Config)
	d.results = make([]*report.Result, len(d.chosen))
	d.report.Run.Jobs = d.jobs()
	if err := d.begin(); err != nil {
		return nil, err
	}
	var queue []*job
	for i, c := range d.chosen {
		if d.results[i] == nil {
			queue = append(queue, &job{check: c, index: i})
		}
	}
	var left []*check.Check
	for _, j := range queue {
		left = append(left, j.check)
	}
	plan := d.plan(left)
	plan.Bound = d.bound(plan, left)
	d.report.Run.Bound = plan.Bound
	d.Progress(d.timed(Progress{Phase: "plan", Total: len(left), Plan: plan, Began: time.Since(d.start)}))
	bounded, cancel := context.WithTimeoutCause(ctx, plan.Bound, errBound)
	defer cancel()
	d.run(bounded, queue)
	d.rerun(bounded)
	d.overdue(bounded)
	r := d.reported(ctx.Err() != nil || bounded.Err() != nil && slices.Contains(d.results, nil))
	d.close(r.Run.Interrupted)
	return r, nil
}

func newDriver(c Config) *driver {
	if c.Setup.Factor <= 0 {
		c.Setup.Factor = 1
	}
	if c.Reruns == 0 {
		c.Reruns = 2
	}
	if c.Reproduce == nil {
		c.Reproduce = func(*check.Check) string { return "" }
	}
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	d := &driver{Config: c, start: time.Now(), skew: make(map[string][]report.Skew), worked: make(map[string]bool),
		lacking: make(map[string]bool), waited: make(map[string]*waits), before: make(map[*report.Result][]*check.Check)}
	d.report = &report.Report{
		Schema: report.SchemaVersion, Started: d.start.UTC().Truncate(time.Second), Machine: machine(), Suite: suite(c.Checks),
		Run: report.Run{Profile: c.Profile.String(), Levels: c.Levels, Topology: c.Setup.Topology, TimeoutFactor: c.Setup.Factor},
	}
	if c.List != nil {
		d.report.Run.List = c.List.Name
	}
	if c.Shards > 0 {
		d.report.Run.Shard = fmt.Sprintf("%d/%d", c.Shard, c.Shards)
	}
	d.report.Run.Only = c.Only
	if c.Filter != nil {
		d.report.Run.Filter = c.Filter.String()
	}
	d.report.Run.Options = texts(c.Setup.Options)
	d.report.Run.TopologyOptions = texts(c.Setup.TopologyOptions)
	return d
}

// texts returns options as the command line writes them.
func texts(options []session.Option) []string {
	var list []string
	for _, o := range options {
		list = append(list, o.String())
	}
	return list
}

// Choose returns the checks of a run, in the order of the contract.
func Choose(c *Config) []*check.Check {
	order := make(map[string]int)
	for i, r := range rules.All() {
		order[r.ID] = i
	}
	var chosen []*check.Check
	for i := range c.Checks {
		x := &c.Checks[i]
		switch {
		case x.Profile > c.Profile:
		case c.Filter != nil && !c.Filter.MatchString(x.Name()):
		case c.Wanted != nil && !c.Wanted[x.Name()]:
		case len(c.Levels) > 0 && !slices.Contains(c.Levels, c.level(x)):
		default:
			chosen = append(chosen, x)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *check.Check) int { return order[a.Rule] - order[b.Rule] })
	if c.Shards == 0 {
		return chosen
	}
	// Neighbours are alike, so every part gets an equal share of what takes long.
	var part []*check.Check
	for i := c.Shard - 1; i < len(chosen); i += c.Shards {
		part = append(part, chosen[i])
	}
	return part
}

// level returns the level of a check: the list's, if it has the check.
func (c *Config) level(x *check.Check) string {
	if c.List != nil && c.List.Level(x.Name()) != "" {
		return c.List.Level(x.Name())
	}
	return report.LevelOf(rules.ByID(x.Rule), x.Library)
}

// result makes the report's form of what a check found.
func (d *driver) result(c *check.Check, r check.Result) *report.Result {
	full := Found(c, r)
	full.Level = d.level(c)
	full.Unlisted = d.List != nil && full.Severity.Binding() && d.List.Level(full.Check) == ""
	d.blockedBy(full)
	if r.Needs != "" {
		full.BlockedBy = r.Needs // Report.Block names the check
	}
	if v := r.Verdict; !v.Skipped() && v != check.Pass && v != check.Blocked {
		full.Reproduce = d.Reproduce(c)
	}
	return full
}

// Found returns the report's form of what a check found, without the command that reproduces
// it.
func Found(c *check.Check, r check.Result) *report.Result {
	full := Describe(rules.ByID(c.Rule), c.Library)
	full.Calls = r.Calls
	full.Check, full.Verdict, full.Failures, full.Notes, full.Skip, full.Duration = c.Name(), r.Verdict, r.Failures, r.Notes,
		r.Skip, r.Duration
	full.Stopped, full.Compiles, full.Hung = r.Stopped, r.Compiles, r.Hung
	full.Digest, full.DigestWithLines = digests(&r)
	return full
}

// digests identify what a check found. The second one is empty if it would be the same. For a check
// that hangs they ignore where, which may differ from run to run.
func digests(r *check.Result) (digest, withLines string) {
	findings := r.Evidence[:len(r.Evidence):len(r.Evidence)]
	switch {
	case !r.Verdict.Failed():
		return "", ""
	case r.Verdict == check.Timeout:
		findings = append(findings, "no answer in time")
	case len(r.Failures) > len(findings):
		findings = append(findings, r.Failures[len(findings):]...)
	}
	digest, withLines = report.Digest(findings...), report.DigestWithLines(findings...)
	if withLines == digest {
		withLines = ""
	}
	return digest, withLines
}

// Describe makes a result that only describes a rule.
func Describe(rule *rules.Rule, library bool) *report.Result {
	return &report.Result{
		Rule: rule.ID, Check: rule.ID, Group: rule.Group(), Level: report.LevelOf(rule, library),
		Severity: rule.Severity, Basis: rule.Basis, Text: rule.Text, Subject: rule.Subject,
	}
}

// dead makes the result of a check whose worker died.
func (d *driver) dead(c *check.Check, death *worker.Death, took time.Duration) *report.Result {
	return d.deadIn(c, "", death, took)
}

// deadIn is like dead. If the worker died before the check began, opening is the function that it
// was in.
func (d *driver) deadIn(c *check.Check, opening string, death *worker.Death, took time.Duration) *report.Result {
	text := "expected an answer; " + death.String()
	if opening != "" {
		text = opening + ": " + text
	}
	r := check.Result{Check: c.Name(), Rule: c.Rule, Verdict: verdictOf(death), Duration: took, Failures: []string{text}}
	if w := words(pluginOutput(death.Output, death.Trace)); w != "" {
		r.Failures = append(r.Failures, "its last words: "+w)
	}
	full := d.result(c, r)
	full.Death, full.Calls, full.Hung = deathOf(death), session.Calls(death.Notes), silentIn(death)
	if len(full.Calls) == 0 {
		if opening == "" {
			opening = loadingCall(death)
		}
		if opening != "" {
			full.Calls = []string{opening}
		}
	}
	if len(r.Failures) == 1 && len(full.Calls) > 0 && death.Kind != worker.Silent {
		full.DigestWithLines = ""
		full.Digest = report.Digest(r.Failures[0], "the last call was "+full.Calls[0]) // since there are no last words
	}
	return full
}

func verdictOf(death *worker.Death) check.Verdict {
	switch death.Kind {
	case worker.Crashed:
		return check.Crash
	case worker.Silent:
		return check.Timeout
	case worker.Panicked:
		return check.BrokenCheck
	}
	return check.Abort
}

// outputLines is how much of a dead worker's output a report keeps.
const (
	outputLines = 20
	lineLength  = 400
)

func deathOf(d *worker.Death) *report.Death {
	r := &report.Death{How: d.String(), Signal: d.Signal, ExitCode: d.ExitCode, Frames: d.Frames(session.ChecksPath)}
	r.Output = lastLines(pluginOutput(d.Output, d.Trace), outputLines)
	if d.Kind == worker.Panicked {
		r.Output = lastLines(d.Trace, 3*outputLines)
	}
	if d.Written > int64(len(d.Output)) {
		r.Output = append([]string{fmt.Sprintf("(the process wrote %d bytes; these are the last)", d.Written)}, r.Output...)
	}
	return r
}

// problem notes what went wrong outside any check, once.
func (d *driver) problem(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.problems, text) {
		d.problems = append(d.problems, text)
	}
}

func (d *driver) addSkew(check string, list []report.Skew) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(list) > 0 {
		d.skew[check] = list
	}
}

// works notes the functions that succeeded in a check.
func (d *driver) works(functions []string) {
	if len(functions) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range functions {
		d.worked[f] = true
	}
	d.report.Capabilities.Worked = slices.Sorted(maps.Keys(d.worked))
}

// blocked reports whether only functions that failed other checks too, and never worked so
// far, made a check fail.
func (d *driver) blocked(r *report.Result) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	blocked := len(r.Stopped) > 0
	for _, f := range r.Stopped {
		blocked = blocked && d.lacking[f] && !d.worked[f]
		d.lacking[f] = true
	}
	return blocked
}

// alone runs a check in a process of its own.
func (d *driver) alone(ctx context.Context, c *check.Check) *report.Result {
	w := &slot{driver: d}
	defer w.leave(ctx)
	return w.check(ctx, c)
}
