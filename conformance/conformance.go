// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Report is what a run found.
type Report = report.Report

// Profile says how thorough a run is. Each profile includes the checks of the smaller
// ones. Its zero value is Quick, and String returns its name.
type Profile = check.Profile

// The profiles.
const (
	Smoke = check.Smoke // seconds: does it work at all
	Quick = check.Quick // the default: every rule once, within a minute or so
	Core  = check.Core  // more programs and types, stress of seconds
	Full  = check.Full  // everything, stress of minutes
)

// ParseProfile returns the profile with a name: smoke, quick, core or full.
func ParseProfile(name string) (Profile, error) { return check.ParseProfile(name) }

// Options says what to run and how. Only Plugin has to be set.
type Options struct {
	// Plugin is the path of the library to check.
	Plugin string
	// CreateOptions are the create options of every client.
	CreateOptions []capi.Attribute
	// Topology is the name of the topology for which programs are compiled where
	// there is no client, and TopologyOptions are its create options. If both are
	// empty, the suite chooses a topology that it knows for the plugin's platform.
	Topology        string
	TopologyOptions []capi.Attribute
	// NoDevice skips all checks that need a client. Without it, they are skipped
	// only if no client can be made.
	NoDevice bool
	// OptionFiles maps the name of an option to the file that its value was read from. The
	// commands in the report name the files in place of the values.
	OptionFiles map[string]string

	Profile Profile
	// List is the list of checks by which the plugin is judged, such as 2026.11; empty
	// means the newest. Checks that are not on it run too, but are not binding. See package
	// lists.
	List   string
	Levels []string       // of L0 to L4, X and Q; empty: all
	Filter *regexp.Regexp // of the names of the checks, such as H2D-04; nil: all

	// Only names the checks to run among those that the options above choose; nil: all. See
	// report.Report.Again.
	Only []string
	// Shard says which of Shards parts of the checks to run, from 1, so that several
	// machines share the work; report.Merge puts their reports together. If Shards is 0,
	// all checks run.
	Shard, Shards int

	// Resume is a file in which the run keeps its results. If it exists already, the run
	// continues from the results of an interrupted run with the same options. A complete
	// run removes it at the end.
	Resume string

	// Suite, if not nil, replaces the checks of the contract: see package laboratory. The suite's
	// own waivers and lists do not apply to it.
	Suite Suite

	// Waivers are used in addition to those that the suite has for the plugin.
	Waivers []*report.WaiverFile
	// NoKnownWaivers leaves out the waivers that the suite has.
	NoKnownWaivers bool

	// TimeoutFactor multiplies every time limit; 0 means 1.
	TimeoutFactor float64
	// Jobs is how many processes run checks at a time. 0 means half the number of
	// processors for a plugin for CPUs, and 1 for others, because a device often allows
	// only one client.
	Jobs int
	// Bound ends the run after that time, with the report of the checks that ran until then; Resume
	// continues it. 0 leaves it to the suite, which allows several times as long as a plugin needs
	// in which no function hangs.
	Bound time.Duration
	// NoReruns turns off the repetition of failed checks.
	NoReruns bool

	// Reports is a folder to which Test writes the report in every form: report.json,
	// report.html, report.md, junit.xml and badge.svg. If it is empty, Test writes
	// no reports.
	Reports string

	// Progress is called whenever a check is done, by one goroutine at a time.
	Progress func(Progress)
	// WorkerArgs are the arguments with which this program is started as a worker;
	// see Worker.
	WorkerArgs []string
	// Command is the program with which the command lines in the report begin, which run checks
	// again. Empty means pjrt-conformance.
	Command string

	suite    string      // for tests: one of testSuites
	judge    *lists.List // for tests: the list of the suite
	fault    string      // for tests: what the program does to the plugin
	token    string      // of the worker
	noWorker bool        // for tests: the program does not call Worker
	test     string      // the test that calls Test
}

// Progress says how far a run is.
type Progress struct {
	Phase   string         // probe, plan, check, or rerun, in which failed checks are run again
	Done    int            // checks done in this phase
	Failed  int            // of Done: failures without a waiver; in a rerun, verdicts that differ
	Waived  int            // of Done: failures that a waiver excuses
	Blocked int            // of Done: checks that another check's failure blocks
	Total   int            // checks of this phase, 0 if not known yet
	Result  *report.Result // of the latest check; nil at the start of a phase
	Plan    *Plan          // in the phase plan: what the checks are going to do
	Elapsed time.Duration  // from the start of the run
	Began   time.Duration  // from the start of the run to that of this phase
	// Report makes the report of the checks that have run so far. It may only be called before
	// Options.Progress returns. It is nil in the phase probe.
	Report func() *Report
}

// Plan is what a run is going to do, as far as it is known before the first check.
type Plan struct {
	Checks   int
	Compiles int           // about how many programs the checks compile
	First    time.Duration // how long the first program took; 0 if none can be compiled for a device
	Compile  time.Duration // how long all take together if each takes as long as the first
	Bound    time.Duration // when the run ends at the latest, whatever the plugin does
}

// ErrNothingToCheck is the error for a file that cannot be loaded for a reason that no rule
// covers: the file does not exist or is not a library, it lacks another library, or its API
// is of a version that the suite does not know.
var ErrNothingToCheck = errors.New("the plugin cannot be checked")

// Run checks a plugin and returns the report; Report.Verdict says whether the plugin is
// conformant. When ctx ends, Run returns the report of the checks that ran until then.
// Run returns an error only if nothing could be run.
//
// This process does not load the plugin. It starts itself again for that, so main must
// begin with a call of Worker.
func Run(ctx context.Context, o Options) (*Report, error) {
	if _, ok := worker.Asked(); ok {
		return nil, errors.New("conformance.Run was called in a worker: main must call conformance.Worker, and laboratory.Worker if it uses that, before anything else")
	}
	switch {
	case o.noWorker:
		o.token = "nobody"
	case o.Suite != nil:
		o.token = o.Suite.Token()
	default:
		o.token = runToken
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	if err := nothingChosen(*c); err != nil {
		return nil, err
	}
	r, err := runConfig(ctx, c)
	if err == nil && o.Plugin != "" {
		showInC(ctx, *c, r)
	}
	return r, err
}

// showInC writes the programs in C of the leads of a report. A check whose calls cannot be
// recorded, or written in C, has none.
func showInC(ctx context.Context, c driver.Config, r *Report) {
	dir, err := os.MkdirTemp("", "leads")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	c.Reruns, c.Journal, c.Shard, c.Shards, c.Jobs = -1, "", 0, 0, 1
	c.Progress = nil
	for i := range r.Leads {
		l := &r.Leads[i]
		if l.Function == "" || ctx.Err() != nil {
			continue
		}
		c.Wanted, c.Setup.Record = map[string]bool{l.Check: true}, filepath.Join(dir, fmt.Sprintf("%%p-%d.jsonl", i))
		if _, err := runConfig(ctx, &c); err != nil {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("*-%d.jsonl", i)))
		if err != nil {
			continue
		}
		// The first processes try what the plugin can do.
		slices.SortFunc(files, func(a, b string) int { return -written(a).Compare(written(b)) })
		for _, file := range files {
			s, err := recording.Open(file)
			if err != nil {
				continue
			}
			if l.Program, err = s.CProgram(l.Function, l.Field); err == nil {
				break
			}
		}
	}
}

// written returns when a file was last written.
func written(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// nothingChosen returns an error if no check matches the filter of a run. One part of a run may
// have no checks, if the others do.
func nothingChosen(c driver.Config) error {
	c.Shard, c.Shards = 0, 0
	if c.Filter == nil || len(driver.Choose(&c)) > 0 {
		return nil
	}
	all := c
	all.Profile, all.Levels, all.Wanted = Full, nil, nil
	if others := driver.Choose(&all); len(others) > 0 {
		return fmt.Errorf("nothing is run: %s matches only checks that the profile (%v), the levels or the list of failed checks leave out, such as %s",
			excerpt.Of(c.Filter.String()), c.Profile, others[0].Name())
	}
	return fmt.Errorf("nothing is run: no check has a name that matches %s", excerpt.Of(c.Filter.String()))
}

func runConfig(ctx context.Context, c *driver.Config) (*Report, error) {
	r, err := driver.Run(ctx, *c)
	var oe *driver.OpenError
	if errors.As(err, &oe) {
		return nil, fmt.Errorf("%w: %s", ErrNothingToCheck, oe.Problem)
	}
	return r, err
}

// Worker makes this process a worker if it was started as one; it then does not return.
// A program that calls Run must call Worker at the start of main, or Run cannot start
// workers.
func Worker() {
	if token, _ := worker.Asked(); token == runToken {
		session.Serve(session.Program{Check: new(Options).find})
	}
}

// runToken tells the workers of Run from those of Test, since a test binary can have
// both.
const runToken = "run"

// config turns the options into the driver's form.
func (o *Options) config() (*driver.Config, error) {
	if o.Profile < Smoke || o.Profile > Full {
		return nil, fmt.Errorf("there is no %v: use Smoke, Quick, Core or Full", o.Profile)
	}
	for _, l := range o.Levels {
		if !slices.Contains(report.LevelNames(), l) {
			return nil, fmt.Errorf("there is no level %q; the levels are %s", l, strings.Join(report.LevelNames(), ", "))
		}
	}
	// The commands that reproduce a failure must work in any folder.
	if o.Plugin != "" {
		path, err := filepath.Abs(o.Plugin)
		if err != nil {
			return nil, err
		}
		o.Plugin = path
	}
	if o.TimeoutFactor < 0 {
		return nil, fmt.Errorf("the timeout factor %v is negative", o.TimeoutFactor)
	}
	if o.Bound < 0 {
		return nil, fmt.Errorf("the bound %v of the run is negative", o.Bound)
	}
	name, checks, err := o.checks()
	if err != nil {
		return nil, err
	}
	c := &driver.Config{
		Setup: session.Setup{
			Suite: name, Fault: o.fault, Options: session.Options(o.CreateOptions),
			Topology: o.Topology, TopologyOptions: session.Options(o.TopologyOptions), Factor: o.TimeoutFactor,
		},
		Command: worker.Command{Args: o.WorkerArgs, Token: o.token},
		Checks:  checks, Profile: o.Profile, Levels: o.Levels, Filter: o.Filter, Jobs: o.Jobs,
		Waivers: o.waivers,
	}
	if o.Shards < 0 || o.Shards > 0 && (o.Shard < 1 || o.Shard > o.Shards) {
		return nil, fmt.Errorf("there is no part %d of %d parts of the checks", o.Shard, o.Shards)
	}
	c.Shard, c.Shards, c.Journal, c.Bound = o.Shard, o.Shards, o.Resume, o.Bound
	if o.Only != nil {
		c.Only, c.Wanted = len(o.Only), make(map[string]bool)
		for _, name := range o.Only {
			c.Wanted[name] = true
		}
	}
	if c.List, err = o.list(); err != nil {
		return nil, err
	}
	if o.Suite != nil {
		c.Programs = o.Suite.Tally
	}
	if o.NoReruns {
		c.Reruns = -1
	}
	if o.NoDevice {
		c.Setup.NoDevice = "the run was asked to make no client"
	}
	if o.Plugin != "" {
		c.Setup.Plugin = o.Plugin
		inspected, _ := plugins.Find(context.Background(), c.Setup.Plugin) // that it cannot be loaded is a finding
		if inspected.Hardware != nil {
			c.Hardware = inspected.Hardware.Error()
		}
		c.Usual = usualTopology(inspected.Platform)
	}
	c.Reproduce, c.ReproduceAll = o.reproduce()
	if o.Progress != nil {
		c.Progress = func(p driver.Progress) {
			o.Progress(Progress{
				Phase: p.Phase, Done: p.Done, Failed: p.Failed, Waived: p.Waived, Blocked: p.Blocked, Total: p.Total, Result: p.Result,
				Plan: (*Plan)(p.Plan), Elapsed: p.Elapsed, Began: p.Began, Report: p.Report,
			})
		}
	}
	return c, nil
}

// list returns the list by which the plugin is judged. Only checks of the contract are on one.
func (o *Options) list() (*lists.List, error) {
	switch {
	case o.Suite != nil || o.suite != "":
		return o.judge, nil
	case o.List == "":
		return lists.Newest(), nil
	}
	return lists.ByName(o.List)
}
