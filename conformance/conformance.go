// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/corpus"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Report is what a run found.
type Report = report.Report

// Profile is how thorough a run is. Each holds the checks of the smaller ones.
type Profile string

// The profiles.
const (
	Smoke Profile = "smoke" // seconds: does it work at all
	Quick Profile = "quick" // the default: every rule once, within a minute or so
	Core  Profile = "core"  // more programs and types, stress of seconds
	Full  Profile = "full"  // everything, stress of minutes
)

// Options says what to run and how. The zero value, with a plugin, is a good
// one.
type Options struct {
	// Plugin is the path of the library to check.
	Plugin string
	// CreateOptions are what every client is made with.
	CreateOptions []capi.Attribute
	// Topology is the name, and TopologyOptions the create options, of the
	// topology that programs are compiled for where there is no client. Without
	// either, that is one that the suite knows for the plugin's platform.
	Topology        string
	TopologyOptions []capi.Attribute
	// NoDevice leaves out all that needs a client. Without it, that is done when
	// no client can be made.
	NoDevice bool
	// OptionFiles are the files that values of options were read from, by name of
	// the option. The commands that the report has name them in place of the
	// values.
	OptionFiles map[string]string

	Profile Profile        // empty: Quick
	Levels  []string       // of L0 to L4, X and Q; empty: all
	Filter  *regexp.Regexp // of the names of the checks, such as H2D-04; nil: all

	// Programs is a folder of programs with their arguments and results, and
	// StableHLO a checkout of StableHLO, whose tests hold programs. With one of
	// them, these programs are the checks, in place of the contract's.
	Programs  string
	StableHLO string
	// Against is the path of a second plugin, and AgainstOptions what its client
	// is made with. Each check is then a program, of the suite and of the folders
	// above, that runs on both, and their results are compared. FuzzRounds is how
	// many times a program runs with inputs drawn at random as well, from Seed.
	// The smallest inputs found on which the plugins differ are written to the
	// folder Reproducers, if one is named.
	Against        string
	AgainstOptions []capi.Attribute
	FuzzRounds     int
	Seed           uint64
	Reproducers    string

	// Waivers are added to those that the suite has for the plugin.
	Waivers []*report.WaiverFile
	// NoKnownWaivers leaves out those that the suite has.
	NoKnownWaivers bool

	// TimeoutFactor multiplies every time limit; 0 means 1.
	TimeoutFactor float64
	// Jobs is how many processes run checks at a time. 0 chooses: half the
	// processors on a plugin for CPUs, 1 on others, as a device often has room
	// for one client only.
	Jobs int
	// NoReruns leaves out the repetition of failed checks.
	NoReruns bool

	// Reports is a folder for Test to write the report to, in every form:
	// report.json, report.html, report.md, junit.xml and badge.svg. Empty: none.
	Reports string

	// Progress is called when a check is done, by one goroutine at a time.
	Progress func(Progress)
	// WorkerArgs are the arguments that this program is started with as a
	// worker. See Worker.
	WorkerArgs []string
	// Command is the start of the command line that runs checks again, in what
	// the report says; empty: pjrt conformance.
	Command string

	suite    string      // which checks
	programs corpus.Spec // what suite stands for when the checks are programs
	fault    string      // for tests: what the program does to the plugin
	token    string      // of the worker
	noWorker bool        // for tests: the program does not call Worker
	test     string      // the test that calls Test
}

// Progress is how far a run is.
type Progress struct {
	Phase   string         // probe, check, or rerun: checks that failed are run again
	Done    int            // checks of this phase
	Failed  int            // of them, without those that a waiver excuses; in a rerun, those that differ
	Waived  int            // of them, failed as a waiver says
	Total   int            // 0 when that is not known yet
	Result  *report.Result // of the newest; nil at the start of a phase
	Elapsed time.Duration  // since the run began
	Began   time.Duration  // when this phase did, since the run began
}

// ErrNothingToCheck is the error of a file that cannot be loaded for a reason
// that is no rule's subject: it does not exist, is no library, lacks another
// library or is of an age that the suite does not know.
var ErrNothingToCheck = errors.New("the plugin cannot be checked")

// Run checks a plugin and returns what it found, which may be that the plugin
// is not conformant: see Report.Verdict. When ctx ends, it returns what ran
// until then. The error says that nothing could be run.
//
// This process does not load the plugin. It starts itself again for that: main
// must call Worker first thing.
func Run(ctx context.Context, o Options) (*Report, error) {
	if _, ok := worker.Asked(); ok {
		return nil, errors.New("conformance.Run was called in a worker: main must call conformance.Worker before anything else")
	}
	o.token = runToken
	if o.noWorker {
		o.token = "nobody"
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	return runConfig(ctx, c)
}

func runConfig(ctx context.Context, c *driver.Config) (*Report, error) {
	r, err := driver.Run(ctx, *c)
	var oe *driver.OpenError
	if errors.As(err, &oe) {
		return nil, fmt.Errorf("%w: %s", ErrNothingToCheck, oe.Problem)
	}
	return r, err
}

// Worker makes this process a worker if it was started as one, and does not
// return then. A program that calls Run must call Worker at the start of main,
// or Run cannot start workers.
func Worker() {
	switch token, _ := worker.Asked(); token {
	case runToken:
		session.Serve(session.Program{Check: checkOf})
	case runToken + peerSuffix:
		corpus.Serve()
	}
}

// runToken tells the workers of Run from those of Test, which a test binary can
// have, too.
const runToken = "run"

// config turns the options into the driver's form.
func (o *Options) config() (*driver.Config, error) {
	if o.Profile == "" {
		o.Profile = Quick
	}
	profile, err := check.ParseProfile(string(o.Profile))
	if err != nil {
		return nil, err
	}
	for _, l := range o.Levels {
		if !slices.Contains(report.LevelNames(), l) {
			return nil, fmt.Errorf("there is no level %q: use some of %s", l, strings.Join(report.LevelNames(), ", "))
		}
	}
	// What is told to reproduce a failure holds in any folder.
	for _, path := range []*string{&o.Plugin, &o.Programs, &o.StableHLO, &o.Against} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	if err := o.chooseCorpus(); err != nil {
		return nil, err
	}
	checks, err := checksOf(o.suite)
	if err != nil {
		return nil, err
	}
	if o.TimeoutFactor < 0 {
		return nil, fmt.Errorf("the timeout factor %v is negative", o.TimeoutFactor)
	}
	c := &driver.Config{
		Setup: session.Setup{
			Suite: o.suite, Fault: o.fault, Options: options(o.CreateOptions),
			Topology: o.Topology, TopologyOptions: options(o.TopologyOptions), Factor: o.TimeoutFactor,
		},
		Command: worker.Command{Args: o.WorkerArgs, Token: o.token},
		Checks:  checks, Profile: profile, Levels: o.Levels, Filter: o.Filter, Jobs: o.Jobs,
		Waivers: o.waivers,
	}
	if o.programs != (corpus.Spec{}) {
		c.Programs = o.programs.Tally
	}
	if o.NoReruns {
		c.Reruns = -1
	}
	if o.NoDevice {
		c.Setup.NoDevice = "no client was wanted"
	}
	if o.Plugin != "" {
		c.Setup.Plugin = o.Plugin
		inspected := plugins.Inspect(c.Setup.Plugin)
		if inspected.Hardware != nil {
			c.Hardware = inspected.Hardware.Error()
		}
		c.Usual = usualTopology(inspected.Platform)
	}
	c.Reproduce, c.ReproduceAll = o.reproduce()
	if o.Progress != nil {
		c.Progress = func(p driver.Progress) { o.Progress(Progress(p)) }
	}
	return c, nil
}

func options(list []capi.Attribute) []session.Option {
	var out []session.Option
	for _, a := range list {
		out = append(out, session.Option(a))
	}
	return out
}

// ParseOption reads a create option of the form NAME=VALUE or NAME:TYPE=VALUE,
// where TYPE is string, int, ints, float or bool. Without one, a value is what
// it looks like.
func ParseOption(text string) (capi.Attribute, error) {
	o, err := session.ParseOption(text)
	return capi.Attribute(o), err
}
