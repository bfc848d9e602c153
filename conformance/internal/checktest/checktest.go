// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package checktest runs the checks of a package in tests: on real plugins, on which they
// must not raise false alarms, and on faulty ones.
package checktest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// Suite holds the checks of a package.
type Suite struct {
	Checks  []check.Check
	Mutants []mutant.Mutant // mutants of other checks are left out
	// Tolerated are plugins that differ from others in a way that the contract allows, or in one
	// that other rules are about. They are written as mutants, whose Fault says what the difference
	// is.
	Tolerated []mutant.Mutant
	Plugins   []Plugin
	// Sharing says that mutants of hostile checks also share processes, see driver.Trial: no
	// check depends on what others left in the process.
	Sharing bool
}

// Plugin is a real plugin that checks run on.
type Plugin struct {
	Name            string           // in package plugins
	Options         []capi.Attribute // of every client
	NoDevice        string           // why there is no client, see check.Env
	Topology        string
	TopologyOptions []capi.Attribute
}

// Memory is the name of the plugin trial.Reference, which has no file.
const Memory = "memory"

// The plugins that tests use. Those for hardware other than CPUs are used without it.
var (
	CPU      = Plugin{Name: trial.CPU, Options: []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}}
	InMemory = Plugin{Name: Memory}
	TPU      = Plugin{Name: "tpu", NoDevice: noHardware, Topology: "v5e:2x2x1"}
	OlderTPU = Plugin{Name: "tpu@0.0.11", NoDevice: noHardware, Topology: "v5e:2x2x1"}
	CUDA     = Plugin{Name: "cuda13", NoDevice: noHardware}
	SomeGPU  = Plugin{Name: "cuda13", NoDevice: noHardware, TopologyOptions: []capi.Attribute{
		{Name: "target_config", Value: `platform_name: "CUDA" device_description_str: "some GPU"`}, {Name: "topology", Value: "1x2x4"},
	}}
)

const noHardware = "the tests do not count on its hardware"

// setup returns what a worker is told about the plugin, whose file is path.
func (p *Plugin) setup(path string) session.Setup {
	return session.Setup{
		Plugin: path, Options: options(p.Options), NoDevice: p.NoDevice,
		Topology: p.Topology, TopologyOptions: options(p.TopologyOptions),
	}
}

func options(list []capi.Attribute) []session.Option {
	var all []session.Option
	for _, a := range list {
		all = append(all, session.Option(a))
	}
	return all
}

// Main is what TestMain calls. In a worker, which runs checks, it does not return.
func (s *Suite) Main(m *testing.M) {
	if _, ok := worker.Asked(); ok {
		trial.Serve(
			func(name string) (*check.Check, error) { return check.Find(s.Checks, name) },
			func(name string) (*mutant.Mutant, error) {
				for _, list := range [][]mutant.Mutant{s.Mutants, s.Tolerated} {
					if m := mutant.Find(list, name); m != nil {
						return m, nil
					}
				}
				return nil, errors.New("there is no mutant " + name)
			},
		)
	}
	os.Exit(m.Run())
}

// inMemory is the plugin trial.Reference, made once since a process has room for only a
// few tables.
var inMemory = sync.OnceValues(trial.Reference)

// open initializes the plugin, whose file is path, in this process.
func (p *Plugin) open(path string) (*check.Env, error) {
	env := &check.Env{
		Path: path, Options: p.Options, NoDevice: p.NoDevice, Topology: p.Topology, TopologyOptions: p.TopologyOptions,
		Spawn: session.Spawner(worker.Command{}, p.setup(path)),
	}
	if p.Name == Memory {
		var err error
		env.Table, err = inMemory()
		return env, err
	}
	var err error
	if env.Table, err = capi.Open(path); err != nil {
		return nil, err
	}
	return env, (&capi.Call[capi.PluginInitializeArgs]{}).Do(env.Table)
}

// beyondQuick is the environment variable that leaves out checks of the profile quick on plugins
// that have a file. In .ci/run, make conformance and make conformance-aot run those.
const beyondQuick = "PJRT_CONFORMANCE_BEYOND_QUICK"

// RunChecks runs every check on every plugin. Each must pass, be skipped with a reason, or
// fail as a waiver for the plugin says.
func (s *Suite) RunChecks(t *testing.T) {
	for i := range s.Plugins {
		t.Run(s.Plugins[i].Name, func(t *testing.T) {
			if !TakesPlugin(s.Plugins[i].Name) {
				t.Skip("a short run does not download this plugin: make test-all")
			}
			s.runChecks(t, &s.Plugins[i])
		})
	}
}

func (s *Suite) runChecks(t *testing.T, p *Plugin) {
	path := ""
	if p.Name != Memory {
		path = plugintest.Path(t, p.Name)
	}
	env, err := p.open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	waived := Waived(env.Table, path)
	bench := newBench(t)
	seen := make(map[string]bool)
	sample := NewSample(s.Checks)
	for i := range s.Checks {
		c := &s.Checks[i]
		if err := c.Validate(); err != nil {
			t.Error(err)
			continue
		}
		if seen[c.Name()] {
			t.Errorf("there are two checks %s", c.Name())
		}
		seen[c.Name()] = true
		if !sample.Takes(c) || path != "" && c.Profile <= check.Quick && os.Getenv(beyondQuick) != "" {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			if c.Hostile {
				t.Parallel()
				Judge(t, waived, try(t, bench, c, p.setup(path)))
				return
			}
			Judge(t, waived, driver.Found(c, check.Run(t.Context(), c, env)))
		})
	}
}

// newBench returns a bench that is closed when the test ends.
func newBench(t *testing.T) *driver.Bench {
	t.Helper()
	b := driver.NewBench(driver.Config{})
	t.Cleanup(b.Close)
	return b
}

// try runs a check in a worker.
func try(t *testing.T, b *driver.Bench, c *check.Check, setup session.Setup) *report.Result {
	t.Helper()
	r := b.Try(t.Context(), driver.Trial{Check: c, Setup: setup})
	if r == nil {
		t.Fatal("the test ended before the check")
	}
	return r
}

// RunMutants runs every mutant's check on the mutant; the check must fail.
func (s *Suite) RunMutants(t *testing.T) {
	s.runTrials(t, (*trial.Plugins).With, func(t *testing.T, r *report.Result) {
		if !r.Verdict.Failed() {
			t.Errorf("the check does not find the fault: %s", r.Details())
		}
	})
}

// RunSound runs the checks of those mutants that are made from a plugin of the suite's own,
// on that plugin without the fault. They must pass.
func (s *Suite) RunSound(t *testing.T) {
	type subject struct {
		check string
		base  mutant.Base
	}
	one := *s
	one.Mutants = nil
	seen := make(map[subject]bool)
	for _, m := range s.Mutants {
		if x := (subject{m.Check, m.Base}); (m.Sound != nil || m.Base != mutant.CPU) && !seen[x] {
			seen[x] = true
			one.Mutants = append(one.Mutants, m)
		}
	}
	one.runTrials(t, (*trial.Plugins).Without, func(t *testing.T, r *report.Result) {
		if r.Verdict != check.Pass {
			t.Error(r.Details())
		}
	})
}

// RunTolerated runs the checks of the tolerated plugins. None may fail.
func (s *Suite) RunTolerated(t *testing.T) {
	one := *s
	one.Mutants = s.Tolerated
	one.runTrials(t, (*trial.Plugins).With, func(t *testing.T, r *report.Result) {
		if r.Verdict != check.Pass && r.Verdict != check.SkipUnimpl && r.Verdict != check.Blocked {
			t.Error(r.Details())
		}
	})
}

// runTrials runs the check of every mutant in a worker that gets what setup returns.
func (s *Suite) runTrials(t *testing.T, setup func(*trial.Plugins, context.Context, *mutant.Mutant) (session.Setup, error),
	judge func(*testing.T, *report.Result)) {
	t.Helper()
	plugins := &trial.Plugins{CPU: plugintest.Path(t, trial.CPU), Dir: t.TempDir()}
	bench := newBench(t)
	var waiting sync.WaitGroup
	t.Cleanup(waiting.Wait)
	sample := NewSample(s.Checks)
	for i := range s.Mutants {
		m := &s.Mutants[i]
		c, err := check.Find(s.Checks, m.Check)
		if err != nil || !sample.TakesMutant(m) {
			continue
		}
		told, err := setup(plugins, t.Context(), m)
		found := sync.OnceValue(func() *report.Result {
			return bench.Try(t.Context(), driver.Trial{Check: c, Setup: told, Shared: s.Sharing})
		})
		if m.Waits && err == nil {
			waiting.Go(func() { found() }) // while others run
		}
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			if errors.Is(err, mutant.ErrNoCompiler) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			r := found()
			if r == nil {
				t.Fatal("the test ended before the check")
			}
			t.Logf("%s in %v: %.300q %s %q", r.Verdict, r.Duration, r.Failures, r.Skip, r.Notes)
			judge(t, r)
		})
	}
}

// RunForLeaks runs the checks on plugins of package pjrttest, and fails the test if a check
// does not destroy what it makes, whatever its verdict. It returns how many pass. Checks of
// a plugin that is not loaded or initialized, and checks that end the process, are left out.
// A short run skips the test.
func (s *Suite) RunForLeaks(t *testing.T) (passed int) {
	if testing.Short() {
		t.Skip("every check runs: make test-all")
	}
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.Begins != check.Initialized || c.Exits {
			continue
		}
		p, err := pjrttest.Start(pjrttest.Options{Devices: 4, Extensions: pjrttest.Extensions(), Network: new(pjrttest.Network)})
		if err != nil {
			t.Fatal(err)
		}
		p.Program("add_one", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return x + 1 }))
		p.Program("long", pjrttest.Signature{}, pjrttest.Identity)
		p.Program("returning", pjrttest.Signature{}, pjrttest.Identity)
		env := &check.Env{Table: p.Table(), Topology: "2x3"}
		if check.Run(t.Context(), c, env).Verdict == check.Pass {
			passed++
		}
		if err := env.Close(); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
		if live := p.Live(); len(live) > 0 {
			t.Errorf("%s leaves %v", c.Name(), live)
		}
		_ = p.Close()
	}
	return passed
}
